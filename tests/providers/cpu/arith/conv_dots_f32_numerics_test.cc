// SPDX-License-Identifier: MIT
// f32 convolutions to a few channels at every number of channels, columns and taps from 1 to 67 and
// with special numbers, within their bound.
#include "providers/cpu/arith/conv_dots_f32/conv_dots_f32.h"
#include "tests/providers/cpu/arith/conv_shapes.h"
#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

using testing::conv_shape;
using testing::Convolution;
using testing::kUntouched;
using testing::uneven_conv_shape;

void check_dots(const Convolution& c, const ActivationF32& activation = {}) {
  const ConvShape& s = c.shape;
  std::vector<float> packed(c.w.size());
  conv_dots_pack_weights(s, c.w.data(), packed.data());
  testing::Random random(s.in_w);
  const std::vector<float> residual = random.floats(s.pixels() * s.out_c);
  ConvF32 conv;
  conv.shape = s;
  conv.x = c.x.data();
  conv.x_ld = s.in_c;
  conv.w = packed.data();
  conv.y_ld = s.out_c;
  conv.epilogue.bias = c.bias.data();
  conv.epilogue.residual = residual.data();
  conv.epilogue.residual_ld = s.out_c;
  conv.epilogue.activation = activation;
  for (const Isa isa : testing::runnable_isas()) {
    const auto run = conv_dots_f32_kernels(isa).run;
    std::vector<float> y(s.pixels() * s.out_c + 1, kUntouched);
    conv.y = y.data();
    run(conv, 0, s.batch * s.out_h);
    CHECK_EQ(y.back(), kUntouched);
    for (size_t i = 0; i + 1 < y.size(); ++i) {
      auto [sum, size] = c.exact(i / s.out_c, i % s.out_c);
      sum += static_cast<double>(residual[i]);
      size += std::fabs(static_cast<double>(residual[i]));
      const double exact = testing::activate(activation, sum);
      CHECK_WITHIN(y[i], exact,
                   kActivationSlope * conv_f32_error(s.depth()) * size +
                       kActivationError * (std::fabs(sum) + std::fabs(exact)));
    }
    for (const size_t count : testing::kCuts) {
      std::vector<float> parts(y.size(), kUntouched);
      conv.y = parts.data();
      for (const auto& [r0, r1] : testing::parts_of(s.batch * s.out_h, count)) run(conv, r0, r1);
      CHECK(testing::same_bytes(y, parts));
    }
  }
}

TEST(conv_dots_f32_numerics, every_number_of_channels_keeps_the_bound) {
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    for (size_t out_c = 1; out_c <= kDotsOut; ++out_c) {
      check_dots(Convolution(conv_shape(size, out_c, 5, 11, 3, 3, 1, 1, 1)));
      check_dots(Convolution(conv_shape(size, out_c, 6, 9, 3, 3, 2, 1, 1)));
      check_dots(Convolution(conv_shape(size, out_c, 4, 9, 1, 1, 1, 1, 0)));
      check_dots(Convolution(conv_shape(size, out_c, 6, 7, 2, 3, 1, 2, 2)));
    }
  }
}

TEST(conv_dots_f32_numerics, every_size_of_image_keeps_the_bound) {
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    check_dots(Convolution(conv_shape(19, 1, 3, size, 3, 3, 1, 1, 1)));
    check_dots(Convolution(conv_shape(17, 3, size, 3, 3, 3, 1, 1, 1)));
    check_dots(Convolution(conv_shape(33, 4, 5, size, 5, 5, 3, 1, 2)));
    check_dots(Convolution(conv_shape(3, 2, 1, size + 4, 1, size, 1, 1, 0)));
    check_dots(Convolution(conv_shape(3, 3, size + 3, 1, size, 1, 1, 1, size / 2)));
  }
}

TEST(conv_dots_f32_numerics, uneven_windows_and_batches_keep_the_bound) {
  for (size_t size = 3; size <= testing::kLargestSize; ++size) {
    check_dots(Convolution(uneven_conv_shape(size, 3, 7, 8)));
    ConvShape batch = conv_shape(size, 2, 4, 12, 3, 3, 1, 1, 1);
    batch.batch = 3;
    check_dots(Convolution(batch));
  }
}

TEST(conv_dots_f32_numerics, special_numbers_reach_the_windows_that_see_them_and_no_others) {
  for (const float special : testing::special_floats()) {
    for (const size_t channels : {1, 15, 33}) {
      Convolution c(conv_shape(channels, 3, 7, 19, 3, 3, 1, 1, 1));
      c.x[(3 * 19 + 9) * channels + channels / 2] = special;
      check_dots(c);
      check_dots(c, {Activation::kClip, 0, 6, 0});
    }
  }
}

TEST(conv_dots_f32_numerics, activations_keep_their_bound) {
  for (const ActivationF32& activation : testing::all_activations()) {
    check_dots(Convolution(conv_shape(21, 3, 6, 17, 3, 3, 1, 1, 1)), activation);
  }
}

}  // namespace
}  // namespace ortc::cpu
