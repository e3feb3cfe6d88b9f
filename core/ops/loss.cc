// SPDX-License-Identifier: MIT
// Losses.
#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

// Without reduction the loss has the target's shape, else it is a scalar.
Status infer_loss(InferContext& ctx) {
  const Shape* target = input_shape(ctx, 1);
  std::optional<Shape> shape = Shape{};
  if (ctx.node().string_attribute("reduction", "mean") == "none") {
    shape = target != nullptr ? std::optional<Shape>(*target) : std::nullopt;
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  const Shape* scores = input_shape(ctx, 0);
  set_tensor(ctx, 1, input_dtype(ctx, 0),
             scores != nullptr ? std::optional<Shape>(*scores) : std::nullopt);
  return Status::ok();
}

}  // namespace

std::span<const OpRow> loss_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"", "NegativeLogLikelihoodLoss", 12, 2, 3, 1, 1, infer_loss},
      {"", "NegativeLogLikelihoodLoss", 13, 2, 3, 1, 1, infer_loss},
      {"", "NegativeLogLikelihoodLoss", 22, 2, 3, 1, 1, infer_loss},
      {"", "SoftmaxCrossEntropyLoss", 12, 2, 3, 1, 2, infer_loss},
      {"", "SoftmaxCrossEntropyLoss", 13, 2, 3, 1, 2, infer_loss},
  };
  return kRows;
}

}  // namespace ortc
