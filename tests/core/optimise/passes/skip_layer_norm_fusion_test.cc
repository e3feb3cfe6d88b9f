// SPDX-License-Identifier: MIT
// LayerNormalization(Add(a, b))   ->   SkipLayerNormalization(a, b)
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

namespace {

ValueId norm(TestGraph& g, ValueId sum) {
  return g.node("LayerNormalization",
                {sum, g.floats("s", {4}, {1, 2, 3, 4}), g.floats("b", {4}, {0, 0, 0, 1})},
                {Attribute::of_float("epsilon", 1e-6f)});
}

}  // namespace

TEST(skip_layer_norm_fusion, takes_the_sum_in) {
  TestGraph g(17);
  const ValueId a = g.input("a", {2, 3, 4}), b = g.input("b_in", {2, 3, 4});
  g.output(norm(g, g.node("Add", {a, b})));
  CHECK_EQ(g.run("skip_layer_norm_fusion"), 1);
  CHECK_EQ(g.operators(), "com.microsoft::SkipLayerNormalization");
  CHECK_EQ(g.producer_of("y").inputs().size(), 4u);
  CHECK_EQ(g.producer_of("y").float_attribute("epsilon", 0), 1e-6f);
}

TEST(skip_layer_norm_fusion, gives_the_sum_to_its_other_readers) {
  TestGraph g(17);
  const ValueId a =
      g.input("a", DType::kFloat32, {Dim::named("n"), Dim::named("s"), Dim::known(4)});
  const ValueId b =
      g.input("b_in", DType::kFloat32, {Dim::named("n"), Dim::named("s"), Dim::known(4)});
  const ValueId sum = g.node("Add", {a, b});
  g.output(norm(g, sum));
  g.output(g.node("Neg", {sum}), "z");
  CHECK_EQ(g.run("skip_layer_norm_fusion"), 1);
  CHECK_EQ(g.operators(), "com.microsoft::SkipLayerNormalization Neg");
  const Node& fused = g.producer_of("y");
  CHECK_EQ(fused.outputs().size(), 4u);
  CHECK_EQ(g.producer_of("z").input(0), fused.output(3));
}

TEST(skip_layer_norm_fusion, takes_a_constant_bias_in) {
  TestGraph g(17);
  const ValueId a = g.input("a", {2, 3, 4}), b = g.input("b_in", {2, 3, 4});
  const ValueId biased = g.node("Add", {g.floats("v", {4}, {1, 1, 1, 1}), a});
  g.output(norm(g, g.node("Add", {b, biased})));
  CHECK_EQ(g.run("skip_layer_norm_fusion"), 1);
  const Node& fused = g.producer_of("y");
  CHECK_EQ(fused.inputs().size(), 5u);
  CHECK_EQ(fused.input(0), a);
  CHECK_EQ(fused.input(1), b);
}

TEST(skip_layer_norm_fusion, leaves_sums_that_broadcast_and_sums_that_are_outputs) {
  TestGraph g(17);
  const ValueId a = g.input("a", {2, 3, 4});
  g.output(norm(g, g.node("Add", {a, g.input("row", {1, 3, 4})})), "broadcast");
  const ValueId sum = g.node("Add", {a, g.input("b_in", {2, 3, 4})});
  g.output(sum, "sum");
  g.output(norm(g, sum), "normalised");
  CHECK_EQ(g.run("skip_layer_norm_fusion"), 0);
}
