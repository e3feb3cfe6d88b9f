// SPDX-License-Identifier: MIT
// 0.5 * x * (1 + Tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))   ->   FastGelu(x)
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

namespace {

ValueId fast_gelu(TestGraph& g, ValueId x, bool by_pow, float cubic) {
  const ValueId cube =
      by_pow ? g.node("Pow", {x, g.scalar(3)}) : g.node("Mul", {x, g.node("Mul", {x, x})});
  const ValueId polynomial = g.node("Add", {x, g.node("Mul", {cube, g.scalar(cubic)})});
  const ValueId tanh = g.node("Tanh", {g.node("Mul", {g.scalar(0.7978846f), polynomial})});
  const ValueId sum = g.node("Add", {g.scalar(1), tanh});
  return g.node("Mul", {g.node("Mul", {g.scalar(0.5f), x}), sum});
}

}  // namespace

TEST(fast_gelu_fusion, finds_both_forms_of_the_cube) {
  for (const bool by_pow : {false, true}) {
    TestGraph g(17);
    g.output(fast_gelu(g, g.input("x", {2, 4}), by_pow, 0.044715f));
    CHECK_EQ(g.run("fast_gelu_fusion"), 1);
    CHECK_EQ(g.operators(), "com.microsoft::FastGelu");
  }
  TestGraph g(20);
  g.output(fast_gelu(g, g.input("x", {2, 4}), true, 0.044715f));
  CHECK_EQ(g.run("fast_gelu_fusion"), 1);
  CHECK_EQ(g.producer_of("y").string_attribute("approximate", ""), "tanh");
}

TEST(fast_gelu_fusion, leaves_another_polynomial) {
  TestGraph g(17);
  g.output(fast_gelu(g, g.input("x", {2, 4}), true, 0.05f));
  CHECK_EQ(g.run("fast_gelu_fusion"), 0);
}
