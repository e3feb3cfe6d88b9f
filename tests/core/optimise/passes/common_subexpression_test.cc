// SPDX-License-Identifier: MIT
// y = f(x), z = f(x)   ->   z is y
#include "core/rewrite/changes.h"
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

TEST(common_subexpression, joins_equal_nodes_and_equal_small_constants) {
  TestGraph g(13);
  const ValueId x = g.input("x", {2, 3});
  const ValueId a = g.node("ReduceSum", {x, g.ints("a", {1})});
  const ValueId b = g.node("ReduceSum", {x, g.ints("b", {1})});
  g.output(g.node("Div", {a, b}));
  CHECK_EQ(g.run("common_subexpression"), 1);
  CHECK_EQ(g.operators(), "ReduceSum Div");
}

TEST(common_subexpression, tells_attributes_inputs_and_random_nodes_apart) {
  TestGraph g(13);
  const ValueId x = g.input("x", {2, 3});
  g.output(g.node("Softmax", {x}, {Attribute::of_int("axis", 0)}), "a");
  g.output(g.node("Softmax", {x}, {Attribute::of_int("axis", 1)}), "b");
  g.output(g.node("Sub", {x, g.scalar(1)}), "c");
  g.output(g.node("Sub", {x, g.scalar(2)}), "d");
  g.output(g.node("RandomNormalLike", {x}), "e");
  g.output(g.node("RandomNormalLike", {x}), "f");
  import_domain(g.graph(), "com.microsoft", 1);
  for (const char* op : {"BiasDropout", "BitmaskDropout", "BitmaskBiasDropout"}) {
    g.output(g.node(op, {x, x}, {}, "com.microsoft"), str_cat(op, "_1"));
    g.output(g.node(op, {x, x}, {}, "com.microsoft"), str_cat(op, "_2"));
  }
  CHECK_EQ(g.run("common_subexpression"), 0);
}

TEST(common_subexpression, keeps_two_outputs_and_gives_one_output_its_name) {
  TestGraph g(13);
  const ValueId x = g.input("x", {2});
  g.output(g.node("Relu", {x}), "a");
  g.output(g.node("Relu", {x}), "b");
  g.output(g.node("Exp", {g.node("Neg", {x})}), "c");
  g.output(g.node("Neg", {x}), "d");
  CHECK_EQ(g.run("common_subexpression"), 1);
  CHECK_EQ(g.operators(), "Relu Relu Neg Exp");
  CHECK_EQ(g.producer_of("d").op_type(), "Neg");
}
