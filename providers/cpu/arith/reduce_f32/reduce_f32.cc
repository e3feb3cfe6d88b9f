// SPDX-License-Identifier: MIT
// Chooses the reductions of an instruction set level.
#include "providers/cpu/arith/reduce_f32/reduce_f32.h"

#include "core/platform/cpu.h"

namespace ortc::cpu {

const ReduceF32Kernels& reduce_f32_kernels(Isa isa) {
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512) return reduce_f32_avx512();
  if (isa == Isa::kAvx2) return reduce_f32_avx2();
#endif
  (void)isa;
  return reduce_f32_generic();
}

}  // namespace ortc::cpu
