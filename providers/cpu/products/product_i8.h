// SPDX-License-Identifier: MIT
// What the int8 products (ortc.QGemm, ortc.QConv) share: their operands, the record that follows
// from them, and the epilogue of a run (docs/design/internal-operators.md).
#pragma once

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/arith/gemm_i8/gemm_i8.h"
#include "providers/cpu/internal_ops.h"
#include "providers/cpu/products/epilogue.h"

namespace ortc::cpu {

struct ProductParamsI8 {
  uint32_t output;      // a number of OutputI8; these are for ever
  uint32_t has_b_zero;  // any zero point of B is not 0
  uint32_t has_a_zero;  // 0: the zero point of A is an input, or 0 without one
  int32_t a_zero;       // of A as uint8
  int32_t y_zero, lo, hi;
  uint32_t reserved;
  EpilogueParams epilogue;  // scale: what the activation's result is multiplied by before rounding
};
static_assert(sizeof(ProductParamsI8) == 48);

// Columns of B: groups of `per_group`; arrays by column fill up each group to whole panels.
struct ColumnsI8 {
  int64_t groups = 1, per_group = 0;
  int64_t count() const { return groups * per_group; }
  int64_t padded_per_group() const { return (per_group + 31) / 32 * 32; }
  int64_t padded() const { return groups * padded_per_group(); }
};

// uint8 weights are stored as int8.
inline uint8_t weight_flip(DType dtype) { return dtype == DType::kUint8 ? 0x80 : 0; }

// --- Prepare.

// The zero points of B, as int8; empty when all are 0. Drops the input.
Result<std::vector<int8_t>> take_b_zero(PrepareContext& ctx, int64_t columns);

// Reads and replaces all inputs but A, B and its zero point, and the activation.
Result<ProductParamsI8> prepare_product(PrepareContext& ctx, const ColumnsI8& columns,
                                        bool has_b_zero);

// --- Bind.

// Types and sizes of all inputs but B, and the record. `y` is the shape of the output.
Status check_product(const BindContext& ctx, const ProductParamsI8& params,
                     const ColumnsI8& columns, std::span<const int64_t> y);
DType output_type(const ProductParamsI8& params);
// Input i is a uint8 vector of `bytes`.
Status check_packed_bytes(const BindContext& ctx, size_t i, std::optional<int64_t> bytes);
// Scratch for the scales of a run; 0 when they are constant.
uint64_t scale_scratch_bytes(const BindContext& ctx, const ColumnsI8& columns);
uint64_t scale_scratch_bytes(const RunContext& ctx, const ColumnsI8& columns);

// --- Run.

int32_t a_zero_of(const RunContext& ctx, const ProductParamsI8& params);
// With the addresses of this run; scratch as scale_scratch_bytes says.
EpilogueI8 make_epilogue_i8(const RunContext& ctx, const ProductParamsI8& params,
                            const ColumnsI8& columns, std::byte* scratch);
// y[i] = x[i] ^ 0x80: int8 activations as uint8.
void flip_activations(const RunContext& ctx, const ValueRef& x, uint8_t* y);
// Rows of k numbers as products want them on their left: uint8 in whole quads, zeros behind them.
void copy_left_rows(Isa isa, DType dtype, const uint8_t* from, int64_t rows, int64_t k,
                    uint8_t* to);
// All rows of x, on all threads.
void copy_left_rows(const RunContext& ctx, const ValueRef& x, int64_t k, uint8_t* to);

}  // namespace ortc::cpu
