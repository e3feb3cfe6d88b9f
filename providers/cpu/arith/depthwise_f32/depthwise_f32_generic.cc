// SPDX-License-Identifier: MIT
// f32 depthwise convolution in plain C++, for any CPU.

#include "providers/cpu/arith/depthwise_f32/depthwise_f32.h"

// The bodies build on one another in this order.
// clang-format off
#include "providers/cpu/arith/simd/simd_generic.h"
#include "providers/cpu/arith/vector_f32/math_f32.inc"
#include "providers/cpu/arith/conv_f32/taps.inc"
#include "providers/cpu/arith/depthwise_f32/depthwise_f32.inc"
// clang-format on

namespace ortc::cpu {

const DepthwiseF32Kernels& depthwise_f32_generic() { return kDepthwiseF32Kernels; }

}  // namespace ortc::cpu
