// SPDX-License-Identifier: MIT
// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss: of scores [n, classes, ...] and the class
// that is right at each place.
//
//   loss[p] = -weight[t[p]] log_probability[t[p], p]
//   none: loss    sum: sum of loss    mean: sum of loss / sum of the weights of all t[p]
//
// Places whose class is ignore_index count nothing. Sums are kept in double.
#include <algorithm>
#include <cmath>

#include "core/graph/one_of.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {
namespace {

using LossTypes = TypeList<float, double>;
enum class Reduction : uint32_t { kNone = 0, kSum = 1, kMean = 2 };

struct LossParams {
  uint32_t record_bytes;
  uint32_t reduction;  // Reduction
  uint32_t has_ignored;
  uint32_t reserved;
  int64_t ignored;
};
static_assert(sizeof(LossParams) == 24);

// --- Prepare.

Status prepare_loss(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(const uint32_t reduction,
                   one_of(ctx.node(), "reduction", "mean", {"none", "sum", "mean"}));
  const Attribute* ignored = ctx.node().attribute("ignore_index");
  ctx.set_params(LossParams{sizeof(LossParams), reduction, ignored != nullptr ? 1u : 0u, 0,
                            ignored != nullptr ? ignored->i : 0});
  return Status::ok();
}

// --- Bind.

int64_t place_count(const ValueRef& target) { return target.element_count(); }

// Scratch: a loss and a weight for every place.
template <bool kSoftmax>
Status bind_loss(BindContext& ctx) {
  const auto* params = ctx.params<LossParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 3));
  RETURN_IF_ERROR(check_type(ctx, 0, LossTypes::kMask));
  RETURN_IF_ERROR(check_type(ctx, 1, mask_of(DType::kInt32, DType::kInt64)));
  RETURN_IF_ERROR(check_same_type(ctx, 2, 0));
  if (params->reduction > static_cast<uint32_t>(Reduction::kMean)) {
    return invalid_graph("its params record names no reduction");
  }
  const ValueRef& x = ctx.input(0);
  const ValueRef& target = ctx.input(1);
  bool fits = x.rank >= 2 && target.rank + 1 == x.rank && target.dim(0) == x.dim(0);
  for (size_t d = 2; fits && d < x.rank; ++d) fits = target.dim(d - 1) == x.dim(d);
  if (fits && ctx.has_input(2)) fits = ctx.input(2).rank == 1 && ctx.input(2).dim(0) == x.dim(1);
  if (!fits) {
    return invalid_argument("scores of shape ", dims_to_string(x.dims()), ", classes of ",
                            dims_to_string(target.dims()), " and weights do not fit");
  }
  ScratchPlan plan;
  plan.add<double>(place_count(target));
  plan.add<double>(place_count(target));
  RETURN_IF_ERROR(plan.declare(ctx));
  if (kSoftmax && ctx.has_output(1)) RETURN_IF_ERROR(ctx.set_output(1, x.dtype, x.dims()));
  if (params->reduction == static_cast<uint32_t>(Reduction::kNone)) {
    return ctx.set_output(0, x.dtype, target.dims());
  }
  return ctx.set_output(0, x.dtype, std::initializer_list<int64_t>{});
}

// --- Run.

int64_t class_at(const ValueRef& target, int64_t i) {
  return target.dtype == DType::kInt32 ? target.as<int32_t>()[i] : target.as<int64_t>()[i];
}

// log(sum over the classes of exp(x)), for classes that lie `stride` apart.
template <typename T>
double log_sum(const T* x, int64_t classes, int64_t stride) {
  double top = static_cast<double>(x[0]), sum = 0;
  for (int64_t c = 1; c < classes; ++c) top = std::max(top, static_cast<double>(x[c * stride]));
  for (int64_t c = 0; c < classes; ++c) sum += std::exp(static_cast<double>(x[c * stride]) - top);
  return top + std::log(sum);
}

template <typename T>
void reduce(const RunContext& ctx, const double* losses, const double* weights, int64_t count) {
  T* y = ctx.output(0).as_mutable<T>();
  const auto reduction = static_cast<Reduction>(ctx.params<LossParams>().reduction);
  if (reduction == Reduction::kNone) {
    for (int64_t i = 0; i < count; ++i) y[i] = static_cast<T>(losses[i]);
    return;
  }
  double sum = 0, weight = 0;
  for (int64_t i = 0; i < count; ++i) {
    sum += losses[i];
    weight += weights[i];
  }
  *y = static_cast<T>(reduction == Reduction::kSum ? sum : sum / weight);
}

template <typename T, bool kSoftmax>
Status run_typed(RunContext& ctx) {
  const auto& params = ctx.params<LossParams>();
  const ValueRef& x = ctx.input(0);
  const ValueRef& target = ctx.input(1);
  const int64_t classes = x.dim(1), inner = product(x.dims(), 2, x.rank);
  const int64_t count = place_count(target);
  const auto is_ignored = [&](int64_t c) { return params.has_ignored != 0 && c == params.ignored; };
  for (int64_t i = 0; i < count; ++i) {
    const int64_t c = class_at(target, i);
    if (!is_ignored(c) && (c < 0 || c >= classes)) {
      return invalid_argument("class ", c, " of ", classes);
    }
  }
  ScratchPlan plan;
  auto* losses = scratch_at<double>(ctx, plan.add<double>(count));
  auto* weights = scratch_at<double>(ctx, plan.add<double>(count));
  T* log_probabilities = kSoftmax && ctx.has_output(1) ? ctx.output(1).as_mutable<T>() : nullptr;
  const int64_t grain = std::max<int64_t>(1, 4096 / std::max<int64_t>(1, classes));
  ctx.parallel_for(classes == 0 ? 0 : count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t start = i / inner * classes * inner + i % inner;
      const T* scores = x.as<T>() + start;
      const double base = kSoftmax ? log_sum(scores, classes, inner) : 0.0;
      if (log_probabilities != nullptr) {
        for (int64_t c = 0; c < classes; ++c) {
          log_probabilities[start + c * inner] =
              static_cast<T>(static_cast<double>(scores[c * inner]) - base);
        }
      }
      const int64_t c = class_at(target, i);
      losses[i] = weights[i] = 0;
      if (is_ignored(c)) continue;
      weights[i] = ctx.has_input(2) ? static_cast<double>(ctx.input(2).as<T>()[c]) : 1.0;
      losses[i] = -weights[i] * (static_cast<double>(scores[c * inner]) - base);
    }
  });
  if (classes == 0) {
    std::fill_n(losses, count, 0.0);
    std::fill_n(weights, count, 0.0);
  }
  reduce<T>(ctx, losses, weights, count);
  return Status::ok();
}

template <bool kSoftmax>
Status run_loss(RunContext& ctx) {
  if (ctx.input(0).dtype == DType::kFloat64) return run_typed<double, kSoftmax>(ctx);
  return run_typed<float, kSoftmax>(ctx);
}

}  // namespace

KernelTable loss_kernels() {
  static constexpr KernelRow kNegativeLogLikelihoodLossRow(
      "NegativeLogLikelihoodLoss", "", 12, kLatestOpset, LossTypes::kMask,
      "negative_log_likelihood_loss", 1, kNoFlags, 0, prepare_loss, bind_loss<false>,
      run_loss<false>);
  static constexpr KernelRow kSoftmaxCrossEntropyLossRow(
      "SoftmaxCrossEntropyLoss", "", 12, kLatestOpset, LossTypes::kMask,
      "softmax_cross_entropy_loss", 1, kNoFlags, 0, prepare_loss, bind_loss<true>, run_loss<true>);
  static constexpr KernelRow rows[] = {
      kNegativeLogLikelihoodLossRow,
      reduced_row<kNegativeLogLikelihoodLossRow>("NegativeLogLikelihoodLoss.reduced"),
      kSoftmaxCrossEntropyLossRow,
      reduced_row<kSoftmaxCrossEntropyLossRow>("SoftmaxCrossEntropyLoss.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
