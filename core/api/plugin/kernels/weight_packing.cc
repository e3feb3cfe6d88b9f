// SPDX-License-Identifier: MIT
// Packing constants: see the header.
#include "core/api/plugin/kernels/weight_packing.h"

#include "core/api/env/allocator.h"
#include "core/api/env/ort_allocators.h"

namespace ortc::api {
namespace {

// The constant in the library's memory, for the time of the call. Texts stay on the host.
Result<OrtValue> on_device(const PluginMemory& memory, const OrtValue& constant) {
  const Tensor& from = constant.tensor;
  ASSIGN_OR_RETURN(auto block, memory.allocate(from.byte_size()));
  RETURN_IF_ERROR(memory.copy_in({static_cast<const std::byte*>(from.data()), from.byte_size()},
                                 block.get(), /*stream=*/nullptr));
  OrtValue value;
  value.memory = memory.handle();
  const Bytes bytes(static_cast<const std::byte*>(block.get()), from.byte_size());
  ASSIGN_OR_RETURN(value.tensor, Tensor::view(from.dtype(), from.dims(), bytes, std::move(block)));
  return value;
}

}  // namespace

Result<std::unique_ptr<WeightPacking>> WeightPacking::create(const KernelPlace& place) {
  const auto& memory = place.memories.values;
  auto allocator = memory != nullptr ? memory->allocator() : keep(default_allocator());
  return std::unique_ptr<WeightPacking>(new WeightPacking(place, std::move(allocator)));
}

Status WeightPacking::pack(OrtKernelImpl& impl, const OrtValue& constant, size_t input,
                           bool is_on_host, const ShareBytes& share) {
  const auto pack_weight = impl.PrePackWeight;
  const bool moves = memory_ != nullptr && !is_on_host && constant.tensor.dtype() != DType::kString;
  OrtValue moved;
  if (moves) {
    ASSIGN_OR_RETURN(moved, on_device(*memory_, constant));
  }
  // The contents of shared weights are compared, which only the host's memory allows.
  OrtSharedPrePackedWeightCache cache(allocator_);
  OrtSharedPrePackedWeightCache* const offered = memory_ == nullptr ? &cache : nullptr;
  bool is_packed = false;
  RETURN_IF_ERROR(ep_->call("PrePackWeight", [&] {
    return pack_weight(&impl, moves ? &moved : &constant, static_cast<int>(input), allocator_.get(),
                       offered, &is_packed);
  }));
  if (cache.buffers.empty()) return Status::ok();
  if (!is_packed) {
    return make_status(Code::kEpFail, ep_->label("PrePackWeight"),
                       " stored a packed weight, and says that it packed none");
  }
  for (Blob& buffer : cache.buffers) {
    if (share) buffer = share(std::move(buffer));
  }
  return set_shared(impl, std::move(cache.buffers), input);
}

Status WeightPacking::set_shared(OrtKernelImpl& impl, std::vector<Blob> buffers, size_t input) {
  const auto take = impl.SetSharedPrePackedWeight;
  if (take == nullptr) {
    return make_status(Code::kEpFail, ep_->factory().name(),
                       ": the kernel stores a packed weight, but has no SetSharedPrePackedWeight");
  }
  std::vector<const void*> data;
  std::vector<size_t> sizes;
  for (const Blob& buffer : buffers) {
    data.push_back(buffer.data());
    sizes.push_back(buffer.size());
  }
  shared_.insert(shared_.end(), buffers.begin(), buffers.end());
  return ep_->call("SetSharedPrePackedWeight", [&] {
    return take(&impl, data.data(), sizes.data(), data.size(), static_cast<int>(input));
  });
}

}  // namespace ortc::api
