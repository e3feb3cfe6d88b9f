// SPDX-License-Identifier: MIT
// f(constants)   ->   constant
#include "core/optimise/passes.h"
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

TEST(constant_folding, computes_chains_of_constants) {
  TestGraph g(13);
  const ValueId x = g.input("x", {2});
  const ValueId sum = g.node("Add", {g.floats("a", {2}, {1, 2}), g.floats("b", {2}, {10, 20})});
  const ValueId product = g.node("Mul", {sum, sum});
  g.output(g.node("Sub", {x, product}));
  CHECK_EQ(g.run("constant_folding"), 2);
  CHECK_EQ(g.operators(), "Sub");
  CHECK_EQ(g.constant_input(g.producer_of("y"), 1).elements<float>()[1], 484.0f);
}

TEST(constant_folding, leaves_random_nodes_missing_kernels_outputs_and_weights_kept_small) {
  TestGraph g(13);
  const ValueId c = g.floats("c", {2}, {1, 2});
  g.output(g.node("Neg", {g.node("RandomNormalLike", {c})}), "random");
  g.output(g.node("Neg", {g.node("Sub", {c, c})}), "no_kernel");
  g.output(g.node("Add", {c, c}), "output");
  const ValueId q = g.constant("q", Tensor::from<int8_t>({2}, std::vector<int8_t>{1, 2}));
  g.output(g.node("Neg", {g.node("DequantizeLinear", {q, g.scalar(2)})}), "weights");
  CHECK_EQ(g.run("constant_folding"), 0);
}

TEST(constant_folding, does_not_take_an_overridable_default_for_a_constant) {
  TestGraph g(13);
  const ValueId c = g.floats("c", {2}, {1, 2});
  g.graph().add_input(c);
  g.output(g.node("Neg", {g.node("Add", {c, c})}));
  CHECK_EQ(g.run("constant_folding"), 0);
}

TEST(constant_folding, stops_where_the_work_for_the_model_is_done) {
  // Two numbers are read for each that is made.
  for (const bool is_enough : {true, false}) {
    TestGraph g(13);
    const ValueId c = g.floats("c", {64, 64}, std::vector<float>(64 * 64, 1.0f));
    g.output(g.node("Neg", {g.node("Add", {c, c})}));
    g.infer();
    const Evaluator evaluator(stand_in_kernels());
    const OptimiseOptions options;
    Budget budget{1 << 20, is_enough ? 3u * 64 * 64 : 3u * 64 * 64 - 1, 0};
    const PassContext context{evaluator, options, budget};
    const auto folded = constant_folding(g.graph(), context);
    CHECK_OK(folded);
    CHECK_EQ(*folded, is_enough ? 1 : 0);
    CHECK_EQ(budget.folding_operations, is_enough ? 0u : 3u * 64 * 64 - 1);
  }
}
