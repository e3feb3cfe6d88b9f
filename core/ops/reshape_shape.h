// SPDX-License-Identifier: MIT
// The shape that Reshape gives, with symbols.
#pragma once

#include "core/ops/shape_rules.h"

namespace ortc {

// `input` may be null (rank unknown). In `wanted` 0 copies the input's dim (unless zero_is_zero),
// -1 stands for what remains; a number that is not known may be either, too. INVALID_GRAPH when the
// element counts cannot agree.
Result<Shape> reshaped_shape(const Shape* input, const Integers& wanted, bool zero_is_zero);

}  // namespace ortc
