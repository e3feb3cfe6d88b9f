// SPDX-License-Identifier: MIT
// Operators that read or change the shape and leave the elements alone.
#include <algorithm>

#include "core/ops/reshape_shape.h"

namespace ortc {
namespace {

// Contents go through when the result still is a scalar or vector.
void pass_contents(InferContext& ctx, const std::optional<Shape>& shape) {
  if (!shape || shape->size() > 1) return;
  if (auto values = integers(ctx, 0)) set_integers(ctx, 0, *values);
}

Status infer_identity(InferContext& ctx) {
  Type type = ctx.input_type(0);
  type.denotation.clear();
  type.unknown_fields.clear();
  if (type.has_shape()) pass_contents(ctx, type.shape);
  if (type.kind != TypeKind::kNone) ctx.set_output(0, std::move(type));
  return Status::ok();
}

int64_t clamped_index(int64_t index, int64_t rank) {
  return std::clamp<int64_t>(index < 0 ? index + rank : index, 0, rank);
}

// From opset 15 on [start, end) picks dims.
Status infer_shape_op(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  if (x == nullptr) {
    set_tensor(ctx, 0, DType::kInt64, unknown_shape(1));
    return Status::ok();
  }
  const auto rank = static_cast<int64_t>(x->size());
  const int64_t start = clamped_index(ctx.node().int_attribute("start", 0), rank);
  const int64_t end = clamped_index(ctx.node().int_attribute("end", rank), rank);
  Integers values;
  for (int64_t i = start; i < end; ++i) {
    values.push_back(Integer::of_dim((*x)[static_cast<size_t>(i)]));
  }
  set_tensor(ctx, 0, DType::kInt64, Shape{Dim::known(static_cast<int64_t>(values.size()))});
  set_integers(ctx, 0, values);
  return Status::ok();
}

Status infer_size(InferContext& ctx) {
  set_tensor(ctx, 0, DType::kInt64, Shape{});
  if (const Shape* x = input_shape(ctx, 0)) {
    set_integers(ctx, 0, {Integer::of_dim(product_of(*x))});
  }
  return Status::ok();
}

Status infer_reshape(InferContext& ctx) {
  std::optional<Integers> wanted;
  if (ctx.opset() < 5) {
    const auto shape_attribute = ctx.node().ints_attribute("shape");
    RETURN_IF_ERROR(check_rank(shape_attribute.size()));
    wanted.emplace();
    for (int64_t value : shape_attribute) wanted->push_back(Integer::number(value));
  } else {
    wanted = integers(ctx, 1);
  }
  std::optional<Shape> shape;
  if (wanted) {
    const bool zero_is_zero = ctx.node().int_attribute("allowzero", 0) != 0;
    ASSIGN_OR_RETURN(shape, reshaped_shape(input_shape(ctx, 0), *wanted, zero_is_zero));
  } else if (const int64_t rank = vector_size(ctx, 1); rank >= 0 && rank <= 64) {
    shape = unknown_shape(static_cast<size_t>(rank));
  }
  pass_contents(ctx, shape);
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

// The axes as attribute (before opset 13) or input, empty when they are left out; nothing when they
// come at run time.
std::optional<std::vector<int64_t>> squeeze_axes(const InferContext& ctx) {
  if (ctx.opset() < 13) return ctx.node().ints_attribute("axes");
  return ctx.has_input(1) ? known_integers(ctx, 1) : std::vector<int64_t>{};
}

Status infer_squeeze(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  auto axes = squeeze_axes(ctx);
  const bool all_ones = axes && axes->empty();  // an empty list too, as in ONNX Runtime
  std::optional<Shape> shape;
  if (x != nullptr && all_ones && shape_is_static(*x)) {
    shape = Shape{};
    for (const Dim& dim : *x) {
      if (dim.value != 1) shape->push_back(dim);
    }
  } else if (x != nullptr && !all_ones && axes) {
    ASSIGN_OR_RETURN(auto checked, checked_axes(*axes, x->size()));
    shape = Shape{};
    for (size_t i = 0; i < x->size(); ++i) {
      if (std::find(checked.begin(), checked.end(), i) == checked.end()) {
        shape->push_back((*x)[i]);
      } else if ((*x)[i].is_known() && (*x)[i].value != 1) {
        return invalid_graph("axis ", i, " has size ", (*x)[i].value, ", expected 1");
      }
    }
  }
  pass_contents(ctx, shape);
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Status infer_unsqueeze(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  auto axes = squeeze_axes(ctx);
  std::optional<Shape> shape;
  if (x != nullptr && axes) {
    const size_t rank = x->size() + axes->size();
    RETURN_IF_ERROR(check_rank(rank));
    ASSIGN_OR_RETURN(auto checked, checked_axes(*axes, rank));
    shape = Shape{};
    for (size_t i = 0, next = 0; i < rank; ++i) {
      const bool is_new = std::find(checked.begin(), checked.end(), i) != checked.end();
      shape->push_back(is_new ? Dim::known(1) : (*x)[next++]);
    }
  } else if (const int64_t count = vector_size(ctx, 1); x != nullptr && count >= 0 && count <= 64) {
    shape = unknown_shape(x->size() + static_cast<size_t>(count));
  }
  pass_contents(ctx, shape);
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Status infer_flatten(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  Shape shape = unknown_shape(2);
  if (x != nullptr) {
    const auto rank = static_cast<int64_t>(x->size());
    int64_t axis = ctx.node().int_attribute("axis", 1);
    if (axis < -rank || axis > rank)
      return invalid_graph("axis ", axis, " is outside of rank ", rank);
    if (axis < 0) axis += rank;
    const std::span<const Dim> dims(*x);
    shape[0] = product_of(dims.first(static_cast<size_t>(axis)));
    shape[1] = product_of(dims.subspan(static_cast<size_t>(axis)));
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Status infer_expand(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  auto wanted = integers(ctx, 1);
  std::optional<Shape> shape;
  if (x != nullptr && wanted) {
    Shape target;
    for (const Integer& size : *wanted) target.push_back(size.dim());
    ASSIGN_OR_RETURN(shape, broadcast_shapes(*x, target));
  } else if (const int64_t rank = vector_size(ctx, 1); x != nullptr && rank >= 0 && rank <= 64) {
    shape = unknown_shape(std::max(x->size(), static_cast<size_t>(rank)));
  }
  auto values = integers(ctx, 0);
  if (values && values->size() == 1 && shape && shape->size() <= 1) {
    const Dim count = product_of(*shape);
    if (count.is_known() && count.value <= static_cast<int64_t>(kContentsMax)) {
      set_integers(ctx, 0, Integers(static_cast<size_t>(count.value), (*values)[0]));
    }
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Status infer_transpose(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  std::optional<Shape> shape;
  if (x != nullptr) {
    auto perm = ctx.node().ints_attribute("perm");
    if (ctx.node().attribute("perm") == nullptr) {
      for (size_t i = x->size(); i > 0; --i) perm.push_back(static_cast<int64_t>(i) - 1);
    }
    if (perm.size() != x->size()) {
      return invalid_graph("attribute 'perm' has ", perm.size(), " axes, expected ", x->size());
    }
    for (const int64_t axis : perm) {
      if (axis < 0) return invalid_graph("attribute 'perm' holds ", axis, ", expected 0 or more");
    }
    ASSIGN_OR_RETURN(auto axes, checked_axes(perm, x->size()));
    shape = Shape{};
    for (size_t axis : axes) shape->push_back((*x)[axis]);
  }
  pass_contents(ctx, shape);
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

}  // namespace

std::span<const OpRow> shape_ops_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"", "Expand", 8, 2, 2, 1, 1, infer_expand},
      {"", "Expand", 13, 2, 2, 1, 1, infer_expand},
      {"", "Flatten", 1, 1, 1, 1, 1, infer_flatten},
      {"", "Flatten", 9, 1, 1, 1, 1, infer_flatten},
      {"", "Flatten", 11, 1, 1, 1, 1, infer_flatten},
      {"", "Flatten", 13, 1, 1, 1, 1, infer_flatten},
      {"", "Flatten", 21, 1, 1, 1, 1, infer_flatten},
      {"", "Flatten", 23, 1, 1, 1, 1, infer_flatten},
      {"", "Flatten", 24, 1, 1, 1, 1, infer_flatten},
      {"", "Flatten", 25, 1, 1, 1, 1, infer_flatten},
      {"", "Identity", 1, 1, 1, 1, 1, infer_identity},
      {"", "Identity", 13, 1, 1, 1, 1, infer_identity},
      {"", "Identity", 14, 1, 1, 1, 1, infer_identity},
      {"", "Identity", 16, 1, 1, 1, 1, infer_identity},
      {"", "Identity", 19, 1, 1, 1, 1, infer_identity},
      {"", "Identity", 21, 1, 1, 1, 1, infer_identity},
      {"", "Identity", 23, 1, 1, 1, 1, infer_identity},
      {"", "Identity", 24, 1, 1, 1, 1, infer_identity},
      {"", "Identity", 25, 1, 1, 1, 1, infer_identity},
      {"", "Reshape", 1, 1, 1, 1, 1, infer_reshape},
      {"", "Reshape", 5, 2, 2, 1, 1, infer_reshape},
      {"", "Reshape", 13, 2, 2, 1, 1, infer_reshape},
      {"", "Reshape", 14, 2, 2, 1, 1, infer_reshape},
      {"", "Reshape", 19, 2, 2, 1, 1, infer_reshape},
      {"", "Reshape", 21, 2, 2, 1, 1, infer_reshape},
      {"", "Reshape", 23, 2, 2, 1, 1, infer_reshape},
      {"", "Reshape", 24, 2, 2, 1, 1, infer_reshape},
      {"", "Reshape", 25, 2, 2, 1, 1, infer_reshape},
      {"", "Shape", 1, 1, 1, 1, 1, infer_shape_op},
      {"", "Shape", 13, 1, 1, 1, 1, infer_shape_op},
      {"", "Shape", 15, 1, 1, 1, 1, infer_shape_op},
      {"", "Shape", 19, 1, 1, 1, 1, infer_shape_op},
      {"", "Shape", 21, 1, 1, 1, 1, infer_shape_op},
      {"", "Shape", 23, 1, 1, 1, 1, infer_shape_op},
      {"", "Shape", 24, 1, 1, 1, 1, infer_shape_op},
      {"", "Shape", 25, 1, 1, 1, 1, infer_shape_op},
      {"", "Size", 1, 1, 1, 1, 1, infer_size},
      {"", "Size", 13, 1, 1, 1, 1, infer_size},
      {"", "Size", 19, 1, 1, 1, 1, infer_size},
      {"", "Size", 21, 1, 1, 1, 1, infer_size},
      {"", "Size", 23, 1, 1, 1, 1, infer_size},
      {"", "Size", 24, 1, 1, 1, 1, infer_size},
      {"", "Size", 25, 1, 1, 1, 1, infer_size},
      {"", "Squeeze", 1, 1, 1, 1, 1, infer_squeeze},
      {"", "Squeeze", 11, 1, 1, 1, 1, infer_squeeze},
      {"", "Squeeze", 13, 1, 2, 1, 1, infer_squeeze},
      {"", "Squeeze", 21, 1, 2, 1, 1, infer_squeeze},
      {"", "Squeeze", 23, 1, 2, 1, 1, infer_squeeze},
      {"", "Squeeze", 24, 1, 2, 1, 1, infer_squeeze},
      {"", "Squeeze", 25, 1, 2, 1, 1, infer_squeeze},
      {"", "Transpose", 1, 1, 1, 1, 1, infer_transpose},
      {"", "Transpose", 13, 1, 1, 1, 1, infer_transpose},
      {"", "Transpose", 21, 1, 1, 1, 1, infer_transpose},
      {"", "Transpose", 23, 1, 1, 1, 1, infer_transpose},
      {"", "Transpose", 24, 1, 1, 1, 1, infer_transpose},
      {"", "Transpose", 25, 1, 1, 1, 1, infer_transpose},
      {"", "Unsqueeze", 1, 1, 1, 1, 1, infer_unsqueeze, "axes"},
      {"", "Unsqueeze", 11, 1, 1, 1, 1, infer_unsqueeze, "axes"},
      {"", "Unsqueeze", 13, 2, 2, 1, 1, infer_unsqueeze},
      {"", "Unsqueeze", 21, 2, 2, 1, 1, infer_unsqueeze},
      {"", "Unsqueeze", 23, 2, 2, 1, 1, infer_unsqueeze},
      {"", "Unsqueeze", 24, 2, 2, 1, 1, infer_unsqueeze},
      {"", "Unsqueeze", 25, 2, 2, 1, 1, infer_unsqueeze},
  };
  return kRows;
}

}  // namespace ortc
