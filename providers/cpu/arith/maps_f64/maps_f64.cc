// SPDX-License-Identifier: MIT
// Chooses the maps of f64 rows of an instruction set level.
#include "providers/cpu/arith/maps_f64/maps_f64.h"

#include "core/platform/cpu.h"

namespace ortc::cpu {

const MapsF64Kernels& maps_f64_kernels(Isa isa) {
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512) return maps_f64_avx512();
  if (isa == Isa::kAvx2) return maps_f64_avx2();
#endif
  (void)isa;
  return maps_f64_generic();
}

}  // namespace ortc::cpu
