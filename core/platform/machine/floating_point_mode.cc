// SPDX-License-Identifier: MIT
// The control register of the floating-point unit: see the header.
#include "core/platform/machine/floating_point_mode.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace ortc {
namespace {

#if defined(__x86_64__)
constexpr uint64_t kDenormalsAsZero = 1u << 15 | 1u << 6;  // results (FTZ), operands (DAZ)
constexpr uint64_t kRounding = 3u << 13;

uint64_t read_register() { return _mm_getcsr(); }
void write_register(uint64_t value) { _mm_setcsr(static_cast<unsigned>(value)); }
#elif defined(__aarch64__)
constexpr uint64_t kDenormalsAsZero = 1u << 24 | 1u << 19;  // FZ; FZ16, of float16
constexpr uint64_t kRounding = 3u << 22;

uint64_t read_register() {
  uint64_t value;
  asm volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
void write_register(uint64_t value) { asm volatile("msr fpcr, %0" : : "r"(value)); }
#else
constexpr uint64_t kDenormalsAsZero = 0, kRounding = 0;

uint64_t read_register() { return 0; }
void write_register(uint64_t) {}
#endif

constexpr uint64_t kMode = kDenormalsAsZero | kRounding;

}  // namespace

FloatingPointMode FloatingPointMode::current() {
  return FloatingPointMode(read_register() & kMode);
}

void FloatingPointMode::set() const { write_register((read_register() & ~kMode) | bits_); }

FloatingPointMode FloatingPointMode::with_denormals_as_zero() const {
  return FloatingPointMode(bits_ | kDenormalsAsZero);
}

bool has_denormals_as_zero() { return kDenormalsAsZero != 0; }

}  // namespace ortc
