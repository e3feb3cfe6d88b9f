// SPDX-License-Identifier: MIT
// Chooses the overlaps of boxes of an instruction set level.
#include "providers/cpu/arith/boxes_f32/boxes_f32.h"

#include "core/platform/cpu.h"

namespace ortc::cpu {

const BoxesF32Kernels& boxes_f32_kernels(Isa isa) {
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512) return boxes_f32_avx512();
  if (isa == Isa::kAvx2) return boxes_f32_avx2();
#endif
  (void)isa;
  return boxes_f32_generic();
}

}  // namespace ortc::cpu
