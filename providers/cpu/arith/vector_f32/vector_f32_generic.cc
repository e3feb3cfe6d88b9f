// SPDX-License-Identifier: MIT
// f32 spans and rows in plain C++, for any CPU.

#include "providers/cpu/arith/vector_f32/vector_f32.h"

// The bodies build on one another in this order.
// clang-format off
#include "providers/cpu/arith/simd/simd_generic.h"
#include "providers/cpu/arith/vector_f32/math_f32.inc"
#include "providers/cpu/arith/vector_f32/map_f32.inc"
#include "providers/cpu/arith/vector_f32/vector_f32.inc"
// clang-format on

namespace ortc::cpu {

const VectorF32Kernels& vector_f32_generic() { return kVectorF32Kernels; }

}  // namespace ortc::cpu
