// SPDX-License-Identifier: MIT
// f32 convolution in plain C++, for any CPU.

#include "providers/cpu/arith/conv_f32.h"

// The bodies build on one another in this order.
// clang-format off
#include "providers/cpu/arith/simd_generic.h"
#include "providers/cpu/arith/math_f32.inc"
#include "providers/cpu/arith/tile_f32.inc"
#include "providers/cpu/arith/panel_f32.inc"
#include "providers/cpu/arith/conv_plan.h"
#include "providers/cpu/arith/conv_f32.inc"
// clang-format on

namespace ortc::cpu {

const ConvF32Kernels& conv_f32_generic() { return kConvF32Kernels; }

}  // namespace ortc::cpu
