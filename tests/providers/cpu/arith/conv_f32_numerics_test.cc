// SPDX-License-Identifier: MIT
// f32 convolutions, also with weights of 16 bits, at every number of channels, pixels and taps from
// 1 to 67 and with special numbers, within their bound.
#include <cstdlib>
#include <memory>

#include "core/base/float16.h"
#include "providers/cpu/arith/conv_f32/conv_f32.h"
#include "tests/providers/cpu/arith/conv_shapes.h"
#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

using testing::conv_shape;
using testing::Convolution;
using testing::kUntouched;

struct Free {
  void operator()(void* p) const { std::free(p); }
};
using Scratch = std::unique_ptr<void, Free>;

Scratch scratch_of(const ConvShape& s) {
  const size_t bytes = (conv_scratch_bytes(s) + 63) / 64 * 64 + 64;
  Scratch scratch(std::aligned_alloc(64, bytes));
  std::memset(scratch.get(), 0xFF, bytes);  // NaN
  return scratch;
}

// Runs whole and cut; the bits must be the same.
std::vector<float> run_cut(Isa isa, ConvF32 conv) {
  const ConvShape& s = conv.shape;
  const Scratch scratch = scratch_of(s);
  std::vector<float> y(s.pixels() * s.out_c + 1, kUntouched);
  conv.y = y.data();
  conv_f32_kernels(isa).run(conv, 0, s.pixels(), 0, s.panels(), scratch.get());
  CHECK_EQ(y.back(), kUntouched);
  for (const size_t count : testing::kCuts) {
    std::vector<float> parts(y.size(), kUntouched);
    conv.y = parts.data();
    for (const auto& [q0, q1] : testing::parts_of(s.pixels(), count)) {
      for (const auto& [p0, p1] : testing::parts_of(s.panels(), count)) {
        if (q0 < q1 && p0 < p1) {
          conv_f32_kernels(isa).run(conv, q0, q1, p0, p1, scratch.get());
        }
      }
    }
    CHECK(testing::same_bytes(y, parts));
  }
  return y;
}

void check_conv(const Convolution& c) {
  const ConvShape& s = c.shape;
  std::vector<float> packed(conv_packed_size(s), NAN);
  conv_pack_weights(s, c.w.data(), 0, s.panels(), packed.data());
  ConvF32 conv;
  conv.shape = s;
  conv.x = c.x.data();
  conv.x_ld = s.in_c;
  conv.y_ld = s.out_c;
  conv.w = packed.data();
  conv.epilogue.bias = c.bias.data();
  for (const Isa isa : testing::runnable_isas()) {
    const std::vector<float> y = run_cut(isa, conv);
    for (size_t i = 0; i + 1 < y.size(); ++i) {
      const auto [sum, size] = c.exact(i / s.out_c, i % s.out_c);
      CHECK_WITHIN(y[i], sum, conv_f32_error(s.depth()) * size);
    }
  }
}

// Weights of 16 bits give the bits of the same numbers in 32.
void check_halves(const ConvShape& s, PanelType type) {
  Convolution c(s);
  std::vector<uint16_t> halves;
  for (float& v : c.w) {
    const bool is_f16 = type == PanelType::kF16;
    halves.push_back(is_f16 ? float_to_half(v) : float_to_bfloat16(v));
    v = is_f16 ? half_to_float(halves.back()) : bfloat16_to_float(halves.back());
  }
  std::vector<float> packed(conv_packed_size(s)), room(narrow_room(s.depth()), NAN);
  std::vector<uint16_t> narrow(packed.size());
  conv_pack_weights(s, c.w.data(), 0, s.panels(), packed.data());
  conv_pack_weights(s, halves.data(), 0, s.panels(), narrow.data());
  ConvF32 conv;
  conv.shape = s;
  conv.x = c.x.data();
  conv.x_ld = s.in_c;
  conv.y_ld = s.out_c;
  conv.w = packed.data();
  conv.epilogue.bias = c.bias.data();
  for (const Isa isa : testing::runnable_isas()) {
    conv.narrow = {};
    const std::vector<float> expected = run_cut(isa, conv);
    conv.narrow = {narrow.data(), type, room.data(), nullptr};
    CHECK(testing::same_bytes(run_cut(isa, conv), expected));
  }
}

TEST(conv_f32_numerics, every_number_of_channels_keeps_the_bound) {
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    check_conv(Convolution(conv_shape(size, 9, 3, 5, 3, 3, 1, 1, 1)));
    check_conv(Convolution(conv_shape(5, size, 4, 3, 1, 3, 1, 1, 0)));
    check_conv(Convolution(conv_shape(size, 7, 3, 5, 1, 1, 1, 1, 0)));
    check_conv(Convolution(conv_shape(size, 3 * size, 3, 3, 3, 3, 1, 1, 1, size)));  // groups
    check_halves(conv_shape(size, 9, 3, 5, 3, 3, 1, 1, 1), PanelType::kF16);
    check_halves(conv_shape(5, size, 4, 3, 1, 3, 1, 1, 0), PanelType::kBf16);
  }
}

// They are widened while the first pixels are multiplied, taps of padding too.
TEST(conv_f32_numerics, sixteen_bit_weights_give_the_same_bits_to_many_pixels) {
  for (const PanelType type : {PanelType::kF16, PanelType::kBf16}) {
    for (const size_t out_c : {31, 48, 49, 64, 67, 130}) {
      for (const size_t dilation : {1, 3, 9}) {
        check_halves(conv_shape(3, out_c, 12, 11, 3, 3, 1, dilation, dilation), type);
        check_halves(conv_shape(37, out_c, 9, 13, 3, 3, 1, dilation, dilation), type);
        check_halves(conv_shape(34, 2 * out_c, 9, 8, 3, 3, 1, dilation, dilation, 2), type);
      }
    }
  }
}

TEST(conv_f32_numerics, every_number_of_pixels_keeps_the_bound) {
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    check_conv(Convolution(conv_shape(5, 3, size, 3, 3, 3, 1, 1, 1)));
    check_conv(Convolution(conv_shape(25, 3, 3, size, 3, 3, 1, 1, 1)));
    check_conv(Convolution(conv_shape(3, 33, 5, size, 3, 3, 2, 1, 1)));
    check_conv(Convolution(conv_shape(27, 5, 5, size, 1, 1, 3, 1, 0)));
    check_conv(Convolution(conv_shape(3, 5, 7, size, 3, 3, 1, 2, 2)));
  }
}

TEST(conv_f32_numerics, every_number_of_taps_keeps_the_bound) {
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    check_conv(Convolution(conv_shape(3, 5, 2, size + 2, 1, size, 1, 1, 0)));
    check_conv(Convolution(conv_shape(26, 3, size + 1, 2, size, 1, 1, 1, 1)));
    check_conv(
        Convolution(conv_shape(2, 3, 1, 5, 1, size, 1, 1, size / 2)));  // wider than the image
  }
}

TEST(conv_f32_numerics, uneven_windows_keep_the_bound) {
  for (size_t size = 3; size <= testing::kLargestSize; ++size) {
    check_conv(Convolution(testing::uneven_conv_shape(size, 9, 7, 5)));
    check_conv(Convolution(testing::uneven_conv_shape(5, 9, size, 8)));
    check_conv(Convolution(testing::uneven_conv_shape(27, 9, 6, size)));
  }
}

// What a window does not see does not reach its result.
TEST(conv_f32_numerics, special_numbers_reach_the_windows_that_see_them_and_no_others) {
  for (const float special : testing::special_floats()) {
    for (const size_t channels : {1, 5, 16, 33}) {
      for (const size_t groups : {size_t{1}, channels}) {
        Convolution c(conv_shape(channels, channels * 2, 5, 7, 3, 3, 1, 1, 1, groups));
        c.x[(2 * 7 + 3) * channels + channels / 2] = special;
        check_conv(c);
      }
    }
    Convolution pointwise(conv_shape(19, 35, 5, 3, 1, 1, 1, 1, 0));
    pointwise.w[19 * 20 + 4] = special;
    check_conv(pointwise);
  }
}

}  // namespace
}  // namespace ortc::cpu
