// SPDX-License-Identifier: MIT
// Transposed convolutions without strides: they become convolutions that give the same numbers,
// others stay what they are.
#include "tests/providers/cpu/fusions/fed_graph.h"
#include "tests/providers/cpu/fusions/short_attributes.h"

using namespace ortc;
using ortc::test::Fed;
using ortc::test::flag;
using ortc::test::integers;
using ortc::test::text;

namespace {

void check_transposed(const Dims& x, const Dims& w, const std::vector<Attribute>& attributes,
                      const std::string& expected) {
  const auto make = [&](Fed& g) {
    const auto count = [](const Dims& dims) {
      int64_t product = 1;
      for (const int64_t d : dims) product *= d;
      return product;
    };
    const ValueId input = g.fed(Tensor::from<float>(x, test::random_numbers(count(x), 3)));
    const ValueId weights = g.constant(Tensor::from<float>(w, test::random_numbers(count(w), 4)));
    g.output(g.op("ConvTranspose", {input, weights}, attributes));
    g.infer();
  };
  Fed plain(11), fused(11);
  make(plain);
  make(fused);
  test::check_fusion(plain, fused, expected);
}

}  // namespace

TEST(plain_transposed, windows_without_strides_are_those_of_a_convolution) {
  check_transposed({2, 3, 4, 5, 6}, {3, 4, 2, 3, 2}, {}, " Conv");
  check_transposed(
      {1, 6, 4, 5, 6}, {6, 2, 3, 2, 1},
      {flag("group", 3), integers("pads", {1, 0, 0, 2, 1, 0}), integers("kernel_shape", {3, 2, 1})},
      " Conv");
  check_transposed({1, 4, 5, 6, 7}, {4, 3, 2, 2, 3},
                   {integers("strides", {1, 1, 1}), integers("dilations", {1, 3, 2}),
                    integers("pads", {0, 3, 1, 1, 0, 4})},
                   " Conv");
}

TEST(plain_transposed, many_channels_to_few_stay) {
  check_transposed({1, 32, 4, 5, 6}, {32, 4, 2, 2, 2}, {flag("group", 2)}, " ConvTranspose");
  check_transposed({1, 32, 4, 5, 6}, {32, 5, 2, 2, 2}, {flag("group", 2)}, " Conv");
  check_transposed({1, 30, 4, 5, 6}, {30, 4, 2, 2, 2}, {flag("group", 2)}, " Conv");
}

TEST(plain_transposed, images_that_would_grow_much_stay) {
  check_transposed({1, 16, 6, 6}, {16, 8, 5, 5}, {}, " Transpose ConvTranspose Transpose");
  check_transposed({1, 16, 30, 30}, {16, 8, 5, 5}, {}, " Conv");
  check_transposed({1, 12, 6, 6}, {12, 8, 5, 5}, {}, " Transpose Conv Transpose");
  check_transposed({1, 32, 6, 6}, {32, 8, 5, 5}, {flag("group", 2)}, " Transpose Conv Transpose");
  check_transposed({1, 96, 20, 20}, {96, 12, 1, 2}, {}, " ConvTranspose");
}

TEST(plain_transposed, what_a_convolution_cannot_say_stays) {
  const Dims x = {1, 4, 5, 6, 7}, w = {4, 3, 2, 2, 2};
  check_transposed(x, w, {integers("strides", {1, 2, 1})}, " ConvTranspose");
  check_transposed(x, w, {integers("pads", {2, 0, 0, 0, 0, 0})}, " ConvTranspose");
  check_transposed(x, w, {integers("output_shape", {6, 7, 7})}, " ConvTranspose");
  check_transposed(x, w, {text("auto_pad", "SAME_UPPER")}, " ConvTranspose");
  check_transposed(x, w, {integers("dilations", {2, 2, 2}), integers("output_padding", {1, 0, 0})},
                   " ConvTranspose");
}
