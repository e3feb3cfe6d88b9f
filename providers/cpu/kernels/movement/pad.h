// SPDX-License-Identifier: MIT
// What other kernels use of Pad.
#pragma once

#include "providers/cpu/bind/dim_list.h"
#include "providers/cpu/cpu_kernels.h"

namespace ortc::cpu {

// Elements before and after each axis; negative ones are cut off.
struct Pads {
  DimList before;
  DimList after;
};

// Output 0 is input 0 with so many zeros around it; it has the shape that comes of that.
Status pad_by_zeros(RunContext& ctx, const Pads& pads);

}  // namespace ortc::cpu
