// SPDX-License-Identifier: MIT
// Chooses the f64 products of an instruction set level.
#include "providers/cpu/arith/gemm_f64/gemm_f64.h"

#include "core/platform/cpu.h"

namespace ortc::cpu {

const GemmF64Kernels& gemm_f64_kernels(Isa isa) {
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512) return gemm_f64_avx512();
  if (isa == Isa::kAvx2) return gemm_f64_avx2();
#endif
  (void)isa;
  return gemm_f64_generic();
}

}  // namespace ortc::cpu
