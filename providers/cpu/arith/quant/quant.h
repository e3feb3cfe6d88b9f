// SPDX-License-Identifier: MIT
// Quantised numbers as contiguous rows: float to integer and back, and arithmetic between 8-bit
// rows.
//
//   quantise    y = clamp(round(x / scale) + zero, lo, hi), ties to even; NaN gives lo
//   dequantise  y = (x - zero) * scale
//
// An element's bits depend on nothing but its operands, and every instruction set level gives the
// same. y may be the same span as an operand of its element size.
#pragma once

#include <cstddef>
#include <cstdint>

#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

// |zero|, |lo| and |hi| are at most 65535, lo <= hi.
struct QuantisedAs {
  float scale = 1.0f;
  int32_t zero = 0, lo = 0, hi = 0;
};

// y = clamp(round((a - a_zero) a_factor + (b - b_zero) b_factor) + zero), or for products
// y = clamp(round((a - a_zero) (b - b_zero) a_factor) + zero). A step is 0 (one number) or 1.
struct BinaryI8 {
  size_t a_step = 1, b_step = 1;
  int32_t a_zero = 0, b_zero = 0;
  float a_factor = 1.0f, b_factor = 1.0f;
  int32_t zero = 0, lo = 0, hi = 0;
};

template <typename T>
struct QuantKernelsOf {
  void (*quantise)(const float* x, const QuantisedAs& as, T* y, size_t n);
  void (*dequantise)(const T* x, float scale, int32_t zero, float* y, size_t n);
  void (*add)(const BinaryI8& op, const T* a, const T* b, T* y, size_t n);
  void (*mul)(const BinaryI8& op, const T* a, const T* b, T* y, size_t n);
  void (*accumulate)(const T* x, int32_t* sum, size_t n);  // sum += x
};

struct QuantKernels {
  QuantKernelsOf<uint8_t> u8;
  QuantKernelsOf<int8_t> s8;
  void (*quantise_u16)(const float* x, const QuantisedAs& as, uint16_t* y, size_t n);
  void (*quantise_s16)(const float* x, const QuantisedAs& as, int16_t* y, size_t n);
  void (*dequantise_u16)(const uint16_t* x, float scale, int32_t zero, float* y, size_t n);
  void (*dequantise_s16)(const int16_t* x, float scale, int32_t zero, float* y, size_t n);
  void (*dequantise_s32)(const int32_t* x, float scale, int32_t zero, float* y, size_t n);
  // Widens [*lo, *hi] to hold x; NaN is ignored.
  void (*extend_range)(const float* x, size_t n, float* lo, float* hi);
  // A row as two of bytes: round(x factor), halves up, is 256 (high - 128) + (low - 128). At most
  // 32639 in size.
  void (*split)(const float* x, float factor, uint8_t* high, uint8_t* low, size_t n);
  // y = (256 high + low) factor scale + bias, rounded at each step; no bias: null.
  void (*join)(const int32_t* high, const int32_t* low, float factor, const float* scales,
               const float* bias, float* y, size_t n);
  void (*flip)(const uint8_t* x, uint8_t* y, size_t n);                          // y = x ^ 0x80
  void (*lookup)(const uint8_t* x, const uint8_t* table, uint8_t* y, size_t n);  // of 256 entries
};

const QuantKernels& quant_kernels(Isa isa);

const QuantKernels& quant_generic();
#if ORTC_ARITH_X86
const QuantKernels& quant_avx2();    // only on a CPU that has it
const QuantKernels& quant_avx512();  // only on a CPU that has it
#endif

}  // namespace ortc::cpu
