// SPDX-License-Identifier: MIT
// What reductions share: which axes go, and the loops over what stays and over what joins
// (reduce_joins.h).
//
//   y = finish(join over the reduced axes of map(x))
//
// Floats are summed in double. An output element is the work of one thread and joins its inputs in
// an order that depends on the shape alone: either a contiguous row at a time, in a fixed number of
// lanes, or, when the innermost axis stays, a stretch of neighbouring outputs at once. Rows come in
// stretches of outputs too.
#pragma once

#include <algorithm>

#include "providers/cpu/bind/axis_list.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/kernels/math/reduce_joins.h"

namespace ortc::cpu {

template <typename Op, typename T>
constexpr bool kIsDoubleExtreme = std::is_same_v<T, double>&& requires {
  Op::kTakesLargest;
};

// n elements joined to `state`; contiguous ones in lanes.
template <typename Op, typename W, typename T>
W join_row(const ReduceF32Kernels& kernels, const MapsF64Kernels& doubles, W state, const T* x,
           int64_t stride, int64_t n) {
  if constexpr (kHasRowsF32<Op, T, W>) {
    if (stride == 1) {
      return Op::join(state, (kernels.*Op::kRowsF32).row(x, static_cast<size_t>(n)));
    }
  }
  if constexpr (kIsDoubleExtreme<Op, T>) {
    if (stride == 1) {
      return Op::join(state, (doubles.*Op::kRowsF64).row(x, static_cast<size_t>(n)));
    }
  }
  if constexpr (requires { Op::kTakesLargest; } && !std::is_same_v<T, Bool8> &&
                !std::is_same_v<T, double>) {
    if (stride == 1)
      return Op::join(state, static_cast<W>(extreme_of_row<Op::kTakesLargest>(x, n)));
  }
  constexpr int64_t kLanes = 8;
  int64_t i = 0;
  if (stride == 1 && n >= 2 * kLanes) {
    W lanes[kLanes];
    for (W& lane : lanes) lane = Op::template start<W>();
    for (; i + kLanes <= n; i += kLanes) {
      for (int64_t k = 0; k < kLanes; ++k) {
        lanes[k] = Op::join(lanes[k], Op::map(loaded<W>(x[i + k])));
      }
    }
    for (int64_t half = kLanes / 2; half > 0; half /= 2) {
      for (int64_t k = 0; k < half; ++k) lanes[k] = Op::join(lanes[k], lanes[k + half]);
    }
    state = Op::join(state, lanes[0]);
  }
  for (; i < n; ++i) state = Op::join(state, Op::map(loaded<W>(x[i * stride])));
  return state;
}

enum ReduceFlags : uint32_t { kKeepDims = 1, kNoopWithoutAxes = 2 };

// The axes that are reduced; of a bind or a run context.
template <typename Context>
Result<AxisSet> reduced_axes(const Context& ctx, const AxisListParams& params) {
  const size_t rank = ctx.input(0).rank;
  AxisSet axes;
  if (params.axis_count > 0) {
    ASSIGN_OR_RETURN(axes, checked_axes(params, rank));
  } else if (ctx.input_count() > 1 && ctx.input(1).is_present()) {
    DimList given;
    RETURN_IF_ERROR(read_ints(ctx.input(1), "axes", &given));
    ASSIGN_OR_RETURN(axes, checked_axes(given, rank));
  }
  if (axes.none() && (params.flags & kNoopWithoutAxes) == 0) {
    for (size_t i = 0; i < rank; ++i) axes.set(i);
  }
  return axes;
}

// The output's loop and, for each of its elements, the loop over what is joined.
struct ReduceLoops {
  NdLoop<1> kept;
  NdLoop<1> reduced;
  const ReduceF32Kernels& kernels;
  const MapsF64Kernels& doubles;

  ReduceLoops(const RunContext& ctx, const AxisSet& axes)
      : kernels(reduce_f32_kernels(ctx.isa())), doubles(maps_f64_kernels(ctx.isa())) {
    const ValueRef& x = ctx.input(0);
    const DimList strides = row_major_strides(x.dims());
    for (size_t i = 0; i < x.rank; ++i) {
      (axes[i] ? reduced : kept).append(x.dim(i), {strides[i]});
    }
    kept.finish();
    reduced.finish();
  }
  // Neighbouring outputs are neighbours in x.
  bool keeps_innermost() const { return kept.inner_size() > 1 && kept.inner_stride(0) == 1; }
  // And there are but a few of them before the next are elsewhere.
  bool is_narrow() const { return keeps_innermost() && kept.rank == 2 && kept.inner_size() <= 32; }
  // What an output joins is a row; so short a one that what surrounds it counts.
  bool joins_rows() const {
    return !keeps_innermost() && reduced.rank == 1 && reduced.inner_stride(0) == 1;
  }
  bool joins_short_rows() const { return joins_rows() && reduced.count <= 32; }
  // What an output joins are so few neighbours on one axis and again on another one, and several
  // outputs lie one behind the other: as columns they are joined to `group()` states each.
  bool joins_groups() const {
    return (kept.rank == 1 || kept.inner_size() >= 4) && reduced.rank == 2 &&
           reduced.inner_stride(0) == 1 && group() > 0 && group() <= 16 &&
           kept.inner_stride(0) == group();
  }
  int64_t group() const { return reduced.inner_size(); }
  // What an output joins are several rows alike, none of which is long.
  bool joins_like_rows() const {
    constexpr int64_t kLongest = 256, kFewest = 4;
    return reduced.rank == 2 && reduced.inner_stride(0) == 1 && group() >= 8 &&
           group() <= kLongest && reduced.dims[0] >= kFewest;
  }
  ReduceLoops without_groups() const {
    ReduceLoops outer = *this;
    outer.reduced.rank = 1;
    outer.reduced.count = reduced.dims[0];
    return outer;
  }
};

constexpr int64_t kColumns = 1024;

template <typename Op, typename W, typename T>
[[gnu::noinline]] W join_all(const ReduceLoops& loops, const T* x) {
  W state = Op::template start<W>();
  const int64_t stride = loops.reduced.inner_stride(0);
  if (loops.reduced.rank == 1) {
    return join_row<Op, W>(loops.kernels, loops.doubles, state, x, stride, loops.reduced.count);
  }
  for_each_row(loops.reduced, 0, loops.reduced.count, [&](int64_t, const auto& offsets, int64_t n) {
    state = join_row<Op, W>(loops.kernels, loops.doubles, state, x + offsets[0], stride, n);
  });
  return state;
}

// What is done with a stretch, f(at, x offset, n): its type is forgotten, so that one code divides
// the work of all operators and types.
class StretchWork {
 public:
  template <typename F>
  explicit StretchWork(const F& f)
      : object_(&f), call_([](const void* object, int64_t at, int64_t offset, int64_t n) {
          (*static_cast<const F*>(object))(at, offset, n);
        }) {}
  void operator()(int64_t at, int64_t offset, int64_t n) const { call_(object_, at, offset, n); }

 private:
  const void* object_;
  void (*call_)(const void* object, int64_t at, int64_t offset, int64_t n);
};

// For stretches of at most kColumns outputs that are equally far apart in x, or several narrow ones
// of these together; of as many as have so many states, where they join groups; over all threads.
void divide_stretches(const RunContext& ctx, const ReduceLoops& loops, const StretchWork& work);

template <typename F>
void for_each_stretch(const RunContext& ctx, const ReduceLoops& loops, const F& stretch) {
  divide_stretches(ctx, loops, StretchWork(stretch));
}

// What is worth code of its own for short rows and narrow columns, less than so many elements,
// which keeps their order.
template <typename Op, typename T>
constexpr bool kIsFrequent = std::is_same_v<T, double> ||
                             (Op::kIsFrequent &&
                              (std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>));
constexpr int64_t kVeryShort = 33;

// One such row after the other, whose elements are `step` apart.
template <typename Op, typename W, typename T>
void join_very_short(const T* x, int64_t stride, int64_t step, int64_t count, W* state, int64_t n) {
  for (int64_t i = 0; i < n; ++i, x += stride) {
    W joined = Op::template start<W>();
#pragma GCC unroll 1
    for (int64_t j = 0; j < count; ++j) joined = Op::join(joined, Op::map(loaded<W>(x[j * step])));
    state[i] = joined;
  }
}

// A few of them at once, to the same bits: none waits for its last addition.
template <int64_t kRows, typename Op, typename W, typename T>
void join_side_by_side(const T* x, int64_t stride, int64_t step, int64_t count, W* state) {
  constexpr bool kNotesNan = std::is_floating_point_v<W> && requires { Op::kTakesLargest; };
  W joined[kRows], sums[kRows] = {};
#pragma GCC unroll 4
  for (W& each : joined) each = Op::template start<W>();
  const T* from = x;
#pragma GCC unroll 1
  for (int64_t j = 0; j < count; ++j, from += step) {
#pragma GCC unroll 4
    for (int64_t row = 0; row < kRows; ++row) {
      const W v = Op::map(loaded<W>(from[row * stride]));
      if constexpr (kNotesNan) {
        joined[row] = Op::join_numbers(joined[row], v);
        sums[row] += v;
      } else {
        joined[row] = Op::join(joined[row], v);
      }
    }
  }
  W all = 0;
#pragma GCC unroll 4
  for (int64_t row = 0; row < kRows; ++row) {
    state[row] = joined[row];
    all += sums[row];
  }
  // NaN among them, or infinities of both signs.
  if (kNotesNan && all != all) join_very_short<Op>(x, stride, step, count, state, kRows);
}

// The last four go over some again.
template <typename Op, typename W, typename T>
void join_four_by_four(const T* x, int64_t stride, int64_t step, int64_t count, W* state,
                       int64_t n) {
  constexpr int64_t kRows = 4;
  for (int64_t i = 0; n >= kRows && i < n; i += kRows) {
    const int64_t row = std::min(i, n - kRows);
    join_side_by_side<kRows, Op>(x + row * stride, stride, step, count, state + row);
  }
  for (int64_t i = 0; n < kRows && i < n; ++i) {
    join_side_by_side<1, Op>(x + i * stride, stride, step, count, state + i);
  }
}

// The join for n neighbouring outputs that start at x; `state` begins with what joins nothing.
template <typename Op, typename W, typename T>
void join_columns(const ReduceLoops& loops, const T* x, W* state, int64_t n) {
  const int64_t stride = loops.reduced.inner_stride(0);
  const bool is_one = loops.reduced.rank == 1;
  constexpr bool kIsExtreme = kIsDoubleExtreme<Op, T>;
  if constexpr (kIsFrequent<Op, T>) {
    if (is_one && n < kVeryShort && !(kIsExtreme && (n >= 8 || (n == 4 && stride == n)))) {
      return join_four_by_four<Op>(x, 1, stride, loops.reduced.count, state, n);
    }
  }
  const auto join = [&](const T* from, int64_t rows) {
    if constexpr (kHasRowsF32<Op, T, W>) {
      (loops.kernels.*Op::kRowsF32)
          .columns(from, static_cast<size_t>(stride), static_cast<size_t>(rows), state,
                   static_cast<size_t>(n));
    } else if constexpr (kIsExtreme) {
      (loops.doubles.*Op::kRowsF64)
          .columns(from, static_cast<size_t>(stride), static_cast<size_t>(rows), state,
                   static_cast<size_t>(n));
    } else {
      for (int64_t row = 0; row < rows; ++row, from += stride) {
        for (int64_t i = 0; i < n; ++i) {
          state[i] = Op::join(state[i], Op::map(loaded<W>(from[i])));
        }
      }
    }
  };
  if (is_one) return join(x, loops.reduced.count);
  for_each_row(loops.reduced, 0, loops.reduced.count,
               [&](int64_t, const auto& offsets, int64_t rows) { join(x + offsets[0], rows); });
}

// f(block) for each of the narrow stretches that n outputs are.
template <typename F>
void for_each_narrow(const ReduceLoops& loops, int64_t n, F&& f) {
  for (int64_t block = 0; block < n / loops.kept.inner_size(); ++block) f(block);
}

// state[i] = the join of states[i * size, (i + 1) * size)
template <typename Op, typename W>
void join_each_group(const W* states, int64_t size, W* state, int64_t n) {
  for (int64_t i = 0; i < n; ++i, states += size) {
    W joined = states[0];
    for (int64_t k = 1; k < size; ++k) joined = Op::join(joined, states[k]);
    state[i] = joined;
  }
}

// state[0, n) for one stretch, whichever way it lies.
template <typename Op, typename W, typename T>
void join_stretch(const ReduceLoops& loops, const T* x, W* state, int64_t n) {
  // At once: what was stored just now in pieces is slow to be read as a register.
  if (loops.keeps_innermost()) std::fill(state, state + n, Op::template start<W>());
  if (loops.is_narrow()) {
    const int64_t inner = loops.kept.inner_size(), next = loops.kept.strides[0][0];
    if constexpr (kHasRowsF32<Op, T, W>) {
      if (loops.reduced.rank == 1) {
        const BlocksF32 blocks{static_cast<size_t>(n / inner), static_cast<size_t>(next)};
        return (loops.kernels.*Op::kRowsF32)
            .blocks(x, blocks, static_cast<size_t>(loops.reduced.inner_stride(0)),
                    static_cast<size_t>(loops.reduced.count), state, static_cast<size_t>(inner));
      }
    }
    return for_each_narrow(loops, n, [&](int64_t block) {
      join_columns<Op, W>(loops, x + block * next, state + block * inner, inner);
    });
  }
  if (loops.keeps_innermost()) return join_columns<Op, W>(loops, x, state, n);
  if constexpr (kHasRowsF32<Op, T, W> || kIsFrequent<Op, T>) {
    if (loops.joins_groups()) {
      W states[kColumns];
      const int64_t count = n * loops.group();
      std::fill_n(states, count, Op::template start<W>());
      join_columns<Op>(loops.without_groups(), x, states, count);
      return join_each_group<Op>(states, loops.group(), state, n);
    }
  }
  if constexpr (kHasRowsF32<Op, T, W>) {
    if (loops.joins_rows()) {
      return (loops.kernels.*Op::kRowsF32)
          .rows(x, static_cast<size_t>(loops.kept.inner_stride(0)),
                static_cast<size_t>(loops.reduced.count), state, static_cast<size_t>(n));
    }
  }
  const int64_t stride = loops.kept.inner_stride(0), count = loops.reduced.count;
  if constexpr (kIsDoubleExtreme<Op, T>) {
    if (loops.joins_like_rows()) {  // side by side first, then along
      const ReduceLoops rows = loops.without_groups();
      const auto size = static_cast<size_t>(loops.group());
      for (int64_t i = 0; i < n; ++i) {
        W states[kColumns];
        std::fill_n(states, size, Op::template start<W>());
        join_columns<Op>(rows, x + i * stride, states, loops.group());
        state[i] = (loops.doubles.*Op::kRowsF64).row(states, size);
      }
      return;
    }
  }
  if constexpr (kIsFrequent<Op, T>) {
    if (loops.joins_short_rows() && count < kVeryShort) {
      return join_four_by_four<Op>(x, stride, 1, count, state, n);
    }
  }
  for (int64_t i = 0; i < n; ++i) state[i] = join_all<Op, W>(loops, x + i * stride);
}

// How floats are joined by an operator whose states are State.
template <typename State>
struct FloatJoin {
  const ReduceF32Kernels::Join<State>& rows;
  State start;
  State (*join)(State a, State b);
};

// state[0, n) for one stretch of float16 or bfloat16, `offset` elements into x, which are widened a
// piece at a time; by reduce_halves.cc.
void join_halves(const ReduceLoops& loops, const FloatJoin<float>& join, const ValueRef& x,
                 int64_t offset, float* state, int64_t n);
void join_halves(const ReduceLoops& loops, const FloatJoin<double>& join, const ValueRef& x,
                 int64_t offset, double* state, int64_t n);

// Of the kernels' rows, by reduce_log_sum_exp.cc.
Status run_log_sum_exp(RunContext& ctx);

}  // namespace ortc::cpu
