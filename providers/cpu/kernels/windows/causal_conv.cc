// SPDX-License-Identifier: MIT
// CausalConvWithState: each channel convolved with its own kernel, looking back only.
//
//   s = (past state, x)    y[t] = act(bias + sum over k of w[k] s[t + k])    present state: the end
//   of s
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/graph/one_of.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {
namespace {

using CausalTypes = TypeList<float, double>;

struct CausalParams {
  uint32_t record_bytes;
  uint32_t is_silu;
};
static_assert(sizeof(CausalParams) == 8);

Status prepare_causal(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(const uint32_t activation,
                   one_of(ctx.node(), "activation", "none", {"none", "silu", "swish"}));
  ctx.set_params(CausalParams{sizeof(CausalParams), activation != 0 ? 1u : 0u});
  return Status::ok();
}

// com.microsoft's: the same, without what it has besides.
Status prepare_plain_causal(PrepareContext& ctx) {
  constexpr std::pair<std::string_view, int64_t> kPlain[] = {
      {"channels_last", 0}, {"dilation", 1}, {"ndim", 1}, {"state_window", 0}};
  for (const auto& [name, value] : kPlain) {
    if (ctx.node().int_attribute(name, value) != value) {
      return not_implemented("attribute '", name, "' other than ", value);
    }
  }
  return prepare_causal(ctx);
}

Status bind_causal(BindContext& ctx) {
  if (ctx.params<CausalParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 4));
  RETURN_IF_ERROR(check_type(ctx, 0, CausalTypes::kMask));
  for (const size_t i : {1, 2, 3}) RETURN_IF_ERROR(check_same_type(ctx, i, 0));
  const ValueRef& x = ctx.input(0);
  const ValueRef& w = ctx.input(1);
  bool fits = x.rank == 3 && w.rank == 3 && w.dim(0) == x.dim(1) && w.dim(1) == 1 && w.dim(2) >= 1;
  if (fits && ctx.has_input(2)) fits = ctx.input(2).rank == 1 && ctx.input(2).dim(0) == x.dim(1);
  if (fits && ctx.has_input(3)) {
    const int64_t state[3] = {x.dim(0), x.dim(1), w.dim(2) - 1};
    fits = std::ranges::equal(ctx.input(3).dims(), state);
  }
  if (!fits) {
    return invalid_argument("an input of shape ", dims_to_string(x.dims()), " and a weight of ",
                            dims_to_string(w.dims()), " do not fit, or bias and state do not");
  }
  RETURN_IF_ERROR(ctx.set_output(0, x.dtype, x.dims()));
  if (!ctx.has_output(1)) return Status::ok();
  return ctx.set_output(1, x.dtype, {x.dim(0), x.dim(1), w.dim(2) - 1});
}

// One channel of one batch entry. `past` may be null: zeros.
template <typename T>
void convolve(const T* x, int64_t length, const T* w, int64_t size, T bias, const T* past,
              bool is_silu, T* y) {
  for (int64_t t = 0; t < length; ++t) {
    T sum = bias;
    for (int64_t k = 0; k < size; ++k) {
      const int64_t at = t + k - (size - 1);
      const T value = at >= 0 ? x[at] : past != nullptr ? past[at + size - 1] : T(0);
      sum += w[k] * value;
    }
    y[t] = is_silu ? sum / (1 + std::exp(-sum)) : sum;
  }
}

Status run_causal(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const int64_t channels = x.dim(1), length = x.dim(2), size = ctx.input(1).dim(2);
  const bool is_silu = ctx.params<CausalParams>().is_silu != 0;
  // Without elements there may be more rows than anyone could count.
  const bool has_present = ctx.has_output(1) && ctx.output(1).element_count() != 0;
  if (ctx.output(0).element_count() == 0 && !has_present) return Status::ok();
  with_type(CausalTypes{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t grain = std::max<int64_t>(1, 4096 / std::max<int64_t>(1, length * size));
    ctx.parallel_for(x.dim(0) * channels, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t c = i % channels;
        const T* from = x.as<T>() + i * length;
        const T* past = ctx.has_input(3) ? ctx.input(3).as<T>() + i * (size - 1) : nullptr;
        convolve(from, length, ctx.input(1).as<T>() + c * size, size,
                 ctx.has_input(2) ? ctx.input(2).as<T>()[c] : T(0), past, is_silu,
                 ctx.output(0).as_mutable<T>() + i * length);
        if (!ctx.has_output(1)) continue;
        T* present = ctx.output(1).as_mutable<T>() + i * (size - 1);
        for (int64_t k = 0; k < size - 1; ++k) {
          const int64_t at = length + k - (size - 1);
          present[k] = at >= 0 ? from[at] : past != nullptr ? past[at + size - 1] : T(0);
        }
      }
    });
  });
  return Status::ok();
}

}  // namespace

KernelTable causal_conv_kernels() {
  static constexpr KernelRow kCausalConvWithStateRow(
      "CausalConvWithState", "", 27, kLatestOpset, CausalTypes::kMask, "causal_conv_with_state", 1,
      kNoFlags, 0, prepare_causal, bind_causal, run_causal);
  static constexpr KernelRow kPlainRow("CausalConvWithState", kMicrosoftDomain, 1, kLatestOpset,
                                       CausalTypes::kMask, "com.microsoft.CausalConvWithState", 1,
                                       kNoFlags, 0, prepare_plain_causal, bind_causal, run_causal);
  static constexpr KernelRow rows[] = {
      kCausalConvWithStateRow,
      reduced_row<kCausalConvWithStateRow>("CausalConvWithState.reduced"),
      kPlainRow,
      reduced_row<kPlainRow>("com.microsoft.CausalConvWithState.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
