// SPDX-License-Identifier: MIT
// Transpose(Transpose(x, p), q)   ->   Transpose(x, p[q])
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

TEST(transpose_cancellation, removes_a_pair_that_undoes_itself) {
  TestGraph g(13);
  const ValueId x = g.input("x", {2, 3, 4});
  const ValueId there = g.node("Transpose", {x}, {Attribute::of_ints("perm", {1, 2, 0})});
  g.output(g.node("Relu", {g.node("Transpose", {there}, {Attribute::of_ints("perm", {2, 0, 1})})}));
  CHECK_EQ(g.run("transpose_cancellation"), 1);
  CHECK_EQ(g.operators(), "Relu");
}

TEST(transpose_cancellation, joins_two_into_one_of_the_same_shape) {
  TestGraph g(13);
  const ValueId x = g.input("x", {2, 3, 4});
  const ValueId first = g.node("Transpose", {x}, {Attribute::of_ints("perm", {1, 2, 0})});
  g.output(g.node("Transpose", {first}));
  g.infer();
  const std::string before = g.type(g.graph().find_value("y")->id);
  CHECK_EQ(g.run("transpose_cancellation"), 1);
  CHECK_EQ(g.operators(), "Transpose");
  CHECK_EQ(g.type(g.graph().find_value("y")->id), before);
  CHECK_EQ(before, "float32[2,4,3]");
  CHECK(g.producer_of("y").ints_attribute("perm") == std::vector<int64_t>({0, 2, 1}));
}
