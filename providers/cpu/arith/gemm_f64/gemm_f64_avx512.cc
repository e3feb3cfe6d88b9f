// SPDX-License-Identifier: MIT
// f64 products for AVX-512. No headers of the standard library that define inline functions are
// included, so that nothing compiled for this instruction set can be merged into code that runs
// on lesser CPUs.
#include "providers/cpu/arith/gemm_f64/gemm_f64.h"

#if ORTC_ARITH_X86

#include "providers/cpu/arith/gemm_f64/gemm_f64.inc"

namespace ortc::cpu {

const GemmF64Kernels& gemm_f64_avx512() { return kGemmF64Kernels; }

}  // namespace ortc::cpu

#endif  // ORTC_ARITH_X86
