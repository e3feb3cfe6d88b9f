// SPDX-License-Identifier: MIT
// Conversion of rows of stored floats: see the header.
#include "providers/cpu/elements/float_rows.h"

#include "core/platform/cpu.h"
#include "providers/cpu/elements/float_rows_f16c.h"

namespace ortc::cpu {
namespace {

#if defined(__x86_64__)
// The numbers are the same either way, so the level a run is held to does not matter.
bool has_f16c() { return host_isa() >= Isa::kAvx2; }
bool has_avx512() { return host_isa() >= Isa::kAvx512; }
#endif

}  // namespace

void widen(const Float16* from, int64_t n, float* to) {
#if defined(__x86_64__)
  if (has_avx512()) return widen_avx512(&from->bits, n, to);
  if (has_f16c()) return widen_f16c(&from->bits, n, to);
#endif
  for (int64_t i = 0; i < n; ++i) to[i] = half_to_float(from[i].bits);
}

void widen(const Bfloat16* from, int64_t n, float* to) {
  for (int64_t i = 0; i < n; ++i) to[i] = bfloat16_to_float(from[i].bits);
}

void narrow(const float* from, int64_t n, Float16* to) {
#if defined(__x86_64__)
  if (has_avx512()) return narrow_avx512(from, n, &to->bits);
  if (has_f16c()) return narrow_f16c(from, n, &to->bits);
#endif
  for (int64_t i = 0; i < n; ++i) to[i].bits = float_to_half(from[i]);
}

void narrow(const float* from, int64_t n, Bfloat16* to) {
  for (int64_t i = 0; i < n; ++i) to[i].bits = float_to_bfloat16(from[i]);
}

}  // namespace ortc::cpu
