// SPDX-License-Identifier: MIT
// Shapes of channels-last convolutions over two spatial axes, from weights, record and input;
// shared by the element types.
#pragma once

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/arith/conv_f32/conv_f32.h"
#include "providers/cpu/products/tile_grid.h"
#include "providers/cpu/windows/window.h"

namespace ortc::cpu {

// The part of a record that says what the weights are.
struct ConvWeightsParams {
  int64_t in_c, out_c, groups;
  WindowParams windows;  // with the weights' kernel filled in
};
static_assert(sizeof(ConvWeightsParams) == 160);

// Fills the record from weights [out_c][in_c / groups][kernel_h][kernel_w] and the attributes.
Result<ConvWeightsParams> conv_weights_params(const Node& node, const Dims& dims);

// Counts are within reason and groups divide the channels.
Status check_conv_weights(const ConvWeightsParams& params);

// Channels, groups, kernel, strides and dilations; the rest is 1.
ConvShape conv_weights_shape(const ConvWeightsParams& params);
// Over an input [n, h, w, c].
ConvShape conv_shape_of(const ConvWeightsParams& params, std::span<const int64_t> x,
                        const Windows& windows);

// The work items of such a convolution. `cost` is that of a sum in multiplications of floats.
TileGrid conv_grid(const ConvShape& shape, size_t cost, int threads);

}  // namespace ortc::cpu
