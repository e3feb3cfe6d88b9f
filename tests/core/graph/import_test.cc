// SPDX-License-Identifier: MIT
// Import: names, captures, opsets, versions, damaged files.
#include "core/graph/text/print.h"
#include "tests/core/graph/wire_model.h"

using namespace ortc;
using namespace ortc::wire;

namespace {

const std::string kOne = tensor("w", 1, {1}, raw(std::string(4, '\0')));

std::string one_node(const std::string& text, const Texts& initializers = {}) {
  return model(graph({text}, {kX}, {kY}, initializers));
}

}  // namespace

TEST(import, makes_a_graph) {
  auto imported = import(small_model());
  CHECK_OK(imported);
  const Graph& g = *(*imported)->graph;
  CHECK_OK(verify_graph(g));
  CHECK_EQ(print_graph(g),
           "graph g(%x : float32[2]) -> (%y)\n  %y = Relu(%x) : float32[2]  # relu\n");
  CHECK_EQ((*imported)->ir_version, 8);
  CHECK_EQ(g.opset("ai.onnx"), 17);
}

TEST(import, sorts_nodes_that_stand_in_any_order) {
  auto imported =
      import(model(graph({node("Relu", {"t"}, {"y"}), node("Neg", {"x"}, {"t"})}, {kX}, {kY})));
  CHECK_OK(imported);
  CHECK((*(*imported)->graph->topological_order() == std::vector<NodeId>{1, 0}));
}

TEST(import, refuses_names_that_clash_or_are_unknown) {
  CHECK_CODE(import(one_node(node("Relu", {"nobody"}, {"y"}))), Code::kInvalidGraph);
  CHECK_CODE(import(one_node(node("Relu", {"x"}, {"x"}))), Code::kInvalidGraph);
  CHECK_CODE(import(one_node(node("Relu", {"x"}, {"z"}))), Code::kInvalidGraph);
  CHECK_CODE(import(one_node(node("Relu", {"x"}, {"y", "y"}))), Code::kInvalidGraph);
  CHECK_CODE(import(one_node(node("Relu", {"x"}, {"w"}), {kOne})), Code::kInvalidGraph);
  CHECK_CODE(import(one_node(node("Relu", {"x"}, {"y"}), {kOne, kOne})), Code::kInvalidGraph);
  CHECK_CODE(import(model(graph({}, {kX, kX}, {}))), Code::kInvalidGraph);
  CHECK_CODE(import(one_node(node("", {"x"}, {"y"}))), Code::kInvalidGraph);
  CHECK_CODE(import(model(graph({}, {plain("x")}, {}))), Code::kInvalidGraph);
  CHECK_CODE(
      import(one_node(node("Relu", {"x"}, {"y"}, {int_attribute("a", 1), int_attribute("a", 2)}))),
      Code::kInvalidGraph);
}

TEST(import, takes_of_a_value_what_its_output_and_its_information_agree_on) {
  const auto told = [](const std::string& beside) {
    return import(model(graph({node("Relu", {"x"}, {"y"})}, {kX}, {kY}, {}, field(13, beside))));
  };
  auto imported = told(value("y", 1, {3}));
  CHECK_OK(imported);
  CHECK_EQ(type_to_string((*imported)->graph->find_value("y")->type), "float32[?]");
  CHECK_CODE(told(value("y", 7, {2})), Code::kInvalidGraph);
}

TEST(import, refuses_cycles) {
  auto status = import(model(graph({node("Add", {"x", "b"}, {"a"}), node("Neg", {"a"}, {"b"})},
                                   {kX}, {value("b", 1, {2})})))
                    .status();
  CHECK_CODE(status, Code::kInvalidGraph);
  CHECK(says(status, "cycle"));
}

TEST(import, refuses_a_body_that_reads_its_own_node) {
  const std::string body = graph({node("Neg", {"y"}, {"z"})}, {}, {plain("z")});
  auto status =
      import(one_node(node("If", {"x"}, {"y"}, {graph_attribute("then_branch", body)}))).status();
  CHECK_CODE(status, Code::kInvalidGraph);
  CHECK(says(status, "cycle"));
}

TEST(import, links_captures_through_two_levels) {
  const std::string deep = graph({node("Neg", {"x"}, {"d"})}, {}, {plain("d")});
  const std::string body =
      graph({node("If", {"x"}, {"z"}, {graph_attribute("then_branch", deep)})}, {}, {plain("z")});
  auto imported =
      import(one_node(node("If", {"x"}, {"y"}, {graph_attribute("then_branch", body)})));
  CHECK_OK(imported);
  const Graph& g = *(*imported)->graph;
  CHECK_OK(verify_graph(g));
  CHECK_EQ(g.node(0)->implicit_inputs().size(), 1u);
  const Graph& inner = *g.node(0)->subgraphs()[0];
  CHECK_EQ(inner.node(0)->implicit_inputs().size(), 1u);
  CHECK_EQ(type_to_string(inner.find_value("x")->type), "float32[2]");
}

TEST(import, lets_a_body_hide_an_outer_name) {
  const std::string body =
      graph({node("Neg", {"w"}, {"x"}), node("Abs", {"x"}, {"z"})}, {}, {plain("z")}, {kOne});
  auto imported =
      import(one_node(node("If", {"x"}, {"y"}, {graph_attribute("then_branch", body)})));
  CHECK_OK(imported);
  CHECK_OK(verify_graph(*(*imported)->graph));
  CHECK((*imported)->graph->node(0)->implicit_inputs().empty());
}

TEST(import, tells_overridable_initializers_from_constants) {
  const std::string nodes = node("Add", {"x", "w"}, {"y"});
  auto plain_one = import(one_node(nodes, {kOne}));
  CHECK_OK(plain_one);
  CHECK((*plain_one)->graph->find_value("w")->constant() != nullptr);
  const std::string g = graph({nodes}, {kX, value("w", 1, {1})}, {kY}, {kOne});
  auto overridable = import(model(g));
  CHECK_OK(overridable);
  CHECK((*overridable)->graph->find_value("w")->constant() == nullptr);
  CHECK_EQ((*overridable)->graph->inputs().size(), 2u);
  auto old = import(model(g, {}, "", 3));
  CHECK_OK(old);
  CHECK((*old)->graph->find_value("w")->constant() != nullptr);
  CHECK_EQ((*old)->graph->inputs().size(), 1u);
  auto again = import(*export_text(**old));
  CHECK_OK(again);
  CHECK_EQ(print_graph(*(*again)->graph), print_graph(*(*old)->graph));
  CHECK_CODE(import(model(graph({nodes}, {kX, value("w", 7, {1})}, {kY}, {kOne}))),
             Code::kInvalidGraph);
}

TEST(import, checks_versions) {
  auto status = import(model(graph({}, {}, {}), {}, "", 2)).status();
  CHECK_CODE(status, Code::kFail);
  CHECK(says(status, "expected 3..14, found 2"));
  CHECK_CODE(import(model(graph({}, {}, {}), {}, "", 15)), Code::kFail);
  CHECK_OK(import(model(graph({}, {}, {}), {}, "", 14)));
}

TEST(import, checks_opsets) {
  const std::string g = graph({}, {}, {});
  CHECK_CODE(import(number_field(1, 8) + field(7, g)), Code::kInvalidGraph);
  CHECK_CODE(import(number_field(1, 8) + field(7, g) + field(8, opset("", 0))),
             Code::kInvalidGraph);
  CHECK_OK(import(model(g, {}, field(8, opset("ai.onnx", 17)))));
  // Of several imports the last counts.
  auto twice = import(model(g, {}, field(8, opset("ai.onnx", 18))));
  CHECK_OK(twice);
  CHECK_EQ((*twice)->graph->opset(""), 18);
  auto status = import(one_node(node("Mystery", {"x"}, {"y"}, {}, "", "nobody"))).status();
  CHECK_CODE(status, Code::kInvalidGraph);
  CHECK(says(status, "'nobody'"));
  auto contrib = import(one_node(node("Gelu", {"x"}, {"y"}, {}, "", "com.microsoft")));
  CHECK_OK(contrib);
  CHECK_EQ((*contrib)->graph->node(0)->opset(), 1);
  auto spelled = import(one_node(node("Relu", {"x"}, {"y"}, {}, "", "ai.onnx")));
  CHECK_OK(spelled);
  CHECK_EQ((*spelled)->graph->node(0)->domain(), "");
}

TEST(import, takes_given_opsets_for_domains_that_are_not_imported) {
  ImportOptions options;
  options.default_opsets = {{"somebody", 3}, {"nobody", 7}, {"", 99}};
  auto read = import_model_bytes(
      Blob::from_string(one_node(node("Mystery", {"x"}, {"y"}, {}, "", "nobody"))), options);
  CHECK_OK(read);
  CHECK_EQ((*read)->graph->node(0)->opset(), 7);
  CHECK_EQ((*read)->graph->opset(""), 17);         // imported: stays
  CHECK_EQ((*read)->graph->opset("somebody"), 0);  // not used: stays away
}

TEST(import, refuses_what_is_no_model) {
  CHECK_CODE(import(""), Code::kInvalidProtobuf);
  CHECK_CODE(import("Hello, world: this is not a model."), Code::kInvalidProtobuf);
  CHECK_CODE(import(number_field(1, 8)), Code::kInvalidProtobuf);  // no graph
  CHECK_CODE(import_model_file(test::temp_dir() + "/nothing.onnx", {}), Code::kNoSuchFile);
}

TEST(import, reads_attributes_of_every_kind) {
  const std::string t = tensor("", 1, {1}, raw(std::string(4, '\0')));
  const std::string sparse =
      field(1, tensor("v", 1, {1}, raw(std::string(4, '\1')))) +
      field(2, tensor("i", 7, {1}, raw(std::string("\2\0\0\0\0\0\0\0", 8)))) + number_field(3, 4);
  const Texts attributes = {
      attribute("f", 1, std::string("\x15\0\0\x80\x3f", 5)),
      int_attribute("i", -3),
      text_attribute("s", std::string("a\0b", 3)),
      attribute("t", 4, field(5, t)),
      attribute("fs", 6, std::string("\x3d\0\0\x80\x3f", 5)),
      attribute("is", 7, number_field(8, 1) + number_field(8, 2)),
      attribute("packed", 7, field(8, "\1\2\3")),
      attribute("ss", 8, field(9, "one") + field(9, "")),
      attribute("ts", 9, field(10, t)),
      attribute("gs", 10, field(11, graph({}, {}, {}))),
      attribute("st", 11, field(22, sparse)),
      attribute("tp", 13, field(14, tensor_type(1, {2}))),
      field(1, "untyped") + number_field(3, 5),
  };
  auto imported = import(one_node(node("Relu", {"x"}, {"y"}, attributes)));
  CHECK_OK(imported);
  const Node& n = *(*imported)->graph->node(0);
  CHECK_EQ(n.float_attribute("f", 0), 1.0f);
  CHECK_EQ(n.int_attribute("i", 0), -3);
  CHECK_EQ(n.string_attribute("s", ""), std::string_view("a\0b", 3));
  CHECK((n.ints_attribute("packed") == std::vector<int64_t>{1, 2, 3}));
  CHECK_EQ(n.attribute("strings"), nullptr);
  CHECK_EQ(n.attribute("ss")->strings.size(), 2u);
  CHECK_EQ(n.int_attribute("untyped", 0), 5);
  CHECK_EQ(type_to_string(*n.attribute("tp")->type), "float32[2]");
  auto again = import(*export_text(**imported));
  CHECK_OK(again);
  CHECK_EQ(print_graph(*(*again)->graph), print_graph(*(*imported)->graph));
  CHECK_CODE(import(one_node(node("Relu", {"x"}, {"y"}, {attribute("t", 4, "")}))),
             Code::kInvalidGraph);
  CHECK_CODE(import(one_node(node("Relu", {"x"}, {"y"}, {attribute("q", 99, "")}))),
             Code::kInvalidGraph);
}

TEST(import, gives_sparse_initializers_their_dense_form) {
  const std::string sparse =
      field(1, tensor("w", 1, {1}, raw(std::string("\0\0\x80\x3f", 4)))) +
      field(2, tensor("", 7, {1, 2}, raw(std::string("\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16)))) +
      number_field(3, 2) + number_field(3, 2);
  const std::string nodes = node("Add", {"x", "w"}, {"y"});
  auto imported = import(model(graph({nodes}, {kX}, {kY}, {}, field(15, sparse))));
  CHECK_OK(imported);
  const Value& w = *(*imported)->graph->find_value("w");
  CHECK(w.sparse_initializer != nullptr);
  CHECK_EQ(w.constant()->elements<float>()[2], 1.0f);
  auto again = import(*export_text(**imported));
  CHECK_OK(again);
  CHECK((*again)->graph->find_value("w")->sparse_initializer != nullptr);
  std::string outside = sparse;
  outside.replace(outside.find(std::string("\1\0\0\0\0\0\0\0", 8)), 1, "\5");
  CHECK_CODE(import(model(graph({nodes}, {kX}, {kY}, {}, field(15, outside)))),
             Code::kInvalidGraph);
}

TEST(import, survives_truncation_at_every_byte) {
  const std::string body = graph({node("Neg", {"x"}, {"z"})}, {}, {plain("z")});
  const std::string whole =
      model(graph({node("If", {"x"}, {"y"}, {graph_attribute("then_branch", body)})}, {kX}, {kY},
                  {kOne}, field(13, value("w", 1, {1}))),
            {function("F", {"a"}, {"b"}, {node("Relu", {"a"}, {"b"})})}, field(14, plain("key")));
  CHECK_OK(import(whole));
  for (size_t size = 0; size < whole.size(); ++size) {
    (void)import(whole.substr(0, size));  // a Status or a Model, never a crash
  }
}

TEST(import, survives_flipped_bits) {
  const std::string body = graph({node("F", {"x"}, {"z"}, {}, "call", "local")}, {}, {plain("z")});
  const std::string whole = model(
      graph({node("If", {"x"}, {"y"}, {graph_attribute("then_branch", body)})}, {kX}, {kY}, {kOne}),
      {function("F", {"a"}, {"b"}, {node("Relu", {"a"}, {"b"})})});
  CHECK_OK(import(whole));
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    auto imported = import(damaged);
    if (imported.is_ok()) CHECK_OK(verify_graph(*(*imported)->graph));
  }
}

TEST(import, refuses_more_opsets_than_nodes_can_look_up) {
  std::string many;
  for (int i = 0; i < 1024; ++i) many += field(8, opset(str_cat("domain", i), 1));
  const std::string start = number_field(1, 8) + field(7, graph({}, {}, {}));
  CHECK_OK(import(start + many));
  const auto status = import(start + many + field(8, opset("one more", 1))).status();
  CHECK_CODE(status, Code::kInvalidGraph);
  CHECK(says(status, "more than 1024 domains"));
}
