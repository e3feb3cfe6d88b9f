// SPDX-License-Identifier: MIT
// MoE (com.microsoft): each token goes through the k experts that its row of the router weighs
// most,
//
//   y = sum over experts of weight (fc2 f(fc1 x + b1) + b2)
//
// where weights are the softmax of the row, of all experts or of the chosen ones alone, and f is an
// activation or SwiGLU: two results of fc1, or one of fc1 and one of fc3, become one.
#include <algorithm>
#include <cmath>
#include <limits>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_row.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/microsoft_kernels.h"

namespace ortc::cpu {
namespace {

enum Input : size_t { kX, kRouter, kFc1, kBias1, kFc2, kBias2, kFc3, kBias3 };
enum Function : uint32_t { kRelu, kGelu, kSilu, kIdentity, kSwiglu };
constexpr TypeMask kF32 = mask_of(DType::kFloat32);

struct ExpertParams {
  uint32_t record_bytes;
  uint32_t function;
  uint32_t normalises;
  uint32_t
      fusion;  // of SwiGLU: 0 fc3 has the linear part, 1 parts alternate, 2 one behind the other
  float alpha, beta, limit;
  uint32_t reserved;
  int64_t k;
};
static_assert(sizeof(ExpertParams) == 40);

// --- Prepare.

Status prepare_experts(PrepareContext& ctx) {
  const Node& node = ctx.node();
  constexpr std::string_view kNames[] = {"relu", "gelu", "silu", "identity", "swiglu"};
  const std::string_view name = node.string_attribute("activation_type", "relu");
  const auto found = std::ranges::find(kNames, name);
  if (found == std::end(kNames)) return not_implemented("activation_type '", name, "'");
  ExpertParams params{};
  params.record_bytes = sizeof(ExpertParams);
  params.function = static_cast<uint32_t>(found - std::begin(kNames));
  params.normalises = node.int_attribute("normalize_routing_weights", 0) != 0 ? 1 : 0;
  params.fusion = static_cast<uint32_t>(node.int_attribute("swiglu_fusion", 0));
  params.alpha = node.float_attribute("activation_alpha", 1.0f);
  params.beta = node.float_attribute("activation_beta", 0.0f);
  params.limit = node.float_attribute("swiglu_limit", std::numeric_limits<float>::infinity());
  params.k = node.int_attribute("k", 1);
  if (node.int_attribute("use_sparse_mixer", 0) != 0) {
    return not_implemented("attribute 'use_sparse_mixer'");
  }
  if (params.fusion > 2 || params.k < 1) {
    return invalid_graph("'swiglu_fusion' is ", params.fusion, ", 'k' is ", params.k);
  }
  const bool needs_fc3 = params.function == kSwiglu && params.fusion == 0;
  if (needs_fc3 != ctx.has_input(kFc3)) {
    return not_implemented("activation '", name, "' ", needs_fc3 ? "without" : "with", " fc3");
  }
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

struct ExpertShape {
  int64_t tokens, hidden, experts, inner;
  int64_t wide;  // results of fc1
};

template <typename Context>
Result<ExpertShape> expert_shape(const Context& ctx, const ExpertParams& params) {
  const ValueRef &x = ctx.input(kX), &router = ctx.input(kRouter), &fc2 = ctx.input(kFc2);
  const auto refuse = [&ctx](size_t i) {
    return invalid_argument("input ", i, " has shape ", dims_to_string(ctx.input(i).dims()),
                            ", which does not fit");
  };
  if (x.rank != 2 && x.rank != 3) return refuse(kX);
  ExpertShape s{};
  s.hidden = x.dim(x.rank - 1);
  s.tokens = x.rank == 2 ? x.dim(0) : x.dim(0) * x.dim(1);
  if (router.rank != 2 || router.dim(0) != s.tokens) return refuse(kRouter);
  s.experts = router.dim(1);
  if (params.k > s.experts) {
    return invalid_argument("'k' is ", params.k, ", there are ", s.experts, " experts");
  }
  if (fc2.rank != 3 || fc2.dim(0) != s.experts || fc2.dim(1) != s.hidden) return refuse(kFc2);
  s.inner = fc2.dim(2);
  s.wide = params.function == kSwiglu && params.fusion != 0 ? 2 * s.inner : s.inner;
  const auto is_layer = [&](size_t i, int64_t rows, int64_t columns) {
    const ValueRef& w = ctx.input(i);
    return w.rank == 3 && w.dim(0) == s.experts && w.dim(1) == rows && w.dim(2) == columns;
  };
  const auto is_bias = [&](size_t i, int64_t rows) {
    if (!ctx.has_input(i)) return true;
    const ValueRef& b = ctx.input(i);
    return b.rank == 2 && b.dim(0) == s.experts && b.dim(1) == rows;
  };
  if (!is_layer(kFc1, s.wide, s.hidden)) return refuse(kFc1);
  if (ctx.has_input(kFc3) && !is_layer(kFc3, s.inner, s.hidden)) return refuse(kFc3);
  if (!is_bias(kBias1, s.wide)) return refuse(kBias1);
  if (!is_bias(kBias2, s.hidden)) return refuse(kBias2);
  if (!is_bias(kBias3, s.inner)) return refuse(kBias3);
  return s;
}

// For each token: weights of the experts, results of fc1, of the activation.
int64_t numbers_per_token(const ExpertShape& s) { return s.experts + s.wide + 2 * s.inner; }

Status bind_experts(BindContext& ctx) {
  const auto* params = ctx.params<ExpertParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->function > kSwiglu || params->k < 1) {
    return damaged_params("'k' is ", params->k, ", the activation number ", params->function);
  }
  RETURN_IF_ERROR(check_arity(ctx, 3, 8));
  if (!ctx.has_input(kFc2)) return invalid_argument("input 4 is missing");
  for (size_t i = 0; i < 8; ++i) RETURN_IF_ERROR(check_type(ctx, i, kF32));
  const bool needs_fc3 = params->function == kSwiglu && params->fusion == 0;
  if (needs_fc3 != ctx.has_input(kFc3)) {
    return invalid_graph("input ", size_t{kFc3}, needs_fc3 ? " is missing" : " is not taken");
  }
  ASSIGN_OR_RETURN(const ExpertShape s, expert_shape(ctx, *params));
  ScratchPlan scratch;
  scratch.add<float>(checked_mul(s.tokens, numbers_per_token(s)).value_or(-1));
  RETURN_IF_ERROR(scratch.declare(ctx));
  return ctx.set_output(0, DType::kFloat32, ctx.input(kX).dims());
}

// --- Run.

float activated(float x, uint32_t function) {
  switch (function) {
    case kRelu:
      return std::max(0.0f, x);
    case kGelu:
      return 0.5f * x * (1.0f + std::tanh(0.7978845608f * (x + 0.044715f * x * x * x)));
    case kSilu:
      return x / (1.0f + std::exp(-x));
    default:
      return x;
  }
}

float swiglu(float gate, float linear, const ExpertParams& params) {
  const float g = std::min(gate, params.limit);
  const float l = std::max(std::min(linear, params.limit), -params.limit);
  return g / (1.0f + std::exp(-params.alpha * g)) * (l + params.beta);
}

// y = w x + b for an expert's matrix [rows, columns].
void multiply(const RunContext& ctx, size_t weights, size_t bias, int64_t expert, int64_t rows,
              int64_t columns, const float* x, float* y) {
  const float* w = ctx.input(weights).as<float>() + expert * rows * columns;
  const float* b = ctx.has_input(bias) ? ctx.input(bias).as<float>() + expert * rows : nullptr;
  for (int64_t i = 0; i < rows; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < columns; ++j) sum += w[i * columns + j] * x[j];
    y[i] = sum + (b != nullptr ? b[i] : 0.0f);
  }
}

// The weights of all experts; 0 for those that are not chosen. Of equal ones the later is chosen.
void choose(const float* logits, const ExpertShape& s, const ExpertParams& params, float* weights) {
  const float top = *std::max_element(logits, logits + s.experts);
  float total = 0, chosen = 0;
  for (int64_t e = 0; e < s.experts; ++e) total += std::exp(logits[e] - top);
  std::fill_n(weights, s.experts, -1.0f);
  for (int64_t n = 0; n < params.k; ++n) {
    int64_t best = -1;
    for (int64_t e = 0; e < s.experts; ++e) {
      if (weights[e] < 0 && (best < 0 || logits[e] >= logits[best])) best = e;
    }
    weights[best] = std::exp(logits[best] - top) / total;
    chosen += weights[best];
  }
  for (int64_t e = 0; e < s.experts; ++e) {
    weights[e] = std::max(weights[e], 0.0f) / (params.normalises != 0 ? chosen : 1.0f);
  }
}

void run_token(const RunContext& ctx, const ExpertShape& s, const ExpertParams& params, int64_t t) {
  const float* x = ctx.input(kX).as<float>() + t * s.hidden;
  float* y = ctx.output(0).as_mutable<float>() + t * s.hidden;
  float* weights = scratch_at<float>(ctx, 0) + t * numbers_per_token(s);
  float *first = weights + s.experts, *linear = first + s.wide, *inner = linear + s.inner;
  choose(ctx.input(kRouter).as<float>() + t * s.experts, s, params, weights);
  std::fill_n(y, s.hidden, 0.0f);
  for (int64_t e = 0; e < s.experts; ++e) {
    if (!(weights[e] > 0)) continue;
    multiply(ctx, kFc1, kBias1, e, s.wide, s.hidden, x, first);
    const bool has_third = params.function == kSwiglu && params.fusion == 0;
    if (has_third) multiply(ctx, kFc3, kBias3, e, s.inner, s.hidden, x, linear);
    for (int64_t i = 0; i < s.inner; ++i) {
      const int64_t step = params.fusion == 1 ? 2 : 1;
      const float other = has_third            ? linear[i]
                          : params.fusion == 1 ? first[2 * i + 1]
                          : params.fusion == 2 ? first[s.inner + i]
                                               : 0.0f;
      inner[i] = params.function == kSwiglu ? swiglu(first[i * step], other, params)
                                            : activated(first[i], params.function);
    }
    const float* w = ctx.input(kFc2).as<float>() + e * s.hidden * s.inner;
    const float* b = ctx.has_input(kBias2) ? ctx.input(kBias2).as<float>() + e * s.hidden : nullptr;
    for (int64_t i = 0; i < s.hidden; ++i) {
      float sum = 0;
      for (int64_t j = 0; j < s.inner; ++j) sum += w[i * s.inner + j] * inner[j];
      y[i] += weights[e] * (sum + (b != nullptr ? b[i] : 0.0f));
    }
  }
}

Status run_experts(RunContext& ctx) {
  const auto& params = ctx.params<ExpertParams>();
  ASSIGN_OR_RETURN(const ExpertShape s, expert_shape(ctx, params));
  if (ctx.output(0).element_count() == 0) return Status::ok();
  ctx.parallel_for(s.tokens, 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) run_token(ctx, s, params, t);
  });
  return Status::ok();
}

}  // namespace

KernelTable mixture_of_experts_kernels() {
  static constexpr KernelRow kExpertRow("MoE", kMicrosoftDomain, 1, kLatestOpset, kF32, "moe.f32",
                                        1, kNoFlags, 0, prepare_experts, bind_experts, run_experts);
  static constexpr KernelRow rows[] = {
      kExpertRow,
      reduced_row<kExpertRow>("com.microsoft.MoE.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
