// SPDX-License-Identifier: MIT
// The change to channels last on graphs: which nodes change and how, that nothing is left of it
// when nobody claims them, and that the standard form computes what the model did.
#include "core/partition/layout/channels_last.h"

#include "core/graph/channels_last_domain.h"
#include "core/graph/export.h"
#include "core/graph/text/print.h"
#include "core/graph/verify.h"
#include "core/partition/layout/standard_form.h"
#include "core/rewrite/facts.h"
#include "tests/support/graph_builder.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// A provider that leaves every choice to the runtime.
struct Undecided : LayoutWishes {
  Result<std::optional<bool>> is_wanted_last(std::string_view, std::string_view) override {
    return std::optional<bool>();
  }
  Result<Capability> get_capability_again(const Graph&, const std::set<NodeId>&) override {
    return Capability();
  }
};

std::set<NodeId> all_nodes(const Graph& graph) {
  std::set<NodeId> nodes;
  for (NodeId id = 0; id < graph.node_bound(); ++id) {
    if (graph.node(id) != nullptr) nodes.insert(id);
  }
  return nodes;
}

// The operators in their order.
std::string operators(const Graph& graph) {
  std::string text;
  const auto order = graph.topological_order();
  CHECK_OK(order);
  for (NodeId id : *order) {
    const Node& node = *graph.node(id);
    text += text.empty() ? "" : " ";
    text += (node.domain() == kChannelsLastDomain ? "nhwc." : "") + node.op_type();
  }
  return text;
}

std::string bytes_of(const std::shared_ptr<Graph>& graph) {
  Model model;
  model.graph = graph;
  model.opsets = graph->opsets();
  std::string bytes;
  CHECK_OK(export_model(model, ExportOptions{}, [&](Bytes piece) {
    bytes.append(as_text(piece));
    return Status::ok();
  }));
  return bytes;
}

std::vector<Tensor> run_on_the_cpu(const std::string& model) {
  const auto environment = quiet_environment();
  auto session = Session::create(environment, memory_source(model), options_with(*environment, {}));
  CHECK_OK(session);
  std::vector<Tensor> inputs;
  for (const Port& port : (*session)->inputs()) inputs.push_back(random_input(port, 1, 7));
  return run_all(**session, inputs);
}

// Makes the graph channels last and looks at what must hold of it: the standard form computes the
// same, and what nobody claims is what it was. Gives the operators in between.
std::string changed(GraphBuilder& g) {
  g.infer();
  Graph& graph = g.graph();
  const std::string before = print_graph(graph);
  const std::string model = g.model_bytes();
  Undecided wishes;
  const auto standard = graph.clone();
  ChannelsLast of_standard(*standard);
  CHECK_OK(of_standard.convert(all_nodes(*standard), wishes));
  CHECK_OK(become_standard(*standard));
  CHECK_OK(verify_graph(*standard));
  CHECK(all_near(run_on_the_cpu(bytes_of(standard)), run_on_the_cpu(model), 1e-4, 1e-4));
  ChannelsLast layout(graph);
  CHECK_OK(layout.convert(all_nodes(graph), wishes));
  CHECK_OK(verify_graph(graph));
  const std::string text = operators(graph);
  CHECK_OK(layout.restore_unclaimed());
  CHECK_OK(verify_graph(graph));
  CHECK_EQ(print_graph(graph), before);
  return text;
}

const std::vector<int64_t> kImage = {1, 4, 6, 8};

}  // namespace

TEST(channels_last, operators_that_depend_on_the_layout_change) {
  const struct {
    const char* op_type;
    std::vector<int64_t> dims;
    std::vector<Attribute> attributes;
  } cases[] = {
      {"AveragePool", kImage, {Attribute::of_ints("kernel_shape", {2, 3})}},
      {"MaxPool", kImage, {Attribute::of_ints("kernel_shape", {2, 3})}},
      {"MaxPool", {2, 3, 9}, {Attribute::of_ints("kernel_shape", {3})}},
      {"MaxPool", {1, 2, 4, 5, 6}, {Attribute::of_ints("kernel_shape", {2, 2, 3})}},
      {"LpPool", kImage, {Attribute::of_ints("kernel_shape", {2, 2})}},
      {"GlobalAveragePool", kImage, {}},
      {"GlobalMaxPool", kImage, {}},
      {"LRN", kImage, {Attribute::of_int("size", 3)}},
      {"DepthToSpace", kImage, {Attribute::of_int("blocksize", 2)}},
      {"SpaceToDepth", kImage, {Attribute::of_int("blocksize", 2)}},
  };
  for (const auto& one : cases) {
    GraphBuilder g;
    const ValueId x = g.input("x", DType::kFloat32, one.dims);
    g.output(g.node(one.op_type, {x}, {"y"}, one.attributes)[0]);
    CHECK_EQ(changed(g), std::string("Transpose nhwc.") + one.op_type + " Transpose");
  }
}

TEST(channels_last, weights_and_statistics_stay_as_they_are) {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, kImage);
  const ValueId w = g.random_floats("w", {4, 3, 2, 2}, 1);
  const ValueId up = g.node("ConvTranspose", {x, w}, {"up"})[0];
  const ValueId scale = g.floats("scale", {3}, {1, 2, 3});
  const ValueId bias = g.floats("bias", {3}, {4, 5, 6});
  const ValueId variance = g.floats("variance", {3}, {1, 4, 9});
  const ValueId normal =
      g.node("BatchNormalization", {up, scale, bias, bias, variance}, {"normal"})[0];
  g.output(g.node("InstanceNormalization", {normal, scale, bias}, {"y"})[0]);
  CHECK_EQ(changed(g),
           "Transpose nhwc.ConvTranspose nhwc.BatchNormalization nhwc.InstanceNormalization "
           "Transpose");
}

TEST(channels_last, values_of_two_axes_need_no_transpose) {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {5, 3});
  const ValueId one = g.floats("one", {3}, {1, 2, 3});
  g.output(g.node("BatchNormalization", {x, one, one, one, one}, {"y"})[0]);
  CHECK_EQ(changed(g), "nhwc.BatchNormalization");
}

TEST(channels_last, resize_has_its_numbers_in_the_order_of_the_axes) {
  for (const bool has_sizes : {false, true}) {
    GraphBuilder g;
    const ValueId x = g.input("x", DType::kFloat32, kImage);
    const ValueId numbers =
        has_sizes ? g.int64s("sizes", {4}, {1, 4, 9, 5}) : g.floats("scales", {4}, {1, 1, 2, 0.5f});
    const std::vector<ValueId> inputs = has_sizes
                                            ? std::vector<ValueId>{x, kNoValue, kNoValue, numbers}
                                            : std::vector<ValueId>{x, kNoValue, numbers};
    g.output(g.node("Resize", inputs, {"y"})[0]);
    g.infer();
    Graph& graph = g.graph();
    ChannelsLast layout(graph);
    Undecided wishes;
    CHECK_OK(layout.convert(all_nodes(graph), wishes));
    for (NodeId id = 0; id < graph.node_bound(); ++id) {
      const Node* node = graph.node(id);
      if (node == nullptr || node->op_type() != "Resize") continue;
      const ValueId last = node->inputs().back();
      if (has_sizes) {
        CHECK(constant_integers(graph, last) == (std::vector<int64_t>{1, 9, 5, 4}));
      } else {
        CHECK(constant_numbers(graph, last) == (std::vector<double>{1, 2, 0.5, 1}));
      }
    }
    CHECK_OK(layout.restore_unclaimed());
    CHECK_EQ(changed(g), "Transpose nhwc.Resize Transpose");
  }
}

TEST(channels_last, resize_stays_when_its_numbers_cannot_follow) {
  GraphBuilder dynamic;
  const ValueId x = dynamic.input("x", DType::kFloat32, kImage);
  const ValueId four = dynamic.floats("four", {4}, {1, 1, 4, 4});
  const ValueId two = dynamic.node("Sqrt", {four}, {"two"})[0];
  const ValueId big = dynamic.node("Resize", {x, kNoValue, two}, {"big"})[0];
  dynamic.output(dynamic.node("GlobalMaxPool", {big}, {"y"})[0]);
  CHECK_EQ(changed(dynamic), "Sqrt Resize Transpose nhwc.GlobalMaxPool Transpose");

  GraphBuilder axes(18);
  const ValueId image = axes.input("x", DType::kFloat32, kImage);
  const ValueId pair = axes.floats("pair", {2}, {2, 2});
  axes.output(
      axes.node("Resize", {image, kNoValue, pair}, {"y"}, {Attribute::of_ints("axes", {2, 3})})[0]);
  CHECK_EQ(changed(axes), "Resize");
}

TEST(channels_last, other_outputs_are_as_the_operator_gives_them) {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, kImage);
  const auto pooled =
      g.node("MaxPool", {x}, {"y", "places"}, {Attribute::of_ints("kernel_shape", {2, 2})});
  g.output(pooled[0]);
  g.output(pooled[1]);
  CHECK_EQ(changed(g), "Transpose nhwc.MaxPool Transpose");
}

TEST(channels_last, elementwise_operators_follow_and_take_their_constants_along) {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, kImage);
  const ValueId pooled = g.node("GlobalAveragePool", {x}, {"pooled"})[0];
  const ValueId gate = g.node("Sigmoid", {pooled}, {"gate"})[0];
  const ValueId local =
      g.node("MaxPool", {x}, {"local"}, {Attribute::of_ints("kernel_shape", {1, 1})})[0];
  const ValueId gated = g.node("Mul", {local, gate}, {"gated"})[0];
  const ValueId slope = g.floats("slope", {4, 1, 1}, {0.5f, 1, 2, 3});
  const ValueId bent = g.node("PRelu", {gated, slope}, {"bent"})[0];
  const ValueId row = g.floats("row", {8}, {1, 2, 3, 4, 5, 6, 7, 8});
  const ValueId moved = g.node("Add", {row, bent}, {"moved"})[0];
  const ValueId half = g.floats("half", {}, {0.5f});
  const ValueId halved = g.node("Div", {moved, half}, {"halved"})[0];
  const ValueId most = g.floats("most", {}, {9});
  const ValueId clipped = g.node("Clip", {halved, kNoValue, most}, {"clipped"})[0];
  g.output(g.node("Concat", {clipped, moved}, {"y"}, {Attribute::of_int("axis", -2)})[0]);
  CHECK_EQ(changed(g),
           "Transpose nhwc.GlobalAveragePool Sigmoid nhwc.MaxPool Mul PRelu Add Div Clip Concat "
           "Transpose");
}

TEST(channels_last, what_reads_other_axes_reads_channels_first) {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, kImage);
  const ValueId pooled = g.node("GlobalAveragePool", {x}, {"pooled"})[0];
  const ValueId soft = g.node("Softmax", {pooled}, {"soft"}, {Attribute::of_int("axis", 1)})[0];
  const ValueId flat = g.node("Flatten", {soft}, {"flat"})[0];
  g.output(g.node("Relu", {flat}, {"y"})[0]);
  CHECK_EQ(changed(g), "Transpose nhwc.GlobalAveragePool Transpose Softmax Flatten Relu");
}

TEST(channels_last, the_models_own_transposes_are_used) {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {1, 6, 8, 4});
  const auto turn = [&](ValueId id, const char* name, std::vector<int64_t> perm) {
    return g.node("Transpose", {id}, {name}, {Attribute::of_ints("perm", std::move(perm))})[0];
  };
  const ValueId first = turn(x, "first", {0, 3, 1, 2});
  const ValueId pooled =
      g.node("MaxPool", {first}, {"pooled"}, {Attribute::of_ints("kernel_shape", {2, 2})})[0];
  const ValueId last = turn(pooled, "last", {0, 2, 3, 1});
  g.output(g.node("Relu", {last}, {"y"})[0]);
  CHECK_EQ(changed(g), "nhwc.MaxPool Relu");
}

TEST(channels_last, a_value_of_unknown_rank_stays) {
  GraphBuilder g;
  const ValueId x = g.graph().add_value("x", Type::tensor(DType::kFloat32)).value();
  g.graph().add_input(x);
  g.output(g.node("GlobalMaxPool", {x}, {"y"})[0]);
  ChannelsLast layout(g.graph());
  Undecided wishes;
  CHECK_OK(layout.convert(all_nodes(g.graph()), wishes));
  CHECK_EQ(operators(g.graph()), "GlobalMaxPool");
  CHECK_OK(layout.restore_unclaimed());
}

TEST(channels_last, nodes_that_are_last_by_their_own_word_change_their_domain_only) {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kUint8, {1, 4, 4, 2});
  const ValueId scale = g.floats("scale", {}, {0.5f});
  const ValueId zero = g.graph().add_constant("zero", Tensor::scalar<uint8_t>(3));
  g.graph().set_opsets(
      std::make_shared<OpsetImports>(OpsetImports{{"", 17}, {std::string(kMicrosoftDomain), 1}}));
  g.output(g.node("QLinearGlobalAveragePool", {x, scale, zero, scale, zero}, {"y"},
                  {Attribute::of_int("channels_last", 1)}, std::string(kMicrosoftDomain))[0]);
  CHECK_EQ(changed(g), "nhwc.QLinearGlobalAveragePool");
}

TEST(channels_last, a_name_that_two_domains_have_means_onnx) {
  for (const std::string domain : {"", "com.microsoft"}) {
    GraphBuilder g;
    const ValueId x = g.input("x", DType::kFloat32, kImage);
    const ValueId grid = g.random_floats("grid", {1, 3, 5, 2}, 9);
    const ValueId y = g.node("GridSample", {x, grid}, {"y"}, {}, domain)[0];
    const std::vector<int64_t> dims = {1, 4, 3, 5};
    g.graph().value(y)->type = Type::tensor(DType::kFloat32, shape_of(dims));
    g.output(y);
    ChannelsLast layout(g.graph());
    Undecided wishes;
    CHECK_OK(layout.convert(all_nodes(g.graph()), wishes));
    CHECK_EQ(operators(g.graph()),
             domain.empty() ? "Transpose nhwc.GridSample Transpose" : "GridSample");
    CHECK_OK(layout.restore_unclaimed());
  }
}
