// SPDX-License-Identifier: MIT
// Shapes of convolutions that the tests of several families walk through.
#pragma once

#include "providers/cpu/arith/conv_f32/conv_f32.h"

namespace ortc::cpu::testing {

// Bottom and right are padded like top and left.
inline ConvShape conv_shape(size_t in_c, size_t out_c, size_t h, size_t w, size_t kernel_h,
                            size_t kernel_w, size_t stride, size_t dilation, size_t pad,
                            size_t groups = 1) {
  ConvShape s;
  s.in_c = in_c;
  s.out_c = out_c;
  s.groups = groups;
  s.in_h = h;
  s.in_w = w;
  s.kernel_h = kernel_h;
  s.kernel_w = kernel_w;
  s.stride_h = s.stride_w = stride;
  s.dilation_h = s.dilation_w = dilation;
  s.pad_top = s.pad_left = pad;
  s.out_h = (h + 2 * pad - (kernel_h - 1) * dilation - 1) / stride + 1;
  s.out_w = (w + 2 * pad - (kernel_w - 1) * dilation - 1) / stride + 1;
  return s;
}

// Nothing about the two axes is equal.
inline ConvShape uneven_conv_shape(size_t in_c, size_t out_c, size_t h, size_t w,
                                   size_t groups = 1) {
  ConvShape s = conv_shape(in_c, out_c, h, w, 3, 2, 1, 1, 0, groups);
  s.stride_h = 2;
  s.stride_w = 3;
  s.dilation_h = 3;
  s.dilation_w = 2;
  s.pad_top = 3;
  s.pad_left = 1;
  s.out_h = (h + 4 - 6 - 1) / 2 + 1;  // one row of padding below
  s.out_w = (w + 3 - 2 - 1) / 3 + 1;  // two columns of it on the right
  return s;
}

}  // namespace ortc::cpu::testing
