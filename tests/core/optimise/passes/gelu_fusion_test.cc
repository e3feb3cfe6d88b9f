// SPDX-License-Identifier: MIT
// 0.5 * x * (1 + Erf(x / sqrt(2)))   ->   Gelu(x)
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// The exporters' ways of writing it; `order` picks where the half goes.
ValueId gelu(TestGraph& g, ValueId x, int order, bool divides) {
  const ValueId inner = divides ? g.node("Div", {x, g.scalar(1.41421356f)})
                                : g.node("Mul", {g.scalar(0.70710677f), x});
  const ValueId sum = g.node("Add", {g.node("Erf", {inner}), g.scalar(1)});
  if (order == 0) return g.node("Mul", {g.node("Mul", {x, sum}), g.scalar(0.5f)});
  if (order == 1) return g.node("Mul", {x, g.node("Mul", {sum, g.scalar(0.5f)})});
  return g.node("Mul", {g.node("Mul", {x, g.scalar(0.5f)}), sum});
}

}  // namespace

TEST(gelu_fusion, finds_every_order_of_the_factors) {
  for (const int order : {0, 1, 2}) {
    for (const bool divides : {false, true}) {
      TestGraph g(17);
      g.output(gelu(g, g.input("x", {2, 4}), order, divides));
      CHECK_EQ(g.run("gelu_fusion"), 1);
      CHECK_EQ(g.operators(), "com.microsoft::Gelu");
      CHECK_EQ(g.graph().opset("com.microsoft"), 1);
      CHECK_EQ(g.type(g.graph().find_value("y")->id), "float32[2,4]");
    }
  }
}

TEST(gelu_fusion, uses_the_own_operator_of_newer_opsets) {
  TestGraph g(20);
  g.output(gelu(g, g.input("x", {2, 4}), 0, true));
  CHECK_EQ(g.run("gelu_fusion"), 1);
  CHECK_EQ(g.operators(), "Gelu");
  CHECK_EQ(g.graph().opset("com.microsoft"), 0);
}

TEST(gelu_fusion, leaves_other_constants_other_factors_and_values_read_elsewhere) {
  TestGraph g(17);
  const ValueId x = g.input("x", {2, 4}), z = g.input("z", {2, 4});
  const auto variant = [&](float root, ValueId factor, float half) {
    const ValueId sum =
        g.node("Add", {g.node("Erf", {g.node("Div", {x, g.scalar(root)})}), g.scalar(1)});
    return g.node("Mul", {g.node("Mul", {factor, sum}), g.scalar(half)});
  };
  g.output(variant(1.5f, x, 0.5f), "a");
  g.output(variant(1.41421356f, z, 0.5f), "b");
  g.output(variant(1.41421356f, x, 0.25f), "c");
  const ValueId erf = g.node("Erf", {g.node("Div", {x, g.scalar(1.41421356f)})});
  g.output(g.node("Mul", {g.node("Mul", {x, g.node("Add", {erf, g.scalar(1)})}), g.scalar(0.5f)}),
           "d");
  g.output(g.node("Neg", {erf}), "e");
  CHECK_EQ(g.run("gelu_fusion"), 0);
}

TEST(gelu_fusion, leaves_types_without_a_kernel) {
  TestGraph g(17);
  const ValueId x = g.input("x", DType::kFloat64, {Dim::known(2)});
  const auto number = [&g](double value) { return g.constant("c", Tensor::scalar(value)); };
  const ValueId sum =
      g.node("Add", {g.node("Erf", {g.node("Div", {x, number(1.4142135623730951)})}), number(1)});
  g.output(g.node("Mul", {g.node("Mul", {x, sum}), number(0.5)}));
  CHECK_EQ(g.run("gelu_fusion"), 0);
}
