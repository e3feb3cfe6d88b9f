// SPDX-License-Identifier: MIT
// Products with weights of 4 or 8 bits in blocks along k, each block and column with a scale:
//
//   y[n] = sum_k (q[k][n] - middle - zero[k / block][n]) scale[k / block][n] x[k] + bias[n]
//
// where the middle is 8 or 128. Weights of 2 bits are packed as those of 4.
//
// Packed: panels of 16 columns, of each all blocks one after the other, and of each block 16
// scales, with zero points 16 zeros (0 means the middle), and the weights, 64 bytes at a time:
// column j has bytes 4 j .. 4 j + 3. Of 8 bits they hold 4 values of k; of 4 bits 8, byte i has
// k = i in its low and k = 4 + i in its high half. What lies beyond the last column has a scale of
// 0, beyond the last k a value of the middle. Scales and zeros are f32, or f16 where that holds all
// of them exactly, which weights made from 16-bit floats mostly have.
// It does not depend on the instruction set, so it can be stored.
//
// Error (bounds.h): with x as floats, |y - exact| <= nbits_error(block, blocks()) S, that is
// (block + k / block + 8) eps S, where S is the sum of
// |weight x| and of |zero scale x|, eps 2^-24; with 8-bit x the same without block, for the x that
// it was rounded to, because sums of a block are exact integers then. Rounding moves x by half of
// the block's largest / 127 at most. An expanded weight is within 2 eps of its own.
//
// A column's bits do not depend on the division of panels among calls.
#pragma once

#include <cstddef>
#include <cstdint>

#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

inline constexpr size_t kNBitsColumns = 16;

struct NBitsShape {
  size_t k = 0, n = 0;
  size_t block = 32;  // a multiple of 16
  bool has_zero = false;
  uint32_t bits = 4;      // or 8
  bool has_half = false;  // scales and zeros are f16

  [[gnu::always_inline]] constexpr size_t number_bytes() const { return has_half ? 2 : 4; }
  // Where a block's zeros begin, or its weights if there are none.
  [[gnu::always_inline]] constexpr size_t scale_bytes() const {
    return kNBitsColumns * number_bytes();
  }
  [[gnu::always_inline]] constexpr size_t header_bytes() const {
    return has_zero ? 2 * scale_bytes() : scale_bytes();
  }
  [[gnu::always_inline]] constexpr int32_t middle() const { return 1 << (bits - 1); }
  [[gnu::always_inline]] constexpr size_t blocks() const { return (k + block - 1) / block; }
  [[gnu::always_inline]] constexpr size_t padded_k() const { return blocks() * block; }
  [[gnu::always_inline]] constexpr size_t panels() const {
    return (n + kNBitsColumns - 1) / kNBitsColumns;
  }
  [[gnu::always_inline]] constexpr size_t block_bytes() const {
    return header_bytes() + block * 2 * bits;
  }
  [[gnu::always_inline]] constexpr size_t panel_bytes() const { return blocks() * block_bytes(); }
};

// True when f16 holds each of these numbers exactly.
bool nbits_fit_half(const float* numbers, size_t count);

// From com.microsoft.MatMulNBits: q [n][blocks][block bits / 8], low half first; scale [n][blocks];
// zero likewise, less the middle (null: 0).
void nbits_pack(const NBitsShape& shape, const uint8_t* q, const float* scale, const float* zero,
                std::byte* packed);

struct NBitsProduct {
  NBitsShape shape;
  const std::byte* b = nullptr;  // packed
  const float* x = nullptr;      // padded_k() numbers, zeros beyond k
  const float* x_sum = nullptr;  // of each block; with zero points only
  // For the product with 8-bit x: x is q * q_scale by block.
  const int8_t* q = nullptr;
  const float* q_scale = nullptr;
  const int32_t* q_sum = nullptr;
  const float* bias = nullptr;  // n numbers; null means 0
  float* y = nullptr;           // n numbers
};

// The same with 8-bit x for many rows of it. Groups of 16 rows lie together: of each group
// padded_k() / 4 times four numbers of each row, and blocks() times a scale and -middle() times a
// sum of each row.
// Rows of the last group that are not there may be any numbers.
inline constexpr size_t kNBitsRows = 16;

struct NBitsRows {
  NBitsShape shape;
  const std::byte* b = nullptr;
  const int8_t* q = nullptr;
  const float* q_scale = nullptr;
  const int32_t* q_less = nullptr;
  const float* bias = nullptr;
  float* y = nullptr;  // n numbers to a row
  size_t rows = 0;
};

struct NBitsKernels {
  // Columns of panels [p0, p1), x as floats, or as 8-bit numbers.
  void (*gemv)(const NBitsProduct& product, size_t p0, size_t p1);
  void (*gemv_i8)(const NBitsProduct& product, size_t p0, size_t p1);
  // Groups of rows [g0, g1), panels [p0, p1); each row has the bits that gemv_i8 gives. Null where
  // one row after the other is as fast.
  void (*rows_i8)(const NBitsRows& product, size_t g0, size_t g1, size_t p0, size_t p1);
  // q = round(x / q_scale), q_scale = largest |x| of the block / 127; x has `count` blocks. Beside
  // an infinity no number keeps its sign: q_scale is NaN then, and with it all results of the row.
  void (*quantise)(const float* x, size_t block, size_t count, int8_t* q, float* q_scale,
                   int32_t* q_sum);
  void (*sum)(const float* x, size_t block, size_t count, float* x_sum);
  // Rows [k0, k1) of columns [32 p, 32 p + 32) as one f32 panel of gemm_f32.h; k0 is a multiple of
  // 16, k1 too or k.
  void (*expand)(const NBitsShape& shape, const std::byte* b, size_t p, size_t k0, size_t k1,
                 float* panel);
};

const NBitsKernels& nbits_kernels(Isa isa);

const NBitsKernels& nbits_generic();
#if ORTC_ARITH_X86
const NBitsKernels& nbits_avx2();        // only on a CPU that has it
const NBitsKernels& nbits_avxvnni();     // AVX2 and AVX-VNNI; only on a CPU that has them
const NBitsKernels& nbits_avx512();      // only on a CPU that has it
const NBitsKernels& nbits_avx512vnni();  // only on a CPU that has it
#endif

}  // namespace ortc::cpu
