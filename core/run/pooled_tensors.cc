// SPDX-License-Identifier: MIT
// Results out of a pool: see the header.
#include "core/run/pooled_tensors.h"

#include <algorithm>
#include <bit>

#include "core/base/checked_math.h"

namespace ortc {
namespace {

// A block that goes back, and with it all that nobody uses once that is too much.
class Held {
 public:
  Held(std::shared_ptr<ArenaPool> pool, ArenaPool::Block block)
      : pool_(std::move(pool)), block_(std::move(block)) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    block_ = ArenaPool::Block();
    const ArenaUse use = pool_->use();
    if (use.held > use.in_use + kUnusedBytesMost) pool_->shrink();
  }
  std::byte* data() const { return block_.data(); }

 private:
  std::shared_ptr<ArenaPool> pool_;
  ArenaPool::Block block_;
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
  auto held = std::make_shared<Held>(pool, std::move(block));
  const Bytes view{held->data(), bytes};
  return Tensor::view(dtype, std::move(shape), view, std::move(held));
}

}  // namespace

TensorMaker tensors_of(std::shared_ptr<ArenaPool> pool) {
  return [pool = std::move(pool)](DType dtype, std::span<const int64_t> dims) {
    return make_pooled(pool, dtype, dims);
  };
}

}  // namespace ortc
