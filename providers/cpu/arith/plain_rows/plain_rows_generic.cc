// SPDX-License-Identifier: MIT
// Plain rows in plain C++, for any CPU.
#include "providers/cpu/arith/plain_rows/plain_rows.h"

// The second builds on the first.
// clang-format off
#include "providers/cpu/arith/simd/simd_generic.h"
#include "providers/cpu/arith/plain_rows/plain_rows.inc"
// clang-format on

namespace ortc::cpu {

const PlainRowsKernels& plain_rows_generic() { return kPlainRowsKernels; }

}  // namespace ortc::cpu
