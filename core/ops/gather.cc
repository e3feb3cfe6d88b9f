// SPDX-License-Identifier: MIT
// Operators that pick or place elements by index.
#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

// y = data[:axis] + indices.shape + data[axis + 1:]
Status infer_gather(InferContext& ctx) {
  const Shape* data = input_shape(ctx, 0);
  const Shape* indices = input_shape(ctx, 1);
  std::optional<Shape> shape;
  if (data != nullptr) {
    ASSIGN_OR_RETURN(size_t axis, checked_axis(ctx.node().int_attribute("axis", 0), data->size()));
    if (indices != nullptr) {
      RETURN_IF_ERROR(check_rank(data->size() + indices->size() - 1));
      const auto at = data->begin() + static_cast<std::ptrdiff_t>(axis);
      shape = Shape(data->begin(), at);
      shape->insert(shape->end(), indices->begin(), indices->end());
      shape->insert(shape->end(), at + 1, data->end());
    }
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));

  auto values = integers(ctx, 0);
  auto picks = known_integers(ctx, 1);
  if (!values || !picks || indices == nullptr || indices->size() > 1) return Status::ok();
  const auto count = static_cast<int64_t>(values->size());
  Integers picked;
  for (int64_t pick : *picks) {
    if (pick < -count || pick >= count) {
      return invalid_graph("index ", pick, " is outside of ", count, " elements");
    }
    picked.push_back((*values)[static_cast<size_t>(pick < 0 ? pick + count : pick)]);
  }
  set_integers(ctx, 0, picked);
  return Status::ok();
}

Status infer_gather_elements(InferContext& ctx) {
  const Shape* indices = input_shape(ctx, 1);
  if (const Shape* data = input_shape(ctx, 0)) {
    RETURN_IF_ERROR(checked_axis(ctx.node().int_attribute("axis", 0), data->size()).status());
    RETURN_IF_ERROR(expect_rank(ctx, 1, data->size()));
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0),
             indices != nullptr ? std::optional<Shape>(*indices) : std::nullopt);
  return Status::ok();
}

// y = indices.shape[:-1] + data.shape[batch_dims + indices.shape[-1]:]
Status infer_gather_nd(InferContext& ctx) {
  const Shape* data = input_shape(ctx, 0);
  const Shape* indices = input_shape(ctx, 1);
  std::optional<Shape> shape;
  if (data != nullptr && indices != nullptr) {
    if (data->empty() || indices->empty()) return invalid_graph("inputs must not be scalars");
    const int64_t batch = ctx.node().int_attribute("batch_dims", 0);
    const auto rank = static_cast<int64_t>(data->size());
    const Dim& depth = indices->back();
    if (batch < 0 || batch >= rank || batch >= static_cast<int64_t>(indices->size())) {
      return invalid_graph("attribute 'batch_dims' is ", batch, " with data of rank ", rank);
    }
    if (depth.is_known()) {
      if (depth.value < 1 || depth.value > rank - batch) {
        return invalid_graph("indices of ", depth.value, " numbers do not fit data of rank ", rank);
      }
      RETURN_IF_ERROR(check_rank(indices->size() + data->size() - 2));
      shape = Shape(indices->begin(), indices->end() - 1);
      shape->insert(shape->end(), data->begin() + batch + depth.value, data->end());
    }
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Status infer_scatter(InferContext& ctx) {
  RETURN_IF_ERROR(same_dtype(ctx, 0, 2));
  return infer_same_type(ctx);
}

Status infer_tensor_scatter(InferContext& ctx) {
  RETURN_IF_ERROR(same_dtype(ctx, 0, 1));
  return infer_same_type(ctx);
}

// The indices' shape with the depth put in at `axis`.
Status infer_one_hot(InferContext& ctx) {
  const Shape* indices = input_shape(ctx, 0);
  std::optional<Shape> shape;
  if (indices != nullptr) {
    ASSIGN_OR_RETURN(size_t axis,
                     checked_axis(ctx.node().int_attribute("axis", -1), indices->size() + 1));
    auto depth = integers(ctx, 1);
    shape = *indices;
    shape->insert(shape->begin() + static_cast<std::ptrdiff_t>(axis),
                  depth && depth->size() == 1 ? (*depth)[0].dim() : Dim::unknown());
  }
  set_tensor(ctx, 0, input_dtype(ctx, 2), std::move(shape));
  return Status::ok();
}

Status infer_compress(InferContext& ctx) {
  const Shape* data = input_shape(ctx, 0);
  const Attribute* axis = ctx.node().attribute("axis");
  std::optional<Shape> shape;
  if (axis == nullptr) {
    shape = unknown_shape(1);
  } else if (data != nullptr) {
    ASSIGN_OR_RETURN(size_t at, checked_axis(axis->i, data->size()));
    shape = *data;
    (*shape)[at] = Dim::unknown();
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Status infer_non_zero(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  Shape shape = unknown_shape(2);
  if (x != nullptr && !x->empty()) shape[0] = Dim::known(static_cast<int64_t>(x->size()));
  set_tensor(ctx, 0, DType::kInt64, std::move(shape));
  return Status::ok();
}

Status infer_unique(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  const Attribute* axis = ctx.node().attribute("axis");
  std::optional<Shape> shape;
  Dim inverse;
  if (axis == nullptr) {
    shape = unknown_shape(1);
    if (x != nullptr) inverse = product_of(*x);
  } else if (x != nullptr) {
    ASSIGN_OR_RETURN(size_t at, checked_axis(axis->i, x->size()));
    shape = *x;
    inverse = plain_dim((*x)[at]);
    (*shape)[at] = Dim::unknown();
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  set_tensor(ctx, 1, DType::kInt64, unknown_shape(1));
  set_tensor(ctx, 2, DType::kInt64, Shape{inverse});
  set_tensor(ctx, 3, DType::kInt64, unknown_shape(1));
  return Status::ok();
}

Status infer_array_feature_extractor(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  std::optional<Shape> shape;
  if (x != nullptr && !x->empty()) {
    shape = *x;
    const Shape* picks = input_shape(ctx, 1);
    shape->back() = picks != nullptr ? product_of(*picks) : Dim::unknown();
    if (x->size() == 1) shape->insert(shape->begin(), Dim::known(1));
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

}  // namespace

std::span<const OpRow> gather_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"", "Compress", 9, 2, 2, 1, 1, infer_compress},
      {"", "Compress", 11, 2, 2, 1, 1, infer_compress},
      {"", "Gather", 1, 2, 2, 1, 1, infer_gather},
      {"", "Gather", 11, 2, 2, 1, 1, infer_gather},
      {"", "Gather", 13, 2, 2, 1, 1, infer_gather},
      {"", "GatherElements", 11, 2, 2, 1, 1, infer_gather_elements},
      {"", "GatherElements", 13, 2, 2, 1, 1, infer_gather_elements},
      {"", "GatherND", 11, 2, 2, 1, 1, infer_gather_nd},
      {"", "GatherND", 12, 2, 2, 1, 1, infer_gather_nd},
      {"", "GatherND", 13, 2, 2, 1, 1, infer_gather_nd},
      {"com.microsoft", "GatherND", 1, 2, 2, 1, 1, infer_gather_nd},
      {"", "NonZero", 9, 1, 1, 1, 1, infer_non_zero},
      {"", "NonZero", 13, 1, 1, 1, 1, infer_non_zero},
      {"", "OneHot", 9, 3, 3, 1, 1, infer_one_hot},
      {"", "OneHot", 11, 3, 3, 1, 1, infer_one_hot},
      {"", "ReverseSequence", 10, 2, 2, 1, 1, infer_same_type},
      {"", "Scatter", 9, 3, 3, 1, 1, infer_scatter},
      {"", "Scatter", 11, 3, 3, 1, 1, infer_scatter},
      {"", "ScatterElements", 11, 3, 3, 1, 1, infer_scatter},
      {"", "ScatterElements", 13, 3, 3, 1, 1, infer_scatter},
      {"", "ScatterElements", 16, 3, 3, 1, 1, infer_scatter},
      {"", "ScatterElements", 18, 3, 3, 1, 1, infer_scatter},
      {"", "ScatterND", 11, 3, 3, 1, 1, infer_scatter},
      {"", "ScatterND", 13, 3, 3, 1, 1, infer_scatter},
      {"", "ScatterND", 16, 3, 3, 1, 1, infer_scatter},
      {"", "ScatterND", 18, 3, 3, 1, 1, infer_scatter},
      {"", "TensorScatter", 24, 2, 3, 1, 1, infer_tensor_scatter},
      {"", "Unique", 11, 1, 1, 1, 4, infer_unique},
      {"ai.onnx.ml", "ArrayFeatureExtractor", 1, 2, 2, 1, 1, infer_array_feature_extractor},
  };
  return kRows;
}

}  // namespace ortc
