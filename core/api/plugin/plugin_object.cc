// SPDX-License-Identifier: MIT
// What a library compiled, and its runs: see the header.
#include "core/api/plugin/plugin_object.h"

#include "core/api/plugin/plugin_services.h"

namespace ortc::api {
namespace {

std::vector<Type> output_types(const OrtNode& fused) {
  std::vector<Type> types;
  for (const OrtValueInfo* output : fused.outputs) {
    types.push_back(output != nullptr ? output->value->type : Type());
  }
  return types;
}

class PluginObject final : public ComputeObject {
 public:
  PluginObject(std::shared_ptr<const ComputeInfos> infos, size_t i, const std::string& claim,
               const PluginMemories& memories)
      : infos_(std::move(infos)),
        info_(infos_->info(i)),
        services_(infos_->ep().logger(), output_types(infos_->fused_node(i)), memories),
        context_(claim) {}
  ~PluginObject() override {
    if (!has_state_) return;
    const PluginLibrary::Scope scope(infos_->ep().factory().library());
    end_plugin([&] { info_.ReleaseState(&info_, state_); });
  }

  Status make_state() {
    RETURN_IF_ERROR(infos_->ep().call(
        "CreateState", [&] { return info_.CreateState(&info_, &context_, &state_); }));
    has_state_ = true;
    return Status::ok();
  }

  std::shared_ptr<const DeviceMemory> input_memory(size_t) const override {
    return services_.memories().values;
  }
  std::shared_ptr<const DeviceMemory> output_memory(size_t) const override {
    return services_.memories().values;
  }
  std::shared_ptr<const DeviceMemory> stream_memory() const override {
    return services_.memories().values;
  }

  Status compute(ComputeCall& call) const override {
    const LentKernelContext context;
    RETURN_IF_ERROR(context->open(call, services_));
    RETURN_IF_ERROR(
        infos_->ep().call("Compute", [&] { return info_.Compute(&info_, state_, context.get()); }));
    return context->finish();
  }

 private:
  std::shared_ptr<const ComputeInfos> infos_;
  OrtNodeComputeInfo& info_;
  PluginServices services_;
  OrtNodeComputeContext context_;
  void* state_ = nullptr;
  bool has_state_ = false;
};

}  // namespace

ComputeInfos::~ComputeInfos() {
  std::erase(infos_, nullptr);
  OrtEp& ep = ep_->ep();
  if (infos_.empty()) return;
  const PluginLibrary::Scope scope(ep_->factory().library());
  end_plugin([&] { ep.ReleaseNodeComputeInfos(&ep, infos_.data(), infos_.size()); });
}

Status ComputeInfos::check(size_t i, std::string_view claim) const {
  const OrtNodeComputeInfo* const info = infos_[i];
  const auto fault = [&](std::string_view what) {
    return make_status(Code::kEpFail, ep_->label("Compile"), " gave ", what, " for '", claim, "'");
  };
  if (info == nullptr) return fault("no OrtNodeComputeInfo");
  if (info->ort_version_supported < 23) return fault("an OrtNodeComputeInfo of an old version");
  if (info->CreateState == nullptr || info->Compute == nullptr || info->ReleaseState == nullptr) {
    return fault("an OrtNodeComputeInfo that lacks one of its functions");
  }
  return Status::ok();
}

Result<std::shared_ptr<const ComputeObject>> make_plugin_object(
    std::shared_ptr<const ComputeInfos> infos, size_t i, const std::string& claim,
    const PluginMemories& memories) {
  auto object = std::make_shared<PluginObject>(std::move(infos), i, claim, memories);
  RETURN_IF_ERROR(object->make_state());
  return std::shared_ptr<const ComputeObject>(std::move(object));
}

}  // namespace ortc::api
