// SPDX-License-Identifier: MIT
// f32 convolution by dot products in plain C++, for any CPU.

#include "providers/cpu/arith/conv_dots_f32/conv_dots_f32.h"

// The bodies build on one another in this order.
// clang-format off
#include "providers/cpu/arith/simd/simd_generic.h"
#include "providers/cpu/arith/vector_f32/math_f32.inc"
#include "providers/cpu/arith/conv_f32/taps.inc"
#include "providers/cpu/arith/conv_dots_f32/conv_dots_f32.inc"
// clang-format on

namespace ortc::cpu {

const ConvDotsF32Kernels& conv_dots_f32_generic() { return kConvDotsF32Kernels; }

}  // namespace ortc::cpu
