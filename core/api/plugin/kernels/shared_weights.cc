// SPDX-License-Identifier: MIT
// Packed weights of libraries: see the header.
#include "core/api/plugin/kernels/shared_weights.h"

#include "core/api/env/allocator.h"
#include "core/api/guard.h"
#include "core/api/plugin/kernels/kernels_table.h"

using namespace ortc;

namespace {

struct OwnBlocks {
  explicit OwnBlocks(std::shared_ptr<OrtAllocator> from) : allocator(std::move(from)) {}
  OwnBlocks(const OwnBlocks&) = delete;
  OwnBlocks& operator=(const OwnBlocks&) = delete;
  ~OwnBlocks() {
    for (void* block : blocks) api::deallocate(*allocator, block);
  }
  std::shared_ptr<OrtAllocator> allocator;
  std::vector<void*> blocks;
};

}  // namespace

Status OrtSharedPrePackedWeightCache::store(void* const* data, const size_t* sizes, size_t count) {
  if (!buffers.empty()) return invalid_argument("the weight was stored already");
  for (size_t i = 0; i < count; ++i) {
    if (data[i] == nullptr) return invalid_argument("'buffer_data_ptrs[", i, "]' must not be NULL");
  }
  const auto own = std::make_shared<OwnBlocks>(allocator);
  own->blocks.reserve(count);
  buffers.reserve(count);  // nothing fails from here on
  for (size_t i = 0; i < count; ++i) {
    own->blocks.push_back(data[i]);
    buffers.emplace_back(Bytes(static_cast<const std::byte*>(data[i]), sizes[i]), own);
  }
  return Status::ok();
}

namespace ortc::api::table {

OrtStatus* SharedPrePackedWeightCache_StoreWeightData(
    OrtSharedPrePackedWeightCache* prepacked_weight_cache, void** buffer_data_ptrs,
    size_t* buffer_data_sizes, size_t num_buffers) noexcept {
  return guard([&]() -> Status {
    ORTC_NEEDED(prepacked_weight_cache);
    ORTC_NEEDED(buffer_data_ptrs);
    ORTC_NEEDED(buffer_data_sizes);
    if (num_buffers == 0) return invalid_argument("'num_buffers' is 0, expected 1 or more");
    return prepacked_weight_cache->store(buffer_data_ptrs, buffer_data_sizes, num_buffers);
  });
}

}  // namespace ortc::api::table
