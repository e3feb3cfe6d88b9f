// SPDX-License-Identifier: MIT
// Reductions over any set of axes: Sum, Mean, Max, Min, Prod, L1, L2, SumSquare, LogSum, LogSumExp.
//
//   y = finish(join over the reduced axes of map(x))
//
// Floats are summed in double. An output element is the work of one thread and joins its inputs in
// an order that depends on the shape alone: either a contiguous row at a time, in a fixed number of
// lanes, or, when the innermost axis stays, a stretch of neighbouring outputs at once.
#include <algorithm>
#include <cmath>

#include "providers/cpu/arith/reduce_f32/reduce_f32.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/axis_list.h"
#include "providers/cpu/bind/nd_loop.h"
#include "providers/cpu/bind/order_row.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {
namespace {

// --- Arithmetic.

using SumTypes = Join<FloatTypes, TypeList<int32_t, int64_t, uint32_t, uint64_t>>;
using OrderTypes = Join<SumTypes, TypeList<int8_t, uint8_t, Bool8>>;

// What T is joined in: double for floats, 64 bits for integers.
template <typename T>
using Wide = std::conditional_t<!std::is_integral_v<T>, double,
                                std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

template <typename W>
W wrapping_add(W a, W b) {
  if constexpr (std::is_integral_v<W>) {
    return static_cast<W>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return a + b;
  }
}
template <typename W>
W wrapping_mul(W a, W b) {
  if constexpr (std::is_integral_v<W>) {
    return static_cast<W>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    return a * b;
  }
}

struct SumJoin {
  using Types = SumTypes;
  static constexpr auto kRowsF32 = &ReduceF32Kernels::sum;
  template <typename T>
  using State = Wide<T>;
  template <typename W>
  static W start() {
    return 0;
  }
  template <typename W>
  static W map(W x) {
    return x;
  }
  template <typename W>
  static W join(W a, W b) {
    return wrapping_add(a, b);
  }
};
struct AbsSumJoin : SumJoin {
  static constexpr auto kRowsF32 = &ReduceF32Kernels::abs_sum;
  template <typename W>
  static W map(W x) {
    if constexpr (std::is_integral_v<W>) return x < 0 ? wrapping_mul<W>(x, static_cast<W>(-1)) : x;
    return std::fabs(x);
  }
};
struct SquareSumJoin : SumJoin {
  static constexpr auto kRowsF32 = &ReduceF32Kernels::square_sum;
  template <typename W>
  static W map(W x) {
    return wrapping_mul(x, x);
  }
};
struct ProdJoin : SumJoin {
  static constexpr auto kRowsF32 = &ReduceF32Kernels::product;
  template <typename W>
  static W start() {
    return 1;
  }
  template <typename W>
  static W join(W a, W b) {
    return wrapping_mul(a, b);
  }
};

template <typename T>
using OrderState = std::conditional_t<std::is_same_v<T, Bool8>, uint8_t, Compute<T>>;

// NaN wins; nothing at all gives the end of the range.
template <bool kLargest>
struct OrderJoin {
  using Types = OrderTypes;
  static constexpr bool kTakesLargest = kLargest;
  static constexpr auto kRowsF32 =
      kLargest ? &ReduceF32Kernels::largest : &ReduceF32Kernels::smallest;
  template <typename T>
  using State = OrderState<T>;
  template <typename W>
  static W start() {
    return neutral_extreme<kLargest, W>();
  }
  template <typename W>
  static W map(W x) {
    return x;
  }
  template <typename W>
  static W join(W a, W b) {
    const bool takes = kLargest ? b > a : b < a;
    return takes || b != b ? b : a;
  }
};
using MaxJoin = OrderJoin<true>;
using MinJoin = OrderJoin<false>;

template <typename W, typename T>
W loaded(T x) {
  if constexpr (std::is_same_v<T, Bool8>) return x ? 1 : 0;
  return static_cast<W>(x);
}

// The arithmetic of the instruction set level has it.
template <typename Op, typename T, typename W>
constexpr bool kHasRowsF32 =
    std::is_same_v<T, float>&& std::is_same_v<W, typename Op::template State<float>>;

// n elements joined to `state`; contiguous ones in lanes.
template <typename Op, typename W, typename T>
W join_row(const ReduceF32Kernels& kernels, W state, const T* x, int64_t stride, int64_t n) {
  if constexpr (kHasRowsF32<Op, T, W>) {
    if (stride == 1) {
      return Op::join(state, (kernels.*Op::kRowsF32).row(x, static_cast<size_t>(n)));
    }
  }
  if constexpr (requires { Op::kTakesLargest; } && !std::is_same_v<T, Bool8>) {
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

// --- Prepare.

enum Flags : uint32_t { kKeepDims = 1, kNoopWithoutAxes = 2 };

Status prepare_reduce(PrepareContext& ctx, bool axes_are_attribute) {
  AxisListParams params{};
  params.record_bytes = sizeof params;
  if (axes_are_attribute) RETURN_IF_ERROR(axes_from_attribute(ctx.node(), "axes", &params));
  if (ctx.node().int_attribute("keepdims", 1) != 0) params.flags |= kKeepDims;
  if (ctx.node().int_attribute("noop_with_empty_axes", 0) != 0) params.flags |= kNoopWithoutAxes;
  ctx.set_params(params);
  return Status::ok();
}
Status prepare_input(PrepareContext& ctx) { return prepare_reduce(ctx, false); }
Status prepare_attribute(PrepareContext& ctx) { return prepare_reduce(ctx, true); }

// --- Bind.

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

template <TypeMask kTypes>
Status bind_reduce(BindContext& ctx) {
  const auto* params = ctx.params<AxisListParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, kTypes));
  ASSIGN_OR_RETURN(const AxisSet axes, reduced_axes(ctx, *params));
  DimList dims;
  for (size_t i = 0; i < ctx.input(0).rank; ++i) {
    if (!axes[i]) {
      dims.push_back(ctx.input(0).dim(i));
    } else if ((params->flags & kKeepDims) != 0) {
      dims.push_back(1);
    }
  }
  return ctx.set_output(0, ctx.input(0).dtype, dims);
}

// --- Run.

// The output's loop and, for each of its elements, the loop over what is joined.
struct ReduceLoops {
  NdLoop<1> kept;
  NdLoop<1> reduced;
  const ReduceF32Kernels& kernels;

  ReduceLoops(const RunContext& ctx, const AxisSet& axes) : kernels(reduce_f32_kernels(ctx.isa())) {
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
};

constexpr int64_t kColumns = 1024;

// state[0, n) = the join for n neighbouring outputs that start at x.
template <typename Op, typename W, typename T>
void join_columns(const ReduceLoops& loops, const T* x, W* state, int64_t n) {
  std::fill(state, state + n, Op::template start<W>());
  const int64_t stride = loops.reduced.inner_stride(0);
  for_each_row(loops.reduced, 0, loops.reduced.count,
               [&](int64_t, const auto& offsets, int64_t rows) {
                 const T* from = x + offsets[0];
                 if constexpr (kHasRowsF32<Op, T, W>) {
                   (loops.kernels.*Op::kRowsF32)
                       .columns(from, static_cast<size_t>(stride), static_cast<size_t>(rows), state,
                                static_cast<size_t>(n));
                 } else {
                   for (int64_t row = 0; row < rows; ++row, from += stride) {
                     for (int64_t i = 0; i < n; ++i) {
                       state[i] = Op::join(state[i], Op::map(loaded<W>(from[i])));
                     }
                   }
                 }
               });
}

template <typename Op, typename W, typename T>
W join_all(const ReduceLoops& loops, const T* x) {
  W state = Op::template start<W>();
  const int64_t stride = loops.reduced.inner_stride(0);
  if (loops.reduced.rank == 1) {
    return join_row<Op, W>(loops.kernels, state, x, stride, loops.reduced.count);
  }
  for_each_row(loops.reduced, 0, loops.reduced.count, [&](int64_t, const auto& offsets, int64_t n) {
    state = join_row<Op, W>(loops.kernels, state, x + offsets[0], stride, n);
  });
  return state;
}

// stretch(at, x offset, x stride, n) for stretches of at most kColumns outputs that lie side by
// side in x, or for single ones; over all threads.
template <typename F>
void for_each_stretch(const RunContext& ctx, const ReduceLoops& loops, F&& stretch) {
  const int64_t per_output = std::max<int64_t>(loops.reduced.count, 1);
  const bool together = loops.keeps_innermost();
  const int64_t stride = loops.kept.inner_stride(0);
  const int64_t grain = std::max<int64_t>(together ? 16 : 1, kElementGrain / per_output);
  const int64_t step = together ? kColumns : 1;
  ctx.parallel_for(loops.kept.count, grain, [&](int64_t begin, int64_t end) {
    for_each_row(loops.kept, begin, end, [&](int64_t at, const auto& offsets, int64_t n) {
      for (int64_t i = 0; i < n; i += step) {
        stretch(at + i, offsets[0] + i * stride, std::min(step, n - i));
      }
    });
  });
}

// state[0, n) for one stretch, whichever way it lies.
template <typename Op, typename W, typename T>
void join_stretch(const ReduceLoops& loops, const T* x, W* state, int64_t n) {
  if (loops.keeps_innermost()) {
    join_columns<Op, W>(loops, x, state, n);
  } else {
    state[0] = join_all<Op, W>(loops, x);
  }
}

enum class Finish { kNone, kMean, kRoot, kLog };

template <typename T, typename W>
T finished(W state, Finish finish, int64_t count) {
  switch (finish) {
    case Finish::kNone:
      break;
    case Finish::kMean:
      return convert<T>(static_cast<W>(state / static_cast<W>(count)));
    case Finish::kRoot:
      return convert<T>(std::sqrt(static_cast<double>(state)));
    case Finish::kLog:
      return convert<T>(std::log(static_cast<double>(state)));
  }
  if constexpr (std::is_same_v<T, Bool8>) return Bool8(state != 0);
  return convert<T>(state);
}

template <typename T, typename W>
void finish_stretch(const ReduceLoops& loops, const W* state, Finish finish, T* y, int64_t n) {
  if constexpr (std::is_same_v<T, float> && std::is_same_v<W, double>) {
    if (n > 1 && (finish == Finish::kNone || finish == Finish::kMean)) {
      const auto count = static_cast<double>(loops.reduced.count);
      const double divisor = finish == Finish::kMean ? count : 1.0;
      return loops.kernels.narrow(state, divisor, y, static_cast<size_t>(n));
    }
  }
  for (int64_t i = 0; i < n; ++i) y[i] = finished<T>(state[i], finish, loops.reduced.count);
}

template <typename Op>
Status run_joined(const RunContext& ctx, Finish finish) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  ASSIGN_OR_RETURN(const AxisSet axes, reduced_axes(ctx, ctx.params<AxisListParams>()));
  const ReduceLoops loops(ctx, axes);
  if (loops.kept.count != y.element_count()) {
    return invalid_argument("the axes changed between binding and run");
  }
  const bool is_integer = (mask_of(x.dtype) & IntegerTypes::kMask) != 0;
  if (finish == Finish::kMean && is_integer && loops.reduced.count == 0) {
    return invalid_argument("the mean of no integers");
  }
  with_type(typename Op::Types{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using W = typename Op::template State<T>;
    for_each_stretch(ctx, loops, [&](int64_t at, int64_t offset, int64_t n) {
      W state[kColumns];
      join_stretch<Op, W>(loops, x.as<T>() + offset, state, n);
      finish_stretch(loops, state, finish, y.as_mutable<T>() + at, n);
    });
  });
  return Status::ok();
}

template <typename Op, Finish kFinish>
Status run_reduce(RunContext& ctx) {
  return run_joined<Op>(ctx, kFinish);
}

// exp(x - m) of neighbours, added to their sums in double: rows of float through the arithmetic of
// the instruction set level.
class ExpSums {
 public:
  ExpSums(const RunContext& ctx, const ReduceLoops& loops)
      : vector_(vector_f32_kernels(ctx.isa())), kernels_(loops.kernels) {}

  // One output: n elements that lie `stride` apart.
  double of_row(const float* x, int64_t stride, float largest, int64_t n) const {
    double sum = 0;
    float row[kPiece];
    for (int64_t at = 0; at < n; at += kPiece) {
      const int64_t size = std::min(kPiece, n - at);
      const auto count = static_cast<size_t>(size);
      const float* from = x + at * stride;
      if (stride != 1) {
        for (int64_t i = 0; i < size; ++i) row[i] = from[i * stride];
        from = row;
      }
      vector_.sub_scalar(from, largest, row, count);
      vector_.exp(row, row, count);
      sum += kernels_.sum.row(row, count);
    }
    return sum;
  }
  // n outputs side by side.
  void add(const float* x, const float* largest, double* sums, int64_t n) const {
    float row[kColumns];
    const auto count = static_cast<size_t>(n);
    vector_.sub(x, largest, row, count);
    vector_.exp(row, row, count);
    kernels_.sum.columns(row, 0, 1, sums, count);
  }

 private:
  static constexpr int64_t kPiece = 512;
  const VectorF32Kernels& vector_;
  const ReduceF32Kernels& kernels_;
};

// The sums of exp(x - largest) for one stretch; stride as in join_stretch.
void sum_exp(const ExpSums& exp_sums, const ReduceLoops& loops, const float* x,
             const float* largest, double* sums, int64_t n) {
  const int64_t stride = loops.reduced.inner_stride(0);
  const bool together = loops.keeps_innermost();
  for_each_row(loops.reduced, 0, loops.reduced.count,
               [&](int64_t, const auto& offsets, int64_t rows) {
                 const float* from = x + offsets[0];
                 if (!together) {
                   sums[0] += exp_sums.of_row(from, stride, largest[0], rows);
                   return;
                 }
                 for (int64_t row = 0; row < rows; ++row) {
                   exp_sums.add(from + row * stride, largest, sums, n);
                 }
               });
}

template <typename T>
void sum_exp(const ExpSums&, const ReduceLoops& loops, const T* x, const double* largest,
             double* sums, int64_t n) {
  const int64_t stride = loops.reduced.inner_stride(0);
  for_each_row(loops.reduced, 0, loops.reduced.count,
               [&](int64_t, const auto& offsets, int64_t rows) {
                 for (int64_t row = 0; row < rows; ++row) {
                   const T* from = x + offsets[0] + row * stride;
                   for (int64_t i = 0; i < n; ++i) {
                     sums[i] += std::exp(static_cast<double>(from[i]) - largest[i]);
                   }
                 }
               });
}

// log sum exp(x) = m + log sum exp(x - m) with m the largest x, so that nothing overflows.
template <typename T>
void log_sum_exp(const ExpSums& exp_sums, const ReduceLoops& loops, const T* x, T* y, int64_t n) {
  using W = std::conditional_t<std::is_same_v<T, float>, float, double>;
  W largest[kColumns];
  double sum[kColumns];
  join_stretch<MaxJoin, W>(loops, x, largest, n);
  std::fill(sum, sum + n, 0.0);
  sum_exp(exp_sums, loops, x, largest, sum, n);
  for (int64_t i = 0; i < n; ++i) {
    const auto top = static_cast<double>(largest[i]);
    y[i] = convert<T>(std::isinf(top) ? top : top + std::log(sum[i]));
  }
}

Status run_log_sum_exp(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  ASSIGN_OR_RETURN(const AxisSet axes, reduced_axes(ctx, ctx.params<AxisListParams>()));
  const ReduceLoops loops(ctx, axes);
  if (loops.kept.count != y.element_count()) {
    return invalid_argument("the axes changed between binding and run");
  }
  const ExpSums exp_sums(ctx, loops);
  with_type(SumTypes{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_each_stretch(ctx, loops, [&](int64_t at, int64_t offset, int64_t n) {
      log_sum_exp<T>(exp_sums, loops, x.as<T>() + offset, y.as_mutable<T>() + at, n);
    });
  });
  return Status::ok();
}

using Run = Status (*)(RunContext&);

template <TypeMask kTypes>
constexpr KernelRow by_input(std::string_view op, int since, std::string_view id, Run run) {
  return {op,
          "",
          since,
          kLatestOpset,
          kTypes,
          id,
          1,
          kShapeArithmetic,
          2,
          prepare_input,
          bind_reduce<kTypes>,
          run};
}
template <TypeMask kTypes>
constexpr KernelRow by_attribute(std::string_view op, int until, std::string_view id, Run run) {
  return {
      op, "", 1, until, kTypes, id, 1, kShapeArithmetic, 0, prepare_attribute, bind_reduce<kTypes>,
      run};
}

}  // namespace

KernelTable reduce_kernels() {
  constexpr TypeMask kSum = SumTypes::kMask, kOrder = OrderTypes::kMask;
  constexpr Run kSumRun = run_reduce<SumJoin, Finish::kNone>;
  constexpr Run kMeanRun = run_reduce<SumJoin, Finish::kMean>;
  constexpr Run kMaxRun = run_reduce<MaxJoin, Finish::kNone>;
  constexpr Run kMinRun = run_reduce<MinJoin, Finish::kNone>;
  constexpr Run kProdRun = run_reduce<ProdJoin, Finish::kNone>;
  constexpr Run kL1Run = run_reduce<AbsSumJoin, Finish::kNone>;
  constexpr Run kL2Run = run_reduce<SquareSumJoin, Finish::kRoot>;
  constexpr Run kSquareRun = run_reduce<SquareSumJoin, Finish::kNone>;
  constexpr Run kLogRun = run_reduce<SumJoin, Finish::kLog>;
  static constexpr KernelRow rows[] = {
      by_input<kSum>("ReduceSum", 13, "reduce_sum", kSumRun),
      by_attribute<kSum>("ReduceSum", 12, "reduce_sum.attribute", kSumRun),
      by_input<kSum>("ReduceMean", 18, "reduce_mean", kMeanRun),
      by_attribute<kSum>("ReduceMean", 17, "reduce_mean.attribute", kMeanRun),
      by_input<kOrder>("ReduceMax", 18, "reduce_max", kMaxRun),
      by_attribute<kOrder>("ReduceMax", 17, "reduce_max.attribute", kMaxRun),
      by_input<kOrder>("ReduceMin", 18, "reduce_min", kMinRun),
      by_attribute<kOrder>("ReduceMin", 17, "reduce_min.attribute", kMinRun),
      by_input<kSum>("ReduceProd", 18, "reduce_prod", kProdRun),
      by_attribute<kSum>("ReduceProd", 17, "reduce_prod.attribute", kProdRun),
      by_input<kSum>("ReduceL1", 18, "reduce_l1", kL1Run),
      by_attribute<kSum>("ReduceL1", 17, "reduce_l1.attribute", kL1Run),
      by_input<kSum>("ReduceL2", 18, "reduce_l2", kL2Run),
      by_attribute<kSum>("ReduceL2", 17, "reduce_l2.attribute", kL2Run),
      by_input<kSum>("ReduceSumSquare", 18, "reduce_sum_square", kSquareRun),
      by_attribute<kSum>("ReduceSumSquare", 17, "reduce_sum_square.attribute", kSquareRun),
      by_input<kSum>("ReduceLogSum", 18, "reduce_log_sum", kLogRun),
      by_attribute<kSum>("ReduceLogSum", 17, "reduce_log_sum.attribute", kLogRun),
      by_input<kSum>("ReduceLogSumExp", 18, "reduce_log_sum_exp", run_log_sum_exp),
      by_attribute<kSum>("ReduceLogSumExp", 17, "reduce_log_sum_exp.attribute", run_log_sum_exp),
  };
  return rows;
}

}  // namespace ortc::cpu
