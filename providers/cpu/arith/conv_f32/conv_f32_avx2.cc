// SPDX-License-Identifier: MIT
// f32 convolution for AVX2 and FMA. No headers of the standard library that define inline functions
// are included, so that nothing compiled for this instruction set can be merged into code that runs
// on lesser CPUs.

#include "providers/cpu/arith/conv_f32/conv_f32.h"

#if ORTC_ARITH_X86

// The bodies build on one another in this order.
// clang-format off
#include "providers/cpu/arith/simd/simd_avx2.h"
#include "providers/cpu/arith/vector_f32/math_f32.inc"
#include "providers/cpu/arith/gemm_f32/tile_f32.inc"
#include "providers/cpu/arith/gemm_f32/panel_f32.inc"
#include "providers/cpu/arith/conv_f32/conv_plan.h"
#include "providers/cpu/arith/conv_f32/conv_f32.inc"
// clang-format on

namespace ortc::cpu {

const ConvF32Kernels& conv_f32_avx2() {
  static constexpr ConvF32Kernels kKernels = {
      [](const ConvF32& conv, size_t q0, size_t q1, size_t p0, size_t p1, void* scratch) {
        conv_run(gemm_f32_avx2(), conv, q0, q1, p0, p1, scratch);
      }};
  return kKernels;
}

}  // namespace ortc::cpu

#endif  // ORTC_ARITH_X86
