// SPDX-License-Identifier: MIT
// Chooses the lines of pools of an instruction set level.
#include "providers/cpu/arith/pool_lines/pool_lines.h"

#include "core/platform/cpu.h"

namespace ortc::cpu {

const PoolLinesKernels& pool_lines_kernels(Isa isa) {
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512) return pool_lines_avx512();
  if (isa == Isa::kAvx2) return pool_lines_avx2();
#endif
  (void)isa;
  return pool_lines_generic();
}

}  // namespace ortc::cpu
