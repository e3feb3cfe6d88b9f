// SPDX-License-Identifier: MIT
// CumSum along one axis:
//
//   y[i] = x[0] + ... + x[i]      exclusive: without x[i]; reverse: from the other end
//
// Floats are summed in double; integers wrap around, signed ones as the unsigned ones that have
// their bits. The input is seen as [outer, axis, inner]; neighbouring columns go together.
#include <algorithm>

#include "providers/cpu/arith/number_rows/number_rows.h"
#include "providers/cpu/arith/reduce_f32/reduce_f32.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {
namespace {

using CumSumTypes = Join<FloatTypes, TypeList<int32_t, int64_t, uint32_t, uint64_t>>;
constexpr int64_t kColumns = 1024, kFewColumns = 64;

template <typename T>
struct UnsignedOf {
  using Type = T;
};
template <typename T>
requires std::is_integral_v<T>
struct UnsignedOf<T> {
  using Type = std::make_unsigned_t<T>;
};
template <typename T>
using Unsigned = typename UnsignedOf<T>::Type;

// --- Arithmetic.

// How columns of `size` elements that lie `stride` apart are gone through.
struct Columns {
  int64_t stride, size;
  bool exclusive, reverse;

  int64_t place(int64_t step) const { return (reverse ? size - 1 - step : step) * stride; }
};

// So few columns that their sums stay in registers.
template <int64_t kCount, typename W, typename T>
void sum_few(const Columns& columns, const T* x, T* y) {
  W sum[kCount] = {};
#pragma GCC unroll 1
  for (int64_t step = 0; step < columns.size; ++step) {
    const int64_t at = columns.place(step);
#pragma GCC unroll 4
    for (int64_t i = 0; i < kCount; ++i) {
      const W next = sum[i] + static_cast<W>(x[at + i]);
      y[at + i] = static_cast<T>(columns.exclusive ? sum[i] : next);
      sum[i] = next;
    }
  }
}

template <typename W, typename T>
void sum_few_columns(const Columns& columns, const T* x, T* y, int64_t n) {
  for (; n >= 4; n -= 4, x += 4, y += 4) sum_few<4, W>(columns, x, y);
  for (; n > 0; --n, ++x, ++y) sum_few<1, W>(columns, x, y);
}

// n <= kColumns neighbouring columns of float16 or bfloat16.
template <typename T>
void sum_columns(Isa, const Columns& columns, const T* x, T* y, int64_t n) {
  double sum[kColumns];
  std::fill_n(sum, n, 0.0);
  for (int64_t step = 0; step < columns.size; ++step) {
    const int64_t at = columns.place(step);
    for (int64_t i = at; i < at + n; ++i) {
      const double next = sum[i - at] + static_cast<double>(x[i]);
      y[i] = convert<T>(columns.exclusive ? sum[i - at] : next);
      sum[i - at] = next;
    }
  }
}

// One row or two: rounding a sum of two floats to double first would change nothing.
void sum_two_rows(Isa isa, const Columns& columns, const float* x, float* y, int64_t n) {
  const VectorF32Kernels& vector = vector_f32_kernels(isa);
  const auto count = static_cast<size_t>(n);
  const int64_t first = columns.place(0);
  if (columns.exclusive) {
    std::fill_n(y + first, n, 0.0f);
  } else {
    vector.add_scalar(x + first, 0.0f, y + first, count);
  }
  if (columns.size == 1) return;
  const int64_t second = columns.place(1);
  if (columns.exclusive) {
    vector.add_scalar(x + first, 0.0f, y + second, count);
  } else {
    vector.add(x + first, x + second, y + second, count);
  }
}

void sum_columns(Isa isa, const Columns& columns, const float* x, float* y, int64_t n) {
  constexpr int64_t kFew = 8;
  if (n < kFew) return sum_few_columns<double>(columns, x, y, n);
  if (columns.size <= 2) return sum_two_rows(isa, columns, x, y, n);
  double sum[kColumns];
  std::fill_n(sum, n, 0.0);
  const int64_t first = columns.place(0), step = columns.reverse ? -columns.stride : columns.stride;
  reduce_f32_kernels(isa).running_sum(x + first, step, static_cast<size_t>(columns.size), sum,
                                      y + first, static_cast<size_t>(n), columns.exclusive);
}

void add_row(Isa, const double* a, const double* b, double* y, int64_t n) {
  ORTC_ELEMENTWISE
  for (int64_t i = 0; i < n; ++i) y[i] = a[i] + b[i];
}
constexpr int64_t kLongRow = 128;  // elements: worth a call
template <typename T>
void add_short_row(const T* a, const T* b, T* y, int64_t n) {
  ORTC_ELEMENTWISE
  for (int64_t i = 0; i < n; ++i) y[i] = a[i] + b[i];
}
void add_row(Isa isa, const uint32_t* a, const uint32_t* b, uint32_t* y, int64_t n) {
  if (n < kLongRow) return add_short_row(a, b, y, n);
  number_rows_kernels(isa).u32.add(a, true, b, true, y, static_cast<size_t>(n));
}
void add_row(Isa isa, const uint64_t* a, const uint64_t* b, uint64_t* y, int64_t n) {
  if (n < kLongRow) return add_short_row(a, b, y, n);
  number_rows_kernels(isa).u64.add(a, true, b, true, y, static_cast<size_t>(n));
}

// Of types whose sums have no more bits than themselves: the sum so far is the row of y before.
template <typename T>
requires(std::is_integral_v<T> ||
         std::is_same_v<T, double>) void sum_columns(Isa isa, const Columns& columns, const T* x,
                                                     T* y, int64_t n) {
  constexpr int64_t kFew = 8;
  if (n < kFew) return sum_few_columns<T>(columns, x, y, n);
  const int64_t first = columns.place(0);
  for (int64_t i = first; i < first + n; ++i) y[i] = columns.exclusive ? T{0} : T{0} + x[i];
  for (int64_t step = 1; step < columns.size; ++step) {
    const int64_t at = columns.place(step), last = columns.place(step - 1);
    add_row(isa, y + last, x + (columns.exclusive ? last : at), y + at, n);
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
constexpr bool kHasRows = !kIsReduced<T>;

// Rows of `size` elements, one behind the other.
template <typename T>
void sum_rows(const T* x, T* y, int64_t rows, int64_t size, uint32_t flags) {
  using W = std::conditional_t<std::is_integral_v<T>, T, double>;
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
  const Columns each{inner, size, (flags & kExclusive) != 0, (flags & kReverse) != 0};
  with_type(CumSumTypes{}, x.dtype, [&](auto tag) {
    using T = Unsigned<typename decltype(tag)::type>;
    ctx.parallel_for(outer * stripes, grain, [&](int64_t begin, int64_t end) {
      if constexpr (kHasRows<T>) {
        if (inner == 1) {
          return sum_rows(x.as<T>() + begin * size, ctx.output(0).as_mutable<T>() + begin * size,
                          end - begin, size, flags);
        }
      }
      for (int64_t unit = begin; unit < end; ++unit) {
        const int64_t column = unit % stripes * columns;
        const int64_t offset = unit / stripes * size * inner + column;
        sum_columns(ctx.isa(), each, x.as<T>() + offset, ctx.output(0).as_mutable<T>() + offset,
                    std::min(columns, inner - column));
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
