// SPDX-License-Identifier: MIT
// Number rows for AVX-512. No headers of the standard library that define inline functions are
// included, so that nothing compiled for this instruction set can be merged into code that runs on
// lesser CPUs.
#include "providers/cpu/arith/number_rows/number_rows.h"

#if ORTC_ARITH_X86

// The second builds on the first.
// clang-format off
#include "providers/cpu/arith/simd/simd_avx512.h"
#include "providers/cpu/arith/number_rows/number_rows.inc"
// clang-format on

namespace ortc::cpu {

const NumberRowsKernels& number_rows_avx512() { return kNumberRowsKernels; }

}  // namespace ortc::cpu

#endif  // ORTC_ARITH_X86
