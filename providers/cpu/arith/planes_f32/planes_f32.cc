// SPDX-License-Identifier: MIT
// The choice of kernels for convolution over planes.

#include "providers/cpu/arith/planes_f32/planes_f32.h"

#include "core/platform/cpu.h"

namespace ortc::cpu {

const PlanesF32Kernels& planes_f32_kernels(Isa isa) {
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512) return planes_f32_avx512();
  if (isa == Isa::kAvx2) return planes_f32_avx2();
#endif
  (void)isa;
  return planes_f32_generic();
}

}  // namespace ortc::cpu
