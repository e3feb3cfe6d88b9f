// SPDX-License-Identifier: MIT
// Reductions of f32 rows in plain C++, for any CPU.
#include "providers/cpu/arith/reduce_f32/reduce_f32.h"
#include "providers/cpu/arith/reduce_f32/reduce_f32.inc"

namespace ortc::cpu {

const ReduceF32Kernels& reduce_f32_generic() { return kReduceF32Kernels; }

}  // namespace ortc::cpu
