// SPDX-License-Identifier: MIT
// f64 products in plain C++, for any CPU.
#include "providers/cpu/arith/gemm_f64/gemm_f64.h"

// The second builds on the first.
// clang-format off
#include "providers/cpu/arith/simd/simd_generic.h"
#include "providers/cpu/arith/simd/eight_doubles.h"
#include "providers/cpu/arith/gemm_f64/gemm_f64.inc"
// clang-format on

namespace ortc::cpu {

const GemmF64Kernels& gemm_f64_generic() { return kGemmF64Kernels; }

}  // namespace ortc::cpu
