// SPDX-License-Identifier: MIT
// Identity(x) and its relatives   ->   x
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

TEST(identity_elimination, removes_what_changes_nothing) {
  TestGraph g(13);
  ValueId v = g.input("x", {2, 3});
  v = g.node("Identity", {v});
  v = g.node("Dropout", {v});
  v = g.node("Cast", {v}, {Attribute::of_int("to", 1)});
  v = g.node("Reshape", {v, g.ints("s", {2, -1})});
  v = g.node("Transpose", {v}, {Attribute::of_ints("perm", {0, 1})});
  v = g.node("Slice", {v, g.ints("b", {0}), g.ints("e", {INT64_MAX})});
  v = g.node("Pad", {v, g.ints("p", {0, 0, 0, 0})});
  v = g.node("Expand", {v, g.ints("s", {1, 3})});
  v = g.node("Concat", {v}, {Attribute::of_int("axis", 0)});
  v = g.node("Add", {g.scalar(-0.0f), v});
  v = g.node("Sub", {v, g.scalar(0)});
  v = g.node("Div", {v, g.scalar(1)});
  g.output(g.node("Relu", {v}));
  CHECK_EQ(g.run("identity_elimination"), 12);
  CHECK_EQ(g.operators(), "Relu");
  CHECK_EQ(g.graph().value(g.producer_of("y").input(0))->name, "x");
}

TEST(identity_elimination, keeps_what_does_change_something) {
  TestGraph g(13);
  const ValueId x = g.input("x", {2, 2});
  const ValueId n = g.input("n", DType::kFloat32, {Dim::named("n"), Dim::named("n")});
  g.output(g.node("Slice", {x, g.ints("b", {-1}), g.ints("e", {-INT64_MAX}), g.ints("a", {0}),
                            g.ints("t", {-1})}),
           "reversed");
  g.output(g.node("Transpose", {x}), "transposed");
  g.output(g.node("Pad", {x, g.ints("p", {1, 0, -1, 0})}), "shifted");
  g.output(g.node("Add", {x, g.floats("c", {1, 1, 1}, {0})}), "raised");
  g.output(g.node("Sub", {g.scalar(0), x}), "negated");
  g.output(g.node("Div", {g.scalar(1), x}), "inverted");
  g.output(g.node("Reshape", {n, g.ints("s", {-1, 2})}), "reshaped");
  g.output(g.node("Cast", {x}, {Attribute::of_int("to", 10)}), "halved");
  CHECK_EQ(g.run("identity_elimination"), 0);
}

TEST(identity_elimination, keeps_names_of_outputs_and_ways_from_input_to_output) {
  TestGraph g(13);
  const ValueId x = g.input("x", {2});
  g.output(g.node("Identity", {x}), "copied");
  g.output(g.node("Identity", {g.node("Relu", {x})}), "y");
  CHECK_EQ(g.run("identity_elimination"), 1);
  CHECK_EQ(g.operators(), "Identity Relu");
  CHECK_EQ(g.producer_of("y").op_type(), "Relu");
}

TEST(identity_elimination, keeps_dropout_that_trains_or_whose_mask_is_read) {
  TestGraph g(13);
  const ValueId x = g.input("x", {2});
  static constexpr bool kYes = true;
  const ValueId yes = g.constant("t", Tensor::from<bool>({}, std::span<const bool>(&kYes, 1)));
  g.output(g.node("Dropout", {x, g.scalar(0.5f), yes}), "trained");
  const auto both = g.nodes("Dropout", {x}, 2);
  g.output(both[0], "y");
  g.output(both[1], "mask");
  CHECK_EQ(g.run("identity_elimination"), 0);
}

TEST(identity_elimination, keeps_what_makes_a_zero_of_a_negative_zero) {
  TestGraph g(13);
  const ValueId x = g.input("x", {2}), n = g.input("n", DType::kInt64, {Dim::known(2)});
  g.output(g.node("Neg", {g.node("Add", {x, g.scalar(0)})}), "added");
  g.output(g.node("Neg", {g.node("Sub", {x, g.scalar(-0.0f)})}), "subtracted");
  CHECK_EQ(g.run("identity_elimination"), 0);
  g.output(g.node("Neg", {g.node("Add", {n, g.ints("zero", {0})})}), "integers");
  CHECK_EQ(g.run("identity_elimination"), 1);
}
