// SPDX-License-Identifier: MIT
// A value as kernels and the executor hand it around: where a tensor lies, or which other value it
// is. It owns nothing.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/datum.h"
#include "core/base/dtype.h"
#include "core/base/result.h"

namespace ortc {

// A value while the plan runs: a tensor, whose `data` is null at bind time unless the contents are
// known then; or, with `datum` set, something that is not a tensor (then dtype is kUndefined).
struct ValueRef {
  DType dtype = DType::kUndefined;  // kUndefined: an omitted optional input or output
  uint32_t rank = 0;
  const int64_t* dim_data = nullptr;
  void* data = nullptr;  // a tensor of strings: std::string objects
  const Datum* datum = nullptr;

  bool is_present() const { return dtype != DType::kUndefined || datum != nullptr; }
  std::span<const int64_t> dims() const { return {dim_data, rank}; }
  int64_t dim(size_t i) const { return dim_data[i]; }
  int64_t element_count() const {
    int64_t count = 1;
    for (uint32_t i = 0; i < rank; ++i) count *= dim_data[i];
    return count;
  }
  template <typename T>
  const T* as() const {
    return static_cast<const T*>(data);
  }
  template <typename T>
  T* as_mutable() const {
    return static_cast<T*>(data);
  }
};

ValueRef ref_to(const Tensor& tensor);  // omitted for an undefined one
ValueRef ref_to(const Datum& datum);    // `datum` must keep its place
// The value as one of its own: a tensor is copied, anything else shared.
Result<Datum> datum_of(const ValueRef& ref);

}  // namespace ortc
