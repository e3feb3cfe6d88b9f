// SPDX-License-Identifier: MIT
// Operators of one or more tensors, element by element with broadcasting: Min, Max, Sum and Mean.
//
//   y[i] = op(... op(op(x0[i], x1[i]), x2[i]) ...)
//
// Min and Max give NaN when an operand is NaN. A stretch of the result is gathered in a buffer and
// stored with the last operand, so it may lie where an operand does.
#include <algorithm>

#include "providers/cpu/arith/number_rows/number_rows.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/broadcast.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/float_rows.h"

namespace ortc::cpu {
namespace {

// Elements of a stretch: as many as a page or two hold.
template <typename T>
constexpr int64_t kStretchOf = 8192 / sizeof(T);
constexpr int64_t kStretch = kStretchOf<float>;

// --- Arithmetic.

// Of the instruction set level.
struct JoinKernels {
  explicit JoinKernels(Isa isa)
      : vector(vector_f32_kernels(isa)), numbers(number_rows_kernels(isa)) {}
  const VectorF32Kernels& vector;
  const NumberRowsKernels& numbers;
};

struct Min {
  using Types = NumberTypes;
  static constexpr auto kRowF32 = &VectorF32Kernels::min;
  static constexpr auto kScalarF32 = &VectorF32Kernels::min_scalar;
  template <typename T>
  static constexpr auto kIntegers = &NumberRowsKernels::Extremes<T>::smaller;
  template <typename T>
  static T join(T a, T b) {
    const T least = a < b ? a : b;  // two choices in a row become vectors
    return a != a ? a : least;
  }
  // Where b is not NaN: one instruction.
  template <typename T>
  static T join_number(T a, T b) {
    return b < a ? b : a;
  }
};
struct Max {
  using Types = NumberTypes;
  static constexpr auto kRowF32 = &VectorF32Kernels::max;
  static constexpr auto kScalarF32 = &VectorF32Kernels::max_scalar;
  template <typename T>
  static constexpr auto kIntegers = &NumberRowsKernels::Extremes<T>::larger;
  template <typename T>
  static T join(T a, T b) {
    const T most = a > b ? a : b;
    return a != a ? a : most;
  }
  template <typename T>
  static T join_number(T a, T b) {
    return b > a ? b : a;
  }
};
struct Sum {
  using Types = FloatTypes;
  static constexpr auto kRowF32 = &VectorF32Kernels::add;
  static constexpr auto kScalarF32 = &VectorF32Kernels::add_scalar;
  template <typename T>
  static T join(T a, T b) {
    return a + b;
  }
};
struct Mean : Sum {
  template <typename T>
  static T finish(T sum, size_t count) {
    return sum / static_cast<T>(count);
  }
};

template <typename T>
const NumberRowsKernels::Extremes<T>& extremes(const NumberRowsKernels& numbers) {
  if constexpr (std::is_same_v<T, int32_t>) {
    return numbers.i32;
  } else {
    return numbers.i64;
  }
}

template <typename T>
void start_row(const T* x, int64_t stride, Compute<T>* y, int64_t n) {
  if (stride == 0) return std::fill(y, y + n, static_cast<Compute<T>>(*x));
  if constexpr (kIsReduced<T>) return widen(x, n, y);
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<Compute<T>>(x[i]);
}

// y = joined and x together.
template <typename Op, typename T>
void join_row(const JoinKernels& kernels, const Compute<T>* joined, const T* x, int64_t stride,
              Compute<T>* y, int64_t n) {
  using C = Compute<T>;
  if constexpr (std::is_same_v<T, float>) {
    const auto size = static_cast<size_t>(n);
    if (stride == 0) return (kernels.vector.*Op::kScalarF32)(joined, *x, y, size);
    return (kernels.vector.*Op::kRowF32)(joined, x, y, size);
  }
  if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>) {
    const auto size = static_cast<size_t>(n);
    return (extremes<T>(kernels.numbers).*Op::template kIntegers<T>)(joined, true, x, stride != 0,
                                                                     y, size);
  }
  if constexpr (kIsReduced<T>) {
    float wide[kStretch];
    widen(x, stride == 0 ? 1 : n, wide);
    return join_row<Op, float>(kernels, joined, wide, stride, y, n);
  }
  if (stride == 0) {
    const C scalar = static_cast<C>(*x);
    if constexpr (requires { Op::template join_number<C>(C{}, C{}); }) {
      if (scalar != scalar) return std::fill(y, y + n, scalar);
      ORTC_ELEMENTWISE
      for (int64_t i = 0; i < n; ++i) y[i] = Op::template join_number<C>(joined[i], scalar);
      return;
    }
    ORTC_ELEMENTWISE
    for (int64_t i = 0; i < n; ++i) y[i] = Op::template join<C>(joined[i], scalar);
  } else {
    ORTC_ELEMENTWISE
    for (int64_t i = 0; i < n; ++i) y[i] = Op::template join<C>(joined[i], static_cast<C>(x[i]));
  }
}

// The first operand of all, to which none are joined so far, or one more.
template <typename Op, typename T>
[[gnu::noinline]] void add_row(const JoinKernels& kernels, const Compute<T>* joined, const T* x,
                               int64_t stride, Compute<T>* y, int64_t n) {
  if (joined == nullptr) return start_row<T>(x, stride, y, n);
  join_row<Op, T>(kernels, joined, x, stride, y, n);
}

// --- Bind.

template <typename Op>
Status bind_variadic(BindContext& ctx) {
  const size_t count = ctx.input_count();
  RETURN_IF_ERROR(check_arity(ctx, std::max<size_t>(count, 1), std::max<size_t>(count, 1)));
  RETURN_IF_ERROR(check_type(ctx, 0, Op::Types::kMask));
  for (size_t i = 1; i < count; ++i) RETURN_IF_ERROR(check_same_type(ctx, i, 0));
  ASSIGN_OR_RETURN(const DimList dims, broadcast_inputs(ctx, count));
  return ctx.set_output(0, ctx.input(0).dtype, dims);
}

// --- Run.

// The operand that is read where it lies while the others join it: one of the result's shape, if
// the order is free.
template <typename Op>
size_t leading_operand(const RunContext& ctx) {
  if constexpr (std::is_base_of_v<Sum, Op>) return 0;
  for (size_t k = 0; k < ctx.input_count(); ++k) {
    if (std::ranges::equal(ctx.input(k).dims(), ctx.output(0).dims())) return k;
  }
  return 0;
}

template <typename Op, typename T>
void run_stretch(const RunContext& ctx, int64_t begin, int64_t end) {
  using C = Compute<T>;
  C gathered[kStretchOf<C>];
  const JoinKernels kernels(ctx.isa());
  const ValueRef& y = ctx.output(0);
  T* const to = y.as_mutable<T>() + begin;
  const int64_t n = end - begin;
  const size_t count = ctx.input_count();
  const size_t leading = leading_operand<Op>(ctx);
  const C* joined = nullptr;
  for (size_t k = 0; k < count; ++k) {
    const ValueRef& x = ctx.input(k == 0 ? leading : k <= leading ? k - 1 : k);
    const bool is_whole = std::ranges::equal(x.dims(), y.dims());
    C* target = gathered;
    if constexpr (std::is_same_v<T, C>) {
      if (k == 0 && is_whole && count > 1) {  // read where it lies
        joined = x.as<T>() + begin;
        continue;
      }
      if (k + 1 == count) target = to;
    }
    const auto row = [&](const T* from, int64_t stride, int64_t at, int64_t size) {
      add_row<Op, T>(kernels, joined == nullptr ? nullptr : joined + at, from, stride, target + at,
                     size);
    };
    if (is_whole) {
      row(x.as<T>() + begin, 1, 0, n);
    } else if (x.element_count() == 1) {
      row(x.as<T>(), 0, 0, n);
    } else {
      const auto loop = broadcast_loop<1>(y.dims(), {x.dims()});
      for_each_row(loop, begin, end, [&](int64_t at, const auto& offsets, int64_t size) {
        row(x.as<T>() + offsets[0], loop.inner_stride(0), at - begin, size);
      });
    }
    joined = target;
  }
  C* result = gathered;
  if constexpr (std::is_same_v<T, C>) result = to;
  if constexpr (requires { Op::template finish<C>(C{}, 1); }) {
    for (int64_t i = 0; i < n; ++i) result[i] = Op::template finish<C>(result[i], count);
  }
  if constexpr (kIsReduced<T>) narrow(result, n, to);
}

// Two tensors, read where they lie. Their order does not matter, so it is the second one that
// stands still, if one does.
template <typename Op, typename T>
void run_pair_of(const RunContext& ctx, const NdLoop<2>& loop) {
  const ValueRef &a = ctx.input(0), &b = ctx.input(1), &y = ctx.output(0);
  const JoinKernels kernels(ctx.isa());
  const bool a_moves = loop.inner_stride(0) != 0;
  parallel_rows(ctx, loop, 1, [&](int64_t at, const auto& offsets, int64_t n) {
    const T *from = a.as<T>() + offsets[0], *with = b.as<T>() + offsets[1];
    if (!a_moves) std::swap(from, with);
    add_row<Op, T>(kernels, from, with, a_moves ? loop.inner_stride(1) : 0, y.as_mutable<T>() + at,
                   n);
  });
}

template <typename Op>
bool run_pair(RunContext& ctx) {
  if constexpr (requires { Op::template finish<float>(0.0f, 1); }) return false;
  if (ctx.input_count() != 2) return false;
  const ValueRef &a = ctx.input(0), &b = ctx.input(1), &y = ctx.output(0);
  const auto loop = broadcast_loop<2>(y.dims(), {a.dims(), b.dims()});
  using Pairs = std::conditional_t<std::is_base_of_v<Sum, Op>, TypeList<float, double>,
                                   TypeList<float, double, int32_t, int64_t>>;
  return with_type(Pairs{}, a.dtype,
                   [&](auto tag) { run_pair_of<Op, typename decltype(tag)::type>(ctx, loop); });
}

// Tensors of float that have the result's shape: the last one's stretch goes where it belongs.
template <typename Op>
void join_stretch(const RunContext& ctx, int64_t begin, int64_t end) {
  float gathered[kStretch];
  const VectorF32Kernels& vector = vector_f32_kernels(ctx.isa());
  const size_t count = ctx.input_count();
  const auto size = static_cast<size_t>(end - begin);
  float* const to = ctx.output(0).as_mutable<float>() + begin;
  const float* joined = ctx.input(0).as<float>() + begin;
  for (size_t k = 1; k < count; ++k) {
    float* const y = k + 1 == count ? to : gathered;
    (vector.*Op::kRowF32)(joined, ctx.input(k).as<float>() + begin, y, size);
    joined = y;
  }
  if constexpr (requires { Op::template finish<float>(0.0f, 1); }) {
    vector.div_scalar(to, static_cast<float>(count), to, size);
  }
}

template <typename Op>
bool run_equal(RunContext& ctx) {
  const ValueRef& y = ctx.output(0);
  if (ctx.input_count() < 2 || y.dtype != DType::kFloat32) return false;
  for (size_t k = 0; k < ctx.input_count(); ++k) {
    if (!std::ranges::equal(ctx.input(k).dims(), y.dims())) return false;
  }
  ctx.parallel_for(y.element_count(), kElementGrain, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; at += kStretch) {
      join_stretch<Op>(ctx, at, std::min(at + kStretch, end));
    }
  });
  return true;
}

template <typename Op>
Status run_variadic(RunContext& ctx) {
  if (run_pair<Op>(ctx) || run_equal<Op>(ctx)) return Status::ok();
  with_type(typename Op::Types{}, ctx.input(0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t count = ctx.output(0).element_count();
    ctx.parallel_for(count, kElementGrain, [&](int64_t begin, int64_t end) {
      constexpr int64_t kSize = kStretchOf<Compute<T>>;
      for (int64_t at = begin; at < end; at += kSize) {
        run_stretch<Op, T>(ctx, at, std::min(at + kSize, end));
      }
    });
  });
  return Status::ok();
}

}  // namespace

KernelTable elementwise_variadic_kernels() {
  constexpr uint32_t kFlags = kInPlace | kShapeArithmetic;
  static constexpr KernelRow rows[] = {
      {"Min", "", 1, kLatestOpset, Min::Types::kMask, "min", 1, kFlags, 0, prepare_nothing,
       bind_variadic<Min>, run_variadic<Min>},
      {"Max", "", 1, kLatestOpset, Max::Types::kMask, "max", 1, kFlags, 0, prepare_nothing,
       bind_variadic<Max>, run_variadic<Max>},
      {"Sum", "", 1, kLatestOpset, Sum::Types::kMask, "sum", 1, kInPlace, 0, prepare_nothing,
       bind_variadic<Sum>, run_variadic<Sum>},
      {"Mean", "", 1, kLatestOpset, Mean::Types::kMask, "mean", 1, kInPlace, 0, prepare_nothing,
       bind_variadic<Mean>, run_variadic<Mean>},
  };
  return rows;
}

}  // namespace ortc::cpu
