// SPDX-License-Identifier: MIT
// Activations and what else changes neither type nor shape along its way: softmaxes, dropout.
#include "core/graph/one_of.h"
#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

Status infer_gelu(InferContext& ctx) {
  RETURN_IF_ERROR(one_of(ctx.node(), "approximate", "none", {"none", "tanh"}).status());
  return infer_same_type(ctx);
}

// Softmax, LogSoftmax, Hardmax: the axis must exist. Below opset 13 it may be the rank itself (the
// input is coerced to a matrix).
Status infer_softmax(InferContext& ctx) {
  const Shape* shape = input_shape(ctx, 0);
  if (shape != nullptr && !shape->empty()) {
    const int64_t axis = ctx.node().int_attribute("axis", ctx.opset() < 13 ? 1 : -1);
    const auto rank = static_cast<int64_t>(shape->size());
    if (!(ctx.opset() < 13 && axis == rank)) RETURN_IF_ERROR(checked_axis(axis, rank).status());
  }
  return infer_same_type(ctx);
}

// The mask has the data's type before opset 10, then it is bool.
Status infer_dropout(InferContext& ctx) {
  RETURN_IF_ERROR(infer_same_type(ctx));
  const Shape* shape = input_shape(ctx, 0);
  const DType mask = ctx.opset() < 10 ? input_dtype(ctx, 0) : DType::kBool;
  set_tensor(ctx, 1, mask, shape != nullptr ? std::optional<Shape>(*shape) : std::nullopt);
  return Status::ok();
}

Status infer_swiglu(InferContext& ctx) {
  RETURN_IF_ERROR(same_dtype(ctx, 0, 1));
  return infer_same_type(ctx);
}

}  // namespace

std::span<const OpRow> activation_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"", "Celu", 12, 1, 1, 1, 1, infer_same_type},
      {"", "Celu", 28, 1, 1, 1, 1, infer_same_type},
      {"", "Dropout", 1, 1, 1, 1, 2, infer_dropout},
      {"", "Dropout", 6, 1, 1, 1, 2, infer_dropout},
      {"", "Dropout", 7, 1, 1, 1, 2, infer_dropout},
      {"", "Dropout", 10, 1, 1, 1, 2, infer_dropout},
      {"", "Dropout", 12, 1, 3, 1, 2, infer_dropout},
      {"", "Dropout", 13, 1, 3, 1, 2, infer_dropout},
      {"", "Dropout", 22, 1, 3, 1, 2, infer_dropout},
      {"", "Elu", 1, 1, 1, 1, 1, infer_same_type},
      {"", "Elu", 6, 1, 1, 1, 1, infer_same_type},
      {"", "Elu", 22, 1, 1, 1, 1, infer_same_type},
      {"", "Gelu", 20, 1, 1, 1, 1, infer_gelu},
      {"", "HardSigmoid", 1, 1, 1, 1, 1, infer_same_type},
      {"", "HardSigmoid", 6, 1, 1, 1, 1, infer_same_type},
      {"", "HardSigmoid", 22, 1, 1, 1, 1, infer_same_type},
      {"", "HardSwish", 14, 1, 1, 1, 1, infer_same_type},
      {"", "HardSwish", 22, 1, 1, 1, 1, infer_same_type},
      {"", "Hardmax", 1, 1, 1, 1, 1, infer_softmax},
      {"", "Hardmax", 11, 1, 1, 1, 1, infer_softmax},
      {"", "Hardmax", 13, 1, 1, 1, 1, infer_softmax},
      {"", "LeakyRelu", 1, 1, 1, 1, 1, infer_same_type},
      {"", "LeakyRelu", 6, 1, 1, 1, 1, infer_same_type},
      {"", "LeakyRelu", 16, 1, 1, 1, 1, infer_same_type},
      {"", "LogSoftmax", 1, 1, 1, 1, 1, infer_softmax},
      {"", "LogSoftmax", 11, 1, 1, 1, 1, infer_softmax},
      {"", "LogSoftmax", 13, 1, 1, 1, 1, infer_softmax},
      {"", "Mish", 18, 1, 1, 1, 1, infer_same_type},
      {"", "Mish", 22, 1, 1, 1, 1, infer_same_type},
      {"", "Relu", 1, 1, 1, 1, 1, infer_same_type},
      {"", "Relu", 6, 1, 1, 1, 1, infer_same_type},
      {"", "Relu", 13, 1, 1, 1, 1, infer_same_type},
      {"", "Relu", 14, 1, 1, 1, 1, infer_same_type},
      {"", "Selu", 1, 1, 1, 1, 1, infer_same_type},
      {"", "Selu", 6, 1, 1, 1, 1, infer_same_type},
      {"", "Selu", 22, 1, 1, 1, 1, infer_same_type},
      {"", "Shrink", 9, 1, 1, 1, 1, infer_same_type},
      {"", "Sigmoid", 1, 1, 1, 1, 1, infer_same_type},
      {"", "Sigmoid", 6, 1, 1, 1, 1, infer_same_type},
      {"", "Sigmoid", 13, 1, 1, 1, 1, infer_same_type},
      {"", "Softmax", 1, 1, 1, 1, 1, infer_softmax},
      {"", "Softmax", 11, 1, 1, 1, 1, infer_softmax},
      {"", "Softmax", 13, 1, 1, 1, 1, infer_softmax},
      {"", "Softplus", 1, 1, 1, 1, 1, infer_same_type},
      {"", "Softplus", 22, 1, 1, 1, 1, infer_same_type},
      {"", "Softsign", 1, 1, 1, 1, 1, infer_same_type},
      {"", "Softsign", 22, 1, 1, 1, 1, infer_same_type},
      {"", "SwiGLU", 28, 2, 2, 1, 1, infer_swiglu},
      {"", "Swish", 24, 1, 1, 1, 1, infer_same_type},
      {"", "ThresholdedRelu", 10, 1, 1, 1, 1, infer_same_type},
      {"", "ThresholdedRelu", 22, 1, 1, 1, 1, infer_same_type},
  };
  return kRows;
}

}  // namespace ortc
