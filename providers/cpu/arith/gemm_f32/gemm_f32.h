// SPDX-License-Identifier: MIT
// f32 matrix products over packed weights: C[m, n] = epilogue(A[m, :] . B[:, n]).
//
// Packed B ("f32 panels"): panels of 32 columns, each K rows of 32 floats, one after the other, the
// last one filled up with zeros:  packed[(n / 32 * K + k) * 32 + n % 32] = B[k][n].  It does not
// depend on the instruction set, so it can be stored. It should start on 64 bytes.
//
// The same panels may hold float16, bfloat16, or int8 with a scale for each column ("narrow
// panels"): elements are widened on the way into the registers, or a K-block at a time into `room`
// where many rows read it; scales multiply the sums. Widening is exact, so C has the bits that f32
// panels of the same numbers give.
//
// K is cut into blocks as a function of K alone, so an element of C has the same bits however its
// rows and panels are divided among calls. The functions know no threads; they read A and B and
// write only the rows and columns of C they are asked for.
//
// Bounds (bounds.h): an element is off by gemm_f32_error(k) times the sum of its terms' sizes at
// most, and then by its activation's kActivationError. NaN and infinities stay in their row or
// column.
#pragma once

#include <cstddef>
#include <cstdint>

#include "providers/cpu/arith/activation.h"
#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

inline constexpr size_t kPanelColumns = 32;
inline constexpr size_t kBlockDepth = 768;  // most rows of a panel summed up in one go

[[gnu::always_inline]] constexpr size_t panel_count(size_t n) {
  return (n + kPanelColumns - 1) / kPanelColumns;
}

// Floats of the packed form of a [k, n] matrix. The caller has made sure that it fits in memory.
[[gnu::always_inline]] constexpr size_t packed_size(size_t k, size_t n) {
  return panel_count(n) * kPanelColumns * k;
}

// Rows of one K-block; the last block may be shorter.
[[gnu::always_inline]] constexpr size_t block_depth(size_t k) {
  const size_t blocks = k <= kBlockDepth ? 1 : (k + kBlockDepth - 1) / kBlockDepth;
  return k == 0 ? 0 : (k + blocks - 1) / blocks;
}

// An element of narrow panels.
struct F16Bits {
  uint16_t bits;
};
struct Bf16Bits {
  uint16_t bits;
};

enum class PanelType { kF16, kBf16, kI8 };

struct NarrowPanels {
  const void* data = nullptr;  // null: B is f32
  PanelType type = PanelType::kF16;
  // narrow_room(k) floats of the caller's, for each call at the same time its own. May be null when
  // no more than kNarrowRows rows are asked for.
  float* room = nullptr;
  const float* scales = nullptr;  // kI8: n numbers

  [[gnu::always_inline]] size_t element_bytes() const {
    return data == nullptr ? sizeof(float) : type == PanelType::kI8 ? 1 : sizeof(uint16_t);
  }
};

// So many rows read narrow panels as they are.
inline constexpr size_t kNarrowRows = 24;

// Floats that one K-block of two panels takes.
[[gnu::always_inline]] constexpr size_t narrow_room(size_t k) {
  return 2 * block_depth(k) * kPanelColumns;
}

// So many bytes ahead in its panel a product of few rows asks for: 96 rows of f32.
inline constexpr size_t kLookAheadBytes = 96 * kPanelColumns * sizeof(float);
// The same for f32 panels, and for narrow ones that are read side by side, on this processor: 0
// where its own prefetchers are faster when they are left alone. They are not for one narrow panel,
// whose lines come half as fast. Whoever hands out kernels with these tiles sets it first.
extern size_t host_look_ahead_bytes;
void find_host_look_ahead();

struct GemmF32 {
  const float* a = nullptr;  // row-major, `lda` floats from row to row
  size_t lda = 0;
  const float* b = nullptr;  // packed; some address where k is 0
  NarrowPanels narrow;       // B in fewer bits, instead of `b`
  float* c = nullptr;        // row-major; holds partial sums meanwhile, so it may overlap no input
  size_t ldc = 0;
  size_t n = 0;
  size_t k = 0;  // 0 makes the product zero
  // So many floats that will be read next and lie in no cache: fetched meanwhile, instead of the
  // panels. Null: there are none, and B is what lies in no cache.
  const float* upcoming = nullptr;
  size_t upcoming_count = 0;
  EpilogueF32 epilogue;
};

// A matrix that each step of a recurrence adds a product of two vectors to:
//   m[l][j] = decay[l] m[l][j] + x[l] row[j]     for l < k, j < n
//   y[j] = sum over l of q[l] m[l][j]            of the new one
struct RankOneF32 {
  float* m = nullptr;
  const float* decay = nullptr;
  const float* x = nullptr;
  const float* row = nullptr;
  const float* q = nullptr;
  float* y = nullptr;
  size_t k = 0, n = 0;
};

// Distances of the rows of A from those of B, which is not packed:
//   c[i][j] = sum over l of (a[i][l] - b[j][l])^2, or its root
struct SquaresF32 {
  const float* a = nullptr;
  size_t lda = 0;
  const float* b = nullptr;
  size_t ldb = 0;
  float* c = nullptr;
  size_t ldc = 0;
  size_t n = 0, k = 0;  // rows of B, and how long they are
  bool is_root = false;
};

inline constexpr size_t kShortRowMost = 8;

// A product of short rows, which lie one behind the other; so many at a time as a register has room
// for those of A and those of C. For each l there are 2 kShortRowMost numbers of which lane i, for
// element j of row r, has
//   factors   b[l][j]; 0 behind the rows
//   places    r k + l, anything behind the rows
struct ShortRowsF32 {
  size_t k = 0, n = 0, together = 0;
  const float* a = nullptr;
  const float* factors = nullptr;
  const int32_t* places = nullptr;
  float* c = nullptr;
};

struct GemmF32Kernels {
  // Packs panels [p0, p1) of a [k, n] matrix B with `ldb` floats from row to row, or with
  // `transposed` of its transpose, which is stored as [n, k]. `packed` is the start of panel 0.
  void (*pack_b)(const float* b, size_t ldb, bool transposed, size_t k, size_t n, size_t p0,
                 size_t p1, float* packed);

  // Rows [m0, m1) and panels [p0, p1) of C.
  void (*tile)(const GemmF32& gemm, size_t m0, size_t m1, size_t p0, size_t p1);

  // y[i, n] = x[i, :] . w[n, :] for i < m and n in [n0, n1), w row-major and not packed. Meant for
  // few rows: w is read once from memory for each 8 of them at the latest. Same bits however m and
  // n are divided.
  void (*dot_rows)(const float* x, size_t ldx, size_t m, const float* w, size_t ldw, size_t n0,
                   size_t n1, size_t k, float* y, size_t ldy);

  // y[n] = x . b[:, n] for n in [n0, n1): one row times a matrix [k, .] that is not packed, read
  // once. Same bits however n is divided.
  void (*row_times)(const float* x, const float* b, size_t ldb, size_t n0, size_t n1, size_t k,
                    float* y);

  // An element of m passes two roundings, where the instruction set has it one.
  void (*add_rank_one)(const RankOneF32& update);

  // Rows [m0, m1) and panels [p0, p1) of C; l goes from first to last. An element is off by
  // gemm_f32_error(k) times itself at most.
  void (*squares)(const SquaresF32& op, size_t m0, size_t m1, size_t p0, size_t p1);

  // So many rows, in which neither k nor n is above short_row_most; l goes from first to last. Same
  // bits however rows are divided.
  void (*short_rows)(const ShortRowsF32& op, size_t rows);
  size_t short_row_most;  // at most kShortRowMost
};

const GemmF32Kernels& gemm_f32_kernels(Isa isa);

// pack_b for elements of 16 and 8 bits.
void pack_narrow_panels(const uint16_t* b, size_t ldb, bool transposed, size_t k, size_t n,
                        size_t p0, size_t p1, uint16_t* packed);
void pack_narrow_panels(const int8_t* b, size_t ldb, bool transposed, size_t k, size_t n, size_t p0,
                        size_t p1, int8_t* packed);

const GemmF32Kernels& gemm_f32_generic();
#if ORTC_ARITH_X86
const GemmF32Kernels& gemm_f32_avx2();    // only on a CPU that has it
const GemmF32Kernels& gemm_f32_avx512();  // only on a CPU that has it
#endif

}  // namespace ortc::cpu
