// SPDX-License-Identifier: MIT
// Truth rows for AVX-512. No headers of the standard library that define inline functions are
// included, so that nothing compiled for this instruction set can be merged into code that runs on
// lesser CPUs.
#include "providers/cpu/arith/truth_rows/truth_rows.h"

#if ORTC_ARITH_X86

// The second builds on the first.
// clang-format off
#include "providers/cpu/arith/simd/simd_avx512.h"
#include "providers/cpu/arith/truth_rows/truth_rows.inc"
// clang-format on

namespace ortc::cpu {

const TruthRowsKernels& truth_rows_avx512() { return kTruthRowsKernels; }

}  // namespace ortc::cpu

#endif  // ORTC_ARITH_X86
