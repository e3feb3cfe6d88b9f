// SPDX-License-Identifier: MIT
// ONNX's Conv and ConvTranspose against plain double loops.
#include "tests/providers/cpu/kernels/conv_testing.h"

namespace ortc::cpu {
namespace {

using testing::ConvCase;
using testing::NodeCase;
using testing::random_tensor;
using testing::Transposed;

// In both element types, with and without bias.
void run_types(const NodeCase& node, const Tensor& x, const Tensor& w, int64_t out_channels,
               const Dims& dims, const std::function<std::vector<double>(const Tensor&)>& plain) {
  for (const Tensor& bias : {random_tensor({out_channels}, 3), Tensor()}) {
    const auto y = plain(bias);
    testing::run_everywhere(node, {x, w, bias}, [&](const std::vector<Tensor>& outputs) {
      testing::check_close(outputs[0], dims, y, 1e-4, 1e-4);
    });
    const Tensor wide = bias.is_defined() ? testing::as_doubles(bias) : Tensor();
    testing::run_everywhere(node, {testing::as_doubles(x), testing::as_doubles(w), wide},
                            [&](const std::vector<Tensor>& outputs) {
                              testing::check_close(outputs[0], dims, y, 1e-12, 1e-12);
                            });
  }
}

void check_conv_nchw(const ConvCase& c) {
  const Tensor x = random_tensor(c.x, 1), w = random_tensor(c.w, 2);
  run_types({"Conv", "", 11, c.attributes()}, x, w, c.w[0], c.y_dims(), [&](const Tensor& bias) {
    return testing::plain_conv(c, x.elements<float>(), w.elements<float>(), bias);
  });
}

TEST(conv_nchw, agrees_with_plain_loops_over_one_to_three_axes) {
  check_conv_nchw({{2, 6, 50}, {8, 6, 5}, 1, {2}, {2, 1}, {2}});
  check_conv_nchw({{1, 3, 20, 21}, {10, 3, 3, 4}, 1, {2, 1}, {1, 0, 2, 3}, {1, 2}});
  check_conv_nchw({{2, 20, 12, 12}, {150, 20, 1, 1}});
  check_conv_nchw({{1, 16, 30, 30}, {64, 16, 3, 3}, 1, {1, 1}, {1, 1, 1, 1}});
  check_conv_nchw({{1, 4, 6, 7, 8}, {6, 4, 3, 2, 3}, 1, {1, 2, 1}, {1, 0, 1, 1, 1, 1}, {1, 1, 2}});
}

TEST(conv_nchw, has_groups_and_auto_pad) {
  check_conv_nchw({{2, 8, 10, 10}, {12, 2, 3, 3}, 4, {1, 1}, {1, 1, 1, 1}});
  check_conv_nchw({{1, 20, 10, 10}, {20, 1, 3, 3}, 20, {2, 2}});
  check_conv_nchw({{1, 8, 10, 11}, {4, 8, 3, 4}, 1, {2, 1}, {}, {}, "SAME_UPPER", {0, 1, 1, 2}});
  check_conv_nchw({{1, 8, 10, 11}, {4, 8, 3, 4}, 1, {2, 1}, {}, {}, "SAME_LOWER", {1, 2, 0, 1}});
}

TEST(conv_nchw, of_filters_of_one_channel_agrees_with_plain_loops) {
  for (const int64_t size : {1, 9, 17, 67}) {
    check_conv_nchw({{2, 5, size, size}, {5, 1, 3, 3}, 5, {1, 1}, {1, 1, 1, 1}});
    check_conv_nchw({{1, 3, 7, size}, {6, 1, 5, 5}, 3, {2, 2}, {2, 2, 2, 2}});
    check_conv_nchw({{1, 2, size, 40}, {2, 1, 7, 7}, 2, {1, 1}, {3, 3, 3, 3}});
    check_conv_nchw({{1, 3, 9, size + 8}, {3, 1, 2, 3}, 3, {1, 3}, {0, 2, 1, 0}, {3, 2}});
    check_conv_nchw({{2, 7, size + 14}, {7, 1, 15}, 7});
  }
  check_conv_nchw({{1, 1, 300, 100}, {1, 1, 3, 3}, 1, {1, 1}, {1, 1, 1, 1}});
  check_conv_nchw({{1, 4, 5, 6, 20}, {8, 1, 3, 3, 3}, 4, {1, 1, 2}, {1, 1, 1, 1, 1, 1}});
}

TEST(conv_nchw, of_few_terms_agrees_with_plain_loops) {
  for (const int64_t size : {1, 9, 17, 67}) {
    check_conv_nchw({{2, 1, size, size}, {13, 1, 3, 3}, 1, {1, 1}, {1, 1, 1, 1}});
    check_conv_nchw({{1, 3, size + 6, 30}, {9, 3, 7, 7}, 1, {2, 2}, {3, 3, 3, 3}});
    check_conv_nchw({{1, size, 6, 7}, {17, size, 1, 1}});
    check_conv_nchw({{1, 5, 11, size}, {4, 5, 1, 1}, 1, {2, 2}});
    check_conv_nchw({{1, 2, 3, size + 4}, {22, 1, 2, 3}, 2, {1, 1}, {}, {1, 2}});
  }
  check_conv_nchw({{1, 3, 90, 130}, {40, 3, 3, 3}, 1, {2, 2}, {1, 1, 1, 1}});
  check_conv_nchw({{1, 64, 30, 31}, {35, 64, 1, 1}});
}

// So few that any number of terms runs over planes.
TEST(conv_nchw, of_few_channels_in_a_group_agrees_with_plain_loops) {
  for (const int64_t size : {1, 17, 67}) {
    check_conv_nchw({{2, 60, 11, size}, {12, 30, 3, 3}, 2, {1, 1}, {1, 1, 1, 1}});
    check_conv_nchw({{1, 40, size + 4, 12}, {7, 40, 5, 2}, 1, {2, 1}, {2, 0, 2, 1}});
    check_conv_nchw({{1, 90, 6, size + 2}, {13, 90, 1, 3}, 1, {1, 2}});
    check_conv_nchw({{1, 174, size}, {9, 58, 3}, 3, {1}, {1, 1}});
  }
}

// Pixels are read where they lie, but the last of all; filters of one channel scale them.
TEST(conv_nchw, of_single_pixels_agrees_with_plain_loops) {
  for (const int64_t size : {1, 15, 16, 17, 67}) {
    check_conv_nchw({{2, size, 13, 15}, {11, size, 1, 1}});
    check_conv_nchw({{1, 2 * size, 9, 11}, {10, size, 1, 1}, 2});
    check_conv_nchw({{2, 6, size, 17}, {129, 6, 1, 1}});
    check_conv_nchw({{1, 9, size}, {6, 3, 1}, 3});
    check_conv_nchw({{2, 6, 12, size}, {10, 3, 1, 1}, 2, {2, 2}});
    check_conv_nchw({{2, 5, 3, size}, {15, 1, 1, 1}, 5});
  }
  check_conv_nchw({{1, 300, 31, 33}, {17, 300, 1, 1}});
  check_conv_nchw({{1, 300, 32, 32}, {40, 300, 1, 1}});
  check_conv_nchw({{2, 36, 5, 6, 7}, {20, 9, 1, 1, 1}, 4});
  check_conv_nchw({{1, 4, 250, 300}, {8, 1, 1, 1}, 4});
}

TEST(conv_nchw, of_volumes_agrees_with_plain_loops) {
  for (const int64_t size : {3, 17, 33}) {
    check_conv_nchw({{1, 2, 5, 6, size}, {9, 2, 3, 3, 3}, 1, {1, 1, 1}, {1, 1, 1, 1, 1, 1}});
    check_conv_nchw({{2, 4, 4, size, 20}, {6, 2, 2, 3, 4}, 2, {2, 1, 2}, {0, 1, 2, 1, 0, 1}});
  }
  check_conv_nchw({{1, 8, 4, 30, 31}, {20, 8, 3, 3, 3}, 1, {1, 1, 1}, {1, 1, 1, 1, 1, 1}});
}

// Few pixels are gathered, wide windows run over planes that have more than the output's columns.
TEST(conv_nchw, of_few_pixels_agrees_with_plain_loops) {
  for (const int64_t size : {5, 7, 10}) {
    check_conv_nchw({{2, 6, 5, 7, size}, {4, 3, 5, 5, 5}, 2, {2, 2, 2}, {0, 0, 1, 0, 1, 0}});
    check_conv_nchw(
        {{1, 7, 9, 6, size}, {24, 7, 2, 2, 2}, 1, {3, 3, 3}, {0, 0, 2, 0, 0, 2}, {2, 2, 2}});
    check_conv_nchw({{2, 9, size, 7, 7}, {9, 1, 5, 5, 5}, 9, {3, 3, 3}, {2, 2, 2, 1, 0, 2}});
    check_conv_nchw({{3, 12, 5, 4, size}, {49, 12, 1, 1, 1}, 1, {2, 2, 2}});
    check_conv_nchw(
        {{2, 8, 4, 20, size + 8}, {6, 4, 3, 3, 5}, 2, {1, 1, 1}, {1, 0, 0, 1, 0, 0}, {1, 2, 2}});
  }
  check_conv_nchw({{2, 4, 20, 21, 17}, {2, 4, 2, 2, 3}, 1, {3, 2, 2}});
}

TEST(conv_nchw, refuses_what_does_not_fit) {
  const auto code = [](const Dims& x, const Dims& w, std::vector<Attribute> attributes = {}) {
    return testing::evaluate({"Conv", "", 11, std::move(attributes)},
                             {random_tensor(x, 1), random_tensor(w, 2)}, 1, host_isa())
        .status()
        .code();
  };
  CHECK_EQ(code({0, 3, 5, 5}, {4, 3, 3, 3}), Code::kOk);
  CHECK_EQ(code({1, 3, 5, 5}, {4, 2, 3, 3}), Code::kInvalidArgument);
  CHECK_EQ(code({1, 3, 5, 5}, {4, 3, 3}), Code::kInvalidArgument);
  CHECK_EQ(code({1, 3, 1, 5}, {4, 3, 3, 3}), Code::kInvalidArgument);
  CHECK_EQ(code({1, 3, 5, 5}, {4, 3, 3, 3}, {Attribute::of_ints("kernel_shape", {2, 3})}),
           Code::kInvalidArgument);
  CHECK_EQ(code({1, 4, 5, 5}, {3, 2, 3, 3}, {Attribute::of_int("group", 2)}),
           Code::kInvalidArgument);
  CHECK_EQ(code({1, 3, 5, 5}, {4, 3, 3, 3}, {Attribute::of_ints("strides", {0, 1})}),
           Code::kInvalidGraph);
  CHECK_EQ(code({1, 3, 5, 5}, {4, 3, 3, 3}, {Attribute::of_ints("pads", {-1, 0, 0, 0})}),
           Code::kNotImplemented);
  CHECK_EQ(code({1, 1, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 1}), Code::kNotImplemented);
}

// --- Transposed.

void check_transposed_nchw(const Transposed& t) {
  const Tensor x = random_tensor(t.c.x, 1), w = random_tensor(t.c.w, 2);
  const Dims dims = t.y_dims();
  const NodeCase node{"ConvTranspose", "", 11, t.attributes()};
  run_types(node, x, w, dims[1], dims, [&](const Tensor& bias) {
    return testing::plain_transposed(t, x.elements<float>(), w.elements<float>(), bias);
  });
}

TEST(conv_transpose, agrees_with_plain_loops) {
  check_transposed_nchw({{{2, 6, 20}, {6, 5, 4}, 1, {3}, {1, 2}}, {58}});
  check_transposed_nchw(
      {{{1, 8, 9, 10}, {8, 60, 3, 3}, 1, {2, 2}, {1, 1, 1, 1}}, {18, 20}, {1, 1}});
  check_transposed_nchw({{{2, 8, 5, 5}, {8, 3, 2, 2}, 2, {2, 2}}, {10, 10}});
  check_transposed_nchw({{{1, 4, 5, 6}, {4, 3, 3, 2}, 1, {1, 2}, {}, {2, 3}}, {9, 14}});
  check_transposed_nchw({{{1, 2, 3, 4, 5}, {2, 3, 3, 3, 3}, 1, {1, 2, 1}}, {5, 9, 7}});
}

TEST(conv_transpose, with_strides_agrees_with_plain_loops) {
  check_transposed_nchw({{{2, 5, 17}, {5, 3, 5}, 1, {4}, {2, 0}, {2}}, {71}});
  check_transposed_nchw({{{1, 5, 3, 4}, {5, 20, 1, 1}, 1, {3, 2}}, {7, 7}});  // gaps
  check_transposed_nchw({{{1, 3, 3, 1}, {3, 2, 4, 3}, 1, {2, 1}, {3, 1, 3, 1}}, {2, 1}});
  check_transposed_nchw(
      {{{2, 4, 3, 5, 6}, {4, 3, 2, 3, 2}, 2, {2, 2, 2}, {0, 1, 0, 0, 1, 0}}, {6, 9, 12}});
  check_transposed_nchw(
      {{{1, 2, 3, 4, 5}, {2, 3, 3, 3, 3}, 1, {2, 1, 3}, {1, 2, 0, 1, 0, 2}, {1, 2, 1}},
       {5, 6, 13}});
}

TEST(conv_transpose, of_single_pixels_agrees_with_plain_loops) {
  check_transposed_nchw({{{2, 21, 15, 17}, {21, 5, 1, 1}}, {15, 17}});
  check_transposed_nchw({{{1, 6, 9, 33}, {6, 4, 1, 1}, 3}, {9, 33}});
  check_transposed_nchw({{{2, 2, 20, 21}, {2, 2, 1, 1}, 2, {2, 2}}, {39, 41}});
  check_transposed_nchw({{{1, 3, 7, 6}, {3, 9, 1, 1}, 1, {3, 2}, {1, 3, 2, 4}}, {16, 4}});
  check_transposed_nchw({{{1, 3, 5, 6}, {3, 2, 1, 1}, 1, {3, 4}}, {15, 24}, {2, 3}});
  check_transposed_nchw({{{2, 4, 3, 4, 5}, {4, 3, 1, 1, 1}, 2, {2, 3, 2}}, {5, 10, 9}});
  check_transposed_nchw({{{1, 2, 3, 4}, {2, 1, 2, 1}, 1, {3, 2}, {0, 1, 1, 0}}, {7, 6}});
  check_transposed_nchw({{{1, 2, 5, 6}, {2, 3, 2, 2}, 1, {2, 2}, {}, {2, 2}}, {11, 13}});
  check_transposed_nchw({{{1, 13, 14, 15}, {13, 1, 7, 7}, 1, {2, 2}}, {33, 35}});
}

// Lines go to their columns as they are: with gaps, cut at either end, one pixel behind the other.
TEST(conv_transpose, of_taps_that_do_not_overlap_agrees_with_plain_loops) {
  check_transposed_nchw({{{2, 3, 5, 19}, {3, 4, 3, 3}, 1, {3, 3}}, {15, 57}});
  check_transposed_nchw({{{1, 3, 4, 6}, {3, 4, 2, 4}, 1, {2, 4}, {0, 0, 1, 3}}, {7, 21}});
  check_transposed_nchw({{{1, 3, 4, 6}, {3, 4, 2, 4}, 1, {2, 4}, {1, 2, 0, 1}}, {7, 21}});
  check_transposed_nchw({{{1, 4, 5, 6}, {4, 6, 2, 2}, 2, {3, 4}, {1, 0, 0, 1}}, {13, 21}});
  check_transposed_nchw({{{1, 2, 5, 6}, {2, 3, 2, 2}, 1, {4, 5}, {1, 3, 2, 1}, {3, 4}}, {17, 26}});
  check_transposed_nchw({{{2, 2, 17}, {2, 3, 5}, 1, {5}, {}, {}}, {88}, {3}});
  check_transposed_nchw({{{1, 4, 3, 4, 5}, {4, 3, 2, 1, 2}, 2, {2, 3, 2}}, {6, 10, 10}});
}

// Phases of long lines, side by side and one after the other, of which the last may be shorter.
TEST(conv_transpose, of_long_lines_agrees_with_plain_loops) {
  for (const int64_t width : {255, 256, 300}) {
    check_transposed_nchw({{{1, 2, 2, width}, {2, 1, 2, 3}, 1, {2, 2}}, {4, 2 * width + 1}});
    check_transposed_nchw(
        {{{1, 2, 2, width}, {2, 1, 1, 5}, 1, {2, 3}, {0, 2, 0, 1}}, {3, 3 * width - 1}});
    check_transposed_nchw({{{1, 1, width}, {1, 2, 6}, 1, {4}, {3, 2}}, {4 * width - 3}});
    check_transposed_nchw({{{1, 1, width}, {1, 2, 7}, 1, {6}, {1, 0}}, {6 * width}});
  }
}

// More than is multiplied at once: channels of one group, and groups.
TEST(conv_transpose, with_strides_adds_parts_as_if_they_were_one) {
  check_transposed_nchw({{{2, 3, 50, 45}, {3, 11, 5, 5}, 1, {2, 2}, {2, 1, 2, 1}}, {99, 91}});
  check_transposed_nchw({{{1, 41, 40, 41}, {41, 1, 3, 3}, 41, {2, 2}, {1, 1, 1, 1}}, {79, 81}});
  check_transposed_nchw({{{1, 4, 70, 75}, {4, 3, 5, 5}, 2, {1, 2}}, {74, 153}});
}

TEST(conv_transpose, divides_padding_as_output_shape_and_auto_pad_ask) {
  const Dims x = {1, 2, 4, 4}, w = {2, 3, 3, 3};
  check_transposed_nchw({{x, w, 1, {2, 2}, {}, {}, "SAME_UPPER", {0, 0, 1, 1}}, {8, 8}});
  check_transposed_nchw({{x, w, 1, {2, 2}, {}, {}, "SAME_LOWER", {1, 1, 0, 0}}, {8, 8}});
  check_transposed_nchw({{x, w, 1, {2, 2}, {}, {}, "", {1, 0, 0, 0}}, {8, 9}, {}, {8, 9}});
  check_transposed_nchw({{x, w, 1, {3, 3}, {}, {}, "", {0, 0, 0, 0}}, {13, 14}, {}, {13, 14}});
}

TEST(conv_transpose, refuses_what_does_not_fit) {
  const auto code = [](const Dims& x, const Dims& w, std::vector<Attribute> attributes = {}) {
    return testing::evaluate({"ConvTranspose", "", 11, std::move(attributes)},
                             {random_tensor(x, 1), random_tensor(w, 2)}, 1, host_isa())
        .status()
        .code();
  };
  CHECK_EQ(code({1, 3, 5, 5}, {4, 3, 3, 3}), Code::kInvalidArgument);
  CHECK_EQ(code({1, 3, 1, 1}, {3, 3, 1, 1}, {Attribute::of_ints("pads", {2, 2, 2, 2})}),
           Code::kInvalidArgument);
  CHECK_EQ(code({1, 3, 5, 5}, {3, 3, 3, 3}, {Attribute::of_ints("output_shape", {1, 2, 3})}),
           Code::kInvalidArgument);
}

TEST(conv_nchw, of_an_image_without_pixels_is_empty) {
  const Tensor x = random_tensor({2, 3, 0, 5}, 1), w = random_tensor({4, 3, 1, 1}, 2);
  for (const bool is_double : {false, true}) {
    const auto y = testing::evaluate(
        {"Conv", "", 11},
        {is_double ? testing::as_doubles(x) : x, is_double ? testing::as_doubles(w) : w}, 2,
        host_isa());
    CHECK_OK(y);
    CHECK_EQ((*y)[0].dims(), (Dims{2, 4, 0, 5}));
  }
  const auto padded =
      testing::evaluate({"Conv", "", 11, {Attribute::of_ints("pads", {1, 1, 1, 1})}},
                        {x, random_tensor({4, 3, 3, 3}, 2)}, 2, host_isa());
  CHECK_OK(padded);
  CHECK_EQ((*padded)[0].dims(), (Dims{2, 4, 0, 5}));
}

}  // namespace
}  // namespace ortc::cpu
