// SPDX-License-Identifier: MIT
// How kernels of one tensor and no neighbours run: y[i] = op(x[i]).
//
// An operator is a small object with a list `Types` and apply<T>(x) in Compute<T>; what apply gives
// decides the result's type (Bool8, or T again). It may have row_f32(rows, x, y, n) for rows of
// float through the arithmetic of the instruction set level, row_f64 for double, and `kCost`, the
// work of one element in units of an addition. Float16 and bfloat16 go through rows of float, or by
// apply_bits(type, bits) where it has that. The result may lie where the operand does.
#pragma once

#include <algorithm>

#include "providers/cpu/arith/maps_f32/maps_f32.h"
#include "providers/cpu/arith/maps_f64/maps_f64.h"
#include "providers/cpu/arith/plain_rows/plain_rows.h"
#include "providers/cpu/arith/truth_rows/truth_rows.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/elements/float_rows.h"

namespace ortc::cpu {

inline const VectorF32Kernels& vector_kernels(const RunContext& ctx) {
  return vector_f32_kernels(ctx.isa());
}

// What functions of rows are computed with: of float, and `doubles`.
struct RowsF32 {
  explicit RowsF32(const RunContext& ctx)
      : vector(vector_f32_kernels(ctx.isa())),
        maps(maps_f32_kernels(ctx.isa())),
        plain(plain_rows_kernels(ctx.isa())),
        truths(truth_rows_kernels(ctx.isa())),
        doubles(maps_f64_kernels(ctx.isa())) {}
  const VectorF32Kernels& vector;
  const MapsF32Kernels& maps;
  const PlainRowsKernels& plain;
  const TruthRowsKernels& truths;
  const MapsF64Kernels& doubles;
};

template <typename Op, typename T>
using UnaryResult = std::conditional_t<
    std::is_same_v<decltype(std::declval<const Op&>().template apply<Compute<T>>({})), Bool8>,
    Bool8, T>;

template <typename Op>
concept HasRowF32 = requires(const Op& op, const RowsF32& rows, const float* x,
                             UnaryResult<Op, float>* y) {
  op.row_f32(rows, x, y, int64_t{});
};

template <typename Op>
concept HasRowF64 = requires(const Op& op, const RowsF32& rows, const double* x,
                             UnaryResult<Op, double>* y) {
  op.row_f64(rows, x, y, int64_t{});
};

// What functions of the bits of 16-bit floats compare these with.
struct HalfBits {
  int16_t infinity, one;
};

template <typename Op>
concept HasBits = requires(const HalfBits& type) {
  Op::apply_bits(type, int16_t{});
};

// One code for both of their types.
template <typename Op, typename Result>
[[gnu::noinline]] void bits_row(HalfBits type, const int16_t* x, Result* y, int64_t n) {
  ORTC_ELEMENTWISE
  for (int64_t i = 0; i < n; ++i) y[i] = Op::apply_bits(type, x[i]);
}

template <typename Op, typename T>
void unary_row(const Op& op, const RowsF32& rows, const T* x, UnaryResult<Op, T>* y, int64_t n) {
  using Result = UnaryResult<Op, T>;
  if constexpr (kIsReduced<T> && HasBits<Op>) {
    constexpr bool kIsHalf = std::is_same_v<T, Float16>;
    const HalfBits type = {kIsHalf ? 0x7c00 : 0x7f80, kIsHalf ? 0x3c00 : 0x3f80};
    using To = decltype(Op::apply_bits(type, 0));
    bits_row<Op>(type, reinterpret_cast<const int16_t*>(x), reinterpret_cast<To*>(y), n);
  } else if constexpr (kIsReduced<T>) {
    float row[kFloatRow];
    for (int64_t at = 0; at < n; at += kFloatRow) {
      const int64_t size = std::min(kFloatRow, n - at);
      widen(x + at, size, row);
      if constexpr (std::is_same_v<Result, Bool8>) {
        unary_row<Op, float>(op, rows, row, y + at, size);
      } else {
        unary_row<Op, float>(op, rows, row, row, size);
        narrow(row, size, y + at);
      }
    }
  } else if constexpr (std::is_same_v<T, float> && HasRowF32<Op>) {
    op.row_f32(rows, x, y, n);
  } else if constexpr (std::is_same_v<T, double> && HasRowF64<Op>) {
    op.row_f64(rows, x, y, n);
  } else {
    const Op own = op;  // which no store of a byte might change
    ORTC_ELEMENTWISE
    for (int64_t i = 0; i < n; ++i) y[i] = static_cast<Result>(own.template apply<T>(x[i]));
  }
}

template <typename Op>
constexpr int64_t unary_cost() {
  if constexpr (requires { Op::kCost; }) return Op::kCost;
  return 1;
}

// Output 0 = op(input 0), divided over the threads.
template <typename Op>
void run_unary_op(const RunContext& ctx, const Op& op) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  const RowsF32 rows(ctx);
  with_type(typename Op::Types{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    ctx.parallel_for(x.element_count(), kElementGrain / unary_cost<Op>(),
                     [&](int64_t begin, int64_t end) {
                       unary_row<Op, T>(op, rows, x.as<T>() + begin,
                                        y.as_mutable<UnaryResult<Op, T>>() + begin, end - begin);
                     });
  });
}

// One input of these types, an output like it.
template <typename Op>
Status bind_unary(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, Op::Types::kMask));
  return ctx.set_output(0, ctx.input(0).dtype, ctx.input(0).dims());
}

}  // namespace ortc::cpu
