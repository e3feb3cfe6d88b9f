// SPDX-License-Identifier: MIT
// Where with broadcasting, by element size: y[i] = condition[i] ? a[i] : b[i].
#include "providers/cpu/arith/plain_rows/plain_rows.h"
#include "providers/cpu/bind/broadcast.h"
#include "providers/cpu/bind/packed_moves.h"
#include "providers/cpu/bind/rows/copy_rows.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

// --- Arithmetic: conditions and operands of any stride; otherwise the arithmetic of the
// instruction set level has it.

template <typename T>
void where_row(const uint8_t* condition, int64_t condition_stride, const T* a, int64_t a_stride,
               const T* b, int64_t b_stride, T* y, int64_t n) {
  if (condition_stride == 0) {
    const T* from = *condition != 0 ? a : b;
    if (from != y) copy_row(from, *condition != 0 ? a_stride : b_stride, y, n);
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    y[i] = condition[i * condition_stride] != 0 ? a[i * a_stride] : b[i * b_stride];
  }
}

// --- Bind.

Status bind_where(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 3, 3));
  RETURN_IF_ERROR(check_type(ctx, 0, mask_of(DType::kBool)));
  RETURN_IF_ERROR(check_type(ctx, 1, kByteTypes));
  RETURN_IF_ERROR(check_same_type(ctx, 2, 1));
  ASSIGN_OR_RETURN(const DimList dims, broadcast_inputs(ctx, 3));
  return ctx.set_output(0, ctx.input(1).dtype, dims);
}

// --- Run.

Status run_where(RunContext& ctx) {
  const ValueRef& condition = ctx.input(0);
  const ValueRef& a = ctx.input(1);
  const ValueRef& b = ctx.input(2);
  const ValueRef& y = ctx.output(0);
  const auto loop = broadcast_loop<3>(y.dims(), {condition.dims(), a.dims(), b.dims()});
  const PlainRowsKernels::Choose choose = choose_of(ctx.isa(), element_bytes(y.dtype));
  const bool moves = loop.inner_stride(0) == 1 && loop.inner_stride(1) <= 1 &&
                     loop.inner_stride(2) <= 1 && choose != nullptr;
  with_chunk(element_bytes(y.dtype), [&](auto tag) {
    using T = typename decltype(tag)::type;
    parallel_rows(ctx, loop, 1, [&](int64_t at, const auto& offsets, int64_t n) {
      if (moves) {
        return choose(condition.as<uint8_t>() + offsets[0], a.as<T>() + offsets[1],
                      loop.inner_stride(1) == 1, b.as<T>() + offsets[2], loop.inner_stride(2) == 1,
                      y.as_mutable<T>() + at, static_cast<size_t>(n));
      }
      where_row<T>(condition.as<uint8_t>() + offsets[0], loop.inner_stride(0),
                   a.as<T>() + offsets[1], loop.inner_stride(1), b.as<T>() + offsets[2],
                   loop.inner_stride(2), y.as_mutable<T>() + at, n);
    });
  });
  return Status::ok();
}

}  // namespace

KernelTable where_kernels() {
  static constexpr KernelRow rows[] = {
      {"Where", "", 9, kLatestOpset, kByteTypes, "where", 1, kInPlace | kShapeArithmetic, 0,
       prepare_nothing, bind_where, run_where, 1},
      {"Where", "", 9, kLatestOpset, kStrings, "where.string", 1, kNoFlags, 0, prepare_nothing,
       bind_strings<bind_where, 6>, run_strings<run_where>, 1},
      {"Where", "", 9, kLatestOpset, kPackedTypes, "where.packed", 1, kNoFlags, 0, prepare_nothing,
       bind_packed<bind_where>, run_packed<run_where>, 1},
  };
  return rows;
}

}  // namespace ortc::cpu
