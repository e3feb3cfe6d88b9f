// SPDX-License-Identifier: MIT
// A dense tensor: type, shape and shared bytes. Constants of a graph, inputs and outputs of a run
// are all Tensors. Bytes are little-endian and row-major; sub-byte types are packed low bits first;
// a string tensor holds an array of std::string instead. Copies share the bytes; an owner that
// wants to write must be the only one by its own account.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/dtype.h"
#include "core/base/result.h"

namespace ortc {

using Dims = std::vector<int64_t>;

std::string dims_to_string(std::span<const int64_t> dims);  // "[1,3,224,224]"

class Tensor {
 public:
  Tensor() = default;

  // New bytes, 64 B-aligned, zeroed. Fails with INVALID_ARGUMENT when the size overflows.
  static Result<Tensor> create(DType dtype, Dims dims);
  // The same, for a caller that writes every element: its bytes are what the memory held before.
  static Result<Tensor> create_unset(DType dtype, Dims dims);
  // A view of bytes that `owner` keeps alive (nullptr: the caller promises). The size must fit
  // exactly.
  static Result<Tensor> view(DType dtype, Dims dims, Bytes bytes,
                             std::shared_ptr<const void> owner);
  static Tensor strings(Dims dims, std::vector<std::string> elements);
  template <typename T>
  static Tensor from(Dims dims, std::span<const T> elements);
  template <typename T>
  static Tensor scalar(T value) {
    return from<T>({}, std::span<const T>(&value, 1));
  }

  bool is_defined() const { return dtype_ != DType::kUndefined; }
  DType dtype() const { return dtype_; }
  const Dims& dims() const { return dims_; }
  int64_t element_count() const { return count_; }
  // Fixed-size types: the bytes. Strings: empty.
  Bytes bytes() const { return {static_cast<const std::byte*>(data_), size_}; }
  const void* data() const { return data_; }
  void* mutable_data() { return const_cast<void*>(data_); }
  size_t byte_size() const { return size_; }
  const std::shared_ptr<const void>& owner() const { return owner_; }

  template <typename T>
  std::span<const T> elements() const {
    return {static_cast<const T*>(data_), static_cast<size_t>(count_)};
  }
  template <typename T>
  std::span<T> mutable_elements() {
    return {static_cast<T*>(mutable_data()), static_cast<size_t>(count_)};
  }
  std::span<const std::string> string_elements() const;
  std::span<std::string> mutable_string_elements();

  // The same bytes under another shape of equal element count.
  Tensor reshaped(Dims dims) const;
  // int64 or int32 elements as int64; empty Result status otherwise.
  Result<std::vector<int64_t>> to_int64() const;

 private:
  static Result<Tensor> create(DType dtype, Dims dims, std::shared_ptr<void> (*allocate)(size_t));

  DType dtype_ = DType::kUndefined;
  Dims dims_;
  int64_t count_ = 0;
  const void* data_ = nullptr;
  size_t size_ = 0;
  std::shared_ptr<const void> owner_;
};

template <typename T>
Tensor Tensor::from(Dims dims, std::span<const T> elements) {
  Tensor tensor = create_unset(kDTypeOf<T>, std::move(dims)).value();
  if (!elements.empty()) std::memcpy(tensor.mutable_data(), elements.data(), elements.size_bytes());
  return tensor;
}

}  // namespace ortc
