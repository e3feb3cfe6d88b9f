// SPDX-License-Identifier: MIT
// The shape of a matrix product, as MatMul and its quantised and fused relatives share it.
#pragma once

#include "core/ops/shape_rules.h"

namespace ortc {

// [..., m, k] x [..., k, n] -> [..., m, n], vectors as numpy has them; nothing when a rank is
// unknown.
Result<std::optional<Shape>> matmul_shape(const Shape* left, const Shape* right);

}  // namespace ortc
