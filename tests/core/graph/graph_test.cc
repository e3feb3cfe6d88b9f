// SPDX-License-Identifier: MIT
// Graphs: values, nodes, captures, rewiring, order, copies.
#include "core/graph/graph.h"

#include "core/graph/text/dot.h"
#include "core/graph/text/print.h"
#include "core/graph/verify.h"
#include "core/graph/walk.h"
#include "tests/support/graph_builder.h"
#include "tests/support/test.h"

using namespace ortc;
using test::graph_attribute;

namespace {

std::shared_ptr<const OpsetImports> opsets() {
  return std::make_shared<const OpsetImports>(OpsetImports{{"", 17}, {"com.microsoft", 1}});
}

ValueId add(Graph& graph, const char* name) {
  return graph.add_value(name, Type::tensor(DType::kFloat32, shape_of(Dims{2}))).value();
}

Node& op(Graph& graph, const char* type, std::vector<ValueId> inputs, std::vector<ValueId> outputs,
         std::vector<Attribute> attributes = {}) {
  return *graph
              .add_node(type, "", str_cat("n", graph.node_bound()), std::move(inputs),
                        std::move(outputs), std::move(attributes))
              .value();
}

// x -> Relu -> a -> If { then: Neg(a) } -> y; the captured value of the body is returned too.
struct WithBody {
  Graph graph{opsets()};
  ValueId x = add(graph, "x"), a = add(graph, "a"), y = add(graph, "y");
  Node* relu;
  Node* branch;
  Graph* body;
  ValueId captured;
  WithBody() {
    graph.add_input(x);
    relu = &op(graph, "Relu", {x}, {a});
    auto inner = std::make_shared<Graph>(graph.opsets(), &graph);
    body = inner.get();
    captured = inner->capture(a).value();
    const ValueId out = add(*inner, "out");
    op(*inner, "Neg", {captured}, {out});
    inner->add_output(out);
    branch = &op(graph, "If", {x}, {y}, {graph_attribute("then_branch", inner)});
    graph.add_output(y);
  }
};

}  // namespace

TEST(graph, refuses_a_name_that_is_taken) {
  Graph graph(opsets());
  add(graph, "x");
  CHECK_CODE(graph.add_value("x"), Code::kInvalidGraph);
}

TEST(graph, makes_names_unique) {
  Graph graph(opsets());
  const ValueId a = graph.add_value("").value();
  const ValueId b = graph.add_value("").value();
  CHECK(graph.value(a)->name != graph.value(b)->name);
  CHECK_EQ(graph.unique_name("fresh"), "fresh");
  CHECK(graph.unique_name(graph.value(a)->name) != graph.value(a)->name);
}

TEST(graph, refuses_a_second_producer) {
  Graph graph(opsets());
  const ValueId x = add(graph, "x"), y = add(graph, "y");
  graph.add_input(x);
  op(graph, "Relu", {x}, {y});
  CHECK_CODE(graph.add_node("Neg", "", "", {x}, {y}), Code::kInvalidGraph);
  CHECK_CODE(graph.add_node("Neg", "", "", {x}, {x}), Code::kInvalidGraph);
  const ValueId z = add(graph, "z");
  CHECK_CODE(graph.add_node("Split", "", "", {x}, {z, z}), Code::kInvalidGraph);
  CHECK_CODE(graph.add_node("Neg", "", "", {99}, {z}), Code::kInvalidGraph);
  CHECK_OK(verify_graph(graph));
}

TEST(graph, orders_nodes_by_data_then_id) {
  Graph graph(opsets());
  const ValueId x = add(graph, "x"), a = add(graph, "a"), b = add(graph, "b"), c = add(graph, "c");
  graph.add_input(x);
  op(graph, "Neg", {b}, {c});
  op(graph, "Neg", {a}, {b});
  op(graph, "Neg", {x}, {a});
  graph.add_output(c);
  auto order = graph.topological_order();
  CHECK_OK(order);
  CHECK((*order == std::vector<NodeId>{2, 1, 0}));
  CHECK_OK(verify_graph(graph));
}

TEST(graph, names_a_node_on_a_cycle) {
  Graph graph(opsets());
  const ValueId a = add(graph, "a"), b = add(graph, "b"), c = add(graph, "c");
  op(graph, "Neg", {b}, {a});
  op(graph, "Abs", {a}, {b});
  op(graph, "Relu", {b}, {c});
  auto order = graph.topological_order();
  CHECK_CODE(order, Code::kInvalidGraph);
  CHECK(order.status().message().find("Relu") == std::string::npos);
}

TEST(graph, gives_the_owner_of_a_body_its_implicit_inputs) {
  WithBody m;
  CHECK((m.branch->implicit_inputs() == std::vector<ValueId>{m.a}));
  CHECK_EQ(m.graph.value(m.a)->uses.size(), 1u);
  CHECK(m.graph.value(m.a)->uses[0].is_implicit);
  CHECK(m.graph.only_consumer(m.a) == nullptr);
  CHECK(m.body->parent_node() == m.branch);
  CHECK_OK(verify_graph(m.graph));
}

TEST(graph, captures_a_value_once_and_tells_the_owner) {
  WithBody m;
  CHECK_EQ(m.body->capture(m.a).value(), m.captured);
  const ValueId x = m.body->capture(m.x).value();
  CHECK((m.branch->implicit_inputs() == std::vector<ValueId>{m.a, m.x}));
  CHECK_OK(verify_graph(m.graph));
  m.body->remove_value(x);
  CHECK((m.branch->implicit_inputs() == std::vector<ValueId>{m.a}));
  CHECK_OK(verify_graph(m.graph));
}

TEST(graph, renames_what_hides_a_captured_name) {
  WithBody m;
  const ValueId local = add(*m.body, "x");
  op(*m.body, "Abs", {m.captured}, {local});
  const ValueId x = m.body->capture(m.x).value();
  CHECK_EQ(m.body->value(x)->name, "x");
  CHECK(m.body->value(local)->name != "x");
  CHECK_OK(verify_graph(m.graph));
}

TEST(graph, renames_captures_with_their_value) {
  WithBody m;
  CHECK_OK(m.graph.rename_value(m.a, "out"));  // the body has a local value of that name
  CHECK_EQ(m.body->value(m.captured)->name, "out");
  CHECK_OK(verify_graph(m.graph));
  CHECK_CODE(m.graph.rename_value(m.a, "x"), Code::kInvalidGraph);
  CHECK_CODE(m.body->rename_value(m.captured, "z"), Code::kInvalidGraph);
}

TEST(graph, replaces_uses_inside_bodies_too) {
  WithBody m;
  CHECK(m.graph.replace_uses(m.a, m.x));
  CHECK((m.branch->implicit_inputs() == std::vector<ValueId>{m.x}));
  CHECK(m.graph.value(m.a)->uses.empty());
  CHECK_OK(verify_graph(m.graph));
  m.graph.remove_node(m.relu->id());
  m.graph.remove_value(m.a);
  CHECK_OK(verify_graph(m.graph));
}

// The work is that of the value alone, not that of all which the body reads: this takes no minutes.
TEST(graph, replaces_many_captured_values_one_by_one) {
  constexpr size_t kCount = 20'000;
  WithBody m;
  std::vector<ValueId> outer;
  for (size_t i = 0; i < kCount; ++i) {
    outer.push_back(m.graph.add_value(str_cat("u", i)).value());
    op(m.graph, "Abs", {m.x}, {outer.back()});
  }
  std::vector<ValueId> inner;
  const auto body = std::make_shared<Graph>(m.graph.opsets(), &m.graph);
  for (const ValueId id : outer) inner.push_back(body->capture(id).value());
  const ValueId sum = add(*body, "sum");
  op(*body, "Sum", inner, {sum});
  body->add_output(sum);
  const ValueId result = add(m.graph, "result");
  const Node& reader = op(m.graph, "If", {m.x}, {result}, {graph_attribute("then_branch", body)});
  CHECK_EQ(reader.implicit_inputs().size(), kCount);
  for (const ValueId id : outer) CHECK(m.graph.replace_uses(id, m.x));
  CHECK((reader.implicit_inputs() == std::vector<ValueId>{m.x}));
  CHECK_OK(verify_graph(m.graph));
}

TEST(graph, replaces_uses_in_bodies_that_hide_the_name_or_read_both) {
  for (const bool reads_both : {false, true}) {
    WithBody m;
    const ValueId local = reads_both ? m.body->capture(m.x).value() : add(*m.body, "x");
    if (!reads_both) op(*m.body, "Abs", {m.captured}, {local});
    const ValueId sum = add(*m.body, "sum");
    const Node& both = op(*m.body, "Add", {m.captured, local}, {sum});
    CHECK_OK(verify_graph(m.graph));
    CHECK(m.graph.replace_uses(m.a, m.x));
    CHECK_OK(verify_graph(m.graph));
    CHECK((m.branch->implicit_inputs() == std::vector<ValueId>{m.x}));
    const Value* x = m.body->find_value("x");
    CHECK_EQ(x->outer_value, m.x);
    CHECK_EQ(both.input(0), x->id);
    CHECK_EQ(both.input(1) == x->id, reads_both);
    CHECK(m.body->find_value("a") == nullptr);
  }
}

TEST(graph, replaces_uses_two_levels_down) {
  WithBody m;
  auto deeper = std::make_shared<Graph>(m.graph.opsets(), m.body);
  const ValueId captured = deeper->capture(m.captured).value();
  const ValueId out = add(*deeper, "deep");
  op(*deeper, "Neg", {captured}, {out});
  deeper->add_output(out);
  const ValueId z = add(*m.body, "z");
  op(*m.body, "If", {m.captured}, {z}, {graph_attribute("then_branch", deeper)});
  CHECK_OK(verify_graph(m.graph));
  CHECK(m.graph.replace_uses(m.a, m.x));
  CHECK_OK(verify_graph(m.graph));
  CHECK(deeper->find_value("x") != nullptr);
  CHECK(deeper->find_value("a") == nullptr);
}

TEST(graph, keeps_the_name_of_a_replaced_output) {
  Graph graph(opsets());
  const ValueId x = add(graph, "x"), a = add(graph, "a"), y = add(graph, "y");
  graph.add_input(x);
  op(graph, "Relu", {x}, {a});
  Node& last = op(graph, "Identity", {a}, {y});
  graph.add_output(y);
  CHECK(graph.replace_uses(y, a));
  CHECK_EQ(graph.value(a)->name, "y");
  CHECK_EQ(graph.value(y)->name, "a");
  CHECK((graph.outputs() == std::vector<ValueId>{a}));
  graph.remove_node(last.id());
  graph.remove_value(y);
  CHECK_OK(verify_graph(graph));
}

TEST(graph, does_not_make_an_input_an_output_by_replacing) {
  Graph graph(opsets());
  const ValueId x = add(graph, "x"), y = add(graph, "y");
  graph.add_input(x);
  op(graph, "Identity", {x}, {y});
  graph.add_output(y);
  CHECK(!graph.replace_uses(y, x));
  CHECK_OK(verify_graph(graph));
}

TEST(graph, changes_inputs_and_outputs_of_nodes) {
  Graph graph(opsets());
  const ValueId x = add(graph, "x"), y = add(graph, "y"), z = add(graph, "z");
  graph.add_input(x);
  Node& node = op(graph, "Clip", {x}, {y});
  graph.set_input(node.id(), 2, x);
  CHECK_EQ(node.input(1), kNoValue);
  CHECK_EQ(graph.value(x)->uses.size(), 2u);
  graph.set_input(node.id(), 2, kNoValue);
  graph.set_output(node.id(), 0, z);
  graph.remove_value(y);
  CHECK(graph.producer(z) == &node);
  CHECK(graph.only_consumer(x) == &node);
  CHECK_OK(verify_graph(graph));
}

TEST(graph, copies_deeply) {
  WithBody m;
  auto copy = m.graph.clone();
  CHECK_EQ(print_graph(*copy), print_graph(m.graph));
  CHECK_OK(verify_graph(*copy));
  CHECK(copy->node(m.branch->id())->subgraphs()[0] != m.body);
  copy->remove_node(m.branch->id());
  CHECK_OK(verify_graph(m.graph));
}

TEST(graph, a_node_may_be_read_with_an_opset_of_its_own) {
  Graph graph(opsets());
  const ValueId x = add(graph, "x"), y = add(graph, "y");
  graph.add_input(x);
  Node& node = op(graph, "Relu", {x}, {y});
  const int64_t models = node.opset();
  CHECK_EQ(models, graph.opset(""));
  node.set_opset(models + 3);
  CHECK_EQ(node.opset(), models + 3);
  CHECK_EQ(graph.clone()->node(node.id())->opset(), models + 3);
  node.set_op("LeakyRelu", "");
  CHECK_EQ(node.opset(), models + 3);
  // That of one domain says nothing of another's.
  node.set_op("Relu", "other");
  node.set_op("Relu", "");
  CHECK_EQ(node.opset(), models);
}

TEST(graph, hands_a_body_to_a_replacing_node) {
  WithBody m;
  const ValueId z = add(m.graph, "z");
  Node& twin = op(m.graph, "If", {m.x}, {z}, m.branch->attributes());
  m.graph.remove_node(m.branch->id());
  CHECK(m.body->parent_node() == &twin);
  m.graph.set_outputs({z});
  CHECK_OK(verify_graph(m.graph));
}

TEST(graph, verify_finds_missing_definitions_and_opsets) {
  Graph graph(opsets());
  const ValueId x = add(graph, "x"), y = add(graph, "y");
  op(graph, "Relu", {x}, {y});
  CHECK_CODE(verify_graph(graph), Code::kInvalidGraph);
  graph.add_input(x);
  CHECK_OK(verify_graph(graph));
  const ValueId z = add(graph, "z");
  CHECK_OK(graph.add_node("Mystery", "nobody.home", "m", {x}, {z}));
  auto status = verify_graph(graph);
  CHECK_CODE(status, Code::kInvalidGraph);
  CHECK(status.message().find("nobody.home") != std::string::npos);
}

TEST(graph, prints_what_it_holds) {
  Graph graph(opsets());
  graph.name = "g";
  const ValueId x = add(graph, "x"), y = add(graph, "y");
  graph.add_input(x);
  const ValueId w = graph.add_constant("w", Tensor::from<float>({2}, std::vector<float>{1, 2}));
  op(graph, "Conv", {x, kNoValue, w}, {y},
     {Attribute::of_ints("pads", {1, 1}), Attribute::of_string("auto_pad", "VALID")});
  graph.add_output(y);
  CHECK_EQ(print_graph(graph),
           "graph g(%x : float32[2]) -> (%y)\n"
           "  %w = float32[2]\n"
           "  %y = Conv(%x, _, %w) {auto_pad=\"VALID\", pads=[1,1]} : float32[2]  # n0\n");
}

TEST(graph, draws_bodies_and_groups) {
  WithBody m;
  const std::string dot =
      graph_to_dot(m.graph, [](const Node& node) { return node.is_op("Relu") ? "gpu" : ""; });
  CHECK(dot.find("label=\"gpu\"") != std::string::npos);
  CHECK(dot.find("\"n0\" -> \"n1g0_n0\"") != std::string::npos);
}

TEST(graph, is_walked_in_order_of_ids_while_it_changes) {
  WithBody m;
  op(m.graph, "Abs", {m.a}, {add(m.graph, "b")});
  std::string ops;
  for_each_node(m.graph, [&](const Node& node) { ops += str_cat(node.op_type(), " "); });
  CHECK_EQ(ops, "Relu If Neg Abs ");
  ops.clear();
  for (Node& node : nodes_of(m.graph)) {
    ops += str_cat(node.op_type(), " ");
    if (node.is_op("If")) op(m.graph, "Exp", {m.a}, {add(m.graph, "c")});
    if (node.is_op("Abs")) m.graph.remove_node(node.id());
  }
  CHECK_EQ(ops, "Relu If Abs Exp ");
  ops.clear();
  for (const Node& node : nodes_of(m.graph)) ops += str_cat(node.op_type(), " ");
  CHECK_EQ(ops, "Relu If Exp ");
}
