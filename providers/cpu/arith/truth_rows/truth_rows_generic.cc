// SPDX-License-Identifier: MIT
// Truth rows in plain C++, for any CPU.
#include "providers/cpu/arith/truth_rows/truth_rows.h"

// The second builds on the first.
// clang-format off
#include "providers/cpu/arith/simd/simd_generic.h"
#include "providers/cpu/arith/truth_rows/truth_rows.inc"
// clang-format on

namespace ortc::cpu {

const TruthRowsKernels& truth_rows_generic() { return kTruthRowsKernels; }

}  // namespace ortc::cpu
