// SPDX-License-Identifier: MIT
// int8 products for NEON with dot products. No headers of the standard library that define inline
// functions are included, so that nothing compiled for this instruction set can be merged into code
// that runs on lesser CPUs.

#include "providers/cpu/arith/gemm_i8/gemm_i8.h"

#if ORTC_ARITH_ARM

// The bodies build on one another in this order.
// clang-format off
#include "providers/cpu/arith/simd/simd_generic.h"
#include "providers/cpu/arith/vector_f32/math_f32.inc"
#include "providers/cpu/arith/simd/simd_i8_dotprod.h"
#include "providers/cpu/arith/conv_f32/conv_i8_plan.h"
#include "providers/cpu/arith/gemm_i8/tile_i8.inc"
#include "providers/cpu/arith/gemm_i8/rows_i8.inc"
#include "providers/cpu/arith/gemm_i8/pack_i8.inc"
#include "providers/cpu/arith/gemm_i8/depthwise_i8.inc"
#include "providers/cpu/arith/gemm_i8/gemm_i8.inc"
// clang-format on

namespace ortc::cpu {

const GemmI8Kernels& gemm_i8_dotprod() { return kGemmI8Kernels; }

}  // namespace ortc::cpu

#endif  // ORTC_ARITH_ARM
