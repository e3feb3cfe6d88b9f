// SPDX-License-Identifier: MIT
// Chooses the kernels of an instruction set level, and makes integers of floats: only what is new
// in a cache goes through that, and every level must write the same bytes.
#include "providers/cpu/arith/int_rows/int_rows.h"

#include "core/platform/cpu.h"

namespace ortc::cpu {
namespace {

// Within 2^22 a number is rounded by adding 1.5 * 2^23, ties to even.
int rounded(float x, float scale, float lo, float hi) {
  float v = x * (scale != 0.0f ? 1.0f / scale : 1.0f);
  v = v > lo ? v : lo;
  v = v < hi ? v : hi;
  return __builtin_bit_cast(int32_t, v + 12582912.0f) - 0x4B400000;
}

}  // namespace

const IntRowKernels& int_row_kernels(Isa isa, int bits) {
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512) return int_rows_avx512(bits);
  if (isa == Isa::kAvx2) return int_rows_avx2(bits);
#endif
  (void)isa;
  return int_rows_generic(bits);
}

void quantise_int_row(const float* x, const float* scales, size_t step, size_t columns, int bits,
                      uint8_t* row) {
  if (bits == 8) {
    for (size_t c = 0; c < columns; ++c) {
      row[c] = static_cast<uint8_t>(rounded(x[c], scales[c * step], -128.0f, 127.0f));
    }
    return;
  }
  const auto half = [&](size_t c) {
    return c < columns ? rounded(x[c], scales[c * step], -8.0f, 7.0f) + 8 : 8;
  };
  for (size_t c = 0; c < columns; c += 2) {
    row[c / 2] = static_cast<uint8_t>(half(c) | half(c + 1) << 4);
  }
}

}  // namespace ortc::cpu
