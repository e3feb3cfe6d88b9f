// SPDX-License-Identifier: MIT
// f32 convolution to at most kDotsOut channels, channels last and dense: the last layer of networks
// that make pictures, masks or depths. A panel of 32 columns would be mostly empty, so an element
// is a dot product along the lines of its window, which lie as those of its filter do. Weights are
// packed as [out_c][kernel_h][kernel_w][in_c].
//
// A work item is a range of output rows (row r is image r / out_h, line r % out_h); y has the same
// bits however they are divided among calls. Bounds (bounds.h): conv_f32_error(depth) times the sum
// of the terms' sizes, then kActivationError.
#pragma once

#include <cstddef>

#include "providers/cpu/arith/activation.h"
#include "providers/cpu/arith/conv_f32/conv_f32.h"
#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

inline constexpr size_t kDotsOut = 4;

// A line of a window shorter than two of the longest vectors is better off in panels.
[[gnu::always_inline]] constexpr bool suits_dots(const ConvShape& shape) {
  return shape.groups == 1 && shape.out_c <= kDotsOut && shape.kernel_w * shape.in_c >= 32;
}

// From ONNX's [out_c][in_c][kernel_h][kernel_w]; as many floats.
void conv_dots_pack_weights(const ConvShape& shape, const float* w, float* packed);

struct ConvDotsF32Kernels {
  // Output rows [r0, r1) of batch * out_h. `conv` as for a convolution, with w packed as above and
  // x_ld == in_c.
  void (*run)(const ConvF32& conv, size_t r0, size_t r1);
};

const ConvDotsF32Kernels& conv_dots_f32_kernels(Isa isa);

const ConvDotsF32Kernels& conv_dots_f32_generic();
#if ORTC_ARITH_X86
const ConvDotsF32Kernels& conv_dots_f32_avx2();    // only on a CPU that has it
const ConvDotsF32Kernels& conv_dots_f32_avx512();  // only on a CPU that has it
#endif

}  // namespace ortc::cpu
