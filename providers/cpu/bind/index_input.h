// SPDX-License-Identifier: MIT
// Index tensors (int32 or int64) as gather and scatter read them: negative indices count from the
// back; every index is checked before anything is read or written through it.
#pragma once

#include "providers/cpu/bind/bind_checks.h"

namespace ortc::cpu {

inline constexpr TypeMask kIndexTypes = mask_of(DType::kInt32, DType::kInt64);

// Whether every one of n indices lies in [-size, size).
template <typename I>
bool all_fit(const I* indices, int64_t n, int64_t size) {
  // Distances to both ends: one of them is negative for an index outside. Sums, as compilers make
  // vectors of them everywhere.
  const auto above = static_cast<uint64_t>(size);
  uint64_t distances = 0;
  for (int64_t i = 0; i < n; ++i) {
    const auto index = static_cast<uint64_t>(int64_t{indices[i]});
    distances |= (index + above) | (above - 1 - index);
  }
  return static_cast<int64_t>(distances) >= 0;
}

class IndexInput {
 public:
  explicit IndexInput(const ValueRef& tensor)
      : data_(tensor.data),
        count_(tensor.element_count()),
        is_wide_(tensor.dtype == DType::kInt64) {}

  int64_t count() const { return count_; }
  bool is_wide() const { return is_wide_; }  // int64
  template <typename I>
  const I* as() const {
    return static_cast<const I*>(data_);
  }
  int64_t raw(int64_t i) const {
    return is_wide_ ? static_cast<const int64_t*>(data_)[i] : static_cast<const int32_t*>(data_)[i];
  }
  // Counted from 0, for an index that has been checked against `size`.
  int64_t at(int64_t i, int64_t size) const {
    const int64_t index = raw(i);
    return index < 0 ? index + size : index;
  }
  // Every index lies in [-size, size).
  Status check(int64_t size) const {
    const bool fit = is_wide_ ? all_fit(static_cast<const int64_t*>(data_), count_, size)
                              : all_fit(static_cast<const int32_t*>(data_), count_, size);
    if (fit) return Status::ok();
    int64_t i = 0;
    while (raw(i) >= -size && raw(i) < size) ++i;
    return index_out_of_range(raw(i), size);
  }

 private:
  const void* data_;
  int64_t count_;
  bool is_wide_;
};

// Indices whose last dimension is a tuple of `width` indices into dims [first, first + width) of a
// tensor; `tuple_count` of them.
struct IndexTuples {
  IndexInput indices;
  std::span<const int64_t> dims;
  DimList strides;  // of `dims`, in elements of the tensor
  size_t width;
  int64_t tuple_count;

  IndexTuples(const ValueRef& tensor, size_t first, const ValueRef& index_tensor)
      : indices(index_tensor),
        width(static_cast<size_t>(index_tensor.dim(index_tensor.rank - 1))),
        tuple_count(product(index_tensor.dims(), 0, index_tensor.rank - 1)) {
    dims = tensor.dims().subspan(first, width);
    const DimList all = row_major_strides(tensor.dims());
    for (size_t i = 0; i < width; ++i) strides.push_back(all[first + i]);
  }
  Status check() const {
    for (int64_t tuple = 0; tuple < tuple_count; ++tuple) {
      for (size_t k = 0; k < width; ++k) {
        const int64_t index =
            indices.raw(tuple * static_cast<int64_t>(width) + static_cast<int64_t>(k));
        if (index < -dims[k] || index >= dims[k]) return index_out_of_range(index, dims[k]);
      }
    }
    return Status::ok();
  }
  // Of the slices that tuples [begin, end) name, relative to dims before `first`. False when one of
  // them is outside.
  bool offsets(int64_t begin, int64_t end, int64_t* to) const {
    return indices.is_wide() ? find_offsets<int64_t>(begin, end, to)
                             : find_offsets<int32_t>(begin, end, to);
  }
  // Of the slice that a checked tuple names.
  int64_t offset(int64_t tuple) const {
    int64_t sum = 0;
    for (size_t k = 0; k < width; ++k) {
      const int64_t i = tuple * static_cast<int64_t>(width) + static_cast<int64_t>(k);
      sum += indices.at(i, dims[k]) * strides[k];
    }
    return sum;
  }

 private:
  template <typename I>
  bool find_offsets(int64_t begin, int64_t end, int64_t* to) const {
    const auto count = static_cast<size_t>(end - begin);
    const I* index = indices.as<I>() + begin * static_cast<int64_t>(width);
    bool fit = true;
    for (size_t k = 0; k < width; ++k, ++index) {
      const auto size = static_cast<uint64_t>(dims[k]), stride = static_cast<uint64_t>(strides[k]);
      for (size_t t = 0; t < count; ++t) {
        const int64_t given = index[t * width];
        const uint64_t i = static_cast<uint64_t>(given) + (given < 0 ? size : 0);
        fit &= i < size;
        to[t] = static_cast<int64_t>((k == 0 ? 0 : static_cast<uint64_t>(to[t])) + i * stride);
      }
    }
    return fit;
  }
};

}  // namespace ortc::cpu
