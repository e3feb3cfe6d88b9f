// SPDX-License-Identifier: MIT
// LinearAttention: a matrix S [key size, value size] for each key head, updated at every time.
//
//   linear       S = S + k v^T                  gated: S is multiplied by exp(g) before
//   delta        S = S + beta k (v - S^T k)^T   gated_delta: S is multiplied by exp(g) before
//   y = scale S^T q
//
// g has a number for each key element, or one for each head; beta has one for each head, or one
// for all.
#include <algorithm>
#include <cmath>

#include "core/graph/one_of.h"
#include "providers/cpu/arith/gemm_f32/gemm_f32.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {
namespace {

using LinearTypes = TypeList<float, double>;
enum Rule : uint32_t { kLinear = 0, kGated = 1, kDelta = 2, kGatedDelta = 3 };
enum Input : size_t { kQ, kK, kV, kPast, kDecay, kBeta };

struct LinearParams {
  uint32_t record_bytes;
  uint32_t rule;  // Rule
  int64_t q_heads, kv_heads;
  float scale;  // 0: 1 / sqrt(key size)
  uint32_t reserved;
};
static_assert(sizeof(LinearParams) == 32);

Status prepare_linear(PrepareContext& ctx) {
  const Node& node = ctx.node();
  ASSIGN_OR_RETURN(const uint32_t rule, one_of(node, "update_rule", "gated_delta",
                                               {"linear", "gated", "delta", "gated_delta"}));
  ctx.set_params(LinearParams{sizeof(LinearParams), rule, node.int_attribute("q_num_heads", 0),
                              node.int_attribute("kv_num_heads", 0),
                              node.float_attribute("scale", 0.0f), 0});
  return Status::ok();
}

// com.microsoft's: the same, where a state is that of the last time alone.
Status prepare_plain_linear(PrepareContext& ctx) {
  const Node& node = ctx.node();
  if (node.int_attribute("state_window", 0) != 0) return not_implemented("'state_window'");
  if (node.int_attribute("kv_num_heads", 0) > node.int_attribute("q_num_heads", 0)) {
    return not_implemented("more key heads than query heads");
  }
  return prepare_linear(ctx);
}

struct LinearShape {
  int64_t batch, times, q_heads, kv_heads, size, value_size;
  bool decays_by_element, beta_by_head;
};

template <typename Context>
Result<LinearShape> linear_shape(const Context& ctx, const LinearParams& params) {
  const ValueRef &q = ctx.input(kQ), &k = ctx.input(kK), &v = ctx.input(kV);
  const bool heads_fit = params.rule <= kGatedDelta && params.kv_heads > 0 && params.q_heads > 0 &&
                         params.q_heads % params.kv_heads == 0;
  if (!heads_fit || q.rank != 3 || k.rank != 3 || v.rank != 3) {
    return invalid_argument(params.q_heads, " query and ", params.kv_heads, " key heads");
  }
  LinearShape s{q.dim(0),
                q.dim(1),
                params.q_heads,
                params.kv_heads,
                q.dim(2) / params.q_heads,
                v.dim(2) / params.kv_heads,
                false,
                false};
  const auto is_like = [&](const ValueRef& x, int64_t last) {
    return x.rank == 3 && x.dim(0) == s.batch && x.dim(1) == s.times && x.dim(2) == last;
  };
  bool fits = s.size > 0 && is_like(q, s.q_heads * s.size) && is_like(k, s.kv_heads * s.size) &&
              is_like(v, s.kv_heads * s.value_size);
  const bool needs_decay = params.rule == kGated || params.rule == kGatedDelta;
  const bool needs_beta = params.rule == kDelta || params.rule == kGatedDelta;
  if (fits && needs_decay) {
    fits = ctx.has_input(kDecay);
    s.decays_by_element = fits && is_like(ctx.input(kDecay), s.kv_heads * s.size);
    fits = fits && (s.decays_by_element || is_like(ctx.input(kDecay), s.kv_heads));
  }
  if (fits && needs_beta) {
    fits = ctx.has_input(kBeta);
    s.beta_by_head = fits && is_like(ctx.input(kBeta), s.kv_heads);
    fits = fits && (s.beta_by_head || is_like(ctx.input(kBeta), 1));
  }
  if (fits && ctx.has_input(kPast)) {
    const int64_t state[4] = {s.batch, s.kv_heads, s.size, s.value_size};
    fits = std::ranges::equal(ctx.input(kPast).dims(), state);
  }
  if (!fits) {
    return invalid_argument("queries ", dims_to_string(q.dims()), ", keys ",
                            dims_to_string(k.dims()), ", values ", dims_to_string(v.dims()),
                            " and the rest do not fit");
  }
  return s;
}

Status bind_linear(BindContext& ctx) {
  const auto* params = ctx.params<LinearParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 3, 6));
  RETURN_IF_ERROR(check_type(ctx, kQ, LinearTypes::kMask));
  for (const size_t i : {kK, kV, kPast, kDecay, kBeta})
    RETURN_IF_ERROR(check_same_type(ctx, i, kQ));
  ASSIGN_OR_RETURN(const LinearShape s, linear_shape(ctx, *params));
  const DType dtype = ctx.input(kQ).dtype;
  const auto width = checked_mul(s.q_heads, s.value_size);
  if (!width) return invalid_argument("heads that are too wide");
  ScratchPlan plan;
  const auto each = checked_mul(s.size + 1, s.value_size);
  const auto all = each ? checked_add(*each, 2 * s.size) : std::nullopt;
  const auto states = all ? checked_mul(s.batch * s.kv_heads, *all) : std::nullopt;
  plan.add(states ? *states : -1, element_bytes(dtype));
  RETURN_IF_ERROR(plan.declare(ctx));
  RETURN_IF_ERROR(ctx.set_output(0, dtype, {s.batch, s.times, *width}));
  if (!ctx.has_output(1)) return Status::ok();
  return ctx.set_output(1, dtype, {s.batch, s.kv_heads, s.size, s.value_size});
}

// The matrix of a key head, and room for a time's row and two columns.
template <typename T>
struct State {
  const LinearShape& s;
  Isa isa;
  T* matrix;
  T* row = matrix + s.size * s.value_size;
  T* decay = row + s.value_size;
  T* keys = decay + s.size;

  // The factors of exp(g).
  void set_decay(const T* g) const {
    if (!s.decays_by_element) {
      std::fill_n(decay, s.size, std::exp(*g));
    } else if constexpr (std::is_same_v<T, float>) {
      vector_f32_kernels(isa).exp(g, decay, static_cast<size_t>(s.size));
    } else {
      for (int64_t i = 0; i < s.size; ++i) decay[i] = std::exp(g[i]);
    }
  }
  // y = x S
  void ask(const T* x, T* y) const {
    const auto k = static_cast<size_t>(s.size), n = static_cast<size_t>(s.value_size);
    if constexpr (std::is_same_v<T, float>) {
      return gemm_f32_kernels(isa).row_times(x, matrix, n, 0, n, k, y);
    }
    std::fill_n(y, n, T(0));
    for (size_t i = 0; i < k; ++i) {
      for (size_t j = 0; j < n; ++j) y[j] += x[i] * matrix[i * n + j];
    }
  }
  // row = beta (v - k S), of S as it is once it has decayed.
  void find_difference(const T* k, const T* v, T beta) const {
    for (int64_t i = 0; i < s.size; ++i) keys[i] = decay[i] * k[i];
    ask(keys, row);
    for (int64_t j = 0; j < s.value_size; ++j) row[j] = (v[j] - row[j]) * beta;
  }
  // S = decay S + k row, y = q S
  void add(const T* k, const T* added, const T* q, T* y) const {
    const auto size = static_cast<size_t>(s.size), n = static_cast<size_t>(s.value_size);
    if constexpr (std::is_same_v<T, float>) {
      return gemm_f32_kernels(isa).add_rank_one({matrix, decay, k, added, q, y, size, n});
    }
    for (size_t i = 0; i < size; ++i) {
      T* to = matrix + i * n;
      for (size_t j = 0; j < n; ++j) to[j] = decay[i] * to[j] + k[i] * added[j];
    }
    ask(q, y);
  }
};

template <typename T>
void run_head(const RunContext& ctx, const LinearParams& params, const LinearShape& s, int64_t i,
              T scale) {
  const int64_t b = i / s.kv_heads, h = i % s.kv_heads, group = s.q_heads / s.kv_heads;
  const int64_t matrix = s.size * s.value_size;
  const State<T> state{s, ctx.isa(),
                       scratch_at<T>(ctx, 0) + i * (matrix + s.value_size + 2 * s.size)};
  if (ctx.has_input(kPast)) {
    std::copy_n(ctx.input(kPast).as<T>() + i * matrix, matrix, state.matrix);
  } else {
    std::fill_n(state.matrix, matrix, T(0));
  }
  std::fill_n(state.decay, s.size, T(1));
  const bool decays = params.rule == kGated || params.rule == kGatedDelta;
  const bool has_beta = params.rule == kDelta || params.rule == kGatedDelta;
  for (int64_t t = 0; t < s.times; ++t) {
    const int64_t at = b * s.times + t, head = at * s.kv_heads + h;
    const T *k = ctx.input(kK).as<T>() + head * s.size,
            *v = ctx.input(kV).as<T>() + head * s.value_size;
    if (decays) {
      state.set_decay(ctx.input(kDecay).as<T>() + head * (s.decays_by_element ? s.size : 1));
    }
    if (has_beta) {
      state.find_difference(k, v, ctx.input(kBeta).as<T>()[s.beta_by_head ? head : at]);
      v = state.row;
    }
    const int64_t query = at * s.q_heads + h * group;
    const T* q = ctx.input(kQ).as<T>() + query * s.size;
    T* y = ctx.output(0).as_mutable<T>() + query * s.value_size;
    state.add(k, v, q, y);
    for (int64_t g = 1; g < group; ++g) state.ask(q + g * s.size, y + g * s.value_size);
    for (int64_t j = 0; j < group * s.value_size; ++j) y[j] *= scale;
  }
  if (ctx.has_output(1)) {
    std::copy_n(state.matrix, matrix, ctx.output(1).as_mutable<T>() + i * matrix);
  }
}

Status run_linear(RunContext& ctx) {
  const auto& params = ctx.params<LinearParams>();
  ASSIGN_OR_RETURN(const LinearShape s, linear_shape(ctx, params));
  // Without elements there may be more heads than anyone could count.
  const bool has_state = ctx.has_output(1) && ctx.output(1).element_count() != 0;
  if (ctx.output(0).element_count() == 0 && !has_state) return Status::ok();
  with_type(LinearTypes{}, ctx.input(kQ).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T scale =
        params.scale != 0 ? static_cast<T>(params.scale) : T(1) / std::sqrt(static_cast<T>(s.size));
    ctx.parallel_for(s.batch * s.kv_heads, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) run_head<T>(ctx, params, s, i, scale);
    });
  });
  return Status::ok();
}

}  // namespace

KernelTable linear_attention_kernels() {
  static constexpr KernelRow kLinearAttentionRow(
      "LinearAttention", "", 27, kLatestOpset, LinearTypes::kMask, "linear_attention", 1, kNoFlags,
      0, prepare_linear, bind_linear, run_linear);
  static constexpr KernelRow kPlainRow("LinearAttention", kMicrosoftDomain, 1, kLatestOpset,
                                       LinearTypes::kMask, "com.microsoft.LinearAttention", 1,
                                       kNoFlags, 0, prepare_plain_linear, bind_linear, run_linear);
  static constexpr KernelRow rows[] = {
      kLinearAttentionRow,
      reduced_row<kLinearAttentionRow, ReducedForm{.state_input = 3}>("LinearAttention.reduced"),
      kPlainRow,
      reduced_row<kPlainRow, ReducedForm{.state_input = 3}>(
          "com.microsoft.LinearAttention.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
