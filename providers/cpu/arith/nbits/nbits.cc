// SPDX-License-Identifier: MIT
// The part of products with few bits that knows no instruction set: packing, choice of kernels.
#include "providers/cpu/arith/nbits/nbits.h"

#include <cmath>
#include <cstring>

#include "core/base/float16.h"
#include "core/platform/cpu.h"

namespace ortc::cpu {
namespace {

// A word of 4-bit or 8-bit numbers, of which `count` are there and the others the middle.
uint32_t load_word(const uint8_t* from, size_t count, uint32_t bits) {
  const uint32_t middles = bits == 8 ? 0x80808080u : 0x88888888u;
  uint32_t word = middles;
  if (count * bits == 32) {
    std::memcpy(&word, from, 4);
  } else if (count > 0) {
    std::memcpy(&word, from, (count * bits + 7) / 8);
    const uint32_t there = (1u << (bits * count)) - 1;
    word = (word & there) | (middles & ~there);
  }
  return word;
}

// Four 4-bit numbers as the low halves of four bytes.
constexpr uint32_t spread(uint32_t x) {
  x = (x | x << 8) & 0x00FF00FFu;
  return (x | x << 4) & 0x0F0F0F0Fu;
}

void put_number(const NBitsShape& shape, std::byte* to, size_t i, float number) {
  if (shape.has_half) {
    const uint16_t half = float_to_half(number);
    std::memcpy(to + i * 2, &half, 2);
  } else {
    std::memcpy(to + i * 4, &number, 4);
  }
}

}  // namespace

bool nbits_fit_half(const float* numbers, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    // What reads halves in registers takes their infinities for numbers.
    const bool is_same = half_to_float(float_to_half(numbers[i])) == numbers[i];
    if (!is_same || !std::isfinite(numbers[i])) return false;
  }
  return true;
}

void nbits_pack(const NBitsShape& shape, const uint8_t* q, const float* scale, const float* zero,
                std::byte* packed) {
  const size_t blocks = shape.blocks();
  const size_t header = shape.header_bytes();
  const size_t group = 32 / shape.bits;
  for (size_t p = 0; p < shape.panels(); ++p) {
    std::byte* panel = packed + p * shape.panel_bytes();
    for (size_t j = 0; j < kNBitsColumns; ++j) {
      const size_t n = p * kNBitsColumns + j;
      const bool is_there = n < shape.n;
      for (size_t b = 0; b < blocks; ++b) {
        std::byte* block = panel + b * shape.block_bytes();
        put_number(shape, block, j, is_there ? scale[n * blocks + b] : 0.0f);
        if (shape.has_zero) {
          const bool has_number = is_there && zero != nullptr;
          put_number(shape, block + shape.scale_bytes(), j,
                     has_number ? zero[n * blocks + b] : 0.0f);
        }
        const size_t bytes = shape.block * shape.bits / 8;
        const uint8_t* from = is_there ? q + (n * blocks + b) * bytes : nullptr;
        for (size_t i = 0; i < shape.block; i += group) {
          const size_t k = b * shape.block + i;
          const size_t left = !is_there || k >= shape.k ? 0 : shape.k - k;
          const uint8_t* at = from != nullptr ? from + i * shape.bits / 8 : nullptr;
          uint32_t word = load_word(at, left < group ? left : group, shape.bits);
          if (shape.bits == 4) word = spread(word & 0xFFFF) | spread(word >> 16) << 4;
          std::memcpy(block + header + i * 2 * shape.bits + j * 4, &word, 4);
        }
      }
    }
  }
}

const NBitsKernels& nbits_kernels(Isa isa) {
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512) return host_has_vnni() ? nbits_avx512vnni() : nbits_avx512();
  if (isa == Isa::kAvx2) return host_has_avx_vnni() ? nbits_avxvnni() : nbits_avx2();
#endif
  (void)isa;
  return nbits_generic();
}

}  // namespace ortc::cpu
