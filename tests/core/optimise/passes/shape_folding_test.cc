// SPDX-License-Identifier: MIT
// Shape(x) of known dims   ->   constant
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

TEST(shape_folding, folds_the_shape_of_a_static_tensor) {
  TestGraph g(13);
  const ValueId x = g.input("x", {2, 3});
  g.output(g.node("Add", {g.node("Shape", {x}), g.node("Shape", {x})}));
  CHECK_EQ(g.run("shape_folding"), 2);
  CHECK_EQ(g.operators(), "Add");
  CHECK_EQ(g.constant_input(g.producer_of("y"), 0).elements<int64_t>()[1], 3);
}

TEST(shape_folding, folds_the_known_dim_of_a_symbolic_shape_only) {
  TestGraph g(13);
  const ValueId x = g.input("x", DType::kFloat32, {Dim::named("n"), Dim::known(5), Dim::known(7)});
  const ValueId shape = g.node("Shape", {x});
  g.output(g.node("Neg", {g.node("Gather", {shape, g.ints("i", {-1})})}), "known");
  g.output(g.node("Neg", {g.node("Gather", {shape, g.ints("j", {0})})}), "open");
  g.output(g.node("Neg", {g.node("Slice", {shape, g.ints("s", {1}), g.ints("e", {100})})}), "tail");
  CHECK_EQ(g.run("shape_folding"), 2);
  CHECK_EQ(g.constant_input(g.producer_of("known"), 0).elements<int64_t>()[0], 7);
  CHECK_EQ(g.constant_input(g.producer_of("tail"), 0).elements<int64_t>()[0], 5);
  CHECK_EQ(g.constant_input(g.producer_of("tail"), 0).element_count(), 2);
}

TEST(shape_folding, reads_start_and_end_and_counts_elements) {
  TestGraph g(15);
  const ValueId x = g.input("x", {2, 3, 4});
  g.output(g.node("Neg", {g.node("Shape", {x},
                                 {Attribute::of_int("start", -2), Attribute::of_int("end", -1)})}));
  g.output(g.node("Neg", {g.node("Size", {x})}), "z");
  CHECK_EQ(g.run("shape_folding"), 2);
  CHECK_EQ(g.constant_input(g.producer_of("y"), 0).elements<int64_t>()[0], 3);
  CHECK_EQ(g.constant_input(g.producer_of("z"), 0).elements<int64_t>()[0], 24);
}
