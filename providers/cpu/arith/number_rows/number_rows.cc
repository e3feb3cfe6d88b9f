// SPDX-License-Identifier: MIT
// Chooses the number rows of an instruction set level.
#include "providers/cpu/arith/number_rows/number_rows.h"

#include "core/platform/cpu.h"

namespace ortc::cpu {

const NumberRowsKernels& number_rows_kernels(Isa isa) {
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512) return number_rows_avx512();
  if (isa == Isa::kAvx2) return number_rows_avx2();
#endif
  (void)isa;
  return number_rows_generic();
}

}  // namespace ortc::cpu
