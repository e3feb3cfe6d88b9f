// SPDX-License-Identifier: MIT
// What the families of activations share: their record, how they run, and a few functions.
//
// An activation is an operator as unary_rows.h describes, made from the record, with a static
// prepare(ctx) that fills the record from the node.
#pragma once

#include <cmath>

#include "providers/cpu/bind/rows/unary_rows.h"

namespace ortc::cpu {

// What the two numbers mean is the operator's matter.
struct ActivationParams {
  uint32_t record_bytes;
  float alpha;
  float beta;
};
static_assert(sizeof(ActivationParams) == 12);

inline void set_activation(PrepareContext& ctx, float alpha, float beta) {
  ctx.set_params(ActivationParams{sizeof(ActivationParams), alpha, beta});
}

inline void activate_row(const VectorF32Kernels& v, const ActivationF32& activation, const float* x,
                         float* y, int64_t n) {
  v.activate(activation, x, y, static_cast<size_t>(n));
}

template <typename T>
T sigmoid(T x) {
  const T e = std::exp(-std::fabs(x));
  return (x < 0 ? e : T{1}) / (T{1} + e);
}

template <typename Op>
Status prepare_activation(PrepareContext& ctx) {
  Op::prepare(ctx);
  return Status::ok();
}

template <typename Op>
Status bind_activation(BindContext& ctx) {
  if (ctx.params<ActivationParams>() == nullptr) return ctx.bad_params();
  return bind_unary<Op>(ctx);
}

template <typename Op>
Status run_activation(RunContext& ctx) {
  run_unary_op(ctx, Op(ctx.params<ActivationParams>()));
  return Status::ok();
}

template <typename Op>
constexpr KernelRow activation_row(std::string_view op, int since, std::string_view id) {
  return {op, "",       since, kLatestOpset,           Op::Types::kMask,    id,
          1,  kInPlace, 0,     prepare_activation<Op>, bind_activation<Op>, run_activation<Op>};
}

}  // namespace ortc::cpu
