// SPDX-License-Identifier: MIT
// Add(Conv(x, w, b), t)   ->   Conv(x, w, b + t)
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

TEST(conv_add_fusion, adds_to_the_bias_or_makes_one) {
  TestGraph g(13);
  const ValueId x = g.input("x", {1, 1, 2, 2});
  const ValueId w = g.floats("w", {2, 1, 1, 1}, {3, 4});
  const ValueId y = g.node("Conv", {x, w});
  const ValueId sum = g.node("Add", {y, g.floats("t", {1, 2, 1, 1}, {5, 6})});
  g.output(g.node("Add", {g.scalar(1), sum}));
  CHECK_EQ(g.run("conv_add_fusion"), 1);
  CHECK_EQ(g.run("conv_add_fusion"), 1);
  const Node& conv = g.producer_of("y");
  CHECK_EQ(conv.input(1), w);
  CHECK_EQ(g.constant_input(conv, 2).elements<float>()[1], 7.0f);
}

TEST(conv_add_fusion, leaves_a_sum_that_stretches_the_output) {
  TestGraph g(13);
  const ValueId x = g.input("x", {1, 1, 2, 2});
  const ValueId y = g.node("Conv", {x, g.floats("w", {2, 1, 1, 1}, {3, 4})});
  g.output(g.node("Add", {y, g.floats("t", {2, 1, 1, 1}, {5, 6})}));
  CHECK_EQ(g.run("conv_add_fusion"), 0);
}

TEST(conv_add_fusion, leaves_a_sum_that_nobody_reads) {
  TestGraph g(13);
  const ValueId x = g.input("x", {1, 1, 2, 2});
  const ValueId y = g.node("Conv", {x, g.floats("w", {2, 1, 1, 1}, {3, 4})});
  g.node("Add", {y, g.scalar(5)});
  g.output(g.node("Relu", {x}));
  CHECK_EQ(g.run("conv_add_fusion"), 0);
  CHECK_EQ(g.run("dead_node_elimination"), 4);
}
