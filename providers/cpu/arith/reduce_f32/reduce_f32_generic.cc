// SPDX-License-Identifier: MIT
// Reductions of f32 rows in plain C++, for any CPU.
#include "providers/cpu/arith/reduce_f32/reduce_f32.h"

// The bodies build on one another in this order.
// clang-format off
#include "providers/cpu/arith/simd/simd_generic.h"
#include "providers/cpu/arith/simd/eight_doubles.h"
#include "providers/cpu/arith/reduce_f32/sum_rows.inc"
#include "providers/cpu/arith/reduce_f32/extreme_rows.inc"
#include "providers/cpu/arith/reduce_f32/reduce_f32.inc"
// clang-format on

namespace ortc::cpu {

const ReduceF32Kernels& reduce_f32_generic() { return kReduceF32Kernels; }

}  // namespace ortc::cpu
