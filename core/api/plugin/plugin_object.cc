// SPDX-License-Identifier: MIT
// What a library compiled, and its runs: see the header.
#include "core/api/plugin/plugin_object.h"

#include "core/api/plugin/memory/sync_stream_handle.h"

namespace ortc::api {
namespace {

// Later steps and the program rely on the shapes that the model declares.
class PluginServices final : public KernelServices {
 public:
  PluginServices(const Logger& logger, const OrtNode& fused, PluginMemories memories)
      : KernelServices(logger), memories_(std::move(memories)) {
    for (const OrtValueInfo* output : fused.outputs) {
      types_.push_back(output != nullptr ? output->value->type : Type());
    }
  }
  const PluginMemories& memories() const { return memories_; }
  const OrtMemoryInfo& input_memory(size_t) const override { return value_memory(); }
  const OrtMemoryInfo& output_memory(size_t) const override { return value_memory(); }
  Result<std::shared_ptr<OrtAllocator>> allocator(const OrtMemoryInfo& memory) const override {
    for (const auto& own : memories_.list) {
      if (is_same_memory(own->handle(), memory)) return own->allocator();
    }
    return KernelServices::allocator(memory);
  }
  OrtSyncStream* sync_stream(void* handle) const override {
    return static_cast<OrtSyncStream*>(handle);
  }
  void* compute_stream(void* handle) const override {
    return handle != nullptr ? static_cast<OrtSyncStream*>(handle)->own_handle() : nullptr;
  }
  Status check_output(size_t i, std::span<const int64_t> dims) const override {
    if (i >= types_.size() || !types_[i].has_shape()) return Status::ok();
    const Shape& declared = *types_[i].shape;
    bool fits = declared.size() == dims.size();
    for (size_t k = 0; fits && k < dims.size(); ++k) {
      fits = !declared[k].is_known() || declared[k].value == dims[k];
    }
    if (fits) return Status::ok();
    return make_status(Code::kEpFail, "output ", i, " was made with the shape ",
                       dims_to_string(dims), ", expected ", type_to_string(types_[i]));
  }

 private:
  const OrtMemoryInfo& value_memory() const {
    return memories_.values != nullptr ? memories_.values->handle() : cpu_memory();
  }

  PluginMemories memories_;
  std::vector<Type> types_;
};

class PluginObject final : public ComputeObject {
 public:
  PluginObject(std::shared_ptr<const ComputeInfos> infos, size_t i, const std::string& claim,
               const PluginMemories& memories)
      : infos_(std::move(infos)),
        info_(infos_->info(i)),
        services_(infos_->ep().logger(), infos_->fused_node(i), memories),
        context_{claim} {}
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
    OrtKernelContext context(call, services_);
    RETURN_IF_ERROR(context.take_inputs());
    RETURN_IF_ERROR(
        infos_->ep().call("Compute", [&] { return info_.Compute(&info_, state_, &context); }));
    return context.finish();
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
