// SPDX-License-Identifier: MIT
// Steps of optimisers (ai.onnx.preview.training) for any number of variables. With rate R, count T,
// value x, gradient g and states v, h, elementwise:
//
//   g' = norm x + g
//   Adagrad    h' = h + g'^2;  x' = x - R / (1 + T decay) g' / (sqrt(h') + epsilon)
//   Momentum   v' = alpha v + (T > 0 ? beta : 1) g';  x' = x - R v', or x - R (g' + alpha v')
//   Adam       v' = alpha v + (1 - alpha) g';  h' = beta h + (1 - beta) g'^2
//              x' = (1 - post norm) (x - R' v' / (sqrt(h') + epsilon)),
//              R' = T > 0 ? R sqrt(1 - beta^T) / (1 - alpha^T) : R
//
// Inputs are R, T, then the values of all variables, their gradients, and their states, one kind
// after the other; outputs the new values and states in the same order. Computed in double.
#include <cmath>

#include "core/graph/one_of.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/cpu_kernels.h"

namespace ortc::cpu {
namespace {

constexpr std::string_view kTraining = "ai.onnx.preview.training";
constexpr TypeMask kTypes = mask_of(DType::kFloat32, DType::kFloat64);

enum class Optimiser : uint32_t { kAdagrad, kMomentum, kNesterov, kAdam };

struct OptimiserParams {
  uint32_t record_bytes;
  uint32_t optimiser;
  float alpha, beta, epsilon, norm, post_norm, decay;
};
static_assert(sizeof(OptimiserParams) == 32);

size_t state_count(Optimiser optimiser) { return optimiser == Optimiser::kAdam ? 2 : 1; }

// --- Prepare.

OptimiserParams common_params(const Node& node, Optimiser optimiser) {
  OptimiserParams params{};
  params.record_bytes = sizeof params;
  params.optimiser = static_cast<uint32_t>(optimiser);
  params.alpha = node.float_attribute("alpha", 0.9f);
  params.beta = node.float_attribute("beta", 0.999f);
  params.epsilon = node.float_attribute("epsilon", 1e-6f);
  params.norm = node.float_attribute("norm_coefficient", 0.0f);
  params.post_norm = node.float_attribute("norm_coefficient_post", 0.0f);
  params.decay = node.float_attribute("decay_factor", 0.0f);
  return params;
}

Status prepare_adagrad(PrepareContext& ctx) {
  ctx.set_params(common_params(ctx.node(), Optimiser::kAdagrad));
  return Status::ok();
}

Status prepare_adam(PrepareContext& ctx) {
  ctx.set_params(common_params(ctx.node(), Optimiser::kAdam));
  return Status::ok();
}

Status prepare_momentum(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(const uint32_t mode, one_of(ctx.node(), "mode", "", {"standard", "nesterov"}));
  ctx.set_params(
      common_params(ctx.node(), mode == 0 ? Optimiser::kMomentum : Optimiser::kNesterov));
  return Status::ok();
}

// --- Bind.

// Checks that input i is one number of these types.
Status check_number(const BindContext& ctx, size_t i, TypeMask types) {
  RETURN_IF_ERROR(check_type(ctx, i, types));
  if (ctx.input(i).element_count() == 1) return Status::ok();
  return invalid_argument("input ", i, " has shape ", dims_to_string(ctx.input(i).dims()),
                          ", expected one number");
}

Status bind_step(BindContext& ctx) {
  const auto* params = ctx.params<OptimiserParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->optimiser > static_cast<uint32_t>(Optimiser::kAdam)) {
    return damaged_params("it names optimiser ", params->optimiser);
  }
  const size_t parts = 2 + state_count(static_cast<Optimiser>(params->optimiser));
  RETURN_IF_ERROR(check_arity(ctx, ctx.input_count(), ctx.input_count(), 0));
  if (ctx.input_count() < 2 + parts || (ctx.input_count() - 2) % parts != 0) {
    return invalid_graph("has ", ctx.input_count(), " inputs, expected 2 and ", parts,
                         " for each variable");
  }
  const size_t variables = (ctx.input_count() - 2) / parts;
  if (ctx.output_count() != variables * (parts - 1)) {
    return invalid_graph("has ", ctx.output_count(), " outputs, expected ",
                         variables * (parts - 1));
  }
  RETURN_IF_ERROR(check_number(ctx, 0, kTypes));
  RETURN_IF_ERROR(check_number(ctx, 1, mask_of(DType::kInt64)));
  for (size_t i = 2; i < ctx.input_count(); ++i) {
    const ValueRef &own = ctx.input(i), &x = ctx.input(2 + (i - 2) % variables);
    RETURN_IF_ERROR(check_type(ctx, i, kTypes));
    RETURN_IF_ERROR(check_same_type(ctx, i, 2 + (i - 2) % variables));
    if (!std::equal(own.dims().begin(), own.dims().end(), x.dims().begin(), x.dims().end())) {
      return invalid_argument("input ", i, " has shape ", dims_to_string(own.dims()), ", expected ",
                              dims_to_string(x.dims()));
    }
  }
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    if (!ctx.has_output(i)) continue;
    const ValueRef& x = ctx.input(2 + i % variables);
    RETURN_IF_ERROR(ctx.set_output(i, x.dtype, x.dims()));
  }
  return Status::ok();
}

// --- Run.

struct Step {
  Optimiser optimiser;
  double rate, alpha, beta, epsilon, norm, post_factor;
};

Step step_of(const RunContext& ctx) {
  const auto& params = ctx.params<OptimiserParams>();
  const ValueRef& r = ctx.input(0);
  const double rate =
      r.dtype == DType::kFloat64 ? *r.as<double>() : static_cast<double>(*r.as<float>());
  const auto count = static_cast<double>(*ctx.input(1).as<int64_t>());
  Step step{static_cast<Optimiser>(params.optimiser),
            rate,
            double{params.alpha},
            double{params.beta},
            double{params.epsilon},
            double{params.norm},
            1 - double{params.post_norm}};
  if (step.optimiser == Optimiser::kAdagrad) {
    step.rate = rate / (1 + count * double{params.decay});
  } else if (step.optimiser == Optimiser::kAdam) {
    if (count > 0) {
      step.rate =
          rate * std::sqrt(1 - std::pow(step.beta, count)) / (1 - std::pow(step.alpha, count));
    }
  } else if (count <= 0) {
    step.beta = 1;
  }
  return step;
}

struct Element {
  double x, gradient, first, second;  // and two states
};

Element stepped(const Step& step, Element e) {
  const double gradient = step.norm * e.x + e.gradient;
  switch (step.optimiser) {
    case Optimiser::kAdagrad:
      e.first += gradient * gradient;
      e.x -= step.rate * gradient / (std::sqrt(e.first) + step.epsilon);
      break;
    case Optimiser::kMomentum:
      e.first = step.alpha * e.first + step.beta * gradient;
      e.x -= step.rate * e.first;
      break;
    case Optimiser::kNesterov:
      e.first = step.alpha * e.first + step.beta * gradient;
      e.x -= step.rate * (gradient + step.alpha * e.first);
      break;
    case Optimiser::kAdam:
      e.first = step.alpha * e.first + (1 - step.alpha) * gradient;
      e.second = step.beta * e.second + (1 - step.beta) * gradient * gradient;
      e.x = step.post_factor * (e.x - step.rate * e.first / (std::sqrt(e.second) + step.epsilon));
  }
  return e;
}

// Variable `v` of `variables`.
template <typename T>
void step_variable(const RunContext& ctx, const Step& step, size_t v, size_t variables) {
  const bool has_second = step.optimiser == Optimiser::kAdam;
  const auto in = [&](size_t part) { return ctx.input(2 + part * variables + v).as<T>(); };
  const auto out = [&](size_t part) {
    const size_t i = part * variables + v;
    return ctx.has_output(i) ? ctx.output(i).as_mutable<T>() : nullptr;
  };
  const T *x = in(0), *gradient = in(1), *first = in(2), *second = has_second ? in(3) : nullptr;
  T *to_x = out(0), *to_first = out(1), *to_second = has_second ? out(2) : nullptr;
  ctx.parallel_for(
      ctx.input(2 + v).element_count(), kElementGrain / 4, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const double h = has_second ? static_cast<double>(second[i]) : 0.0;
          const Element e =
              stepped(step, {static_cast<double>(x[i]), static_cast<double>(gradient[i]),
                             static_cast<double>(first[i]), h});
          if (to_x != nullptr) to_x[i] = static_cast<T>(e.x);
          if (to_first != nullptr) to_first[i] = static_cast<T>(e.first);
          if (to_second != nullptr) to_second[i] = static_cast<T>(e.second);
        }
      });
}

Status run_step(RunContext& ctx) {
  const Step step = step_of(ctx);
  const size_t variables = (ctx.input_count() - 2) / (2 + state_count(step.optimiser));
  for (size_t v = 0; v < variables; ++v) {
    if (ctx.input(2 + v).dtype == DType::kFloat32) {
      step_variable<float>(ctx, step, v, variables);
    } else {
      step_variable<double>(ctx, step, v, variables);
    }
  }
  return Status::ok();
}

}  // namespace

KernelTable optimiser_step_kernels() {
  static constexpr KernelRow rows[] = {
      {"Adagrad", kTraining, 1, kLatestOpset, kTypes, "optimiser_step", 1, kNoFlags, 0,
       prepare_adagrad, bind_step, run_step},
      {"Adam", kTraining, 1, kLatestOpset, kTypes, "optimiser_step", 1, kNoFlags, 0, prepare_adam,
       bind_step, run_step},
      {"Momentum", kTraining, 1, kLatestOpset, kTypes, "optimiser_step", 1, kNoFlags, 0,
       prepare_momentum, bind_step, run_step},
  };
  return rows;
}

}  // namespace ortc::cpu
