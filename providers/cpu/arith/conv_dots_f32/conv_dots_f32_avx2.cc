// SPDX-License-Identifier: MIT
// f32 convolution by dot products for AVX2 and FMA. No headers of the standard library that define
// inline functions are included, so that nothing compiled for this instruction set can be merged
// into code that runs on lesser CPUs.

#include "providers/cpu/arith/conv_dots_f32/conv_dots_f32.h"

#if ORTC_ARITH_X86

// The bodies build on one another in this order.
// clang-format off
#include "providers/cpu/arith/simd/simd_avx2.h"
#include "providers/cpu/arith/vector_f32/math_f32.inc"
#include "providers/cpu/arith/conv_f32/taps.inc"
#include "providers/cpu/arith/conv_dots_f32/conv_dots_f32.inc"
// clang-format on

namespace ortc::cpu {

const ConvDotsF32Kernels& conv_dots_f32_avx2() { return kConvDotsF32Kernels; }

}  // namespace ortc::cpu

#endif  // ORTC_ARITH_X86
