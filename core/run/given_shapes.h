// SPDX-License-Identifier: MIT
// What a plan is given, against the shapes that it was compiled for. Sizes that were numbers then
// may stand in its constants, and equal names may have made one computation of two.
#pragma once

#include "core/plan/plan.h"

namespace ortc {

// `inputs`: of the plan's first body, in its order. Asked once for each set of shapes.
// INVALID_ARGUMENT naming the value, with expected and found; one element is taken for a scalar.
Status check_given_shapes(const Plan& plan, std::span<const ValueRef> inputs);

}  // namespace ortc
