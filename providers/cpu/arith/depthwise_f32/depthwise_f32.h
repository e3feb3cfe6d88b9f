// SPDX-License-Identifier: MIT
// f32 depthwise convolution, channels last: every channel has one filter of its own (groups == in_c
// == out_c), or several, which give neighbouring channels (groups == in_c), or one over the 2, 4 or
// 8 channels of its group, which are as many as its group gives.
// Weights are packed as [kernel_h][channels of a group][kernel_w][channels].
//
// A work item is a range of output rows (row r is image r / out_h, line r % out_h) times a range of
// channels; y has the same bits however they are divided among calls. Bounds (bounds.h):
// conv_f32_error(depth) times the sum of the terms' sizes, then kActivationError.
#pragma once

#include <cstddef>

#include "providers/cpu/arith/activation.h"
#include "providers/cpu/arith/conv_f32/conv_f32.h"
#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

[[gnu::always_inline]] constexpr bool is_depthwise(const ConvShape& shape) {
  return shape.groups == shape.in_c && shape.groups == shape.out_c;
}

// Groups too small for a panel of a product, and none a filter of its own.
[[gnu::always_inline]] constexpr bool has_small_groups(const ConvShape& shape) {
  const size_t size = shape.group_in();
  return shape.in_c == shape.out_c && (size == 2 || size == 4 || size == 8);
}

// Several filters for each channel ("depth multiplier"), too few for a panel of a product.
inline constexpr size_t kMostFilters = 8;
[[gnu::always_inline]] constexpr bool has_few_filters(const ConvShape& shape) {
  return shape.groups > 1 && shape.groups == shape.in_c && shape.group_out() > 1 &&
         shape.group_out() <= kMostFilters;
}

[[gnu::always_inline]] constexpr bool is_by_channels(const ConvShape& shape) {
  return is_depthwise(shape) || has_few_filters(shape) || has_small_groups(shape);
}

[[gnu::always_inline]] constexpr size_t depthwise_packed_size(const ConvShape& shape) {
  return shape.depth() * shape.out_c;
}

// From ONNX's [channels][channels of a group][kernel_h][kernel_w].
void depthwise_pack_weights(const ConvShape& shape, const float* w, float* packed);

struct DepthwiseF32Kernels {
  // Output rows [r0, r1) of batch * out_h, channels [c0, c1) of whole groups. `conv` as for a
  // convolution, with w packed as above.
  void (*run)(const ConvF32& conv, size_t r0, size_t r1, size_t c0, size_t c1);
};

const DepthwiseF32Kernels& depthwise_f32_kernels(Isa isa);

const DepthwiseF32Kernels& depthwise_f32_generic();
#if ORTC_ARITH_X86
const DepthwiseF32Kernels& depthwise_f32_avx2();    // only on a CPU that has it
const DepthwiseF32Kernels& depthwise_f32_avx512();  // only on a CPU that has it
#endif

}  // namespace ortc::cpu
