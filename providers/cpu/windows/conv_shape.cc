// SPDX-License-Identifier: MIT
// Shapes of convolutions: see the header.
#include "providers/cpu/windows/conv_shape.h"

#include <algorithm>

#include "core/base/checked_math.h"

namespace ortc::cpu {

Result<ConvWeightsParams> conv_weights_params(const Node& node, const Dims& dims) {
  ConvWeightsParams p{};
  p.groups = node.int_attribute("group", 1);
  ASSIGN_OR_RETURN(p.windows, windows_from_attributes(node));
  if (dims.size() != 4 || (p.windows.rank != 0 && p.windows.rank != 2)) {
    return invalid_graph("weights of shape ", dims_to_string(dims),
                         ", expected rank 4 for 2 spatial axes");
  }
  const auto in_c = checked_mul(dims[1], p.groups);
  const bool is_possible = p.groups >= 1 && in_c && *in_c >= 1 && dims[0] >= 1 &&
                           dims[0] % p.groups == 0 && *in_c <= INT32_MAX && dims[0] <= INT32_MAX;
  if (!is_possible) {
    return invalid_graph("weights of shape ", dims_to_string(dims), " with ", p.groups,
                         " groups are impossible");
  }
  p.in_c = *in_c;
  p.out_c = dims[0];
  if (p.windows.rank == 0) {
    p.windows.rank = 2;
    std::fill_n(p.windows.stride, 2, 1);
    std::fill_n(p.windows.dilation, 2, 1);
  }
  for (size_t i = 0; i < 2; ++i) {
    if (p.windows.kernel[i] != 0 && p.windows.kernel[i] != dims[i + 2]) {
      return invalid_graph("kernel_shape says ", p.windows.kernel[i], ", the weights have ",
                           dims[i + 2]);
    }
    p.windows.kernel[i] = dims[i + 2];
  }
  return p;
}

Status check_conv_weights(const ConvWeightsParams& p) {
  const auto is_count = [](int64_t n) { return n >= 1 && n <= INT32_MAX; };
  const bool is_good = is_count(p.in_c) && is_count(p.out_c) && is_count(p.groups) &&
                       p.in_c % p.groups == 0 && p.out_c % p.groups == 0 && p.windows.rank == 2 &&
                       is_count(p.windows.kernel[0]) && is_count(p.windows.kernel[1]);
  if (is_good) return Status::ok();
  return invalid_graph("its record describes an impossible convolution: ", p.in_c, " to ", p.out_c,
                       " channels in ", p.groups, " groups");
}

ConvShape conv_weights_shape(const ConvWeightsParams& p) {
  ConvShape shape;
  shape.in_c = static_cast<size_t>(p.in_c);
  shape.out_c = static_cast<size_t>(p.out_c);
  shape.groups = static_cast<size_t>(p.groups);
  shape.kernel_h = static_cast<size_t>(p.windows.kernel[0]);
  shape.kernel_w = static_cast<size_t>(p.windows.kernel[1]);
  shape.stride_h = static_cast<size_t>(p.windows.stride[0]);
  shape.stride_w = static_cast<size_t>(p.windows.stride[1]);
  shape.dilation_h = static_cast<size_t>(p.windows.dilation[0]);
  shape.dilation_w = static_cast<size_t>(p.windows.dilation[1]);
  return shape;
}

ConvShape conv_shape_of(const ConvWeightsParams& p, std::span<const int64_t> x,
                        const Windows& windows) {
  const WindowAxis& h = windows.axis[1];
  const WindowAxis& w = windows.axis[2];
  ConvShape shape = conv_weights_shape(p);
  shape.batch = static_cast<size_t>(x[0]);
  shape.in_h = static_cast<size_t>(h.in);
  shape.in_w = static_cast<size_t>(w.in);
  shape.out_h = static_cast<size_t>(h.out);
  shape.out_w = static_cast<size_t>(w.out);
  shape.pad_top = static_cast<size_t>(h.pad_begin);
  shape.pad_left = static_cast<size_t>(w.pad_begin);
  return shape;
}

TileGrid conv_grid(const ConvShape& shape, size_t cost, int threads) {
  const TileGrid grid =
      make_tile_grid(static_cast<int64_t>(shape.pixels()), static_cast<int64_t>(shape.panels()),
                     static_cast<int64_t>(cost), conv_items_for_threads(threads));
  const size_t elements =
      shape.batch * shape.in_h * shape.in_w * shape.in_c + shape.pixels() * shape.out_c;
  return cut_by_rows(grid, static_cast<int64_t>(shape.depth()), static_cast<int64_t>(elements),
                     threads);
}

}  // namespace ortc::cpu
