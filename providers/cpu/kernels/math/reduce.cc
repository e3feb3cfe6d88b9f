// SPDX-License-Identifier: MIT
// Reductions over any set of axes: Sum, Mean, Max, Min, Prod, L1, L2, SumSquare, LogSum, LogSumExp.
// How they join is in reduce_loops.h, the last one's arithmetic in reduce_log_sum_exp.cc.
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/rows/copy_rows.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/kernels/math/reduce_finish.h"
#include "providers/cpu/kernels/math/reduce_loops.h"

namespace ortc::cpu {
namespace {

// --- Prepare.

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

// Logarithms of sums of float16, none of which is too large for a float, as floats: a float has
// twice the digits.
void finish_logs(const RunContext& ctx, const ReduceLoops& loops, const double* states, Float16* y,
                 int64_t n) {
  const VectorF32Kernels& vector = vector_f32_kernels(ctx.isa());
  float wide[kFloatRow];
  for (int64_t i = 0; i < n; i += kFloatRow) {
    const int64_t part = std::min(kFloatRow, n - i);
    loops.kernels.narrow(states + i, 1, wide, static_cast<size_t>(part));
    vector.log(wide, wide, static_cast<size_t>(part));
    narrow(wide, part, y + i);
  }
}

template <typename Op>
void run_halves(const RunContext& ctx, const ReduceLoops& loops, Finish finish) {
  using W = typename Op::template State<float>;
  const FloatJoin<W> join{loops.kernels.*Op::kRowsF32, Op::template start<W>(),
                          &Op::template join<W>};
  const ValueRef& y = ctx.output(0);
  for_each_stretch(ctx, loops, [&](int64_t at, int64_t offset, int64_t n) {
    W state[kColumns];
    join_halves(loops, join, ctx.input(0), offset, state, n);
    if constexpr (std::is_same_v<W, double>) {
      if (finish == Finish::kLog && y.dtype == DType::kFloat16) {
        return finish_logs(ctx, loops, state, y.as_mutable<Float16>() + at, n);
      }
    }
    with_type(HalfTypes{}, y.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      finish_states(loops.kernels, state, finish, loops.reduced.count, y.as_mutable<T>() + at, n);
    });
  });
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
  const bool keeps_one = Op::kKeepsOne && (finish == Finish::kNone || finish == Finish::kMean);
  if (loops.reduced.count == 1 && keeps_one && x.dtype != DType::kBool) {
    const auto bytes = static_cast<int64_t>(element_bytes(x.dtype)) * x.element_count();
    copy_rows(ctx, {x.as<std::byte>(), bytes, y.as_mutable<std::byte>(), bytes, bytes, 1});
    return Status::ok();
  }
  if ((mask_of(x.dtype) & HalfTypes::kMask) != 0) {
    run_halves<Op>(ctx, loops, finish);
    return Status::ok();
  }
  with_type(typename Op::Types{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using W = typename Op::template State<T>;
    for_each_stretch(ctx, loops, [&](int64_t at, int64_t offset, int64_t n) {
      W state[kColumns];
      join_stretch<Op, W>(loops, x.as<T>() + offset, state, n);
      finish_states(loops.kernels, state, finish, loops.reduced.count, y.as_mutable<T>() + at, n);
    });
  });
  return Status::ok();
}

template <typename Op, Finish kFinish>
Status run_reduce(RunContext& ctx) {
  return run_joined<Op>(ctx, kFinish);
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
