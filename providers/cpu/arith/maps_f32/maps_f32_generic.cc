// SPDX-License-Identifier: MIT
// Maps of f32 spans in plain C++, for any CPU.
#include "providers/cpu/arith/maps_f32/maps_f32.h"

#include "providers/cpu/arith/activation.h"

// The bodies build on one another in this order.
// clang-format off
#include "providers/cpu/arith/simd/simd_generic.h"
#include "providers/cpu/arith/vector_f32/math_f32.inc"
#include "providers/cpu/arith/vector_f32/map_f32.inc"
#include "providers/cpu/arith/maps_f32/angles_f32.inc"
#include "providers/cpu/arith/maps_f32/maps_f32.inc"
// clang-format on

namespace ortc::cpu {

const MapsF32Kernels& maps_f32_generic() { return kMapsF32Kernels; }

}  // namespace ortc::cpu
