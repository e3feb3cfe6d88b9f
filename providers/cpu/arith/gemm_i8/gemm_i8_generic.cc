// SPDX-License-Identifier: MIT
// int8 products in plain C++, for any CPU.

#include "providers/cpu/arith/gemm_i8/gemm_i8.h"

// The bodies build on one another in this order.
// clang-format off
#include "providers/cpu/arith/simd/simd_generic.h"
#include "providers/cpu/arith/vector_f32/math_f32.inc"
#include "providers/cpu/arith/simd/simd_i8_generic.h"
#include "providers/cpu/arith/conv_f32/conv_i8_plan.h"
#include "providers/cpu/arith/gemm_i8/tile_i8.inc"
#include "providers/cpu/arith/gemm_i8/rows_i8.inc"
#include "providers/cpu/arith/gemm_i8/pack_i8.inc"
#include "providers/cpu/arith/gemm_i8/depthwise_i8.inc"
#include "providers/cpu/arith/gemm_i8/gemm_i8.inc"
// clang-format on

namespace ortc::cpu {

const GemmI8Kernels& gemm_i8_generic() { return kGemmI8Kernels; }

}  // namespace ortc::cpu
