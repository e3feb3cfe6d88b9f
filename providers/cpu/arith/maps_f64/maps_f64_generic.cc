// SPDX-License-Identifier: MIT
// Maps of f64 rows in plain C++, for any CPU.
#include "providers/cpu/arith/maps_f64/maps_f64.h"

// The second builds on the first.
// clang-format off
#include "providers/cpu/arith/simd/simd_generic.h"
#include "providers/cpu/arith/simd/eight_doubles.h"
#include "providers/cpu/arith/maps_f64/maps_f64.inc"
// clang-format on

namespace ortc::cpu {

const MapsF64Kernels& maps_f64_generic() { return kMapsF64Kernels; }

}  // namespace ortc::cpu
