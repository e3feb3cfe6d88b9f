// SPDX-License-Identifier: MIT
// f64 products for AVX-512. No headers of the standard library that define inline functions are
// included, so that nothing compiled for this instruction set can be merged into code that runs
// on lesser CPUs.
#include "providers/cpu/arith/gemm_f64/gemm_f64.h"

#if ORTC_ARITH_X86

// The second builds on the first.
// clang-format off
#include "providers/cpu/arith/simd/simd_avx512.h"
#include "providers/cpu/arith/simd/eight_doubles.h"
#include "providers/cpu/arith/gemm_f64/gemm_f64.inc"
// clang-format on

namespace ortc::cpu {

const GemmF64Kernels& gemm_f64_avx512() { return kGemmF64Kernels; }

}  // namespace ortc::cpu

#endif  // ORTC_ARITH_X86
