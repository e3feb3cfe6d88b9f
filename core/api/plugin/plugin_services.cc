// SPDX-License-Identifier: MIT
// What is around a library's computations: see the header.
#include "core/api/plugin/plugin_services.h"

#include "core/api/plugin/memory/sync_stream_handle.h"

namespace ortc::api {

Result<std::shared_ptr<OrtAllocator>> PluginServices::allocator(const OrtMemoryInfo& memory) const {
  for (const auto& own : memories_.list) {
    if (is_same_memory(own->handle(), memory)) return own->allocator();
  }
  return KernelServices::allocator(memory);
}

OrtSyncStream* PluginServices::sync_stream(void* handle) const {
  return static_cast<OrtSyncStream*>(handle);
}

void* PluginServices::compute_stream(void* handle) const {
  return handle != nullptr ? static_cast<OrtSyncStream*>(handle)->own_handle() : nullptr;
}

Status PluginServices::check_output(size_t i, std::span<const int64_t> dims) const {
  if (i >= types_.size() || !types_[i].has_shape()) return Status::ok();
  const Shape& declared = *types_[i].shape;
  bool fits = declared.size() == dims.size();
  for (size_t k = 0; fits && k < dims.size(); ++k) {
    fits = !declared[k].is_known() || declared[k].value == dims[k];
  }
  if (fits) return Status::ok();
  return make_status(Code::kEpFail, "output ", i, " was made with the shape ", dims_to_string(dims),
                     ", expected ", type_to_string(types_[i]));
}

}  // namespace ortc::api
