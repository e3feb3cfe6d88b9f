// SPDX-License-Identifier: MIT
// Number rows in plain C++, for any CPU.
#include "providers/cpu/arith/number_rows/number_rows.h"

// The second builds on the first.
// clang-format off
#include "providers/cpu/arith/simd/simd_generic.h"
#include "providers/cpu/arith/number_rows/number_rows.inc"
// clang-format on

namespace ortc::cpu {

const NumberRowsKernels& number_rows_generic() { return kNumberRowsKernels; }

}  // namespace ortc::cpu
