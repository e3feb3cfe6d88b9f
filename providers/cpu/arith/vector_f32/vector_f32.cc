// SPDX-License-Identifier: MIT
// Chooses the vector kernels of an instruction set level.

#include "providers/cpu/arith/vector_f32/vector_f32.h"

#include "core/platform/cpu.h"

namespace ortc::cpu {

const VectorF32Kernels& vector_f32_kernels(Isa isa) {
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512) return vector_f32_avx512();
  if (isa == Isa::kAvx2) return vector_f32_avx2();
#endif
  (void)isa;
  return vector_f32_generic();
}

}  // namespace ortc::cpu
