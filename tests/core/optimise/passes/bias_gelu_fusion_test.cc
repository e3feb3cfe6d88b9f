// SPDX-License-Identifier: MIT
// Gelu(Add(x, b))   ->   BiasGelu(x, b)
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

TEST(bias_gelu_fusion, takes_the_bias_in) {
  TestGraph g(20);
  const ValueId x = g.input("x", {2, 4});
  const ValueId bias = g.floats("b", {4}, {1, 2, 3, 4});
  g.output(g.node("Gelu", {g.node("Add", {bias, x})}));
  g.output(
      g.node("Gelu", {g.node("Add", {x, bias})}, {Attribute::of_string("approximate", "tanh")}),
      "z");
  CHECK_EQ(g.run("bias_gelu_fusion"), 2);
  CHECK_EQ(g.operators(), "com.microsoft::BiasGelu com.microsoft::FastGelu");
  CHECK_EQ(g.producer_of("y").input(0), x);
  CHECK_EQ(g.producer_of("y").input(1), bias);
}

TEST(bias_gelu_fusion, leaves_what_is_no_bias) {
  TestGraph g(20);
  const ValueId x = g.input("x", {2, 4});
  g.output(g.node("Gelu", {g.node("Add", {x, g.input("b", {4})})}), "changing");
  g.output(g.node("Gelu", {g.node("Add", {x, g.floats("c", {1}, {1})})}), "single");
  CHECK_EQ(g.run("bias_gelu_fusion"), 0);
}
