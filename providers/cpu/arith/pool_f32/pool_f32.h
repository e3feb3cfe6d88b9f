// SPDX-License-Identifier: MIT
// f32 pooling, channels last: x [batch][in_h][in_w][channels], y [batch][out_h][out_w][channels].
//
// The caller has settled the output's size (ceil_mode) and the padding (auto_pad). A work item is a
// range of output rows (row r is image r / out_h, line r % out_h); y has the same bits however they
// are divided. A mean is off by pool_error(taps) (bounds.h) times the sum of its elements' sizes,
// over their number, at most.
#pragma once

#include <cstddef>

#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

struct PoolShape {
  size_t batch = 1;
  size_t in_h = 1, in_w = 1;
  size_t out_h = 1, out_w = 1;
  size_t channels = 1;
  size_t kernel_h = 1, kernel_w = 1;
  size_t stride_h = 1, stride_w = 1;
  size_t dilation_h = 1, dilation_w = 1;
  size_t pad_top = 0, pad_left = 0;
  size_t pad_bottom = 0, pad_right = 0;  // only for average with count_include_pad
};

struct PoolF32 {
  PoolShape shape;
  const float* x = nullptr;
  size_t x_ld = 0;  // floats from pixel to pixel, `channels` when dense
  float* y = nullptr;
  size_t y_ld = 0;
  // Average: padding counts as zeros, what lies beyond it never does.
  bool count_include_pad = false;
};

struct PoolF32Kernels {
  // Output rows [r0, r1) of batch * out_h. The largest ignores NaN; of no element at all it is
  // -inf.
  void (*max)(const PoolF32& pool, size_t r0, size_t r1);
  // The mean of no element at all is 0.
  void (*average)(const PoolF32& pool, size_t r0, size_t r1);
  // y[c] = mean of x[p * x_ld + c] over p < pixels, for c in [c0, c1): one image.
  void (*global_average)(const float* x, size_t x_ld, size_t pixels, size_t c0, size_t c1,
                         float* y);
};

const PoolF32Kernels& pool_f32_kernels(Isa isa);

const PoolF32Kernels& pool_f32_generic();
#if ORTC_ARITH_X86
const PoolF32Kernels& pool_f32_avx2();    // only on a CPU that has it
const PoolF32Kernels& pool_f32_avx512();  // only on a CPU that has it
#endif

}  // namespace ortc::cpu
