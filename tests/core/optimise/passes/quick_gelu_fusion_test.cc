// SPDX-License-Identifier: MIT
// x * Sigmoid(alpha * x)   ->   QuickGelu(x) {alpha}
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

TEST(quick_gelu_fusion, takes_the_scale_along) {
  TestGraph g(17);
  const ValueId x = g.input("x", {2, 4});
  g.output(g.node("Mul", {x, g.node("Sigmoid", {g.node("Mul", {x, g.scalar(1.702f)})})}));
  g.output(g.node("Mul", {g.node("Sigmoid", {x}), x}), "z");
  CHECK_EQ(g.run("quick_gelu_fusion"), 2);
  CHECK_EQ(g.operators(), "com.microsoft::QuickGelu com.microsoft::QuickGelu");
  CHECK_EQ(g.producer_of("y").float_attribute("alpha", 0), 1.702f);
  CHECK_EQ(g.producer_of("z").float_attribute("alpha", 0), 1.0f);
}

TEST(quick_gelu_fusion, leaves_a_gate_on_another_value) {
  TestGraph g(17);
  const ValueId x = g.input("x", {2, 4}), z = g.input("z", {2, 4});
  g.output(g.node("Mul", {x, g.node("Sigmoid", {z})}));
  const ValueId gate = g.node("Sigmoid", {x});
  g.output(gate, "gate");
  g.output(g.node("Mul", {x, gate}), "w");
  CHECK_EQ(g.run("quick_gelu_fusion"), 0);
}
