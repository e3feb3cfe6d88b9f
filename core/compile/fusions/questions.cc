// SPDX-License-Identifier: MIT
// Small questions that several rewrites ask.
#include "core/compile/fusions/fusions.h"

namespace ortc {

std::optional<float> constant_scalar(const Graph& graph, ValueId id) {
  const Value* value = graph.value(id);
  const Tensor* tensor = value != nullptr ? value->constant() : nullptr;
  if (tensor == nullptr || tensor->dtype() != DType::kFloat32 || tensor->element_count() != 1) {
    return std::nullopt;
  }
  return tensor->elements<float>()[0];
}

bool is_float32(const Graph& graph, ValueId id) {
  const Value* value = graph.value(id);
  return value != nullptr && value->type.is_tensor() && value->type.dtype == DType::kFloat32;
}

const Shape* known_shape(const Graph& graph, ValueId id) {
  const Value* value = graph.value(id);
  return value != nullptr && value->type.has_shape() ? &*value->type.shape : nullptr;
}

}  // namespace ortc
