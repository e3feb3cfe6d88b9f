// SPDX-License-Identifier: MIT
// Chooses the truth rows of an instruction set level.
#include "providers/cpu/arith/truth_rows/truth_rows.h"

#include "core/platform/cpu.h"

namespace ortc::cpu {

const TruthRowsKernels& truth_rows_kernels(Isa isa) {
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512) return truth_rows_avx512();
  if (isa == Isa::kAvx2) return truth_rows_avx2();
#endif
  (void)isa;
  return truth_rows_generic();
}

}  // namespace ortc::cpu
