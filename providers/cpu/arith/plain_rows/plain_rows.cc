// SPDX-License-Identifier: MIT
// Chooses the plain rows of an instruction set level.
#include "providers/cpu/arith/plain_rows/plain_rows.h"

#include "core/platform/cpu.h"

namespace ortc::cpu {
namespace {

template <typename F>
F by_size(size_t bytes, F of1, F of2, F of4, F of8) {
  switch (bytes) {
    case 1:
      return of1;
    case 2:
      return of2;
    case 4:
      return of4;
    case 8:
      return of8;
    default:
      return nullptr;
  }
}

}  // namespace

const PlainRowsKernels& plain_rows_kernels(Isa isa) {
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512) return plain_rows_avx512();
  if (isa == Isa::kAvx2) return plain_rows_avx2();
#endif
  (void)isa;
  return plain_rows_generic();
}

PlainRowsKernels::Choose choose_of(Isa isa, size_t bytes) {
  const PlainRowsKernels& k = plain_rows_kernels(isa);
  return by_size(bytes, k.choose1, k.choose2, k.choose4, k.choose8);
}

PlainRowsKernels::Double double_of(Isa isa, size_t bytes) {
  const PlainRowsKernels& k = plain_rows_kernels(isa);
  return by_size(bytes, k.double1, k.double2, k.double4, k.double8);
}

}  // namespace ortc::cpu
