// SPDX-License-Identifier: MIT
// f32 convolution over planes in plain C++.

#include "providers/cpu/arith/planes_f32/planes_f32.h"

// The second builds on the first.
// clang-format off
#include "providers/cpu/arith/simd/simd_generic.h"
#include "providers/cpu/arith/planes_f32/planes_f32.inc"
// clang-format on

namespace ortc::cpu {

const PlanesF32Kernels& planes_f32_generic() { return kPlanesF32Kernels; }

}  // namespace ortc::cpu
