// SPDX-License-Identifier: MIT
// Operators that make a tensor larger, smaller or regroup its axes by whole elements.
#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

std::optional<Shape> unknown_like(const Shape* x) {
  return x != nullptr ? std::optional<Shape>(unknown_shape(x->size())) : std::nullopt;
}

// Begins of all axes, then ends; negative numbers cut.
Status infer_pad(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  const DType dtype = input_dtype(ctx, 0);
  std::optional<std::vector<int64_t>> pads;
  if (ctx.opset() < 11) {
    pads = ctx.node().ints_attribute(ctx.opset() < 2 ? "paddings" : "pads");
  } else {
    pads = known_integers(ctx, 1);
  }
  std::optional<std::vector<int64_t>> given_axes;
  if (ctx.has_input(3)) {
    given_axes = known_integers(ctx, 3);
    if (!given_axes) pads.reset();
  }
  if (x == nullptr || !pads) {
    set_tensor(ctx, 0, dtype, unknown_like(x));
    return Status::ok();
  }
  std::vector<size_t> axes;
  if (given_axes) {
    ASSIGN_OR_RETURN(axes, checked_axes(*given_axes, x->size()));
  } else {
    for (size_t i = 0; i < x->size(); ++i) axes.push_back(i);
  }
  if (pads->size() != 2 * axes.size()) {
    return invalid_graph("pads has ", pads->size(), " numbers, expected ", 2 * axes.size());
  }
  Shape shape = *x;
  for (size_t i = 0; i < axes.size(); ++i) {
    auto sum = checked_add((*pads)[i], (*pads)[axes.size() + i]);
    if (!sum) return invalid_graph("pads overflow");
    Dim& dim = shape[axes[i]];
    auto size = dim.is_known() ? checked_add(dim.value, *sum) : std::nullopt;
    if (dim.is_known() && (!size || *size < 0))
      return invalid_graph("axis ", axes[i], " has no valid size");
    dim = offset_dim(dim, *sum);
  }
  set_tensor(ctx, 0, dtype, std::move(shape));
  return Status::ok();
}

Status infer_tile(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  auto repeats = integers(ctx, 1);
  std::optional<Shape> shape = unknown_like(x);
  if (x != nullptr && repeats) {
    if (repeats->size() != x->size()) {
      return invalid_graph("repeats has ", repeats->size(), " numbers, expected ", x->size());
    }
    for (size_t i = 0; i < x->size(); ++i) {
      if ((*repeats)[i].is_known && (*repeats)[i].value < 0) {
        return invalid_graph("repeats holds ", (*repeats)[i].value);
      }
      (*shape)[i] = mul_dims((*x)[i], (*repeats)[i].dim());
    }
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

// Its first form repeats along one axis: inputs data, tiles, axis.
Status infer_tile_1(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  auto tiles = integers(ctx, 1);
  auto axis = known_integers(ctx, 2);
  std::optional<Shape> shape = unknown_like(x);
  if (x != nullptr && tiles && axis && tiles->size() == 1 && axis->size() == 1) {
    ASSIGN_OR_RETURN(size_t at, checked_axis((*axis)[0], x->size()));
    shape = *x;
    (*shape)[at] = mul_dims((*x)[at], (*tiles)[0].dim());
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Result<int64_t> block_size(const InferContext& ctx) {
  const int64_t block = ctx.node().int_attribute("blocksize", 0);
  if (block < 1 || block > INT32_MAX) {
    return invalid_graph("attribute 'blocksize' is ", block, ", expected 1 or more");
  }
  return block;
}

Result<Dim> divided(const Dim& dim, int64_t by) {
  if (by == 1) return plain_dim(dim);
  if (!dim.is_known()) return Dim::unknown();
  if (dim.value % by != 0) return invalid_graph(dim.value, " is not a multiple of ", by);
  return Dim::known(dim.value / by);
}

Status infer_depth_to_space(InferContext& ctx) {
  ASSIGN_OR_RETURN(int64_t block, block_size(ctx));
  RETURN_IF_ERROR(expect_rank(ctx, 0, 4));
  const Shape* x = input_shape(ctx, 0);
  std::optional<Shape> shape;
  if (x != nullptr) {
    ASSIGN_OR_RETURN(Dim channels, divided((*x)[1], block * block));
    shape = Shape{(*x)[0], channels, mul_dims((*x)[2], Dim::known(block)),
                  mul_dims((*x)[3], Dim::known(block))};
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Status infer_space_to_depth(InferContext& ctx) {
  ASSIGN_OR_RETURN(int64_t block, block_size(ctx));
  RETURN_IF_ERROR(expect_rank(ctx, 0, 4));
  const Shape* x = input_shape(ctx, 0);
  std::optional<Shape> shape;
  if (x != nullptr) {
    ASSIGN_OR_RETURN(Dim height, divided((*x)[2], block));
    ASSIGN_OR_RETURN(Dim width, divided((*x)[3], block));
    shape = Shape{(*x)[0], mul_dims((*x)[1], Dim::known(block * block)), height, width};
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Status infer_trilu(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  if (x != nullptr && x->size() < 2) {
    return invalid_graph("input has rank ", x->size(), ", expected at least 2");
  }
  return infer_same_type(ctx);
}

Status infer_center_crop_pad(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  auto sizes = integers(ctx, 1);
  std::optional<Shape> shape = unknown_like(x);
  if (x != nullptr && sizes) {
    std::vector<size_t> axes;
    if (ctx.node().attribute("axes") != nullptr) {
      ASSIGN_OR_RETURN(axes, checked_axes(ctx.node().ints_attribute("axes"), x->size()));
    } else {
      for (size_t i = 0; i < x->size(); ++i) axes.push_back(i);
    }
    if (axes.size() != sizes->size()) {
      return invalid_graph("shape has ", sizes->size(), " numbers, expected ", axes.size());
    }
    shape = *x;
    for (size_t i = 0; i < axes.size(); ++i) (*shape)[axes[i]] = (*sizes)[i].dim();
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

}  // namespace

std::span<const OpRow> pad_tile_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"", "CenterCropPad", 18, 2, 2, 1, 1, infer_center_crop_pad},
      {"", "DepthToSpace", 1, 1, 1, 1, 1, infer_depth_to_space, "blocksize"},
      {"", "DepthToSpace", 11, 1, 1, 1, 1, infer_depth_to_space, "blocksize"},
      {"", "DepthToSpace", 13, 1, 1, 1, 1, infer_depth_to_space, "blocksize"},
      {"", "Pad", 1, 1, 1, 1, 1, infer_pad, "paddings"},
      {"", "Pad", 2, 1, 1, 1, 1, infer_pad, "pads"},
      {"", "Pad", 11, 2, 3, 1, 1, infer_pad},
      {"", "Pad", 13, 2, 3, 1, 1, infer_pad},
      {"", "Pad", 18, 2, 4, 1, 1, infer_pad},
      {"", "Pad", 19, 2, 4, 1, 1, infer_pad},
      {"", "Pad", 21, 2, 4, 1, 1, infer_pad},
      {"", "Pad", 23, 2, 4, 1, 1, infer_pad},
      {"", "Pad", 24, 2, 4, 1, 1, infer_pad},
      {"", "Pad", 25, 2, 4, 1, 1, infer_pad},
      {"", "SpaceToDepth", 1, 1, 1, 1, 1, infer_space_to_depth, "blocksize"},
      {"", "SpaceToDepth", 13, 1, 1, 1, 1, infer_space_to_depth, "blocksize"},
      {"", "Tile", 1, 3, 3, 1, 1, infer_tile_1},
      {"", "Tile", 6, 2, 2, 1, 1, infer_tile},
      {"", "Tile", 13, 2, 2, 1, 1, infer_tile},
      {"", "Trilu", 14, 1, 2, 1, 1, infer_trilu},
  };
  return kRows;
}

}  // namespace ortc
