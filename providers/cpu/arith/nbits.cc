// SPDX-License-Identifier: MIT
// The part of 4-bit products that knows no instruction set: packing, choice of kernels.
#include "providers/cpu/arith/nbits.h"

#include <cstring>

namespace ortc::cpu {
namespace {

#if ORTC_ARITH_X86
bool host_has_vnni() {
  static const bool has = [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512vnni") != 0;
  }();
  return has;
}
#endif

}  // namespace

void nbits_pack(const NBitsShape& shape, const uint8_t* q, const float* scale, const float* zero,
                std::byte* packed) {
  const size_t blocks = shape.blocks();
  const size_t header = shape.has_zero ? 128 : 64;
  for (size_t p = 0; p < shape.panels(); ++p) {
    for (size_t b = 0; b < blocks; ++b, packed += shape.block_bytes()) {
      float numbers[2 * kNBitsColumns] = {};
      std::memset(packed + header, 0x88, shape.block * 8);
      for (size_t j = 0; j < kNBitsColumns; ++j) {
        const size_t n = p * kNBitsColumns + j;
        if (n >= shape.n) break;
        numbers[j] = scale[n * blocks + b];
        if (zero != nullptr) numbers[kNBitsColumns + j] = zero[n * blocks + b] - 8.0f;
        const uint8_t* from = q + (n * blocks + b) * (shape.block / 2);
        for (size_t i = 0; i < shape.block && b * shape.block + i < shape.k; ++i) {
          const unsigned value = from[i / 2] >> (i % 2 * 4) & 15u;
          std::byte& to = packed[header + i / 8 * 64 + j * 4 + i % 4];
          to = i % 8 < 4 ? (to & std::byte{0xF0}) | static_cast<std::byte>(value)
                         : (to & std::byte{0x0F}) | static_cast<std::byte>(value << 4);
        }
      }
      std::memcpy(packed, numbers, header);
    }
  }
}

const NBitsKernels& nbits_kernels(Isa isa) {
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512) return host_has_vnni() ? nbits_avx512vnni() : nbits_avx512();
  if (isa == Isa::kAvx2) return nbits_avx2();
#endif
  (void)isa;
  return nbits_generic();
}

}  // namespace ortc::cpu
