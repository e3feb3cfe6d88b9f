// SPDX-License-Identifier: MIT
// AMX: eight registers of 16 rows of 64 bytes ("tiles"), and products of two of them. The
// instructions are written out, because intrinsics want the whole file compiled for them, and those
// of some compilers do not say that they read and write memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ortc::cpu {
namespace {

struct Amx {
  static constexpr size_t kRows = 16, kBytes = 64;

  // All eight, of full size. Until release() the system keeps 8 KB more of this thread's registers.
  static void configure() {
    struct alignas(64) Config {
      uint8_t palette = 1, start_row = 0, reserved[14] = {};
      uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
      uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
    };
    static const Config config;
    asm volatile("ldtilecfg %0" : : "m"(config));
  }
  static void release() { asm volatile("tilerelease" : : : "memory"); }

  template <int kTile>
  static void zero() {
    asm volatile("tilezero %%tmm%c0" : : "i"(kTile));
  }
  // Rows lie `stride` bytes apart.
  template <int kTile>
  static void load(const void* from, ptrdiff_t stride) {
    asm volatile("tileloadd (%1,%2,1), %%tmm%c0" : : "i"(kTile), "r"(from), "r"(stride) : "memory");
  }
  template <int kTile>
  static void store(void* to, ptrdiff_t stride) {
    asm volatile("tilestored %%tmm%c0, (%1,%2,1)" : : "i"(kTile), "r"(to), "r"(stride) : "memory");
  }
  // sum[m][n] += u8 a[m][4 k + i] * s8 b[k][4 n + i] over all k and i < 4, as int32.
  template <int kSum, int kA, int kB>
  static void dot() {
    asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSum), "i"(kA), "i"(kB));
  }
};

}  // namespace
}  // namespace ortc::cpu
