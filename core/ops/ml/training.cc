// SPDX-License-Identifier: MIT
// The domain ai.onnx.preview.training: steps of optimisers, and gradients.
#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

// Inputs: rate, count, then `parts` for each variable (its value, its gradient, its states);
// outputs: the same without gradients, each like its input.
Status infer_optimiser(InferContext& ctx, size_t parts) {
  const size_t rest = ctx.input_count() - 2;
  if (rest == 0 || rest % parts != 0) {
    return invalid_graph("has ", ctx.input_count(), " inputs, expected 2 and ", parts,
                         " for each variable");
  }
  const size_t variables = rest / parts;
  if (ctx.output_count() != variables * (parts - 1)) {
    return invalid_graph("has ", ctx.output_count(), " outputs, expected ", parts - 1,
                         " for each of ", variables, " variables");
  }
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    const size_t like = i < variables ? 2 + i : 2 + variables + i;
    const Shape* shape = input_shape(ctx, like);
    set_tensor(ctx, i, input_dtype(ctx, like),
               shape != nullptr ? std::optional<Shape>(*shape) : std::nullopt);
  }
  return Status::ok();
}

Status infer_one_state(InferContext& ctx) { return infer_optimiser(ctx, 3); }
Status infer_two_states(InferContext& ctx) { return infer_optimiser(ctx, 4); }

}  // namespace

std::span<const OpRow> training_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"ai.onnx.preview.training", "Adagrad", 1, 3, kVariadic, 1, kVariadic, infer_one_state},
      {"ai.onnx.preview.training", "Adam", 1, 3, kVariadic, 1, kVariadic, infer_two_states},
      // Each output is like the input that it is a gradient of.
      {"ai.onnx.preview.training", "Gradient", 1, 1, kVariadic, 1, kVariadic, infer_same_types,
       "xs,y"},
      {"ai.onnx.preview.training", "Momentum", 1, 3, kVariadic, 1, kVariadic, infer_one_state,
       "alpha,beta,mode,norm_coefficient"},
  };
  return kRows;
}

}  // namespace ortc
