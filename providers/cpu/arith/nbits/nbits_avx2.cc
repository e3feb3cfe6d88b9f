// SPDX-License-Identifier: MIT
// Products with few bits for AVX2.
// No headers of the standard library that define inline functions are included, so that nothing
// compiled for this instruction set can be merged into code that runs on lesser CPUs.

#include "providers/cpu/arith/nbits/nbits.h"

#if ORTC_ARITH_X86

// The bodies build on one another in this order.
// clang-format off
#include "providers/cpu/arith/simd/simd_avx2.h"
#include "providers/cpu/arith/nbits/nbits_rows.inc"
#include "providers/cpu/arith/nbits/nbits_quads.inc"
#include "providers/cpu/arith/nbits/nbits_plain.inc"
#include "providers/cpu/arith/nbits/nbits_half_rows.inc"
// clang-format on

namespace ortc::cpu {

const NBitsKernels& nbits_avx2() { return kNBitsKernels; }

}  // namespace ortc::cpu

#endif  // ORTC_ARITH_X86
