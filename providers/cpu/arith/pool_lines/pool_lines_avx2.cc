// SPDX-License-Identifier: MIT
// Lines of pools for AVX2. No headers of the standard library that define inline functions are
// included, so that nothing compiled for this instruction set can be merged into code that runs
// on lesser CPUs.
#include "providers/cpu/arith/pool_lines/pool_lines.h"

#if ORTC_ARITH_X86

// The later build on those before.
// clang-format off
#include "providers/cpu/arith/simd/simd_avx2.h"
#include "providers/cpu/arith/pool_lines/float_lines.inc"
#include "providers/cpu/arith/pool_lines/pool_lines.inc"
// clang-format on

namespace ortc::cpu {

const PoolLinesKernels& pool_lines_avx2() { return kPoolLinesKernels; }

}  // namespace ortc::cpu

#endif  // ORTC_ARITH_X86
