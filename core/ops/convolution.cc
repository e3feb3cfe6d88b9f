// SPDX-License-Identifier: MIT
// Convolutions.
//
//   y = floor((x + pads - (dilation * (k - 1) + 1)) / stride) + 1       Conv and its relatives
//   y = stride * (x - 1) + output_padding + dilation * (k - 1) + 1 - pads      ConvTranspose
#include "core/ops/windows.h"

namespace ortc {
namespace {

struct ConvInputs {
  size_t x = 0, w = 1;
};

// The input has as many dimensions as the weights.
std::optional<Shape> shape_by_weights(const Shape& weights) {
  if (weights.size() < 3) return std::nullopt;
  Shape shape(weights.size(), Dim::unknown());
  shape[1] = plain_dim(weights[0]);
  return shape;
}

// [batch, out channels, spatial...]; checks ranks, groups and channels.
Result<std::optional<Shape>> conv_shape(const InferContext& ctx, ConvInputs at) {
  const Shape* x = input_shape(ctx, at.x);
  const Shape* w = input_shape(ctx, at.w);
  if (w == nullptr) return std::optional<Shape>();
  if (x == nullptr) return shape_by_weights(*w);
  if (x->size() < 3) return invalid_graph("input has rank ", x->size(), ", expected at least 3");
  if (w->size() != x->size()) {
    return invalid_graph("weight has rank ", w->size(), ", expected ", x->size());
  }
  const int64_t group = ctx.node().int_attribute("group", 1);
  if (group <= 0) return invalid_graph("attribute 'group' is ", group, ", expected 1 or more");
  const Dim &channels = (*x)[1], &per_group = (*w)[1], &out = (*w)[0];
  if (channels.is_known() && per_group.is_known() &&
      (channels.value % group != 0 || channels.value / group != per_group.value)) {
    return invalid_graph("input has ", channels.value, " channels, weight takes ", group,
                         " groups of ", per_group.value);
  }
  if (out.is_known() && out.value % group != 0) {
    return invalid_graph(out.value, " output channels are not a multiple of ", group, " groups");
  }
  std::span<const Dim> kernel(w->data() + 2, w->size() - 2);
  ASSIGN_OR_RETURN(Windows windows, read_windows(ctx, x->size() - 2, kernel));
  Shape shape = {plain_dim((*x)[0]), plain_dim(out)};
  for (size_t i = 0; i < windows.size(); ++i) {
    ASSIGN_OR_RETURN(Dim dim, window_count(windows[i], (*x)[2 + i]));
    shape.push_back(std::move(dim));
  }
  return std::optional<Shape>(std::move(shape));
}

Status infer_conv(InferContext& ctx) {
  RETURN_IF_ERROR(same_dtype(ctx, 0, 1));
  ASSIGN_OR_RETURN(auto shape, conv_shape(ctx, {}));
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Status infer_conv_integer(InferContext& ctx) {
  ASSIGN_OR_RETURN(auto shape, conv_shape(ctx, {}));
  set_tensor(ctx, 0, DType::kInt32, std::move(shape));
  return Status::ok();
}

Status infer_qlinear_conv(InferContext& ctx) {
  ASSIGN_OR_RETURN(auto shape, conv_shape(ctx, {0, 3}));
  set_tensor(ctx, 0, input_dtype(ctx, 7), std::move(shape));
  return Status::ok();
}

Result<Dim> transposed_size(const Window& window, const Dim& x, int64_t output_padding) {
  if (!x.is_known() || !window.kernel.is_known()) return Dim::unknown();
  if (window.same) {
    auto size = checked_mul(x.value, window.stride);
    if (!size) return invalid_graph("the output's size overflows");
    return Dim::known(*size);
  }
  auto reach = window_reach(window);
  auto steps = checked_mul(window.stride, x.value - 1);
  auto sum = reach && steps ? checked_add(*steps, *reach) : std::nullopt;
  sum = sum ? checked_add(*sum, output_padding) : std::nullopt;
  auto size = sum ? checked_add(*sum, -window.pads()) : std::nullopt;
  if (!size) {
    return invalid_graph("the output's size overflows, with pads of ", window.pad_begin, " and ",
                         window.pad_end);
  }
  if (*size < 0) return invalid_graph("the output's size would be ", *size);
  return Dim::known(*size);
}

Status infer_conv_transpose(InferContext& ctx) {
  RETURN_IF_ERROR(same_dtype(ctx, 0, 1));
  const Shape* x = input_shape(ctx, 0);
  const Shape* w = input_shape(ctx, 1);
  const DType dtype = input_dtype(ctx, 0);
  if (x == nullptr || w == nullptr) {
    set_tensor(ctx, 0, dtype, std::nullopt);
    return Status::ok();
  }
  if (x->size() < 3) return invalid_graph("input has rank ", x->size(), ", expected at least 3");
  if (w->size() != x->size()) {
    return invalid_graph("weight has rank ", w->size(), ", expected ", x->size());
  }
  const int64_t group = ctx.node().int_attribute("group", 1);
  if (group <= 0) return invalid_graph("attribute 'group' is ", group, ", expected 1 or more");
  const Dim &channels = (*x)[1], &in = (*w)[0];
  if (channels.is_known() && in.is_known() && channels.value != in.value) {
    return invalid_graph("input has ", channels.value, " channels, weight takes ", in.value);
  }
  const size_t rank = x->size() - 2;
  std::span<const Dim> kernel(w->data() + 2, rank);
  ASSIGN_OR_RETURN(Windows windows, read_windows(ctx, rank, kernel));
  auto padding = ctx.node().ints_attribute("output_padding");
  if (padding.empty()) padding.resize(rank);
  const auto sizes = ctx.node().ints_attribute("output_shape");
  if (padding.size() != rank)
    return invalid_graph("attribute 'output_padding' has ", padding.size(), " numbers, expected ",
                         rank);
  // Some exporters give the batch and channel sizes too.
  if (!sizes.empty() && sizes.size() != rank && sizes.size() != rank + 2) {
    return invalid_graph("attribute 'output_shape' has ", sizes.size(), " numbers, expected ",
                         rank);
  }
  Shape shape = {plain_dim((*x)[0]), mul_dims((*w)[1], Dim::known(group))};
  for (size_t i = 0; i < rank; ++i) {
    if (!sizes.empty()) {
      const int64_t size = sizes[sizes.size() - rank + i];
      if (size < 0) {
        return invalid_graph("attribute 'output_shape' holds ", size, ", expected 0 or more");
      }
      shape.push_back(Dim::known(size));
      continue;
    }
    ASSIGN_OR_RETURN(Dim dim, transposed_size(windows[i], (*x)[2 + i], padding[i]));
    shape.push_back(std::move(dim));
  }
  set_tensor(ctx, 0, dtype, std::move(shape));
  return Status::ok();
}

Status infer_causal_conv(InferContext& ctx) {
  RETURN_IF_ERROR(expect_rank(ctx, 0, 3));
  RETURN_IF_ERROR(expect_rank(ctx, 1, 3));
  RETURN_IF_ERROR(infer_same_type(ctx));
  const Shape* x = input_shape(ctx, 0);
  const Shape* w = input_shape(ctx, 1);
  std::optional<Shape> state;
  if (x != nullptr && w != nullptr) state = {(*x)[0], (*x)[1], offset_dim((*w)[2], -1)};
  set_tensor(ctx, 1, input_dtype(ctx, 0), std::move(state));
  return Status::ok();
}

// Columns back to an image: [n, c * block, l] -> [n, c, image...].
Status infer_col2im(InferContext& ctx) {
  RETURN_IF_ERROR(expect_rank(ctx, 0, 3));
  const Shape* x = input_shape(ctx, 0);
  auto image = integers(ctx, 1);
  auto block = integers(ctx, 2);
  std::optional<Shape> shape;
  if (image) {
    shape = Shape{x != nullptr ? plain_dim((*x)[0]) : Dim::unknown(), Dim::unknown()};
    Dim size = Dim::unknown();
    if (block) {
      size = Dim::known(1);
      for (const Integer& value : *block) size = mul_dims(size, value.dim());
    }
    if (x != nullptr && (*x)[1].is_known() && size.is_known() && size.value > 0) {
      if ((*x)[1].value % size.value != 0) {
        return invalid_graph((*x)[1].value, " is not a multiple of the block's ", size.value);
      }
      (*shape)[1] = Dim::known((*x)[1].value / size.value);
    }
    for (const Integer& value : *image) shape->push_back(value.dim());
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

}  // namespace

std::span<const OpRow> convolution_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"", "CausalConvWithState", 27, 2, 4, 2, 2, infer_causal_conv},
      {"", "Col2Im", 18, 3, 3, 1, 1, infer_col2im},
      {"", "Conv", 1, 2, 3, 1, 1, infer_conv},
      {"", "Conv", 11, 2, 3, 1, 1, infer_conv},
      {"", "Conv", 22, 2, 3, 1, 1, infer_conv},
      {"", "ConvInteger", 10, 2, 4, 1, 1, infer_conv_integer},
      {"", "ConvTranspose", 1, 2, 3, 1, 1, infer_conv_transpose},
      {"", "ConvTranspose", 11, 2, 3, 1, 1, infer_conv_transpose},
      {"", "ConvTranspose", 22, 2, 3, 1, 1, infer_conv_transpose},
      {"", "QLinearConv", 10, 8, 9, 1, 1, infer_qlinear_conv},
  };
  return kRows;
}

}  // namespace ortc
