// SPDX-License-Identifier: MIT
// Mul(Conv(x, w, b), s)   ->   Conv(x, s * w, s * b)
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
