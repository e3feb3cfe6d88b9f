// SPDX-License-Identifier: MIT
// Permutations of layouts: see the header.
#include "core/partition/layout/layout_facts.h"

#include <cstring>
#include <numeric>

#include "core/rewrite/facts.h"

namespace ortc {
namespace {

// Elements to be gone over in the order of the result, one axis after the other.
void copy_permuted(const std::byte* from, const Dims& dims, const std::vector<int64_t>& perm,
                   size_t width, std::byte* to, size_t count) {
  const size_t rank = perm.size();
  std::vector<size_t> strides(rank, width);
  for (size_t axis = rank - 1; axis > 0; --axis) {
    strides[axis - 1] = strides[axis] * static_cast<size_t>(dims[axis]);
  }
  std::vector<int64_t> at(rank, 0);
  for (size_t i = 0; i < count; ++i, to += width) {
    size_t offset = 0;
    for (size_t axis = 0; axis < rank; ++axis) {
      offset += static_cast<size_t>(at[axis]) * strides[static_cast<size_t>(perm[axis])];
    }
    std::memcpy(to, from + offset, width);
    for (size_t axis = rank; axis-- > 0;) {
      if (++at[axis] < dims[static_cast<size_t>(perm[axis])]) break;
      at[axis] = 0;
    }
  }
}

}  // namespace

std::vector<int64_t> perm_to_last(size_t rank) {
  std::vector<int64_t> perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  if (rank < kLeastLayoutRank) return perm;
  for (size_t i = 1; i + 1 < rank; ++i) perm[i] = static_cast<int64_t>(i) + 1;
  perm.back() = 1;
  return perm;
}

std::vector<int64_t> perm_to_first(size_t rank) {
  std::vector<int64_t> perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  if (rank < kLeastLayoutRank) return perm;
  for (size_t i = 2; i < rank; ++i) perm[i] = static_cast<int64_t>(i) - 1;
  perm[1] = static_cast<int64_t>(rank) - 1;
  return perm;
}

int64_t axis_in_last(int64_t axis, size_t rank) {
  return perm_to_first(rank)[static_cast<size_t>(axis)];
}

Type permuted(const Type& type, const std::vector<int64_t>& perm) {
  Shape shape;
  for (int64_t axis : perm) shape.push_back((*type.shape)[static_cast<size_t>(axis)]);
  return Type::tensor(type.dtype, std::move(shape));
}

std::optional<Tensor> permuted(const Tensor& tensor, const std::vector<int64_t>& perm) {
  const auto count = static_cast<size_t>(tensor.element_count());
  if (tensor.dims().size() > perm.size() || tensor.dtype() == DType::kString) return std::nullopt;
  const size_t width = count != 0 ? tensor.byte_size() / count : 1;
  if (width * count != tensor.byte_size() || width == 0) return std::nullopt;
  Dims dims = tensor.dims();
  dims.insert(dims.begin(), perm.size() - dims.size(), 1);
  Dims result_dims;
  for (int64_t axis : perm) result_dims.push_back(dims[static_cast<size_t>(axis)]);
  auto made = Tensor::create(tensor.dtype(), result_dims);
  if (!made.is_ok()) return std::nullopt;
  Tensor result = std::move(made).value();
  copy_permuted(tensor.bytes().data(), dims, perm, width,
                static_cast<std::byte*>(result.mutable_data()), count);
  return result;
}

Tensor reordered(const Tensor& numbers, const std::vector<int64_t>& perm) {
  Tensor result = Tensor::create(numbers.dtype(), numbers.dims()).value();
  const size_t width = numbers.byte_size() / perm.size();
  for (size_t i = 0; i < perm.size(); ++i) {
    std::memcpy(static_cast<std::byte*>(result.mutable_data()) + i * width,
                numbers.bytes().data() + static_cast<size_t>(perm[i]) * width, width);
  }
  return result;
}

}  // namespace ortc
