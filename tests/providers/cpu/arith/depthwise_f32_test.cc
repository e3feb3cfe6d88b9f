// SPDX-License-Identifier: MIT
// f32 depthwise convolution against plain loops in double precision, and against itself under other
// divisions of the work.

#include "providers/cpu/arith/depthwise_f32/depthwise_f32.h"

#include "tests/providers/cpu/arith/arith_testing.h"
#include "tests/support/test.h"

namespace ortc::cpu {
namespace {

using testing::kUntouched;
using testing::Random;

ConvShape make_depthwise_shape(size_t channels, size_t h, size_t w, size_t kernel_h,
                               size_t kernel_w, size_t stride, size_t dilation, size_t pad,
                               size_t batch) {
  ConvShape s;
  s.batch = batch;
  s.in_c = s.out_c = s.groups = channels;
  s.in_h = h;
  s.in_w = w;
  s.kernel_h = kernel_h;
  s.kernel_w = kernel_w;
  s.stride_h = s.stride_w = stride;
  s.dilation_h = s.dilation_w = dilation;
  s.pad_top = pad;
  s.pad_left = pad == 0 ? 0 : pad - batch % 2;
  s.out_h = (h + 2 * pad - (kernel_h - 1) * dilation - 1) / stride + 1;
  s.out_w = (w + 2 * pad - (kernel_w - 1) * dilation - 1) / stride + 1;
  return s;
}

std::vector<ConvShape> all_depthwise_shapes() {
  std::vector<ConvShape> shapes;
  for (size_t channels : {1, 16, 33, 67, 131}) {
    for (size_t stride : {1, 2, 3}) {
      shapes.push_back(make_depthwise_shape(channels, 9, 14, 3, 3, stride, 1, 1, 2));
      shapes.push_back(make_depthwise_shape(channels, 11, 12, 5, 5, stride, 1, 2, 1));
      shapes.push_back(make_depthwise_shape(channels, 12, 13, 3, 3, stride, 2, 2, 1));
      shapes.push_back(make_depthwise_shape(channels, 8, 9, 2, 7, stride, 1, 0, 1));
      shapes.push_back(make_depthwise_shape(channels, 9, 15, 7, 7, stride, 1, 3, 1));
    }
    shapes.push_back(make_depthwise_shape(channels, 3, 2, 3, 3, 1, 1, 2, 2));
  }
  for (size_t channels : {2, 16, 33, 67}) {
    for (size_t filters : {2, 3, 5, 8}) {
      shapes.push_back(make_depthwise_shape(channels, 9, 14, 3, 3, 1, 1, 1, 2));
      shapes.back().out_c *= filters;
      shapes.push_back(make_depthwise_shape(channels, 8, 9, 2, 3, 2, 2, 1, 1));
      shapes.back().out_c *= filters;
    }
  }
  return shapes;
}

struct DepthwiseProblem {
  ConvShape shape;
  std::vector<float> x, w, packed, bias, residual;

  explicit DepthwiseProblem(const ConvShape& s) : shape(s) {
    Random random(s.in_c + s.kernel_w);
    x = random.floats(s.batch * s.in_h * s.in_w * (s.in_c + 1));
    for (size_t i = s.in_c; i < x.size(); i += s.in_c + 1) x[i] = NAN;
    w = random.floats(depthwise_packed_size(s));
    packed.resize(w.size());
    depthwise_pack_weights(s, w.data(), packed.data());
    bias = random.floats(s.out_c);
    residual = random.floats(s.pixels() * s.out_c);
  }

  ConvF32 conv(float* y, const ActivationF32& activation) const {
    ConvF32 conv;
    conv.shape = shape;
    conv.x = x.data();
    conv.x_ld = shape.in_c + 1;
    conv.w = packed.data();
    conv.y = y;
    conv.y_ld = shape.out_c + 2;
    conv.epilogue.bias = bias.data();
    conv.epilogue.residual = residual.data();
    conv.epilogue.residual_ld = shape.out_c;
    conv.epilogue.activation = activation;
    return conv;
  }

  double exact(size_t pixel, size_t c) const {
    const ConvShape& s = shape;
    const size_t ow = pixel % s.out_w, oh = pixel / s.out_w % s.out_h,
                 image = pixel / s.out_w / s.out_h;
    double sum = bias[c] + residual[pixel * s.out_c + c];
    for (size_t i = 0; i < s.kernel_h; ++i) {
      for (size_t j = 0; j < s.kernel_w; ++j) {
        const size_t h = oh * s.stride_h + i * s.dilation_h - s.pad_top;
        const size_t v = ow * s.stride_w + j * s.dilation_w - s.pad_left;
        if (h >= s.in_h || v >= s.in_w) continue;
        sum += static_cast<double>(
                   x[((image * s.in_h + h) * s.in_w + v) * (s.in_c + 1) + c / s.group_out()]) *
               static_cast<double>(w[(c * s.kernel_h + i) * s.kernel_w + j]);
      }
    }
    return sum;
  }
};

TEST(depthwise_f32, agrees_with_plain_loops) {
  for (const ConvShape& s : all_depthwise_shapes()) {
    const DepthwiseProblem p(s);
    const size_t y_ld = s.out_c + 2;
    for (Isa isa : testing::runnable_isas()) {
      for (const ActivationF32& act : testing::all_activations()) {
        std::vector<float> y(s.pixels() * y_ld, kUntouched);
        depthwise_f32_kernels(isa).run(p.conv(y.data(), act), 0, s.batch * s.out_h, 0, s.out_c);
        for (size_t q = 0; q < s.pixels(); ++q) {
          for (size_t c = 0; c < s.out_c; ++c) {
            CHECK_NEAR(y[q * y_ld + c], testing::activate(act, p.exact(q, c)), 1e-6, 4e-6);
          }
          for (size_t c = s.out_c; c < y_ld; ++c) CHECK(y[q * y_ld + c] == kUntouched);
        }
      }
    }
  }
}

TEST(depthwise_f32, gives_the_same_bits_however_the_work_is_divided) {
  for (const ConvShape& s : all_depthwise_shapes()) {
    const DepthwiseProblem p(s);
    const ActivationF32 act = {Activation::kClip, 0, 6, 0};
    for (Isa isa : testing::runnable_isas()) {
      std::vector<float> whole(s.pixels() * (s.out_c + 2), kUntouched);
      std::vector<float> parts = whole;
      depthwise_f32_kernels(isa).run(p.conv(whole.data(), act), 0, s.batch * s.out_h, 0, s.out_c);
      const size_t middle = s.out_c / 3;
      for (size_t r = 0; r < s.batch * s.out_h; ++r) {
        depthwise_f32_kernels(isa).run(p.conv(parts.data(), act), r, r + 1, 0, middle);
        depthwise_f32_kernels(isa).run(p.conv(parts.data(), act), r, r + 1, middle, s.out_c);
      }
      CHECK(testing::same_bits(whole, parts));
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
