// SPDX-License-Identifier: MIT
// Results out of a pool: see the header.
#include "core/run/pooled_tensors.h"

#include <algorithm>
#include <bit>

#include "core/base/checked_math.h"

namespace ortc {
namespace {

struct Held {
  std::shared_ptr<ArenaPool> pool;
  ArenaPool::Block block;  // goes back before the pool may end
};

// Up to an eighth more, so that a result that grows from run to run, as caches of keys and values
// do, mostly fits where it was. What is not written takes no memory.
uint64_t with_room_to_grow(uint64_t bytes) {
  const uint64_t step = std::bit_floor(bytes) / 8;
  return std::min(ArenaPool::kBytesMax, (bytes / step + 1) * step);
}

Result<Tensor> make_pooled(const std::shared_ptr<ArenaPool>& pool, DType dtype,
                           std::span<const int64_t> dims) {
  const auto count = checked_element_count(dims);
  const bool is_plain = count.has_value() && dtype != DType::kString && dtype_bits(dtype) >= 8;
  const uint64_t bytes =
      is_plain ? dtype_bytes(dtype, static_cast<uint64_t>(*count)).value_or(0) : 0;
  Dims shape(dims.begin(), dims.end());
  if (bytes < kPooledBytes) return Tensor::create_unset(dtype, std::move(shape));
  const bool is_sane = bytes <= ArenaPool::kBytesMax;  // or the pool says so
  ASSIGN_OR_RETURN(ArenaPool::Block block,
                   pool->acquire(is_sane ? with_room_to_grow(bytes) : bytes));
  auto held = std::make_shared<Held>(Held{pool, std::move(block)});
  const Bytes view{held->block.data(), bytes};
  return Tensor::view(dtype, std::move(shape), view, std::move(held));
}

}  // namespace

TensorMaker tensors_of(std::shared_ptr<ArenaPool> pool) {
  return [pool = std::move(pool)](DType dtype, std::span<const int64_t> dims) {
    return make_pooled(pool, dtype, dims);
  };
}

}  // namespace ortc
