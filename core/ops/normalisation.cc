// SPDX-License-Identifier: MIT
// Normalisations: output 0 is like input 0; statistics are the optional outputs.
#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

// Outputs 1.. are per-channel statistics of training.
Status infer_batch_norm(InferContext& ctx) {
  RETURN_IF_ERROR(infer_same_type(ctx));
  const Shape* x = input_shape(ctx, 0);
  if (x != nullptr && x->size() >= 2) {
    for (size_t i = 1; i < 5; ++i) {
      const Shape* vector = input_shape(ctx, i);
      if (vector == nullptr || vector->size() != 1) continue;
      if (!equal_dims((*vector)[0], (*x)[1]).is_ok()) {
        return invalid_graph("input ", i, " has ", (*vector)[0].value, " elements, the data has ",
                             (*x)[1].value, " channels");
      }
    }
  }
  for (size_t i = 1; i < ctx.output_count(); ++i) {
    const size_t like = i == 1 || i == 3 ? 3 : 4;  // mean, variance, and again
    const DType dtype = input_dtype(ctx, like);
    set_tensor(ctx, i, dtype, shape_copy(ctx, like));
  }
  return Status::ok();
}

// The result has the shape of the data; the type of the scale where that may differ.
Status infer_scaled(InferContext& ctx) {
  const DType dtype = input_dtype(ctx, 1);
  if (dtype == DType::kUndefined) return infer_same_type(ctx);
  return infer_shape_only(ctx, dtype);
}

// Mean and inverse deviation have size 1 from `axis` on.
Status infer_layer_norm(InferContext& ctx) {
  const bool may_differ = ctx.node().op_type() == "SimplifiedLayerNormalization";
  RETURN_IF_ERROR(may_differ ? infer_scaled(ctx) : infer_same_type(ctx));
  const int64_t stash = ctx.node().int_attribute("stash_type", 1);
  if (!dtype_is_valid(stash))
    return invalid_graph("attribute 'stash_type': ", stash, " is not an element type");
  auto shape = shape_copy(ctx, 0);
  if (shape) {
    ASSIGN_OR_RETURN(size_t axis,
                     checked_axis(ctx.node().int_attribute("axis", -1), shape->size()));
    for (size_t i = axis; i < shape->size(); ++i) (*shape)[i] = Dim::known(1);
  }
  set_tensor(ctx, 1, static_cast<DType>(stash), shape);
  set_tensor(ctx, 2, static_cast<DType>(stash), shape);
  return Status::ok();
}

Status infer_axis_norm(InferContext& ctx) {
  if (const Shape* x = input_shape(ctx, 0)) {
    RETURN_IF_ERROR(checked_axis(ctx.node().int_attribute("axis", -1), x->size()).status());
  }
  return infer_same_type(ctx);
}

Status infer_rms_norm(InferContext& ctx) {
  if (const Shape* x = input_shape(ctx, 0)) {
    RETURN_IF_ERROR(checked_axis(ctx.node().int_attribute("axis", -1), x->size()).status());
  }
  return infer_scaled(ctx);
}

}  // namespace

std::span<const OpRow> normalisation_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"", "BatchNormalization", 1, 5, 5, 1, 5, infer_batch_norm, "consumed_inputs"},
      {"", "BatchNormalization", 6, 5, 5, 1, 5, infer_batch_norm},
      {"", "BatchNormalization", 7, 5, 5, 1, 5, infer_batch_norm},
      {"", "BatchNormalization", 9, 5, 5, 1, 5, infer_batch_norm},
      {"", "BatchNormalization", 14, 5, 5, 1, 3, infer_batch_norm},
      {"", "BatchNormalization", 15, 5, 5, 1, 3, infer_batch_norm},
      {"", "GroupNormalization", 18, 3, 3, 1, 1, infer_same_type, "num_groups"},
      {"", "GroupNormalization", 21, 3, 3, 1, 1, infer_same_type, "num_groups"},
      {"", "InstanceNormalization", 1, 3, 3, 1, 1, infer_same_type},
      {"", "InstanceNormalization", 6, 3, 3, 1, 1, infer_same_type},
      {"", "InstanceNormalization", 22, 3, 3, 1, 1, infer_same_type},
      {"", "LRN", 1, 1, 1, 1, 1, infer_same_type, "size"},
      {"", "LRN", 13, 1, 1, 1, 1, infer_same_type, "size"},
      {"", "LayerNormalization", 17, 2, 3, 1, 3, infer_layer_norm},
      {"", "LpNormalization", 1, 1, 1, 1, 1, infer_axis_norm},
      {"", "LpNormalization", 22, 1, 1, 1, 1, infer_axis_norm},
      {"", "MeanVarianceNormalization", 9, 1, 1, 1, 1, infer_same_type},
      {"", "MeanVarianceNormalization", 13, 1, 1, 1, 1, infer_same_type},
      {"", "RMSNormalization", 23, 2, 2, 1, 1, infer_rms_norm},
      {"", "SimplifiedLayerNormalization", 1, 2, 2, 1, 2, infer_layer_norm},
  };
  return kRows;
}

}  // namespace ortc
