// SPDX-License-Identifier: MIT
// Makers of attributes.
#include "core/graph/attribute.h"

namespace ortc {
namespace {

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

}  // namespace ortc
