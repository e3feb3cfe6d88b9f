// SPDX-License-Identifier: MIT
// Reductions of f32 rows for AVX-512. No headers of the standard library that define inline
// functions are included, so that nothing compiled for this instruction set can be merged into code
// that runs on lesser CPUs.
#include "providers/cpu/arith/reduce_f32/reduce_f32.h"

#if ORTC_ARITH_X86

// The bodies build on one another in this order.
// clang-format off
#include "providers/cpu/arith/simd/simd_avx512.h"
#include "providers/cpu/arith/simd/eight_doubles.h"
#include "providers/cpu/arith/reduce_f32/sum_rows.inc"
#include "providers/cpu/arith/reduce_f32/extreme_rows.inc"
#include "providers/cpu/arith/reduce_f32/reduce_f32.inc"
// clang-format on

namespace ortc::cpu {

const ReduceF32Kernels& reduce_f32_avx512() { return kReduceF32Kernels; }

}  // namespace ortc::cpu

#endif  // ORTC_ARITH_X86
