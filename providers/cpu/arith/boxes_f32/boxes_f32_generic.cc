// SPDX-License-Identifier: MIT
// Overlaps of boxes in plain C++, for any CPU.
#include "providers/cpu/arith/boxes_f32/boxes_f32.h"

// The second builds on the first.
// clang-format off
#include "providers/cpu/arith/simd/simd_generic.h"
#include "providers/cpu/arith/boxes_f32/boxes_f32.inc"
// clang-format on

namespace ortc::cpu {

const BoxesF32Kernels& boxes_f32_generic() { return kBoxesF32Kernels; }

}  // namespace ortc::cpu
