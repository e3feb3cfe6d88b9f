// SPDX-License-Identifier: MIT
// Products with few bits in plain C++, for any CPU.

#include "providers/cpu/arith/nbits/nbits.h"

// The bodies build on one another in this order.
// clang-format off
#include "providers/cpu/arith/simd/simd_generic.h"
#include "providers/cpu/arith/nbits/nbits_rows.inc"
#include "providers/cpu/arith/nbits/nbits_plain.inc"
// clang-format on

namespace ortc::cpu {

const NBitsKernels& nbits_generic() { return kNBitsKernels; }

}  // namespace ortc::cpu
