// SPDX-License-Identifier: MIT
// f32 convolution against plain loops in double precision, and against itself under other divisions
// of the work.

#include "providers/cpu/arith/conv_f32/conv_f32.h"

#include <cstdlib>

#include "tests/providers/cpu/arith/arith_testing.h"
#include "tests/support/test.h"

namespace ortc::cpu {
namespace {

using testing::kUntouched;
using testing::Random;

struct Case {
  size_t channels_in, channels_out, groups;
  size_t h, w, kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
  size_t top, left, bottom, right;
  size_t batch;
};

const std::vector<Case> kCases = {
    {16, 32, 1, 5, 7, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2},    // pointwise
    {33, 40, 1, 9, 5, 1, 1, 2, 2, 1, 1, 0, 0, 0, 0, 1},    // pointwise with a stride
    {32, 8, 1, 4, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},     // pointwise with padding
    {1, 6, 1, 12, 11, 5, 5, 1, 1, 1, 1, 2, 2, 2, 2, 2},    // one channel
    {3, 33, 1, 23, 21, 7, 7, 2, 2, 1, 1, 3, 3, 3, 3, 1},   // the first layer of many nets
    {3, 64, 1, 10, 40, 3, 3, 2, 1, 1, 1, 0, 1, 1, 0, 1},   // padded on some sides
    {16, 20, 1, 17, 13, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1},  // few channels
    {16, 31, 1, 14, 13, 3, 3, 1, 1, 2, 3, 2, 3, 2, 3, 1},  // few channels, dilated
    {17, 9, 1, 9, 8, 7, 7, 1, 1, 1, 1, 3, 3, 3, 3, 1},     // few channels, K-blocks that cut taps
    {24, 32, 1, 19, 14, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {33, 65, 1, 15, 9, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 2},
    {64, 64, 1, 14, 14, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1},
    {40, 33, 1, 11, 12, 3, 2, 1, 2, 2, 1, 2, 0, 1, 1, 1},   // uneven everything
    {300, 48, 1, 6, 6, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1},    // K-blocks that cut taps
    {1000, 16, 1, 3, 3, 1, 1, 2, 2, 1, 1, 0, 0, 0, 0, 1},   // K-blocks within one tap
    {32, 64, 4, 9, 9, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1},     // groups of few channels
    {96, 66, 3, 9, 8, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 2},     // groups of many channels
    {12, 12, 12, 7, 7, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1},    // depthwise through the general road
    {64, 80, 2, 5, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1},     // groups, pointwise
    {32, 16, 1, 1, 50, 1, 9, 1, 1, 1, 4, 0, 16, 0, 16, 1},  // one-dimensional, dilated
    {28, 8, 1, 2, 2, 5, 5, 1, 1, 1, 1, 4, 4, 4, 4, 1},      // more padding than image
    {1021, 20, 1, 5, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1},   // pixels 4096 bytes apart
    {1024, 12, 1, 4, 5, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1},   // the same, gathered
    {512, 20, 1, 7, 30, 1, 1, 2, 2, 1, 1, 0, 0, 0, 0, 1},   // the same by its stride
};

struct ConvProblem {
  ConvShape shape;
  size_t x_ld, y_ld;
  std::vector<float> x, w, packed, bias, residual;

  explicit ConvProblem(const Case& c) {
    shape.batch = c.batch;
    shape.in_h = c.h;
    shape.in_w = c.w;
    shape.in_c = c.channels_in;
    shape.out_h = (c.h + c.top + c.bottom - (c.kernel_h - 1) * c.dilation_h - 1) / c.stride_h + 1;
    shape.out_w = (c.w + c.left + c.right - (c.kernel_w - 1) * c.dilation_w - 1) / c.stride_w + 1;
    shape.out_c = c.channels_out;
    shape.kernel_h = c.kernel_h;
    shape.kernel_w = c.kernel_w;
    shape.stride_h = c.stride_h;
    shape.stride_w = c.stride_w;
    shape.dilation_h = c.dilation_h;
    shape.dilation_w = c.dilation_w;
    shape.pad_top = c.top;
    shape.pad_left = c.left;
    shape.groups = c.groups;
    const bool dense = c.batch == 1;
    x_ld = shape.in_c + (dense ? 0 : 3);
    y_ld = shape.out_c + (dense ? 0 : 2);
    Random random(c.channels_in + c.h);
    x = random.floats(shape.batch * shape.in_h * shape.in_w * x_ld);
    for (size_t i = 0; i < x.size(); ++i) {
      if (i % x_ld >= shape.in_c) x[i] = NAN;
    }
    w = random.floats(shape.out_c * shape.depth());
    packed.assign(conv_packed_size(shape), NAN);
    conv_pack_weights(shape, w.data(), 0, 1, packed.data());
    conv_pack_weights(shape, w.data(), 1, shape.panels(), packed.data());
    bias = random.floats(shape.out_c);
    residual = random.floats(shape.pixels() * shape.out_c);
  }

  ConvF32 conv(float* y) const {
    ConvF32 conv;
    conv.shape = shape;
    conv.x = x.data();
    conv.x_ld = x_ld;
    conv.w = packed.data();
    conv.y = y;
    conv.y_ld = y_ld;
    conv.epilogue.bias = bias.data();
    conv.epilogue.residual = residual.data();
    conv.epilogue.residual_ld = shape.out_c;
    conv.epilogue.activation.kind = Activation::kSilu;
    return conv;
  }

  double exact(size_t pixel, size_t channel) const {
    const ConvShape& s = shape;
    const size_t ow = pixel % s.out_w, oh = pixel / s.out_w % s.out_h,
                 image = pixel / s.out_w / s.out_h;
    const size_t group = channel / s.group_out();
    double sum = bias[channel] + residual[pixel * s.out_c + channel];
    for (size_t i = 0; i < s.kernel_h; ++i) {
      for (size_t j = 0; j < s.kernel_w; ++j) {
        const size_t h = oh * s.stride_h + i * s.dilation_h - s.pad_top;
        const size_t v = ow * s.stride_w + j * s.dilation_w - s.pad_left;
        if (h >= s.in_h || v >= s.in_w) continue;
        for (size_t c = 0; c < s.group_in(); ++c) {
          const size_t at = ((image * s.in_h + h) * s.in_w + v) * x_ld + group * s.group_in() + c;
          const size_t weight = ((channel * s.group_in() + c) * s.kernel_h + i) * s.kernel_w + j;
          sum += static_cast<double>(x[at]) * static_cast<double>(w[weight]);
        }
      }
    }
    return testing::activate({Activation::kSilu, 0, 0, 0}, sum);
  }
};

// Scratch of exactly the promised size, full of NaN.
class GuardedScratch {
 public:
  explicit GuardedScratch(const ConvShape& shape) {
    const size_t bytes = (conv_scratch_bytes(shape) + 63) / 64 * 64;
    data_ = static_cast<float*>(std::aligned_alloc(64, bytes + 64));
    end_ = bytes / sizeof(float);
    for (size_t i = 0; i < end_; ++i) data_[i] = NAN;
    data_[end_] = kUntouched;
  }
  ~GuardedScratch() { std::free(data_); }
  GuardedScratch(const GuardedScratch&) = delete;
  GuardedScratch& operator=(const GuardedScratch&) = delete;
  float* get() const { return data_; }
  bool intact() const { return data_[end_] == kUntouched; }

 private:
  float* data_;
  size_t end_;
};

TEST(conv_f32, agrees_with_plain_loops) {
  for (const Case& c : kCases) {
    const ConvProblem p(c);
    const ConvShape& s = p.shape;
    std::vector<double> exact;
    for (size_t q = 0; q < s.pixels(); ++q) {
      for (size_t k = 0; k < s.out_c; ++k) exact.push_back(p.exact(q, k));
    }
    for (Isa isa : testing::runnable_isas()) {
      std::vector<float> y(s.pixels() * p.y_ld, kUntouched);
      const GuardedScratch scratch(s);
      conv_f32_kernels(isa).run(p.conv(y.data()), 0, s.pixels(), 0, s.panels(), scratch.get());
      CHECK(scratch.intact());
      for (size_t q = 0; q < s.pixels(); ++q) {
        for (size_t k = 0; k < s.out_c; ++k) {
          CHECK_NEAR(y[q * p.y_ld + k], exact[q * s.out_c + k], 1e-6,
                     2e-7 * static_cast<double>(s.depth()) + 1e-6);
        }
        for (size_t k = s.out_c; k < p.y_ld; ++k) CHECK(y[q * p.y_ld + k] == kUntouched);
      }
    }
  }
}

TEST(conv_f32, gives_the_same_bits_however_the_work_is_divided) {
  for (const Case& c : kCases) {
    const ConvProblem p(c);
    const ConvShape& s = p.shape;
    for (Isa isa : testing::runnable_isas()) {
      const ConvF32Kernels& kernels = conv_f32_kernels(isa);
      const GuardedScratch scratch(s);
      std::vector<float> whole(s.pixels() * p.y_ld, kUntouched);
      kernels.run(p.conv(whole.data()), 0, s.pixels(), 0, s.panels(), scratch.get());
      for (size_t pixels : {5, 13, 100}) {
        std::vector<float> parts(whole.size(), kUntouched);
        for (size_t q = 0; q < s.pixels(); q += pixels) {
          const size_t middle = (s.panels() + 1) / 2;
          const size_t end = std::min(s.pixels(), q + pixels);
          kernels.run(p.conv(parts.data()), q, end, middle, s.panels(), scratch.get());
          kernels.run(p.conv(parts.data()), q, end, 0, middle, scratch.get());
        }
        CHECK(testing::same_bits(whole, parts));
      }
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
