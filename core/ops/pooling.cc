// SPDX-License-Identifier: MIT
// Pooling, its inverse and its global forms.
#include <algorithm>

#include "core/ops/windows.h"

namespace ortc {
namespace {

// A window of nothing but padding has no value.
Status check_padding(const Windows& windows) {
  for (const Window& window : windows) {
    const int64_t pad = std::max(window.pad_begin, window.pad_end);
    if (window.same || !window.kernel.is_known() || pad < window.kernel.value) continue;
    return invalid_graph("attribute 'pads' holds ", pad, ", expected less than the kernel's ",
                         window.kernel.value);
  }
  return Status::ok();
}

Status infer_pool(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  std::optional<Shape> shape;
  if (x != nullptr) {
    if (x->size() < 3) return invalid_graph("input has rank ", x->size(), ", expected at least 3");
    const size_t rank = x->size() - 2;
    ASSIGN_OR_RETURN(Windows windows, read_windows(ctx, rank, {}));
    RETURN_IF_ERROR(check_padding(windows));
    shape = Shape{plain_dim((*x)[0]), plain_dim((*x)[1])};
    for (size_t i = 0; i < rank; ++i) {
      ASSIGN_OR_RETURN(Dim dim, window_count(windows[i], (*x)[2 + i]));
      shape->push_back(std::move(dim));
    }
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), shape);
  set_tensor(ctx, 1, DType::kInt64, shape);
  return Status::ok();
}

Status infer_global_pool(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  std::optional<Shape> shape;
  if (x != nullptr) {
    if (x->size() < 2) return invalid_graph("input has rank ", x->size(), ", expected at least 2");
    shape = Shape(x->size(), Dim::known(1));
    (*shape)[0] = plain_dim((*x)[0]);
    (*shape)[1] = plain_dim((*x)[1]);
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

//   x = stride * (y - 1) + k - pads, or what input 2 says.
Status infer_max_unpool(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  std::optional<Shape> shape;
  if (ctx.has_input(2)) {
    auto sizes = integers(ctx, 2);
    if (sizes) {
      shape = Shape{};
      for (const Integer& size : *sizes) shape->push_back(size.dim());
    }
  } else if (x != nullptr) {
    if (x->size() < 3) return invalid_graph("input has rank ", x->size(), ", expected at least 3");
    ASSIGN_OR_RETURN(Windows windows, read_windows(ctx, x->size() - 2, {}));
    shape = Shape{plain_dim((*x)[0]), plain_dim((*x)[1])};
    for (size_t i = 0; i < windows.size(); ++i) {
      const Dim& dim = (*x)[2 + i];
      const Window& window = windows[i];
      if (!dim.is_known() || !window.kernel.is_known()) {
        shape->push_back(Dim::unknown());
        continue;
      }
      auto steps = checked_mul(window.stride, dim.value - 1);
      auto size = steps ? checked_add(*steps, window.kernel.value) : std::nullopt;
      size = size ? checked_add(*size, -window.pads()) : std::nullopt;
      if (!size || *size < 0) {
        return invalid_graph("the output has no valid size, with pads of ", window.pad_begin,
                             " and ", window.pad_end);
      }
      shape->push_back(Dim::known(*size));
    }
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Status infer_max_roi_pool(InferContext& ctx) {
  const auto pooled = ctx.node().ints_attribute("pooled_shape");
  if (pooled.size() != 2) return invalid_graph("attribute 'pooled_shape' needs two numbers");
  const Shape* x = input_shape(ctx, 0);
  const Shape* rois = input_shape(ctx, 1);
  RETURN_IF_ERROR(expect_rank(ctx, 0, 4));
  Shape shape = {Dim::unknown(), Dim::unknown(), Dim::known(pooled[0]), Dim::known(pooled[1])};
  if (rois != nullptr && !rois->empty()) shape[0] = plain_dim((*rois)[0]);
  if (x != nullptr) shape[1] = plain_dim((*x)[1]);
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

}  // namespace

std::span<const OpRow> pooling_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"", "AveragePool", 1, 1, 1, 1, 1, infer_pool, "kernel_shape"},
      {"", "AveragePool", 7, 1, 1, 1, 1, infer_pool, "kernel_shape"},
      {"", "AveragePool", 10, 1, 1, 1, 1, infer_pool, "kernel_shape"},
      {"", "AveragePool", 11, 1, 1, 1, 1, infer_pool, "kernel_shape"},
      {"", "AveragePool", 19, 1, 1, 1, 1, infer_pool, "kernel_shape"},
      {"", "AveragePool", 22, 1, 1, 1, 1, infer_pool, "kernel_shape"},
      {"", "GlobalAveragePool", 1, 1, 1, 1, 1, infer_global_pool},
      {"", "GlobalAveragePool", 22, 1, 1, 1, 1, infer_global_pool},
      {"", "GlobalLpPool", 1, 1, 1, 1, 1, infer_global_pool},
      {"", "GlobalLpPool", 2, 1, 1, 1, 1, infer_global_pool},
      {"", "GlobalLpPool", 22, 1, 1, 1, 1, infer_global_pool},
      {"", "GlobalMaxPool", 1, 1, 1, 1, 1, infer_global_pool},
      {"", "GlobalMaxPool", 22, 1, 1, 1, 1, infer_global_pool},
      {"", "LpPool", 1, 1, 1, 1, 1, infer_pool, "kernel_shape"},
      {"", "LpPool", 2, 1, 1, 1, 1, infer_pool, "kernel_shape"},
      {"", "LpPool", 11, 1, 1, 1, 1, infer_pool, "kernel_shape"},
      {"", "LpPool", 18, 1, 1, 1, 1, infer_pool, "kernel_shape"},
      {"", "LpPool", 22, 1, 1, 1, 1, infer_pool, "kernel_shape"},
      {"", "MaxPool", 1, 1, 1, 1, 1, infer_pool, "kernel_shape"},
      {"", "MaxPool", 8, 1, 1, 1, 2, infer_pool, "kernel_shape"},
      {"", "MaxPool", 10, 1, 1, 1, 2, infer_pool, "kernel_shape"},
      {"", "MaxPool", 11, 1, 1, 1, 2, infer_pool, "kernel_shape"},
      {"", "MaxPool", 12, 1, 1, 1, 2, infer_pool, "kernel_shape"},
      {"", "MaxPool", 22, 1, 1, 1, 2, infer_pool, "kernel_shape"},
      {"", "MaxRoiPool", 1, 2, 2, 1, 1, infer_max_roi_pool, "pooled_shape"},
      {"", "MaxRoiPool", 22, 2, 2, 1, 1, infer_max_roi_pool, "pooled_shape"},
      {"", "MaxUnpool", 9, 2, 3, 1, 1, infer_max_unpool, "kernel_shape"},
      {"", "MaxUnpool", 11, 2, 3, 1, 1, infer_max_unpool, "kernel_shape"},
      {"", "MaxUnpool", 22, 2, 3, 1, 1, infer_max_unpool, "kernel_shape"},
  };
  return kRows;
}

}  // namespace ortc
