// SPDX-License-Identifier: MIT
// Chooses the GEMM kernels of an instruction set level.

#include "providers/cpu/arith/gemm_f32/gemm_f32.h"

#include "core/platform/cpu.h"

namespace ortc::cpu {

const GemmF32Kernels& gemm_f32_kernels(Isa isa) {
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512) return gemm_f32_avx512();
  if (isa == Isa::kAvx2) return gemm_f32_avx2();
#endif
  (void)isa;
  return gemm_f32_generic();
}

}  // namespace ortc::cpu
