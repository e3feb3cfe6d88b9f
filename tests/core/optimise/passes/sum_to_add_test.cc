// SPDX-License-Identifier: MIT
// Sum(a, b)   ->   Add(a, b)
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

TEST(sum_to_add, turns_sums_of_two_only) {
  TestGraph g(13);
  const ValueId a = g.input("a", {2, 3}), b = g.input("b", {3});
  const ValueId two = g.node("Sum", {a, b});
  g.output(g.node("Sum", {two, a, b}));
  CHECK_EQ(g.run("sum_to_add"), 1);
  CHECK_EQ(g.operators(), "Add Sum");
}

TEST(sum_to_add, leaves_opsets_where_sums_do_not_broadcast_alike) {
  TestGraph g(7);
  g.output(g.node("Sum", {g.input("a", {2}), g.input("b", {2})}));
  CHECK_EQ(g.run("sum_to_add"), 0);
}
