// SPDX-License-Identifier: MIT
// Chooses the kernels of quantised rows of an instruction set level.
#include "providers/cpu/arith/quant/quant.h"

#include "core/platform/cpu.h"

namespace ortc::cpu {

const QuantKernels& quant_kernels(Isa isa) {
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512) return quant_avx512();
  if (isa == Isa::kAvx2) return quant_avx2();
#endif
  (void)isa;
  return quant_generic();
}

}  // namespace ortc::cpu
