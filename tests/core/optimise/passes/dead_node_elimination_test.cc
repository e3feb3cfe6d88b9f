// SPDX-License-Identifier: MIT
// an unread node   ->   nothing
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

TEST(dead_node_elimination, removes_unread_chains_and_initializers) {
  TestGraph g(13);
  const ValueId x = g.input("x", {2});
  g.node("Add", {g.node("Relu", {x}), g.floats("w", {2}, {1, 2})});
  g.output(g.node("Neg", {x}));
  CHECK_EQ(g.run("dead_node_elimination"), 3);
  CHECK_EQ(g.operators(), "Neg");
  CHECK(g.graph().initializers().empty());
}

TEST(dead_node_elimination, keeps_nodes_of_unknown_domains) {
  TestGraph g(13);
  auto opsets = std::make_shared<OpsetImports>(*g.model.opsets);
  opsets->emplace_back("custom", 1);
  g.graph().set_opsets(opsets);
  const ValueId x = g.input("x", {2});
  g.node("Log", {x}, {}, "custom");
  g.output(g.node("Neg", {x}));
  CHECK_EQ(g.run("dead_node_elimination"), 0);
}
