// SPDX-License-Identifier: MIT
// f32 GEMM in plain C++, for any CPU.

#include "providers/cpu/arith/gemm_f32/gemm_f32.h"

// The bodies build on one another in this order.
// clang-format off
#include "providers/cpu/arith/simd/simd_generic.h"
#include "providers/cpu/arith/vector_f32/math_f32.inc"
#include "providers/cpu/arith/gemm_f32/tile_f32.inc"
#include "providers/cpu/arith/gemm_f32/panel_f32.inc"
#include "providers/cpu/arith/gemm_f32/gemm_f32.inc"
// clang-format on

namespace ortc::cpu {

const GemmF32Kernels& gemm_f32_generic() { return kGemmF32Kernels; }

}  // namespace ortc::cpu
