// SPDX-License-Identifier: MIT
// Tensor: see the header.
#include "core/base/tensor.h"

#include <cstdlib>
#include <new>
#include <utility>

#include "core/base/large_memory.h"
#include "core/base/tensor_memory.h"

namespace ortc {
namespace {

constexpr size_t kTensorAlignment = 64;
// From this size on calloc gets fresh pages, which are zero already and not touched by it.
constexpr size_t kFreshPages = size_t{1} << 20;

constinit thread_local TensorMemory* tensor_memory = nullptr;

// Null for a small tensor, and where there is no other memory than that of all.
std::shared_ptr<void> bytes_of_memory(size_t size) {
  if (tensor_memory == nullptr || size < TensorMemory::kLeast) return nullptr;
  return tensor_memory->take(size);
}

std::shared_ptr<void> unset_bytes(size_t size) {
  const size_t rounded = align_up(size == 0 ? 1 : size, kTensorAlignment);
  void* bytes = std::aligned_alloc(kTensorAlignment, rounded);
  if (bytes == nullptr) throw std::bad_alloc();
  return {bytes, std::free};
}

// AddressSanitizer watches no memory but malloc's.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kUsesLargeMemory = false;
#elif defined(__has_feature)
constexpr bool kUsesLargeMemory = !__has_feature(address_sanitizer);
#else
constexpr bool kUsesLargeMemory = true;
#endif

// Null for a small tensor, and where the system has no such memory.
std::shared_ptr<void> bytes_of_large_memory(size_t size) {
  if (!kUsesLargeMemory || size < kLeastLargeMemory) return nullptr;
  std::byte* bytes = map_large_memory(size);
  if (bytes == nullptr) return nullptr;
  return {bytes, [size](std::byte* begin) { unmap_large_memory(begin, size); }};
}

std::shared_ptr<void> zero_bytes(size_t size) {
  const size_t rounded = align_up(size == 0 ? 1 : size, kTensorAlignment);
  if (auto bytes = bytes_of_large_memory(rounded)) return bytes;
  if (rounded >= kFreshPages) {
    void* block = std::calloc(rounded + kTensorAlignment, 1);
    if (block == nullptr) throw std::bad_alloc();
    void* bytes = block;
    size_t space = rounded + kTensorAlignment;
    std::align(kTensorAlignment, rounded, bytes, space);
    return {bytes, [block](void*) { std::free(block); }};
  }
  auto bytes = unset_bytes(size);
  std::memset(bytes.get(), 0, rounded);
  return bytes;
}

}  // namespace

WithTensorMemory::WithTensorMemory(TensorMemory* memory)
    : before_(std::exchange(tensor_memory, memory)) {}
WithTensorMemory::~WithTensorMemory() { tensor_memory = before_; }

std::string dims_to_string(std::span<const int64_t> dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i != 0) text += ',';
    text += dims[i] < 0 ? std::string("?") : str_cat(dims[i]);
  }
  return text + "]";
}

Result<Tensor> Tensor::create(DType dtype, Dims dims) {
  return create(dtype, std::move(dims), zero_bytes);
}

Result<Tensor> Tensor::create_unset(DType dtype, Dims dims) {
  // Elements of less than a byte are set one after the other: the rest of the last byte is zero.
  return create(dtype, std::move(dims), dtype_bits(dtype) < 8 ? zero_bytes : unset_bytes);
}

Result<Tensor> Tensor::create(DType dtype, Dims dims, std::shared_ptr<void> (*allocate)(size_t)) {
  auto count = checked_element_count(dims);
  if (!count)
    return invalid_argument("shape ", dims_to_string(dims), " has no valid element count");
  if (dtype == DType::kString) {
    if (static_cast<uint64_t>(*count) > SIZE_MAX / 2 / sizeof(std::string)) {
      return invalid_argument("a tensor of ", *count, " strings fits into no memory");
    }
    return strings(std::move(dims), std::vector<std::string>(static_cast<size_t>(*count)));
  }
  auto size = dtype_bytes(dtype, static_cast<uint64_t>(*count));
  if (!size || *size > SIZE_MAX / 2) {
    return invalid_argument("a ", dtype_name(dtype), " tensor of shape ", dims_to_string(dims),
                            " has no valid size");
  }
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.dims_ = std::move(dims);
  tensor.count_ = *count;
  tensor.size_ = *size;
  auto bytes = bytes_of_memory(*size);
  if (bytes == nullptr) bytes = allocate(*size);
  tensor.data_ = bytes.get();
  tensor.owner_ = std::move(bytes);
  return tensor;
}

Result<Tensor> Tensor::view(DType dtype, Dims dims, Bytes bytes,
                            std::shared_ptr<const void> owner) {
  auto count = checked_element_count(dims);
  auto size = count ? dtype_bytes(dtype, static_cast<uint64_t>(*count)) : std::nullopt;
  if (!size) {
    return invalid_argument("a ", dtype_name(dtype), " tensor of shape ", dims_to_string(dims),
                            " has no valid size");
  }
  if (*size != bytes.size()) {
    return invalid_argument("a ", dtype_name(dtype), " tensor of shape ", dims_to_string(dims),
                            " takes ", *size, " bytes, found ", bytes.size());
  }
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.dims_ = std::move(dims);
  tensor.count_ = *count;
  tensor.size_ = *size;
  tensor.data_ = bytes.data();
  tensor.owner_ = std::move(owner);
  return tensor;
}

Tensor Tensor::strings(Dims dims, std::vector<std::string> elements) {
  auto owned = std::make_shared<std::vector<std::string>>(std::move(elements));
  Tensor tensor;
  tensor.dtype_ = DType::kString;
  tensor.dims_ = std::move(dims);
  tensor.count_ = static_cast<int64_t>(owned->size());
  tensor.data_ = owned->data();
  tensor.owner_ = std::move(owned);
  return tensor;
}

std::span<const std::string> Tensor::string_elements() const {
  if (dtype_ != DType::kString) return {};
  return {static_cast<const std::string*>(data_), static_cast<size_t>(count_)};
}

std::span<std::string> Tensor::mutable_string_elements() {
  if (dtype_ != DType::kString) return {};
  return {static_cast<std::string*>(mutable_data()), static_cast<size_t>(count_)};
}

Tensor Tensor::reshaped(Dims dims) const {
  Tensor copy = *this;
  assert(checked_element_count(dims) == count_);
  copy.dims_ = std::move(dims);
  return copy;
}

Result<std::vector<int64_t>> Tensor::to_int64() const {
  if (dtype_ == DType::kInt64) {
    auto from = elements<int64_t>();
    return std::vector<int64_t>(from.begin(), from.end());
  }
  if (dtype_ == DType::kInt32) {
    auto from = elements<int32_t>();
    return std::vector<int64_t>(from.begin(), from.end());
  }
  return invalid_argument("expected an int64 or int32 tensor, found ", dtype_name(dtype_));
}

}  // namespace ortc
