// SPDX-License-Identifier: MIT
// A shape of bounded rank that lives on the stack: bind and run work on shapes without allocating.
// 64 dimensions are what a model may have at all; whoever appends has checked that before.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <span>

#include "core/base/checked_math.h"

namespace ortc::cpu {

inline constexpr size_t kMaxRank = 64;

class DimList {
 public:
  DimList() = default;
  DimList(size_t size, int64_t value) : size_(size) {
    assert(size <= kMaxRank);
    for (size_t i = 0; i < size; ++i) dims_[i] = value;
  }
  explicit DimList(std::span<const int64_t> dims) : size_(dims.size()) {
    assert(size_ <= kMaxRank);
    for (size_t i = 0; i < size_; ++i) dims_[i] = dims[i];
  }

  void push_back(int64_t dim) {
    assert(size_ < kMaxRank);
    dims_[size_++] = dim;
  }
  void clear() { size_ = 0; }
  size_t size() const { return size_; }
  bool is_full() const { return size_ == kMaxRank; }
  int64_t& operator[](size_t i) { return dims_[i]; }
  int64_t operator[](size_t i) const { return dims_[i]; }
  int64_t* data() { return dims_.data(); }
  const int64_t* data() const { return dims_.data(); }
  const int64_t* begin() const { return dims_.data(); }
  const int64_t* end() const { return dims_.data() + size_; }
  std::span<const int64_t> span() const { return {dims_.data(), size_}; }
  operator std::span<const int64_t>() const { return span(); }  // NOLINT

 private:
  std::array<int64_t, kMaxRank> dims_;
  size_t size_ = 0;
};

// The product of dims [begin, end) of a shape whose element count is known to fit.
inline int64_t product(std::span<const int64_t> dims, size_t begin, size_t end) {
  int64_t count = 1;
  for (size_t i = begin; i < end; ++i) count *= dims[i];
  return count;
}
inline int64_t product(std::span<const int64_t> dims) { return product(dims, 0, dims.size()); }

// Row-major strides, in elements. Shapes with a 0 have harmless strides of 0.
inline DimList row_major_strides(std::span<const int64_t> dims) {
  DimList strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return strides;
}

}  // namespace ortc::cpu
