// SPDX-License-Identifier: MIT
// Makers of attributes, and sparse constants as dense ones.
#include "core/graph/attribute.h"

#include <cstring>

namespace ortc {
namespace {

constexpr uint64_t kDenseSizeMax = uint64_t{1} << 30;

Attribute make(std::string name, AttributeKind kind) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = kind;
  return attribute;
}

}  // namespace

Attribute Attribute::of_int(std::string name, int64_t value) {
  Attribute attribute = make(std::move(name), AttributeKind::kInt);
  attribute.i = value;
  return attribute;
}

Attribute Attribute::of_float(std::string name, float value) {
  Attribute attribute = make(std::move(name), AttributeKind::kFloat);
  attribute.f = value;
  return attribute;
}

Attribute Attribute::of_string(std::string name, std::string value) {
  return of_blob(std::move(name), Blob::from_string(std::move(value)));
}

Attribute Attribute::of_blob(std::string name, Blob value) {
  Attribute attribute = make(std::move(name), AttributeKind::kString);
  attribute.s = std::move(value);
  return attribute;
}

Attribute Attribute::of_ints(std::string name, std::vector<int64_t> values) {
  Attribute attribute = make(std::move(name), AttributeKind::kInts);
  attribute.ints = std::move(values);
  return attribute;
}

Attribute Attribute::of_floats(std::string name, std::vector<float> values) {
  Attribute attribute = make(std::move(name), AttributeKind::kFloats);
  attribute.floats = std::move(values);
  return attribute;
}

Attribute Attribute::of_tensor(std::string name, Tensor value) {
  Attribute attribute = make(std::move(name), AttributeKind::kTensor);
  auto constant = std::make_shared<Constant>();
  constant->tensor = std::move(value);
  attribute.tensor = std::move(constant);
  return attribute;
}

Result<Tensor> densify(const SparseConstant& sparse) {
  const Tensor& values = sparse.values.tensor;
  auto count = checked_element_count(sparse.dims);
  auto size = count ? dtype_bytes(values.dtype(), static_cast<uint64_t>(*count)) : std::nullopt;
  if (!size || *size > kDenseSizeMax || dtype_bits(values.dtype()) < 8) {
    return not_implemented("sparse tensor '", sparse.values.name, "' of ",
                           dtype_name(values.dtype()), dims_to_string(sparse.dims), " as dense");
  }
  ASSIGN_OR_RETURN(Tensor dense, Tensor::create(values.dtype(), sparse.dims));
  const Tensor& indices = sparse.indices.tensor;
  const size_t element = static_cast<size_t>(dtype_bits(values.dtype())) / 8;
  const size_t per_value = indices.dims().size() == 2 ? sparse.dims.size() : 1;
  auto* out = static_cast<std::byte*>(dense.mutable_data());
  const auto* from = static_cast<const std::byte*>(values.data());
  for (int64_t i = 0; i < values.element_count(); ++i) {
    int64_t linear = 0;
    for (size_t axis = 0; axis < per_value; ++axis) {
      const int64_t index = indices.elements<int64_t>()[static_cast<size_t>(i) * per_value + axis];
      const int64_t bound =
          per_value == 1 && indices.dims().size() == 1 ? *count : sparse.dims[axis];
      if (index < 0 || index >= bound) {
        return invalid_graph("sparse tensor '", sparse.values.name, "': index ", index,
                             " is outside of ", dims_to_string(sparse.dims));
      }
      linear = axis == 0 ? index : linear * sparse.dims[axis] + index;
    }
    std::memcpy(out + static_cast<size_t>(linear) * element,
                from + static_cast<size_t>(i) * element, element);
  }
  return dense;
}

}  // namespace ortc
