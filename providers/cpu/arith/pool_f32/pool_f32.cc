// SPDX-License-Identifier: MIT
// Chooses the pooling kernels of an instruction set level.

#include "providers/cpu/arith/pool_f32/pool_f32.h"

#include "core/platform/cpu.h"

namespace ortc::cpu {

const PoolF32Kernels& pool_f32_kernels(Isa isa) {
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512) return pool_f32_avx512();
  if (isa == Isa::kAvx2) return pool_f32_avx2();
#endif
  (void)isa;
  return pool_f32_generic();
}

}  // namespace ortc::cpu
