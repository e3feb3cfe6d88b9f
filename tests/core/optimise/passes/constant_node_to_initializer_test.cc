// SPDX-License-Identifier: MIT
// Constant() {value}   ->   initializer
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

TEST(constant_node_to_initializer, makes_initializers_of_all_kinds_of_values) {
  TestGraph g(13);
  const ValueId x = g.input("x", {2});
  const ValueId a = g.node("Constant", {}, {Attribute::of_tensor("value", Tensor::scalar(2.0f))});
  const ValueId b = g.node("Constant", {}, {Attribute::of_floats("value_floats", {1, 2})});
  const ValueId c = g.node("Constant", {}, {Attribute::of_int("value_int", 7)});
  g.output(g.node("Add", {g.node("Add", {x, a}), b}));
  g.output(g.node("Cast", {c}, {Attribute::of_int("to", 1)}), "z");
  CHECK_EQ(g.run("constant_node_to_initializer"), 3);
  CHECK_EQ(g.operators(), "Add Add Cast");
  CHECK_EQ(g.graph().value(b)->constant()->elements<float>()[1], 2.0f);
  CHECK_EQ(g.type(c), "int64[]");
}

TEST(constant_node_to_initializer, copies_an_initializer_to_an_output) {
  TestGraph g(13);
  g.output(g.node("Constant", {}, {Attribute::of_float("value_float", 1)}));
  CHECK_EQ(g.run("constant_node_to_initializer"), 1);
  CHECK_EQ(g.operators(), "Identity");
  CHECK_EQ(g.run("identity_elimination"), 0);
  CHECK_EQ(g.run("constant_folding"), 0);
}

TEST(constant_node_to_initializer, keeps_an_output_that_no_kernel_copies) {
  TestGraph g(13);
  g.output(g.node("Constant", {}, {Attribute::of_string("value_string", "text")}));
  CHECK_EQ(g.run("constant_node_to_initializer"), 0);
  CHECK_EQ(g.operators(), "Constant");
  CHECK(g.graph().initializers().empty());
}

TEST(constant_node_to_initializer, makes_a_sparse_value_dense) {
  TestGraph g(13);
  auto sparse = std::make_shared<SparseConstant>();
  sparse->dims = {2, 2};
  sparse->values.tensor = Tensor::scalar(5.0f).reshaped({1});
  sparse->indices.tensor = Tensor::scalar<int64_t>(3).reshaped({1});
  Attribute value;
  value.name = "sparse_value";
  value.kind = AttributeKind::kSparseTensor;
  value.sparse = sparse;
  const ValueId dense = g.node("Constant", {}, {value});
  g.output(g.node("Add", {g.input("x", {2}), dense}));
  CHECK_EQ(g.run("constant_node_to_initializer"), 1);
  const Tensor* found = g.graph().value(dense)->constant();
  CHECK(found->elements<float>()[3] == 5 && found->elements<float>()[0] == 0);
}
