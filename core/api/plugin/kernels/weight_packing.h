// SPDX-License-Identifier: MIT
// Constant inputs of a kernel, which its library packs its own way before the first run.
#pragma once

#include <memory>
#include <vector>

#include "core/api/plugin/kernels/kernel_object.h"
#include "core/api/plugin/kernels/shared_weights.h"
#include "core/api/value/value_handle.h"
#include "ort_c/ort_api.h"

namespace ortc::api {

// Of one kernel; stays until the kernel has ended, because it may use the allocator and, of what it
// stored to be shared, the bytes.
class WeightPacking {
 public:
  static Result<std::unique_ptr<WeightPacking>> create(const KernelPlace& place);

  // `constant` lies on the host; the library sees it in its own memory unless `is_on_host`.
  // `share`: as in KernelPlace.
  Status pack(OrtKernelImpl& impl, const OrtValue& constant, size_t input, bool is_on_host,
              const ShareBytes& share);

 private:
  WeightPacking(const KernelPlace& place, std::shared_ptr<OrtAllocator> allocator)
      : ep_(place.ep), memory_(place.memories.values), allocator_(std::move(allocator)) {}
  Status set_shared(OrtKernelImpl& impl, std::vector<Blob> buffers, size_t input);

  std::shared_ptr<EpInstance> ep_;
  std::shared_ptr<const PluginMemory> memory_;  // null: values lie on the host
  std::shared_ptr<OrtAllocator> allocator_;
  std::vector<Blob> shared_;
};

}  // namespace ortc::api
