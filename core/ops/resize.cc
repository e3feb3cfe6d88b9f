// SPDX-License-Identifier: MIT
// Resampling: Resize, Upsample, grids and regions of interest.
#include <cmath>

#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

// floor(size * scale), in single precision as ONNX has the scales.
Result<Dim> scaled_dim(const Dim& dim, float scale) {
  if (scale == 1.0f) return plain_dim(dim);
  if (!(scale > 0.0f)) return invalid_graph("a scale is ", scale);
  if (!dim.is_known()) return Dim::unknown();
  const float size = std::floor(static_cast<float>(dim.value) * scale);
  if (!(size < 9e15f)) return invalid_graph("a scale of ", scale, " is too large");
  return Dim::known(static_cast<int64_t>(size));
}

Result<Shape> scaled_shape(const Shape& x, const std::vector<size_t>& axes,
                           std::span<const float> scales) {
  if (scales.size() != axes.size()) {
    return invalid_graph("scales has ", scales.size(), " numbers, expected ", axes.size());
  }
  Shape shape = x;
  for (size_t i = 0; i < axes.size(); ++i) {
    ASSIGN_OR_RETURN(shape[axes[i]], scaled_dim(x[axes[i]], scales[i]));
  }
  return shape;
}

std::vector<size_t> all_axes(size_t rank) {
  std::vector<size_t> axes(rank);
  for (size_t i = 0; i < rank; ++i) axes[i] = i;
  return axes;
}

// Elements of a float input that is constant now, however many dims it has.
std::optional<std::span<const float>> constant_floats(const InferContext& ctx, size_t i) {
  const Tensor* tensor = ctx.has_input(i) ? ctx.constant(i) : nullptr;
  if (tensor == nullptr || tensor->dtype() != DType::kFloat32) return std::nullopt;
  return tensor->elements<float>();
}

Status infer_upsample(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  std::optional<Shape> shape;
  if (x != nullptr) shape = unknown_shape(x->size());
  std::vector<float> scales;
  if (ctx.opset() >= 9) {
    if (auto given = constant_floats(ctx, 1)) scales.assign(given->begin(), given->end());
  } else if (ctx.opset() >= 7) {
    if (const Attribute* attribute = ctx.node().attribute("scales")) scales = attribute->floats;
  } else {
    scales = {1.0f, 1.0f, ctx.node().float_attribute("height_scale", 1.0f),
              ctx.node().float_attribute("width_scale", 1.0f)};
  }
  if (x != nullptr && !scales.empty()) {
    ASSIGN_OR_RETURN(shape, scaled_shape(*x, all_axes(x->size()), scales));
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Status infer_resize_10(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  std::optional<Shape> shape;
  if (x != nullptr) shape = unknown_shape(x->size());
  auto scales = constant_floats(ctx, 1);
  if (x != nullptr && scales) {
    ASSIGN_OR_RETURN(shape, scaled_shape(*x, all_axes(x->size()), *scales));
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

// Inputs x, roi, scales, sizes; an empty tensor counts as absent.
Status infer_resize(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  const DType dtype = input_dtype(ctx, 0);
  if (x == nullptr) {
    set_tensor(ctx, 0, dtype, std::nullopt);
    return Status::ok();
  }
  std::vector<size_t> axes = all_axes(x->size());
  if (ctx.node().attribute("axes") != nullptr) {
    ASSIGN_OR_RETURN(axes, checked_axes(ctx.node().ints_attribute("axes"), x->size()));
  }
  Shape shape = *x;
  for (size_t axis : axes) shape[axis] = Dim::unknown();
  const bool stretches =
      ctx.node().string_attribute("keep_aspect_ratio_policy", "stretch") == "stretch";
  const bool crops = ctx.node().string_attribute("coordinate_transformation_mode", "half_pixel") ==
                     "tf_crop_and_resize";
  auto sizes = ctx.has_input(3) ? integers(ctx, 3) : std::nullopt;
  if (sizes && sizes->size() == axes.size() && !axes.empty()) {
    for (size_t i = 0; stretches && i < axes.size(); ++i) shape[axes[i]] = (*sizes)[i].dim();
  } else if (sizes && !sizes->empty()) {
    return invalid_graph("sizes has ", sizes->size(), " numbers, expected ", axes.size());
  } else if (auto scales = constant_floats(ctx, 2); scales && !scales->empty() && !crops) {
    ASSIGN_OR_RETURN(shape, scaled_shape(*x, axes, *scales));
  }
  set_tensor(ctx, 0, dtype, std::move(shape));
  return Status::ok();
}

// [n, c, h, w] -> [n, h, w, 2]; one axis more for volumes.
Status infer_affine_grid(InferContext& ctx) {
  auto size = integers(ctx, 1);
  std::optional<Shape> shape;
  if (size) {
    if (size->size() != 4 && size->size() != 5) {
      return invalid_graph("size has ", size->size(), " numbers, expected 4 or 5");
    }
    shape = Shape{(*size)[0].dim()};
    for (size_t i = 2; i < size->size(); ++i) shape->push_back((*size)[i].dim());
    shape->push_back(Dim::known(static_cast<int64_t>(size->size()) - 2));
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

// [n, c, ...] sampled at [n, out..., r] -> [n, c, out...]
Status infer_grid_sample(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  const Shape* grid = input_shape(ctx, 1);
  std::optional<Shape> shape;
  if (x != nullptr && grid != nullptr) {
    if (x->size() < 3 || grid->size() != x->size()) {
      return invalid_graph("input has rank ", x->size(), ", grid has rank ", grid->size());
    }
    shape = Shape{(*x)[0], (*x)[1]};
    shape->insert(shape->end(), grid->begin() + 1, grid->end() - 1);
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Status infer_roi_align(InferContext& ctx) {
  RETURN_IF_ERROR(expect_rank(ctx, 0, 4));
  RETURN_IF_ERROR(expect_rank(ctx, 1, 2));
  RETURN_IF_ERROR(expect_rank(ctx, 2, 1));
  const Shape* x = input_shape(ctx, 0);
  const Shape* rois = input_shape(ctx, 1);
  const int64_t height = ctx.node().int_attribute("output_height", 1);
  const int64_t width = ctx.node().int_attribute("output_width", 1);
  if (height < 0 || width < 0) return invalid_graph("the output's size is ", height, " x ", width);
  set_tensor(ctx, 0, input_dtype(ctx, 0),
             Shape{rois != nullptr ? (*rois)[0] : Dim::unknown(),
                   x != nullptr ? (*x)[1] : Dim::unknown(), Dim::known(height), Dim::known(width)});
  return Status::ok();
}

Status infer_deform_conv(InferContext& ctx) {
  // The offsets have one element per window: their spatial axes are the output's.
  const Shape* x = input_shape(ctx, 0);
  const Shape* w = input_shape(ctx, 1);
  const Shape* offsets = input_shape(ctx, 2);
  std::optional<Shape> shape;
  if (x != nullptr && w != nullptr && offsets != nullptr) {
    if (x->size() < 3 || w->size() != x->size() || offsets->size() != x->size()) {
      return invalid_graph("input, weight and offset have ranks ", x->size(), ", ", w->size(),
                           " and ", offsets->size());
    }
    shape = Shape{(*x)[0], (*w)[0]};
    shape->insert(shape->end(), offsets->begin() + 2, offsets->end());
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

}  // namespace

std::span<const OpRow> resize_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"", "AffineGrid", 20, 2, 2, 1, 1, infer_affine_grid},
      {"", "DeformConv", 19, 3, 5, 1, 1, infer_deform_conv},
      {"", "DeformConv", 22, 3, 5, 1, 1, infer_deform_conv},
      {"", "GridSample", 16, 2, 2, 1, 1, infer_grid_sample},
      {"", "GridSample", 20, 2, 2, 1, 1, infer_grid_sample},
      {"", "GridSample", 22, 2, 2, 1, 1, infer_grid_sample},
      {"", "Resize", 10, 2, 2, 1, 1, infer_resize_10},
      {"", "Resize", 11, 3, 4, 1, 1, infer_resize},
      {"", "Resize", 13, 1, 4, 1, 1, infer_resize},
      {"", "Resize", 18, 1, 4, 1, 1, infer_resize},
      {"", "Resize", 19, 1, 4, 1, 1, infer_resize},
      {"", "RoiAlign", 10, 3, 3, 1, 1, infer_roi_align},
      {"", "RoiAlign", 16, 3, 3, 1, 1, infer_roi_align},
      {"", "RoiAlign", 22, 3, 3, 1, 1, infer_roi_align},
      {"", "Upsample", 1, 1, 1, 1, 1, infer_upsample, "height_scale,width_scale"},
      {"", "Upsample", 7, 1, 1, 1, 1, infer_upsample, "scales"},
      {"", "Upsample", 9, 2, 2, 1, 1, infer_upsample},
      {"", "Upsample", 10, 2, 2, 1, 1, infer_upsample},
  };
  return kRows;
}

}  // namespace ortc
