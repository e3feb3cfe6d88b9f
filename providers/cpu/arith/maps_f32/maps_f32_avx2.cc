// SPDX-License-Identifier: MIT
// Maps of f32 spans for AVX2. No headers of the standard library that define inline functions are
// included, so that nothing compiled for this instruction set can be merged into code that runs
// on lesser CPUs.
#include "providers/cpu/arith/maps_f32/maps_f32.h"

#include "providers/cpu/arith/activation.h"

#if ORTC_ARITH_X86

// The bodies build on one another in this order.
// clang-format off
#include "providers/cpu/arith/simd/simd_avx2.h"
#include "providers/cpu/arith/vector_f32/math_f32.inc"
#include "providers/cpu/arith/vector_f32/map_f32.inc"
#include "providers/cpu/arith/maps_f32/angles_f32.inc"
#include "providers/cpu/arith/maps_f32/maps_f32.inc"
// clang-format on

namespace ortc::cpu {

const MapsF32Kernels& maps_f32_avx2() { return kMapsF32Kernels; }

}  // namespace ortc::cpu

#endif  // ORTC_ARITH_X86
