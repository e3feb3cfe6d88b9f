// SPDX-License-Identifier: MIT
// Shapes of convolutions that the tests of several families walk through, and their operands.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "providers/cpu/arith/conv_f32/conv_f32.h"
#include "tests/providers/cpu/arith/numerics.h"

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

// Random operands, and what an element is in double.
struct Convolution {
  ConvShape shape;
  std::vector<float> x, w, bias;

  explicit Convolution(const ConvShape& s) : shape(s) {
    Random random(s.in_c * 131 + s.out_c + s.in_w * 7 + s.kernel_w);
    x = random.floats(s.batch * s.in_h * s.in_w * s.in_c);
    w = random.floats(s.out_c * s.depth());
    bias = random.floats(s.out_c);
  }

  // Sum of the terms, and of their sizes.
  std::pair<double, double> exact(size_t pixel, size_t co) const {
    const ConvShape& s = shape;
    const size_t ow = pixel % s.out_w, oh = pixel / s.out_w % s.out_h;
    const size_t image = pixel / s.out_w / s.out_h, group = co / s.group_out();
    double sum = bias[co], size = std::fabs(bias[co]);
    for (size_t i = 0; i < s.kernel_h; ++i) {
      for (size_t j = 0; j < s.kernel_w; ++j) {
        const size_t row = oh * s.stride_h + i * s.dilation_h - s.pad_top;
        const size_t column = ow * s.stride_w + j * s.dilation_w - s.pad_left;
        if (row >= s.in_h || column >= s.in_w) continue;  // negative ones are huge
        const size_t at = ((image * s.in_h + row) * s.in_w + column) * s.in_c;
        for (size_t c = 0; c < s.group_in(); ++c) {
          const double term =
              static_cast<double>(x[at + group * s.group_in() + c]) *
              static_cast<double>(w[((co * s.group_in() + c) * s.kernel_h + i) * s.kernel_w + j]);
          sum += term;
          size += std::fabs(term);
        }
      }
    }
    return {sum, size};
  }
};

}  // namespace ortc::cpu::testing
