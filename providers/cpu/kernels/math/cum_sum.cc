// SPDX-License-Identifier: MIT
// CumSum along one axis:
//
//   y[i] = x[0] + ... + x[i]      exclusive: without x[i]; reverse: from the other end
//
// Floats are summed in double, integers wrap around. The input is seen as [outer, axis, inner];
// neighbouring columns go together.
#include <algorithm>

#include "providers/cpu/arith/number_rows/number_rows.h"
#include "providers/cpu/arith/reduce_f32/reduce_f32.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {
namespace {

using CumSumTypes = Join<FloatTypes, TypeList<int32_t, int64_t, uint32_t, uint64_t>>;
constexpr int64_t kColumns = 1024, kFewColumns = 64;

// --- Arithmetic.

template <typename U>
const NumberRowsKernels::Arithmetic<U>& integers_of(Isa isa) {
  if constexpr (sizeof(U) == 4) {
    return number_rows_kernels(isa).u32;
  } else {
    return number_rows_kernels(isa).u64;
  }
}

// Integers by their bits: a row is the one before it and one of x.
template <typename U>
void sum_integers(const NumberRowsKernels::Arithmetic<U>& rows, const U* x, U* y, int64_t stride,
                  int64_t size, int64_t n, bool exclusive, bool reverse) {
  const int64_t step = reverse ? -stride : stride;
  if (reverse) {
    x += (size - 1) * stride;
    y += (size - 1) * stride;
  }
  if (exclusive) {
    std::fill_n(y, n, U{0});
  } else {
    std::copy_n(x, n, y);
    x += step;
  }
  constexpr int64_t kFew = 8;  // are worth no call
  for (int64_t i = 1; i < size; ++i, x += step, y += step) {
    if (n >= kFew) {
      rows.add(y, true, x, true, y + step, static_cast<size_t>(n));
      continue;
    }
    for (int64_t j = 0; j < n; ++j) y[step + j] = y[j] + x[j];
  }
}

// n <= kColumns neighbouring columns of `size` elements that lie `stride` apart.
template <typename T>
void sum_columns(const ReduceF32Kernels& kernels, const T* x, T* y, int64_t stride, int64_t size,
                 int64_t n, bool exclusive, bool reverse) {
  double sum[kColumns];
  std::fill_n(sum, n, 0.0);
  if constexpr (std::is_same_v<T, float>) {
    const int64_t first = reverse ? (size - 1) * stride : 0;
    kernels.running_sum(x + first, reverse ? -stride : stride, static_cast<size_t>(size), sum,
                        y + first, static_cast<size_t>(n), exclusive);
    return;
  }
  for (int64_t step = 0; step < size; ++step) {
    const int64_t at = (reverse ? size - 1 - step : step) * stride;
    const T* from = x + at;
    T* to = y + at;
    if (exclusive) {
      for (int64_t i = 0; i < n; ++i) {
        to[i] = convert<T>(sum[i]);
        sum[i] += static_cast<double>(from[i]);
      }
    } else {
      for (int64_t i = 0; i < n; ++i) to[i] = convert<T>(sum[i] += static_cast<double>(from[i]));
    }
  }
}

// --- Prepare.

enum Flags : uint32_t { kExclusive = 1, kReverse = 2 };

struct CumSumParams {
  uint32_t record_bytes;
  uint32_t flags;
};
static_assert(sizeof(CumSumParams) == 8);

Status prepare_cum_sum(PrepareContext& ctx) {
  CumSumParams params{sizeof(CumSumParams), 0};
  if (ctx.node().int_attribute("exclusive", 0) != 0) params.flags |= kExclusive;
  if (ctx.node().int_attribute("reverse", 0) != 0) params.flags |= kReverse;
  ctx.set_params(params);
  return Status::ok();
}

// --- Arithmetic of rows, which may be short.

template <typename T>
constexpr bool kHasRows = std::is_same_v<T, float> || std::is_integral_v<T>;

// Unsigned integers have the bits of signed ones.
template <typename T>
struct RowOf
    : std::conditional_t<std::is_integral_v<T>, std::make_signed<T>, std::type_identity<T>> {};

// Rows of `size` elements, one behind the other.
template <typename T>
void sum_rows(const T* x, T* y, int64_t rows, int64_t size, uint32_t flags) {
  using W = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
  const bool exclusive = (flags & kExclusive) != 0, reverse = (flags & kReverse) != 0;
  const int64_t step = reverse ? -1 : 1;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t at = row * size + (reverse ? size - 1 : 0);
    W sum{0};
    for (int64_t i = 0; i < size; ++i, at += step) {
      const W next = sum + static_cast<W>(x[at]);
      y[at] = convert<T>(exclusive ? sum : next);
      sum = next;
    }
  }
}

// --- Bind.

Status bind_cum_sum(BindContext& ctx) {
  if (ctx.params<CumSumParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, CumSumTypes::kMask));
  RETURN_IF_ERROR(check_type(ctx, 1, mask_of(DType::kInt32, DType::kInt64)));
  return ctx.set_output(0, ctx.input(0).dtype, ctx.input(0).dims());
}

// --- Run.

// Columns of a stripe: as many as have room, but fewer where threads would have none. No bit
// depends on it.
int64_t columns_of_stripe(int64_t outer, int64_t inner, int threads) {
  const int64_t stripes = (threads + outer - 1) / outer;  // of each outer, one for each thread
  const int64_t columns = (inner + stripes - 1) / stripes;
  const int64_t whole = (columns + kFewColumns - 1) / kFewColumns * kFewColumns;
  return std::min(whole, kColumns);
}

Status run_cum_sum(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const uint32_t flags = ctx.params<CumSumParams>().flags;
  ASSIGN_OR_RETURN(const int64_t given, read_int(ctx.input(1), "the axis"));
  ASSIGN_OR_RETURN(const size_t axis, checked_axis(given, x.rank));
  const int64_t size = x.dim(axis);
  const int64_t inner = product(x.dims(), axis + 1, x.rank);
  if (x.element_count() == 0) return Status::ok();
  const int64_t outer = product(x.dims(), 0, axis);
  const int64_t columns = columns_of_stripe(outer, inner, ctx.thread_count());
  const int64_t stripes = (inner + columns - 1) / columns;
  const int64_t grain = std::max<int64_t>(1, kElementGrain / size / std::min(inner, columns));
  const ReduceF32Kernels& kernels = reduce_f32_kernels(ctx.isa());
  with_type(CumSumTypes{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    ctx.parallel_for(outer * stripes, grain, [&](int64_t begin, int64_t end) {
      if constexpr (kHasRows<T>) {
        if (inner == 1) {
          using Row = typename RowOf<T>::type;
          return sum_rows(x.as<Row>() + begin * size,
                          ctx.output(0).as_mutable<Row>() + begin * size, end - begin, size, flags);
        }
      }
      for (int64_t unit = begin; unit < end; ++unit) {
        const int64_t column = unit % stripes * columns;
        const int64_t offset = unit / stripes * size * inner + column;
        const T* from = x.as<T>() + offset;
        T* to = ctx.output(0).as_mutable<T>() + offset;
        const int64_t n = std::min(columns, inner - column);
        const bool exclusive = (flags & kExclusive) != 0, reverse = (flags & kReverse) != 0;
        if constexpr (std::is_integral_v<T>) {
          using U = std::make_unsigned_t<T>;
          sum_integers<U>(integers_of<U>(ctx.isa()), reinterpret_cast<const U*>(from),
                          reinterpret_cast<U*>(to), inner, size, n, exclusive, reverse);
        } else {
          sum_columns<T>(kernels, from, to, inner, size, n, exclusive, reverse);
        }
      }
    });
  });
  return Status::ok();
}

}  // namespace

KernelTable cum_sum_kernels() {
  static constexpr KernelRow rows[] = {
      {"CumSum", "", 11, kLatestOpset, CumSumTypes::kMask, "cum_sum", 1, kNoFlags, 0,
       prepare_cum_sum, bind_cum_sum, run_cum_sum},
  };
  return rows;
}

}  // namespace ortc::cpu
