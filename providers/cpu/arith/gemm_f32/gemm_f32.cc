// SPDX-License-Identifier: MIT
// Chooses the GEMM kernels of an instruction set level, and packs elements of 16 and 8 bits, which
// no instruction set does better.

#include "providers/cpu/arith/gemm_f32/gemm_f32.h"

#include "core/platform/cpu.h"

namespace ortc::cpu {

size_t host_look_ahead_bytes = kLookAheadBytes;

void find_host_look_ahead() {
  // Not when the library is loaded: asking the processor takes a virtual machine long.
  [[maybe_unused]] static const bool is_asked = [] {
    if (host_prefetches_streams()) host_look_ahead_bytes = 0;
    return true;
  }();
}

const GemmF32Kernels& gemm_f32_kernels(Isa isa) {
  find_host_look_ahead();
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512) return gemm_f32_avx512();
  if (isa == Isa::kAvx2) return gemm_f32_avx2();
#endif
  (void)isa;
  return gemm_f32_generic();
}

namespace {

template <typename T>
void pack(const T* b, size_t ldb, bool transposed, size_t k, size_t n, size_t p0, size_t p1,
          T* packed) {
  constexpr size_t kRowsAtOnce = 64;  // of a transposed panel, so that its lines stay in L1
  for (size_t p = p0; p < p1; ++p) {
    const size_t column = p * kPanelColumns;
    const size_t columns = n - column < kPanelColumns ? n - column : kPanelColumns;
    T* panel = packed + column * k;
    for (size_t begin = 0; begin < k; begin += kRowsAtOnce) {
      const size_t end = k - begin < kRowsAtOnce ? k : begin + kRowsAtOnce;
      for (size_t j = 0; j < kPanelColumns; ++j) {
        const T* from = transposed ? b + (column + j) * ldb : b + (column + j);
        const size_t step = transposed ? 1 : ldb;
        for (size_t row = begin; row < end; ++row) {
          panel[row * kPanelColumns + j] = j < columns ? from[row * step] : T{0};
        }
      }
    }
  }
}

}  // namespace

void pack_narrow_panels(const uint16_t* b, size_t ldb, bool transposed, size_t k, size_t n,
                        size_t p0, size_t p1, uint16_t* packed) {
  pack(b, ldb, transposed, k, n, p0, p1, packed);
}

void pack_narrow_panels(const int8_t* b, size_t ldb, bool transposed, size_t k, size_t n, size_t p0,
                        size_t p1, int8_t* packed) {
  pack(b, ldb, transposed, k, n, p0, p1, packed);
}

}  // namespace ortc::cpu
