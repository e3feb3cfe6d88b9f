// SPDX-License-Identifier: MIT
// MoE (com.microsoft): each token goes through the k experts that its row of the router weighs
// most,
//
//   y = sum over experts of weight (fc2 f(fc1 x + b1) + b2)
//
// where weights are the softmax of the row, of all experts or of the chosen ones alone, and f is an
// activation or SwiGLU: two results of fc1, or one of fc1 and one of fc3, become one. One expert
// after the other takes all tokens that chose it as the rows of its products, so that its weights
// are read once.
#include <algorithm>
#include <cmath>
#include <limits>

#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/microsoft_kernels.h"
#include "providers/cpu/products/batched_product.h"

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

bool has_third(const ExpertParams& params) {
  return params.function == kSwiglu && params.fusion == 0;
}

// rows [tokens, columns] by an expert's matrix [wide, columns].
BatchedProduct layer_product(int64_t tokens, int64_t wide, int64_t columns) {
  BatchedProduct p;
  p.m = tokens, p.n = wide, p.k = columns;
  p.trans_b = true;
  return p;
}

// Scratch for an expert that all tokens choose.
struct ExpertPlan {
  ScratchPlan plan;
  uint64_t weights, tokens, rows, first, linear, inner, product;

  ExpertPlan(const ExpertShape& s, const ExpertParams& params, int thread_count) {
    const auto each = [&](int64_t columns) {
      return plan.add<float>(checked_mul(s.tokens, columns).value_or(-1));
    };
    weights = each(s.experts);
    tokens = plan.add<int64_t>(s.tokens);
    rows = each(s.hidden);  // of x, then of the result
    first = each(s.wide);
    linear = each(has_third(params) ? s.inner : 0);
    inner = each(s.inner);
    std::optional<uint64_t> most = uint64_t{0};
    for (const auto& p :
         {layer_product(s.tokens, s.wide, s.hidden), layer_product(s.tokens, s.hidden, s.inner)}) {
      const auto room = product_scratch_up_to(p, thread_count);
      most = most && room ? std::optional(std::max(*most, *room)) : std::nullopt;
    }
    product = plan.add<std::byte>(most ? checked_cast<int64_t>(*most).value_or(-1) : -1);
  }
};

Status bind_experts(BindContext& ctx) {
  const auto* params = ctx.params<ExpertParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->function > kSwiglu || params->k < 1) {
    return damaged_params("'k' is ", params->k, ", the activation number ", params->function);
  }
  RETURN_IF_ERROR(check_arity(ctx, 3, 8));
  if (!ctx.has_input(kFc2)) return invalid_argument("input 4 is missing");
  for (size_t i = 0; i < 8; ++i) RETURN_IF_ERROR(check_type(ctx, i, kF32));
  const bool needs_fc3 = has_third(*params);
  if (needs_fc3 != ctx.has_input(kFc3)) {
    return invalid_graph("input ", size_t{kFc3}, needs_fc3 ? " is missing" : " is not taken");
  }
  ASSIGN_OR_RETURN(const ExpertShape s, expert_shape(ctx, *params));
  RETURN_IF_ERROR(ExpertPlan(s, *params, ctx.thread_count()).plan.declare(ctx));
  return ctx.set_output(0, DType::kFloat32, ctx.input(kX).dims());
}

// --- Run.

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

// y = f(gate alpha) gate (linear + beta), both cut off at the limit and `step` floats apart.
void swiglu(const VectorF32Kernels& vector, const ExpertParams& params, const float* gate,
            const float* linear, int64_t step, float* y, int64_t n) {
  constexpr int64_t kChunk = 256;
  float gates[kChunk], others[kChunk];
  for (int64_t i = 0; i < n; i += kChunk) {
    const int64_t count = std::min(kChunk, n - i);
    const auto size = static_cast<size_t>(count);
    for (int64_t j = 0; j < count; ++j) {
      gates[j] = std::min(gate[(i + j) * step], params.limit);
      others[j] = std::max(std::min(linear[(i + j) * step], params.limit), -params.limit);
    }
    vector.mul_scalar(gates, params.alpha, y + i, size);
    vector.sigmoid(y + i, y + i, size);
    vector.mul(y + i, gates, y + i, size);
    vector.add_scalar(others, params.beta, others, size);
    vector.mul(y + i, others, y + i, size);
  }
}

class Runner {
 public:
  Runner(const RunContext& ctx, const ExpertShape& s, const ExpertParams& params)
      : ctx_(ctx),
        s_(s),
        params_(params),
        plan_(s, params, ctx.thread_count()),
        vector_(vector_f32_kernels(ctx.isa())),
        y_(ctx.output(0).as_mutable<float>()),
        weights_(scratch_at<float>(ctx, plan_.weights)),
        tokens_(scratch_at<int64_t>(ctx, plan_.tokens)),
        rows_(scratch_at<float>(ctx, plan_.rows)),
        first_(scratch_at<float>(ctx, plan_.first)),
        inner_(scratch_at<float>(ctx, plan_.inner)) {}

  void run() const {
    const float* logits = ctx_.input(kRouter).as<float>();
    ctx_.parallel_for(s_.tokens, grain(4 * s_.experts + s_.hidden),
                      [&](int64_t begin, int64_t end) {
                        std::fill(y_ + begin * s_.hidden, y_ + end * s_.hidden, 0.0f);
                        for (int64_t t = begin; t < end; ++t) {
                          choose(logits + t * s_.experts, s_, params_, weights_ + t * s_.experts);
                        }
                      });
    for (int64_t e = 0; e < s_.experts; ++e) {
      int64_t count = 0;
      for (int64_t t = 0; t < s_.tokens; ++t) {
        if (weights_[t * s_.experts + e] > 0) tokens_[count++] = t;
      }
      if (count > 0) run_expert(e, count);
    }
  }

 private:
  static int64_t grain(int64_t columns) {
    return std::max<int64_t>(1, kElementGrain / std::max<int64_t>(1, columns));
  }

  // The tokens that chose the expert; each of them has the experts added in their order.
  void run_expert(int64_t e, int64_t count) const {
    const float* x = ctx_.input(kX).as<float>();
    ctx_.parallel_for(count, grain(s_.hidden), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        std::copy_n(x + tokens_[i] * s_.hidden, s_.hidden, rows_ + i * s_.hidden);
      }
    });
    auto* linear = scratch_at<float>(ctx_, plan_.linear);
    multiply(e, kFc1, kBias1, layer_product(count, s_.wide, s_.hidden), rows_, first_);
    if (has_third(params_)) {
      multiply(e, kFc3, kBias3, layer_product(count, s_.inner, s_.hidden), rows_, linear);
    }
    ctx_.parallel_for(count, grain(16 * s_.inner), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) activate(i, linear);
    });
    multiply(e, kFc2, kBias2, layer_product(count, s_.hidden, s_.inner), inner_, rows_);
    ctx_.parallel_for(count, grain(s_.hidden), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        vector_.add_scaled(rows_ + i * s_.hidden, weights_[tokens_[i] * s_.experts + e],
                           y_ + tokens_[i] * s_.hidden, static_cast<size_t>(s_.hidden));
      }
    });
  }

  void multiply(int64_t e, size_t weights, size_t bias, const BatchedProduct& p, const float* x,
                float* y) const {
    ProductOperandsF32 operands{x, ctx_.input(weights).as<float>() + e * p.n * p.k, y};
    if (ctx_.has_input(bias)) operands.bias = ctx_.input(bias).as<float>() + e * p.n;
    run_batched_product(ctx_.with({}, {}, ctx_.scratch() + plan_.product), p, operands);
  }

  void activate(int64_t i, const float* linear) const {
    const float* x = first_ + i * s_.wide;
    float* y = inner_ + i * s_.inner;
    const auto n = static_cast<size_t>(s_.inner);
    switch (params_.function) {
      case kRelu:
        return vector_.activate({Activation::kRelu}, x, y, n);
      case kGelu:
        return vector_.gelu_tanh(x, y, n);
      case kSilu:
        return vector_.silu(x, y, n);
      case kSwiglu: {
        const float* others[] = {linear + i * s_.inner, x + 1, x + s_.inner};
        return swiglu(vector_, params_, x, others[params_.fusion], params_.fusion == 1 ? 2 : 1, y,
                      s_.inner);
      }
      default:
        std::copy_n(x, s_.inner, y);
    }
  }

  const RunContext& ctx_;
  const ExpertShape& s_;
  const ExpertParams& params_;
  const ExpertPlan plan_;
  const VectorF32Kernels& vector_;
  float* const y_;
  float* const weights_;  // [tokens, experts]
  int64_t* const tokens_;
  float *const rows_, *const first_, *const inner_;
};

Status run_experts(RunContext& ctx) {
  const auto& params = ctx.params<ExpertParams>();
  ASSIGN_OR_RETURN(const ExpertShape s, expert_shape(ctx, params));
  if (ctx.output(0).element_count() == 0) return Status::ok();
  Runner(ctx, s, params).run();
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
