// SPDX-License-Identifier: MIT
// Chooses the turning of an instruction set level.
#include "providers/cpu/arith/turn/turn.h"

#include "core/platform/cpu.h"

namespace ortc::cpu {

const TurnKernels& turn_kernels(Isa isa) {
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512) return turn_avx512();
  if (isa == Isa::kAvx2) return turn_avx2();
#endif
  (void)isa;
  return turn_generic();
}

TurnKernels::Turn turn_of(Isa isa, size_t bytes) {
  const TurnKernels& kernels = turn_kernels(isa);
  switch (bytes) {
    case 1:
      return kernels.bytes1;
    case 2:
      return kernels.bytes2;
    case 4:
      return kernels.bytes4;
    case 8:
      return kernels.bytes8;
    default:
      return kernels.bytes16;
  }
}

}  // namespace ortc::cpu
