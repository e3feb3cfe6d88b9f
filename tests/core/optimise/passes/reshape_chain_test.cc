// SPDX-License-Identifier: MIT
// Reshape(r(x), s)   ->   Reshape(x, s)
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

TEST(reshape_chain, skips_the_shape_between) {
  TestGraph g(13);
  const ValueId x = g.input("x", {2, 3, 4});
  const ValueId flat = g.node("Flatten", {x});
  g.output(g.node("Reshape", {flat, g.ints("s", {4, -1})}));
  CHECK_EQ(g.run("reshape_chain"), 1);
  CHECK_EQ(g.operators(), "Reshape");
  CHECK_EQ(g.type(g.graph().find_value("y")->id), "float32[4,6]");
}

TEST(reshape_chain, keeps_the_shape_that_a_zero_copies) {
  TestGraph g(13);
  const ValueId x = g.input("x", {2, 3, 4});
  const ValueId first = g.node("Reshape", {x, g.ints("s", {6, 4})});
  g.output(g.node("Reshape", {first, g.ints("t", {0, 2, 2})}));
  CHECK_EQ(g.run("reshape_chain"), 0);
}

TEST(reshape_chain, cancels_squeeze_and_unsqueeze_of_the_same_axes) {
  TestGraph g(13);
  const ValueId x = g.input("x", {2, 3});
  const ValueId wide = g.node("Unsqueeze", {x, g.ints("a", {0, 3})});
  g.output(g.node("Relu", {g.node("Squeeze", {wide, g.ints("b", {-1, 0})})}), "same");
  const ValueId other = g.node("Unsqueeze", {x, g.ints("c", {0, 1})});
  g.output(g.node("Relu", {g.node("Squeeze", {other, g.ints("d", {0})})}), "different");
  CHECK_EQ(g.run("reshape_chain"), 1);
  CHECK_EQ(g.graph().value(g.producer_of("same").input(0))->name, "x");
}
