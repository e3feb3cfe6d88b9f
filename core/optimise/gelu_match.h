// SPDX-License-Identifier: MIT
// The tail that all Gelu variants share:  0.5 * x * (1 + f), in any order of the factors.
#pragma once

#include <optional>

#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"

namespace ortc {

inline constexpr TypeMask kGeluTypes = mask_of(DType::kFloat32, DType::kFloat16);

// Follows `f` (an Erf or a Tanh of x) to the value of the whole product; kNoValue when something
// else stands there, or when a value on the way is read by others.
ValueId gelu_product(Graph& graph, ValueId f, ValueId x);
// Follows a Mul by the constant `number` upward: the other factor, or kNoValue. Only this one
// reader may read the product.
ValueId factor_beside(Graph& graph, ValueId product, double number);
// The new node for Gelu(x): ONNX's own from opset 20 on, else com.microsoft's.
NewNode gelu_node(const Graph& graph, ValueId x, bool is_tanh);

}  // namespace ortc
