// SPDX-License-Identifier: MIT
// Reductions along axes, given as an attribute or, in later opsets, as input 1.
#include <algorithm>

#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

// The axes as far as they are known; nothing when they come at run time.
std::optional<std::vector<int64_t>> axes_of(const InferContext& ctx) {
  if (ctx.has_input(1)) return known_integers(ctx, 1);
  return ctx.node().ints_attribute("axes");
}

std::optional<Shape> reduced_shape(const Shape& x, const std::vector<size_t>& axes, bool keep) {
  Shape shape;
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) {
      shape.push_back(x[i]);
    } else if (keep) {
      shape.push_back(Dim::known(1));
    }
  }
  return shape;
}

// An attribute that is 0 or 1.
Result<bool> flag(const InferContext& ctx, std::string_view name, bool otherwise) {
  const int64_t value = ctx.node().int_attribute(name, otherwise ? 1 : 0);
  if (value == 0 || value == 1) return value == 1;
  return invalid_graph("attribute '", name, "' is ", value, ", expected 0 or 1");
}

Status infer_reduce(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  ASSIGN_OR_RETURN(const bool keep, flag(ctx, "keepdims", true));
  const bool none_is_identity = ctx.node().int_attribute("noop_with_empty_axes", 0) != 0;
  auto axes = axes_of(ctx);
  if (x != nullptr && vector_size(ctx, 1) > static_cast<int64_t>(x->size())) {
    return invalid_graph("has ", vector_size(ctx, 1), " axes, its input rank ", x->size());
  }
  std::optional<Shape> shape;
  if (x != nullptr && axes) {
    ASSIGN_OR_RETURN(auto checked, checked_axes(*axes, x->size()));
    if (checked.empty() && !none_is_identity) {
      for (size_t i = 0; i < x->size(); ++i) checked.push_back(i);
    }
    shape = reduced_shape(*x, checked, keep);
  } else if (x != nullptr && keep) {
    shape = unknown_shape(x->size());
  } else if (axes && axes->empty() && !none_is_identity && !keep) {
    shape = Shape{};
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Status infer_arg_reduce(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  ASSIGN_OR_RETURN(const bool keep, flag(ctx, "keepdims", true));
  std::optional<Shape> shape;
  if (x != nullptr) {
    ASSIGN_OR_RETURN(size_t axis, checked_axis(ctx.node().int_attribute("axis", 0), x->size()));
    shape = reduced_shape(*x, {axis}, keep);
  }
  set_tensor(ctx, 0, DType::kInt64, std::move(shape));
  return Status::ok();
}

Status infer_cumulative(InferContext& ctx) {
  RETURN_IF_ERROR(flag(ctx, "exclusive", false).status());
  RETURN_IF_ERROR(flag(ctx, "reverse", false).status());
  auto axis = known_integers(ctx, 1);
  const Shape* x = input_shape(ctx, 0);
  if (x != nullptr && axis && axis->size() == 1) {
    RETURN_IF_ERROR(checked_axis((*axis)[0], x->size()).status());
  }
  return infer_same_type(ctx);
}

Status infer_top_k(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  std::optional<Shape> shape;
  if (x != nullptr) {
    ASSIGN_OR_RETURN(size_t axis, checked_axis(ctx.node().int_attribute("axis", -1), x->size()));
    Integer k;
    if (ctx.opset() < 10) {
      k = Integer::number(ctx.node().int_attribute("k", 0));
    } else if (auto given = integers(ctx, 1); given && given->size() == 1) {
      k = (*given)[0];
    }
    const Dim& size = (*x)[axis];
    if (k.is_known && (k.value < 0 || (size.is_known() && k.value > size.value))) {
      return invalid_graph("k is ", k.value, " on an axis of size ", shape_to_string({size}));
    }
    shape = *x;
    (*shape)[axis] = k.dim();
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), shape);
  set_tensor(ctx, 1, DType::kInt64, shape);
  return Status::ok();
}

Status infer_non_max_suppression(InferContext& ctx) {
  set_tensor(ctx, 0, DType::kInt64, Shape{Dim::unknown(), Dim::known(3)});
  return Status::ok();
}

}  // namespace

std::span<const OpRow> reduction_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"", "ArgMax", 1, 1, 1, 1, 1, infer_arg_reduce},
      {"", "ArgMax", 11, 1, 1, 1, 1, infer_arg_reduce},
      {"", "ArgMax", 12, 1, 1, 1, 1, infer_arg_reduce},
      {"", "ArgMax", 13, 1, 1, 1, 1, infer_arg_reduce},
      {"", "ArgMin", 1, 1, 1, 1, 1, infer_arg_reduce},
      {"", "ArgMin", 11, 1, 1, 1, 1, infer_arg_reduce},
      {"", "ArgMin", 12, 1, 1, 1, 1, infer_arg_reduce},
      {"", "ArgMin", 13, 1, 1, 1, 1, infer_arg_reduce},
      {"", "CumProd", 26, 2, 2, 1, 1, infer_cumulative},
      {"", "CumSum", 11, 2, 2, 1, 1, infer_cumulative},
      {"", "CumSum", 14, 2, 2, 1, 1, infer_cumulative},
      {"", "NonMaxSuppression", 10, 2, 5, 1, 1, infer_non_max_suppression},
      {"", "NonMaxSuppression", 11, 2, 5, 1, 1, infer_non_max_suppression},
      {"", "ReduceL1", 1, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceL1", 11, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceL1", 13, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceL1", 18, 1, 2, 1, 1, infer_reduce},
      {"", "ReduceL2", 1, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceL2", 11, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceL2", 13, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceL2", 18, 1, 2, 1, 1, infer_reduce},
      {"", "ReduceLogSum", 1, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceLogSum", 11, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceLogSum", 13, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceLogSum", 18, 1, 2, 1, 1, infer_reduce},
      {"", "ReduceLogSumExp", 1, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceLogSumExp", 11, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceLogSumExp", 13, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceLogSumExp", 18, 1, 2, 1, 1, infer_reduce},
      {"", "ReduceMax", 1, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceMax", 11, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceMax", 12, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceMax", 13, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceMax", 18, 1, 2, 1, 1, infer_reduce},
      {"", "ReduceMax", 20, 1, 2, 1, 1, infer_reduce},
      {"", "ReduceMean", 1, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceMean", 11, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceMean", 13, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceMean", 18, 1, 2, 1, 1, infer_reduce},
      {"", "ReduceMin", 1, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceMin", 11, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceMin", 12, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceMin", 13, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceMin", 18, 1, 2, 1, 1, infer_reduce},
      {"", "ReduceMin", 20, 1, 2, 1, 1, infer_reduce},
      {"", "ReduceProd", 1, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceProd", 11, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceProd", 13, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceProd", 18, 1, 2, 1, 1, infer_reduce},
      {"", "ReduceSum", 1, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceSum", 11, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceSum", 13, 1, 2, 1, 1, infer_reduce},
      {"", "ReduceSumSquare", 1, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceSumSquare", 11, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceSumSquare", 13, 1, 1, 1, 1, infer_reduce},
      {"", "ReduceSumSquare", 18, 1, 2, 1, 1, infer_reduce},
      {"", "TopK", 1, 1, 1, 2, 2, infer_top_k, "k"},
      {"", "TopK", 10, 2, 2, 2, 2, infer_top_k},
      {"", "TopK", 11, 2, 2, 2, 2, infer_top_k},
      {"", "TopK", 24, 2, 2, 2, 2, infer_top_k},
  };
  return kRows;
}

}  // namespace ortc
