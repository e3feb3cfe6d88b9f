// SPDX-License-Identifier: MIT
// Kernels of libraries: see the header.
#include "core/api/plugin/kernels/kernel_object.h"

#include "core/api/kernel/kernel_info_handle.h"
#include "core/api/plugin/kernels/control_kernels.h"
#include "core/api/plugin/kernels/node_types.h"
#include "core/api/plugin/kernels/weight_packing.h"
#include "core/api/plugin/plugin_services.h"

namespace ortc::api {
namespace {

bool is_control_flow(const Node& node) {
  return node.is_op("If") || node.is_op("Loop") || node.is_op("Scan");
}

OrtKernelInfo info_of(const KernelPlace& place, const Node& node) {
  OrtKernelInfo info = OrtKernelInfo::of(node, version_of(node), place.ep->logger());
  info.kernels = place.kernels;
  info.ep = &place.ep->ep();
  if (place.config != nullptr) info.config = *place.config;
  if (place.memories.values != nullptr) info.allocator = place.memories.values->allocator();
  return info;
}

std::vector<Type> output_types(const OrtKernelInfo& info) {
  std::vector<Type> types;
  for (const OrtKernelInfo::Port& port : info.outputs) types.push_back(port.type);
  return types;
}

// Values of a kernel lie in its provider's memory, but for those that it wants on the host.
class KernelPlaces final : public PluginServices {
 public:
  KernelPlaces(const KernelPlace& place, const OrtKernelDef& def, const OrtKernelInfo& info)
      : PluginServices(place.ep->logger(), output_types(info), place.memories), def_(def) {}
  const OrtMemoryInfo& input_memory(size_t i) const override {
    return def_.is_input_on_host(i) ? cpu_memory() : PluginServices::input_memory(i);
  }
  const OrtMemoryInfo& output_memory(size_t i) const override {
    return def_.is_output_on_host(i) ? cpu_memory() : PluginServices::output_memory(i);
  }

 private:
  const OrtKernelDef& def_;
};

class KernelObject final : public ComputeObject {
 public:
  KernelObject(const KernelPlace& place, std::shared_ptr<const KernelEntry> entry, const Node& node)
      : ep_(place.ep),
        entry_(std::move(entry)),
        info_(info_of(place, node)),
        services_(place, entry_->def, info_),
        label_(node.label()),
        is_control_flow_(is_control_flow(node)) {}
  KernelObject(const KernelObject&) = delete;
  KernelObject& operator=(const KernelObject&) = delete;
  ~KernelObject() override {
    if (impl_ == nullptr || impl_->Release == nullptr) return;
    const PluginLibrary::Scope scope(ep_->factory().library());
    end_plugin([&] { impl_->Release(impl_); });
  }

  Status create() {
    OrtKernelImpl* impl = nullptr;
    RETURN_IF_ERROR_WHILE(ep_->call("the creation of a kernel",
                                    [&] { return entry_->create(entry_->state, &info_, &impl); }),
                          label_);
    impl_ = impl;
    return check();
  }

  // Has the library pack constants; what it shares with other kernels is kept here.
  Status pack(const KernelPlace& place) {
    const auto pack_weight = ORTC_SINCE(*impl_, 24, PrePackWeight);
    if (pack_weight == nullptr || is_control_flow_) return Status::ok();
    ASSIGN_OR_RETURN(packing_, WeightPacking::create(place));
    for (size_t i = 0; i < info_.inputs.size(); ++i) {
      const auto& constant = info_.inputs[i].constant;
      if (constant == nullptr) continue;
      RETURN_IF_ERROR_WHILE(
          packing_->pack(*impl_, *constant, i, entry_->def.is_input_on_host(i), place.share),
          label_, ": input ", i);
    }
    return Status::ok();
  }

  std::shared_ptr<const DeviceMemory> input_memory(size_t i) const override {
    return is_control_flow_ || entry_->def.is_input_on_host(i) ? nullptr : values();
  }
  std::shared_ptr<const DeviceMemory> output_memory(size_t i) const override {
    return is_control_flow_ || entry_->def.is_output_on_host(i) ? nullptr : values();
  }
  std::shared_ptr<const DeviceMemory> stream_memory() const override { return values(); }
  const ControlFlowHelper* helper() const override { return helper_.get(); }

  Status compute(ComputeCall& call) const override {
    const LentKernelContext context;
    RETURN_IF_ERROR(context->open(call, services_));
    RETURN_IF_ERROR(ep_->call("Compute", [&] { return impl_->Compute(impl_, context.get()); }));
    return context->finish();
  }

 private:
  std::shared_ptr<const DeviceMemory> values() const { return services_.memories().values; }

  Status check() {
    const auto fault = [&](auto&&... what) {
      return make_status(Code::kEpFail, ep_->factory().name(), ": the kernel for ", label_, " ",
                         what...);
    };
    if (impl_ == nullptr) return fault("was not made: its creation gave no OrtKernelImpl");
    // Both are as old as the struct, whatever version it says; so does ONNX Runtime.
    if (impl_->Compute == nullptr || impl_->Release == nullptr) {
      return fault("lacks Compute or Release");
    }
    const bool is_ours = is_control_kernel(*impl_);
    if (impl_->flags != 0 && !is_ours) return fault("has the flags ", impl_->flags, ", expected 0");
    if (is_ours != is_control_flow_) {
      return fault("must be one that Create", is_control_flow_ ? info_.op_type : "If",
                   "Kernel made", is_control_flow_ ? "" : " only for If");
    }
    // Elsewhere results are put together on the host and carried to the device.
    if (is_ours && values() == nullptr) helper_ = helper_of(*impl_, ep_);
    return Status::ok();
  }

  // What the kernel may use to its end stands before it.
  std::shared_ptr<EpInstance> ep_;
  std::shared_ptr<const KernelEntry> entry_;
  const OrtKernelInfo info_;
  const KernelPlaces services_;
  const std::string label_;
  const bool is_control_flow_;
  std::unique_ptr<WeightPacking> packing_;  // null: it packs nothing
  std::unique_ptr<const ControlFlowHelper> helper_;
  OrtKernelImpl* impl_ = nullptr;
};

}  // namespace

Result<std::shared_ptr<const ComputeObject>> make_kernel_object(
    const KernelPlace& place, std::shared_ptr<const KernelEntry> entry, const Node& node) {
  auto object = std::make_shared<KernelObject>(place, std::move(entry), node);
  RETURN_IF_ERROR(object->create());
  RETURN_IF_ERROR(object->pack(place));
  return std::shared_ptr<const ComputeObject>(std::move(object));
}

}  // namespace ortc::api
