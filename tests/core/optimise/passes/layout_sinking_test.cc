// SPDX-License-Identifier: MIT
// Relu(Mul(Transpose(x, p), s)) -> Transpose(Relu(Mul(x, s')), p), where x is an image
// Relu(Squeeze(x, a)) -> Squeeze(Relu(x), a)
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

namespace {

const std::vector<int64_t> kLast = {0, 2, 3, 1}, kFirst = {0, 3, 1, 2};

struct ImageGraph : TestGraph {
  ImageGraph() : TestGraph(13) {}

  ValueId turn(ValueId id, const std::vector<int64_t>& perm) {
    return node("Transpose", {id}, {Attribute::of_ints("perm", perm)});
  }
  // A convolution of two channels to two.
  ValueId conv(ValueId id) { return node("Conv", {id, floats("w", {2, 2, 1, 1}, {1, 2, 3, 4})}); }
  ValueId channels(Dims dims = {2}) { return floats("c", std::move(dims), {5, 6}); }
  const Node* only_node(std::string_view op) {
    const Node* found = nullptr;
    for (NodeId id = 0; id < graph().node_bound(); ++id) {
      const Node* node = graph().node(id);
      if (node == nullptr || !node->is_op(op)) continue;
      CHECK(found == nullptr);
      found = node;
    }
    return found;
  }

  const ValueId x = input("x", {1, 2, 4, 5});
};

}  // namespace

TEST(layout_sinking, brings_what_works_by_element_to_the_convolution) {
  ImageGraph g;
  const ValueId scaled = g.node("Mul", {g.turn(g.conv(g.x), kLast), g.channels()});
  const ValueId shifted = g.node("Sub", {g.channels({1, 1, 1, 2}), scaled});
  const ValueId limited = g.node("Clip", {shifted, g.scalar(0), g.scalar(6)});
  g.output(g.turn(limited, kFirst));
  CHECK_EQ(g.run("layout_sinking"), 3);
  CHECK_EQ(g.operators(), "Conv Mul Sub Clip");
  CHECK(g.constant_input(*g.only_node("Mul"), 1).dims() == Dims({1, 2, 1, 1}));
  CHECK(g.constant_input(*g.only_node("Sub"), 0).dims() == Dims({1, 2, 1, 1}));
  CHECK(g.constant_input(*g.only_node("Clip"), 2).dims().empty());
  CHECK_EQ(g.type(g.only_node("Clip")->output(0)), "float32[1,2,4,5]");
  CHECK_EQ(g.run("layout_sinking"), 0);
}

TEST(layout_sinking, keeps_the_layout_of_what_the_graph_gives) {
  ImageGraph g;
  g.output(g.node("Relu", {g.turn(g.conv(g.x), kLast)}));
  CHECK_EQ(g.run("layout_sinking"), 1);
  CHECK_EQ(g.operators(), "Conv Relu Transpose");
  CHECK_EQ(g.type(g.graph().find_value("y")->id), "float32[1,4,5,2]");
}

TEST(layout_sinking, joins_branches_in_one_layout) {
  ImageGraph g;
  const ValueId a = g.node("Relu", {g.turn(g.conv(g.x), kLast)});
  const ValueId b = g.turn(g.conv(g.turn(a, kFirst)), kLast);
  const ValueId gate = g.node("Mul", {b, g.node("Sigmoid", {b})});
  g.output(g.turn(g.node("Add", {gate, a}), kFirst));
  CHECK_EQ(g.run("layout_sinking"), 4);
  CHECK_EQ(g.operators(), "Conv Relu Conv Sigmoid Mul Add");
}

TEST(layout_sinking, leaves_branches_in_different_layouts) {
  ImageGraph g;
  const ValueId image = g.conv(g.input("square", {1, 2, 2, 2}));
  g.output(g.node("Mul", {g.turn(image, kLast), g.turn(image, {0, 3, 2, 1})}));
  CHECK_EQ(g.run("layout_sinking"), 0);
}

TEST(layout_sinking, makes_no_more_transposes_than_there_were) {
  // Both the turned value and what follows from it are read where they are.
  ImageGraph g;
  const ValueId turned = g.turn(g.conv(g.x), kLast);
  const ValueId k = g.floats("k", {2, 3}, {1, 2, 3, 4, 5, 6});
  g.output(g.node("MatMul", {turned, k}), "a");
  g.output(g.node("MatMul", {g.node("Relu", {turned}), k}), "b");
  CHECK_EQ(g.run("layout_sinking"), 0);
}

TEST(layout_sinking, leaves_what_is_no_image_and_other_operands) {
  for (const int kind : {0, 1, 2, 3}) {
    ImageGraph g;
    const ValueId image = kind == 0 ? g.x : g.conv(g.x);
    ValueId other = g.channels();
    if (kind == 1) other = g.floats("plane", {4, 1, 2}, std::vector<float>(8));
    if (kind == 2) other = g.input("given", {2});
    if (kind == 3) other = g.floats("more", {3, 1, 1, 1, 1}, {1, 2, 3});
    g.output(g.node("Add", {g.turn(image, kLast), other}));
    CHECK_EQ(g.run("layout_sinking"), 0);
  }
}

TEST(layout_sinking, leaves_a_slope_that_is_turned) {
  ImageGraph g;
  const ValueId image = g.conv(g.input("square", {1, 2, 2, 2}));
  g.output(g.node("PRelu", {image, g.turn(image, kLast)}));
  CHECK_EQ(g.run("layout_sinking"), 0);
}

namespace {

// Lines as images of one row.
struct LineGraph : ImageGraph {
  explicit LineGraph(Dim height = Dim::known(1))
      : line(conv(input("line", DType::kFloat32, {n, Dim::known(2), height, Dim::named("w")}))) {}

  ValueId squeeze(ValueId id, int64_t axis) { return node("Squeeze", {id, ints("a", {axis})}); }
  ValueId unsqueeze(ValueId id, int64_t axis) { return node("Unsqueeze", {id, ints("a", {axis})}); }

  const Dim n = Dim::named("n");
  const ValueId line;
};

}  // namespace

TEST(layout_sinking, brings_what_works_on_lines_to_the_convolution_of_their_images) {
  LineGraph g;
  const ValueId scaled = g.node("Mul", {g.squeeze(g.line, -2), g.channels({2, 1})});
  g.output(g.conv(g.unsqueeze(g.node("Relu", {scaled}), 2)));
  CHECK_EQ(g.run("layout_sinking"), 2);
  CHECK_EQ(g.operators(), "Conv Mul Relu Conv");
  CHECK(g.constant_input(*g.only_node("Mul"), 1).dims() == Dims({1, 2, 1, 1}));
}

TEST(layout_sinking, knows_lines_of_channels_last_frameworks) {
  LineGraph g;
  const ValueId rows = g.squeeze(g.turn(g.line, kLast), 1);
  const ValueId moved = g.node("Relu", {g.node("Add", {rows, g.channels()})});
  g.output(g.conv(g.turn(g.unsqueeze(moved, 1), kFirst)));
  g.output(g.node("MatMul", {moved, g.floats("m", {2, 1}, {1, 2})}), "z");
  CHECK_EQ(g.run("layout_sinking"), 2);
  CHECK_EQ(g.operators(), "Conv Add Relu Conv Squeeze Transpose MatMul");
  CHECK(g.only_node("Transpose")->ints_attribute("perm") == std::vector<int64_t>({0, 2, 1}));
  CHECK_EQ(g.type(g.graph().find_value("z")->id), "float32[n,w,1]");
}

TEST(layout_sinking, leaves_a_squeeze_that_a_run_may_refuse) {
  LineGraph g(Dim::named("h"));
  g.output(g.conv(g.unsqueeze(g.node("Relu", {g.squeeze(g.line, 2)}), 2)));
  CHECK_EQ(g.run("layout_sinking"), 0);
}
