// SPDX-License-Identifier: MIT
// Mul(Conv(x, w, b), s)   ->   Conv(x, s * w, s * b)
#include <cmath>

#include "core/base/float16.h"
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

TEST(conv_mul_fusion, scales_weight_and_bias_per_channel) {
  TestGraph g(13);
  const ValueId x = g.input("x", {1, 1, 2, 2});
  const ValueId w = g.floats("w", {2, 1, 1, 1}, {3, 4});
  const ValueId y = g.node("Conv", {x, w, g.floats("b", {2}, {1, 2})});
  g.output(g.node("Mul", {g.floats("s", {2, 1, 1}, {10, 100}), y}));
  CHECK_EQ(g.run("conv_mul_fusion"), 1);
  const Node& conv = g.producer_of("y");
  CHECK_EQ(conv.op_type(), "Conv");
  CHECK_EQ(g.constant_input(conv, 1).elements<float>()[1], 400.0f);
  CHECK_EQ(g.constant_input(conv, 2).elements<float>()[0], 10.0f);
}

TEST(conv_mul_fusion, leaves_a_constant_along_another_axis) {
  TestGraph g(13);
  const ValueId x = g.input("x", {1, 1, 2, 2});
  const ValueId y = g.node("Conv", {x, g.floats("w", {2, 1, 1, 1}, {3, 4})});
  g.output(g.node("Mul", {y, g.floats("s", {2}, {10, 100})}));
  CHECK_EQ(g.run("conv_mul_fusion"), 0);
}

TEST(conv_mul_fusion, leaves_a_product_that_nobody_reads) {
  TestGraph g(13);
  const ValueId x = g.input("x", {1, 1, 2, 2});
  const ValueId y = g.node("Conv", {x, g.floats("w", {2, 1, 1, 1}, {3, 4})});
  g.node("Mul", {y, g.scalar(5)});
  g.output(g.node("Relu", {x}));
  CHECK_EQ(g.run("conv_mul_fusion"), 0);
  CHECK_EQ(g.run("dead_node_elimination"), 4);
}

TEST(conv_mul_fusion, leaves_factors_whose_product_does_not_fit_the_type) {
  TestGraph g(13);
  const ValueId x = g.input("x", {1, 1, 2, 2});
  const ValueId y = g.node("Conv", {x, g.floats("w", {2, 1, 1, 1}, {3, 4e30f})});
  g.output(g.node("Mul", {y, g.floats("s", {2, 1, 1}, {10, 1e20f})}));
  CHECK_EQ(g.run("conv_mul_fusion"), 0);
  CHECK_EQ(g.operators(), "Conv Mul");
}

// inf * (2 - 1) is infinity, inf * 2 - inf * 1 is no number.
TEST(conv_mul_fusion, leaves_factors_that_are_not_finite) {
  for (const float factor : {INFINITY, -INFINITY, NAN}) {
    TestGraph g(13);
    const ValueId x = g.input("x", {1, 1, 2, 2});
    const ValueId y = g.node("Conv", {x, g.floats("w", {2, 1, 1, 1}, {3, -4})});
    g.output(g.node("Mul", {y, g.floats("s", {2, 1, 1}, {10, factor})}));
    CHECK_EQ(g.run("conv_mul_fusion"), 0);
    CHECK_EQ(g.operators(), "Conv Mul");
  }
}

// The least normal number of float16 is 6.1e-5, of float32 1.2e-38.
TEST(conv_mul_fusion, leaves_factors_that_make_all_weights_of_a_channel_denormal) {
  const auto rewrites = [](DType dtype, std::vector<float> weights, float factor) {
    TestGraph g(13);
    const auto tensor = [dtype](Dims dims, const std::vector<float>& numbers) {
      if (dtype == DType::kFloat32) return Tensor::from<float>(std::move(dims), numbers);
      Tensor halves = Tensor::create(dtype, std::move(dims)).value();
      for (size_t i = 0; i < numbers.size(); ++i) {
        halves.mutable_elements<uint16_t>()[i] = float_to_half(numbers[i]);
      }
      return halves;
    };
    const ValueId x =
        g.input("x", dtype, {Dim::known(1), Dim::known(2), Dim::known(2), Dim::known(2)});
    const ValueId y = g.node("Conv", {x, g.constant("w", tensor({2, 2, 1, 1}, weights))});
    g.output(g.node("Mul", {y, g.constant("s", tensor({}, {factor}))}));
    return g.run("conv_mul_fusion");
  };
  CHECK_EQ(rewrites(DType::kFloat16, {.1f, .2f, .2f, .3f}, 2e-5f), 0);
  CHECK_EQ(rewrites(DType::kFloat16, {.1f, .2f, 2, 3}, 1e-4f), 0);  // the first channel
  CHECK_EQ(rewrites(DType::kFloat16, {.001f, 1, 2, 0}, 1e-3f), 1);  // the largest ones do not
  CHECK_EQ(rewrites(DType::kFloat16, {0, 0, 2, 3}, 1e-3f), 1);      // nothing is lost of nothing
  CHECK_EQ(rewrites(DType::kFloat16, {1, 2, 3, 4}, 0), 1);
  CHECK_EQ(rewrites(DType::kFloat32, {1e-30f, 1, 2, 1e-30f}, 1e-3f), 1);
  CHECK_EQ(rewrites(DType::kFloat32, {1e-30f, 1e-30f, 2, 3}, 1e-20f), 0);
}
