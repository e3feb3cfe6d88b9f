// SPDX-License-Identifier: MIT
// Conversion of rows of stored floats: see the header.
#include "providers/cpu/float_rows.h"

namespace ortc::cpu {

void widen(const Float16* from, int64_t n, float* to) {
  for (int64_t i = 0; i < n; ++i) to[i] = half_to_float(from[i].bits);
}

void widen(const Bfloat16* from, int64_t n, float* to) {
  for (int64_t i = 0; i < n; ++i) to[i] = bfloat16_to_float(from[i].bits);
}

void narrow(const float* from, int64_t n, Float16* to) {
  for (int64_t i = 0; i < n; ++i) to[i].bits = float_to_half(from[i]);
}

void narrow(const float* from, int64_t n, Bfloat16* to) {
  for (int64_t i = 0; i < n; ++i) to[i].bits = float_to_bfloat16(from[i]);
}

}  // namespace ortc::cpu
