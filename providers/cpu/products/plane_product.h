// SPDX-License-Identifier: MIT
// Convolutions in ONNX's layout without a copy per tap: a work item spreads the lines it needs over
// planes in its thread's scratch (arith/planes_f32), and vectors run along lines of pixels.
//
// This is for filters of one channel each (depthwise), for few terms per pixel and for windows of
// one pixel, where turning what is read and written to another layout would cost as much as the
// products, for few channels of the result, and for volumes, which no other layout is made for.
#pragma once

#include "providers/cpu/products/gather_product.h"

namespace ortc::cpu {

// Terms per pixel up to which images are worth it; of single pixels there may be any number.
inline constexpr int64_t kPlaneDepth = 160;
// Channels of the output, in one group, whose vectors of pixels are worth any depth.
inline constexpr int64_t kPlaneRows = 12;
// Whether a product of single pixels reads them where they are. Copying them would cost as much as
// products for so few rows (channels of the output, in one group).
bool reads_in_place(int64_t rows, int64_t depth, int64_t pixels);

// Windows of one pixel, one for each pixel of x.
bool is_pointwise(const GatherProduct& product);

// Whether planes serve the convolution; a function of the shape alone.
bool suits_planes(const GatherProduct& product);

// Of a convolution that suits. Bytes of scratch for a run on so many threads; nothing on overflow.
std::optional<uint64_t> plane_scratch(const GatherProduct& product, int thread_count);

// As run_gather_product.
void run_plane_product(const RunContext& ctx, const GatherProduct& product, const float* x,
                       const float* w, const float* bias, float* y, std::byte* scratch);

}  // namespace ortc::cpu
