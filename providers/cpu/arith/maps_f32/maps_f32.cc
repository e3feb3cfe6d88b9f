// SPDX-License-Identifier: MIT
// Chooses the maps of an instruction set level.
#include "providers/cpu/arith/maps_f32/maps_f32.h"

#include "core/platform/cpu.h"

namespace ortc::cpu {

const MapsF32Kernels& maps_f32_kernels(Isa isa) {
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512) return maps_f32_avx512();
  if (isa == Isa::kAvx2) return maps_f32_avx2();
#endif
  (void)isa;
  return maps_f32_generic();
}

}  // namespace ortc::cpu
