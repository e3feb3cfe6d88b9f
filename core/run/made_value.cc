// SPDX-License-Identifier: MIT
// Values made on the way: see the header.
#include "core/run/made_value.h"

#include <algorithm>
#include <cstring>

#include "core/base/checked_math.h"

namespace ortc {
namespace {

// As far as the bytes behind keep their alignment.
uint64_t bytes_of_dims(size_t rank) { return align_up(uint64_t{rank} * sizeof(int64_t), 64); }

Dims joined(std::span<const int64_t> first, std::span<const int64_t> dims) {
  Dims all(first.begin(), first.end());
  all.insert(all.end(), dims.begin(), dims.end());
  return all;
}

// Nothing when there is no such tensor.
std::optional<uint64_t> bytes_of(DType dtype, std::span<const int64_t> first,
                                 std::span<const int64_t> dims) {
  const auto inner = checked_element_count(dims), outer = checked_element_count(first);
  if (!inner || !outer) return std::nullopt;
  const auto count = checked_mul(static_cast<uint64_t>(*outer), static_cast<uint64_t>(*inner));
  const auto size = count ? dtype_bytes(dtype, *count) : std::nullopt;
  return size && *size <= ArenaPool::kBytesMax ? size : std::nullopt;
}

}  // namespace

Result<MadeValue> MadeValue::make(ArenaPool& arenas, DType dtype, std::span<const int64_t> first,
                                  std::span<const int64_t> dims) {
  if (dtype == DType::kString) {
    ASSIGN_OR_RETURN(Tensor strings, Tensor::create(dtype, joined(first, dims)));
    return MadeValue(std::move(strings));
  }
  const auto size = bytes_of(dtype, first, dims);
  if (!size) {
    return invalid_argument("a ", dtype_name(dtype), " tensor of shape ",
                            dims_to_string(joined(first, dims)), " has no valid size");
  }
  MadeValue made;
  const size_t rank = first.size() + dims.size();
  const uint64_t begin = bytes_of_dims(rank);
  ASSIGN_OR_RETURN(made.block_, arenas.acquire(begin + *size));
  auto* to = reinterpret_cast<int64_t*>(made.block_.data());
  std::ranges::copy(dims, std::ranges::copy(first, to).out);
  // Elements of less than a byte are set one after the other: the rest of the last byte is zero.
  if (dtype_bits(dtype) < 8) std::memset(made.block_.data() + begin, 0, *size);
  made.dtype_ = dtype;
  made.rank_ = static_cast<uint32_t>(rank);
  return made;
}

Result<MadeValue> MadeValue::tensor(ArenaPool& arenas, DType dtype, std::span<const int64_t> dims) {
  return make(arenas, dtype, {}, dims);
}

Result<MadeValue> MadeValue::rows(ArenaPool& arenas, DType dtype, int64_t count,
                                  std::span<const int64_t> dims) {
  return make(arenas, dtype, {&count, 1}, dims);
}

ValueRef MadeValue::ref() const {
  if (!is_in_arena()) return ref_to(other_);
  return {dtype_, rank_, reinterpret_cast<const int64_t*>(block_.data()),
          block_.data() + bytes_of_dims(rank_)};
}

}  // namespace ortc
