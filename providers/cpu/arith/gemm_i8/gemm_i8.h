// SPDX-License-Identifier: MIT
// int8 products over packed weights, with exact int32 sums and an epilogue:
//
//   acc[m][n] = sum_k (a[m][k] - a_zero) (b[k][n] - b_zero[n])  +  bias_i32[n]        (mod 2^32)
//   kInt32       c = acc
//   kFloat32     c = act(acc scale[n] + bias[n] + residual[m][n])
//   kUint8, kInt8  c = zero + round(act(acc scale[n] + bias[n] + residual[m][n]) out_scale),
//                clamped to [lo, hi]; ties go to even. Without activation and residual, out_scale
//                is 1: it is in the columns' numbers. Gelu is within 5e-6 (1 + max(x, 0)) here.
//
// A is uint8; int8 operands are brought here by xor 0x80 and a zero point larger by 128. B is int8
// in panels of 32 columns; uint8 weights become int8 when they are packed. A panel holds 32 int32
// offsets, k b_zero[n] - sum_k b[k][n], 32 int32 b_zero[n], and then, for every four rows of B, 32
// times 4 bytes:
//
//   panel[256 + (k / 4) 128 + (n % 32) 4 + k % 4] = b[k][n], zero beyond the last row and column
//
// It does not depend on the instruction set, so it can be stored. Sums are exact: every level and
// any division of the work give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "providers/cpu/arith/activation.h"
#include "providers/cpu/arith/conv_f32/conv_f32.h"
#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

inline constexpr size_t kPanelHeaderI8 = 256;  // bytes before a panel's products

// Groups of four rows.
[[gnu::always_inline]] constexpr size_t quads(size_t k) { return (k + 3) / 4; }
[[gnu::always_inline]] constexpr size_t panel_bytes_i8(size_t k) {
  return kPanelHeaderI8 + quads(k) * 4 * kPanelColumns;
}
// Bytes of the packed form of a [k, n] matrix. The caller has made sure that it fits in memory.
[[gnu::always_inline]] constexpr size_t packed_bytes_i8(size_t k, size_t n) {
  return panel_count(n) * panel_bytes_i8(k);
}

enum class OutputI8 : uint8_t { kInt32, kFloat32, kUint8, kInt8 };

// Arrays by column are filled up to whole panels.
struct EpilogueI8 {
  OutputI8 output = OutputI8::kInt32;
  const int32_t* bias_i32 = nullptr;  // null means none
  const float* scale = nullptr;       // unused by kInt32
  const float* bias = nullptr;        // null means none
  const float* residual = nullptr;    // a matrix like the result, not filled up; null means none
  size_t residual_ld = 0;
  ActivationF32 activation;
  float out_scale = 1.0f;
  int32_t zero = 0, lo = 0, hi = 0;  // lo <= hi, within the output's type
};

struct GemmI8 {
  const uint8_t* a = nullptr;  // rows of whole quads: up to 3 bytes behind k are read, not used
  size_t lda = 0;
  int32_t a_zero = 0;
  const std::byte* b = nullptr;  // packed
  bool has_b_zero = false;       // any b_zero[n] is not 0
  void* c = nullptr;
  size_t ldc = 0;  // elements from row to row
  size_t n = 0;
  size_t k = 0;
  EpilogueI8 epilogue;
};

// A B of k rows that is not packed: row i begins at b + offsets[i], or at b + i * ldb without them.
struct PlainI8 {
  const uint8_t* b = nullptr;
  size_t ldb = 0;
  const ptrdiff_t* offsets = nullptr;
  ptrdiff_t last = 0;  // the largest of the offsets, none of which is negative
  const uint8_t* end = nullptr;  // nothing from here on is read, but all before may be
  size_t k = 0;
  uint8_t flip = 0;  // 0x80 for uint8 numbers
  int32_t zero = 0;  // of all columns, flipped like the numbers
};
inline constexpr size_t kFewRowsI8 = 8;

// Channels last, as conv_f32.h describes; a panel's rows are (kernel_h, kernel_w, in_c / groups).
struct ConvI8 {
  ConvShape shape;
  const uint8_t* x = nullptr;  // dense
  int32_t x_zero = 0;          // 0 .. 255; also what padding holds
  const std::byte* w = nullptr;
  bool has_w_zero = false;
  void* y = nullptr;    // dense
  EpilogueI8 epilogue;  // arrays by column: group after group, each filled up to whole panels
};

// Packs a [k, n] matrix; element (row, column) lies at b[row * row_step + column * column_step].
// `flip` is 0x80 for uint8 weights. `zero` holds zero_count (1 or n) zero points as int8, flipped
// like the weights; null means all of them are 0.
void pack_b_i8(const uint8_t* b, size_t row_step, size_t column_step, size_t k, size_t n,
               uint8_t flip, const int8_t* zero, size_t zero_count, std::byte* packed);

// Packs weights [out_c][in_c / groups][kernel_h][kernel_w]; zero points by output channel.
void conv_pack_weights_i8(const ConvShape& shape, const uint8_t* w, uint8_t flip,
                          const int8_t* zero, size_t zero_count, std::byte* packed);

[[gnu::always_inline]] constexpr size_t conv_packed_bytes_i8(const ConvShape& shape) {
  return shape.groups * packed_bytes_i8(shape.depth(), shape.group_out());
}

// Bytes of scratch that each concurrent call needs, aligned to 64.
size_t conv_scratch_bytes_i8(const ConvShape& shape);

// Depthwise weights: [kernel_h][kernel_w][channels filled up to 32]; with has_w_zero a row of zero
// points as int8 follows.
[[gnu::always_inline]] constexpr size_t depthwise_packed_bytes_i8(const ConvShape& shape) {
  return shape.kernel_h * shape.kernel_w * panel_count(shape.out_c) * kPanelColumns;
}
void depthwise_pack_weights_i8(const ConvShape& shape, const uint8_t* w, uint8_t flip,
                               std::byte* packed);

struct GemmI8Kernels {
  // What pack_b_i8 does, with one zero point for all: a [k, n] matrix with `ldb` bytes from row to
  // row, or with `transposed` of its transpose, which is stored as [n, k].
  void (*pack)(const uint8_t* b, size_t ldb, bool transposed, size_t k, size_t n, uint8_t flip,
               int32_t zero, std::byte* packed);
  // Columns [column, column + n) of a B as the panels of a matrix of their own.
  void (*pack_plain)(const PlainI8& b, size_t column, size_t n, std::byte* packed);
  // The first m rows, kFewRowsI8 at most, and columns [c0, c1) of C, out of a B that is not packed;
  // gemm.b is not read. Cuts are at multiples of kPanelColumns. For so few rows packing costs more.
  void (*multiply_plain)(const GemmI8& gemm, const PlainI8& b, size_t m, size_t c0, size_t c1);
  // Rows [m0, m1) and panels [p0, p1) of C.
  void (*tile)(const GemmI8& gemm, size_t m0, size_t m1, size_t p0, size_t p1);
  // Output pixels [q0, q1), panels [p0, p1) out of shape.panels().
  void (*conv)(const ConvI8& conv, size_t q0, size_t q1, size_t p0, size_t p1, void* scratch);
  // Output rows [r0, r1) of batch * out_h of a depthwise convolution (depthwise_f32.h) whose
  // weights are packed as above.
  void (*depthwise)(const ConvI8& conv, size_t r0, size_t r1);
};

// A level whose CPU also has VNNI, AMX or NEON's dot products is served with them: the bits are the
// same.
const GemmI8Kernels& gemm_i8_kernels(Isa isa);

const GemmI8Kernels& gemm_i8_generic();
#if ORTC_ARITH_X86
const GemmI8Kernels& gemm_i8_avx2();        // only on a CPU that has it
const GemmI8Kernels& gemm_i8_avxvnni();     // AVX2 and AVX-VNNI; only on a CPU that has them
const GemmI8Kernels& gemm_i8_avx512();      // only on a CPU that has it
const GemmI8Kernels& gemm_i8_avx512vnni();  // only on a CPU that has it
const GemmI8Kernels& gemm_i8_amx();         // AVX-512 VNNI and AMX; only on a CPU that has them
#endif
#if ORTC_ARITH_ARM
const GemmI8Kernels& gemm_i8_dotprod();  // only on a CPU that has it
#endif

}  // namespace ortc::cpu
