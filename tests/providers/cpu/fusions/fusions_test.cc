// SPDX-License-Identifier: MIT
// The rewrites of the second half: before and after as lists of operators. Their numbers are
// compared by the conformance and oracle tests, which run every model with and without a provider
// that fuses.
#include "providers/cpu/fusions/fusions.h"

#include <cmath>

#include "core/compile/apply_fusions.h"
#include "core/compile/lowering.h"
#include "core/graph/verify.h"
#include "tests/providers/cpu/fusions/short_attributes.h"
#include "tests/support/graph_builder.h"
#include "tests/support/test.h"

using namespace ortc;
using ortc::test::graph_attribute;
using ortc::test::GraphBuilder;
using ortc::test::kPad;

namespace {

// Operators in order of execution after the rewrites; internal ones begin with "ortc.".
std::string fused(GraphBuilder& g) {
  g.infer();
  CHECK_OK(apply_fusions(g.graph(), cpu::lowering_rules(), Logger()));
  CHECK_OK(verify_graph(g.graph()));
  std::string text;
  for (NodeId id : g.graph().topological_order().value()) {
    const Node& node = *g.graph().node(id);
    text += str_cat(text.empty() ? "" : " ", node.domain().empty() ? "" : node.domain() + ".",
                    node.op_type());
    const std::string_view activation = node.string_attribute("activation", "");
    if (!activation.empty()) text += str_cat("+", activation);
    if (node.domain() == kInternalDomain && node.input(2) != kNoValue) text += "+bias";
    if (node.domain() == kInternalDomain && node.input(3) != kNoValue) text += "+residual";
  }
  return text;
}

}  // namespace

// MatMul, Add of a row, Relu -> one Gemm
TEST(fusions, matmul_takes_bias_and_activation) {
  GraphBuilder g;
  auto h =
      g.node("MatMul", {g.input("x", DType::kFloat32, {-1, 4}), g.random_floats("w", {4, 5}, 1)},
             {"m"})[0];
  h = g.node("Add", {g.random_floats("b", {5}, 2), h}, {"a"})[0];
  g.output(g.node("Relu", {h}, {"y"})[0]);
  CHECK_EQ(fused(g), "ortc.Gemm+Relu+bias");
}

// MatMul + x -> Gemm with residual
TEST(fusions, matmul_takes_a_residual_of_its_own_shape) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, 4});
  const auto h = g.node("MatMul", {x, g.random_floats("w", {4, 4}, 1)}, {"m"})[0];
  g.output(g.node("Add", {h, x}, {"y"})[0]);
  CHECK_EQ(fused(g), "ortc.Gemm+residual");
}

// A is turned, B is packed as it is without transA.
TEST(fusions, a_transposed_matrix_times_weights_is_turned_first) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {4, 3});
  g.output(g.node("Gemm", {x, g.random_floats("w", {4, 5}, 1), g.random_floats("c", {5}, 2)}, {"y"},
                  {Attribute::of_int("transA", 1)})[0]);
  CHECK_EQ(fused(g), "Transpose ortc.Gemm+bias");
}

// 0 times infinity is no number: C does not count, whatever is in it.
TEST(fusions, a_bias_times_zero_is_none) {
  for (const float beta : {0.0f, 1.0f}) {
    GraphBuilder g;
    const auto x = g.input("x", DType::kFloat32, {3, 4});
    const auto c = g.floats("c", {}, {INFINITY});
    g.output(g.node("Gemm", {x, g.random_floats("w", {4, 5}, 1), c}, {"y"},
                    {Attribute::of_float("beta", beta)})[0]);
    CHECK_EQ(fused(g), beta == 0 ? "ortc.Gemm" : "ortc.Gemm+bias");
  }
}

// Weights that an embedding reads stay in one place, row-major; alone they are packed.
TEST(fusions, tied_weights_are_not_packed) {
  for (const bool tied : {true, false}) {
    GraphBuilder g;
    const auto x = g.input("x", DType::kFloat32, {3, 512});
    const auto table = g.random_floats("table", {600, 512}, 1);
    if (tied) g.output(g.node("Gather", {table, g.int64s("ids", {1}, {5})}, {"row"})[0]);
    g.output(g.node("Gemm", {x, table}, {"y"}, {Attribute::of_int("transB", 1)})[0]);
    CHECK_EQ(fused(g), tied ? "Gather ortc.BatchedMatMul" : "ortc.Gemm");
  }
}

TEST(fusions, a_product_that_somebody_else_reads_stays) {
  GraphBuilder g;
  const auto h = g.node(
      "MatMul", {g.input("x", DType::kFloat32, {2, 4}), g.random_floats("w", {4, 4}, 1)}, {"m"})[0];
  g.output(g.node("Relu", {h}, {"y"})[0]);
  g.output(h);
  CHECK_EQ(fused(g), "ortc.Gemm Relu");
}

// The sum is larger than the product: no residual.
TEST(fusions, a_sum_that_broadcasts_the_product_stays) {
  GraphBuilder g;
  const auto h = g.node(
      "MatMul", {g.input("x", DType::kFloat32, {1, 4}), g.random_floats("w", {4, 4}, 1)}, {"m"})[0];
  g.output(g.node("Add", {h, g.input("r", DType::kFloat32, {3, 4})}, {"y"})[0]);
  CHECK_EQ(fused(g), "ortc.Gemm Add");
}

// x * Sigmoid(x) -> Silu
TEST(fusions, sigmoid_times_itself_becomes_silu) {
  GraphBuilder g;
  const auto h = g.node(
      "MatMul", {g.input("x", DType::kFloat32, {1, 4}), g.random_floats("w", {4, 4}, 1)}, {"m"})[0];
  const auto s = g.node("Sigmoid", {h}, {"s"})[0];
  g.output(g.node("Mul", {h, s}, {"y"})[0]);
  CHECK_EQ(fused(g), "ortc.Gemm+Silu");
}

// MatMul(q, Transpose(k)) / 8 -> BatchedMatMul {transB, alpha}
TEST(fusions, attention_scores_are_one_product) {
  GraphBuilder g;
  const auto q = g.input("q", DType::kFloat32, {1, 2, 3, 8}),
             k = g.input("k", DType::kFloat32, {1, 2, 3, 8});
  const auto t = g.node("Transpose", {k}, {"t"}, {Attribute::of_ints("perm", {0, 1, 3, 2})})[0];
  const auto m = g.node("MatMul", {q, t}, {"m"})[0];
  g.output(g.node("Div", {m, g.floats("eight", {}, {8})}, {"y"})[0]);
  CHECK_EQ(fused(g), "ortc.BatchedMatMul");
  const Node& node = *g.graph().node(g.graph().topological_order().value()[0]);
  CHECK_EQ(node.int_attribute("transB", 0), 1);
  CHECK_EQ(node.float_attribute("alpha", 1), 0.125f);
}

// A quotient by 1e-39 would be a product by infinity.
TEST(fusions, a_scale_beyond_normal_numbers_stays) {
  const auto scaled = [](const char* op, float factor) {
    GraphBuilder g;
    const auto a = g.input("a", DType::kFloat32, {1, 2, 3, 8}),
               b = g.input("b", DType::kFloat32, {1, 2, 8, 3});
    const auto m = g.node("MatMul", {a, b}, {"m"})[0];
    g.output(g.node(op, {m, g.floats("f", {}, {factor})}, {"y"})[0]);
    return fused(g);
  };
  CHECK_EQ(scaled("Mul", 3), "ortc.BatchedMatMul");
  CHECK_EQ(scaled("Mul", 0), "ortc.BatchedMatMul Mul");
  CHECK_EQ(scaled("Mul", 1e-39f), "ortc.BatchedMatMul Mul");
  CHECK_EQ(scaled("Div", 1e-39f), "ortc.BatchedMatMul Div");
}

// Between convolutions nothing is transposed; at the border once.
TEST(fusions, convolutions_run_channels_last_with_transposes_at_the_border_only) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {1, 3, 8, 8});
  auto h =
      g.node("Conv", {x, g.random_floats("w1", {4, 3, 3, 3}, 1), g.random_floats("b1", {4}, 2)},
             {"c1"}, kPad)[0];
  h = g.node("Relu", {h}, {"r1"})[0];
  const auto p = g.node(
      "MaxPool", {h}, {"p"},
      {Attribute::of_ints("kernel_shape", {2, 2}), Attribute::of_ints("strides", {2, 2})})[0];
  h = g.node("Conv", {p, g.random_floats("w2", {4, 4, 3, 3}, 3)}, {"c2"}, kPad)[0];
  h = g.node("Add", {h, p}, {"a"})[0];
  h = g.node("Relu", {h}, {"r2"})[0];
  g.output(g.node("Conv", {h, g.random_floats("w3", {4, 4, 1, 1}, 4)}, {"y"})[0]);
  CHECK_EQ(
      fused(g),
      "Transpose ortc.Conv+Relu+bias ortc.MaxPool ortc.Conv+Relu+residual ortc.Conv Transpose");
}

// A value that a channels-last operator makes and an ordinary one reads has both forms.
TEST(fusions, readers_that_stay_in_onnx_layout_get_the_original) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {1, 3, 8, 8});
  const auto h = g.node("Conv", {x, g.random_floats("w", {4, 3, 1, 1}, 1)}, {"c"})[0];
  g.output(g.node("Flatten", {h}, {"m"})[0]);
  CHECK_EQ(fused(g), "Transpose ortc.Conv Transpose Flatten");
}

// Turning the result would cost more than the other layout saves.
TEST(fusions, convolutions_of_few_terms_that_stand_alone_stay_in_onnx_layout) {
  const auto fused_alone = [](const Dims& x, const Dims& w, std::vector<Attribute> attributes,
                              const char* reader = nullptr) {
    GraphBuilder g;
    const auto input = g.input("x", DType::kFloat32, x);
    const auto c =
        g.node("Conv", {input, g.random_floats("w", w, 1)}, {"c"}, std::move(attributes))[0];
    g.output(reader == nullptr ? c : g.node(reader, {c}, {"y"})[0]);
    return fused(g);
  };
  const std::vector<Attribute> depthwise = {Attribute::of_int("group", 64), kPad[0]};
  CHECK_EQ(fused_alone({1, 64, 28, 28}, {64, 1, 3, 3}, depthwise), "Conv");
  CHECK_EQ(fused_alone({1, 64, 28, 28}, {128, 1, 3, 3}, depthwise), "Conv");
  CHECK_EQ(fused_alone({1, 3, 20, 20}, {64, 3, 7, 7}, {}), "Conv");
  const std::vector<Attribute> groups = {Attribute::of_int("group", 4), kPad[0]};
  CHECK_EQ(fused_alone({1, 64, 28, 28}, {128, 16, 3, 3}, groups), "Conv");
  CHECK_EQ(fused_alone({1, 256, 28, 28}, {48, 64, 3, 3}, groups), "Conv");
  CHECK_EQ(fused_alone({1, 64, 28, 28}, {12, 64, 3, 3}, kPad), "Conv");
  CHECK_EQ(fused_alone({1, 154, 7, 8}, {1, 154, 1, 1}, {}), "Conv");
  CHECK_EQ(fused_alone({1, 154, 7, 8}, {9, 154, 1, 1}, {}), "Transpose ortc.Conv Transpose");
  CHECK_EQ(fused_alone({1, 64, 28, 28}, {64, 64, 1, 1}, {}, "Flatten"), "Conv Flatten");
  // Many terms, few pixels, images that are mostly border, an epilogue, and readers that follow.
  CHECK_EQ(fused_alone({1, 64, 28, 28}, {64, 64, 3, 3}, kPad), "Transpose ortc.Conv Transpose");
  CHECK_EQ(fused_alone({1, 64, 28, 28}, {4, 64, 3, 3}, kPad), "Transpose ortc.Conv Transpose");
  CHECK_EQ(fused_alone({1, 256, 28, 28}, {52, 64, 3, 3}, groups), "Transpose ortc.Conv Transpose");
  CHECK_EQ(fused_alone({1, 64, 20, 20}, {64, 1, 3, 3}, depthwise), "Transpose ortc.Conv Transpose");
  CHECK_EQ(fused_alone({1, 3, 90, 3}, {64, 3, 3, 3}, kPad), "Transpose ortc.Conv Transpose");
  CHECK_EQ(fused_alone({1, 64, 28, 28}, {64, 1, 3, 3}, depthwise, "Relu"),
           "Transpose ortc.Conv+Relu Transpose");
  CHECK_EQ(fused_alone({1, 3, 20, 20}, {64, 3, 7, 7}, {}, "Exp"),
           "Transpose ortc.Conv Exp Transpose");
}

TEST(fusions, transposed_convolutions_of_pixels_or_to_few_channels_stay_in_onnx_layout) {
  const auto fused_alone = [](const Dims& w, std::vector<Attribute> attributes) {
    GraphBuilder g;
    const auto x = g.input("x", DType::kFloat32, {1, 6, 20, 20});
    attributes.push_back(Attribute::of_ints("strides", {2, 2}));
    g.output(g.node("ConvTranspose", {x, g.random_floats("w", w, 1)}, {"y"}, attributes)[0]);
    return fused(g);
  };
  CHECK_EQ(fused_alone({6, 40, 1, 1}, {}), "ConvTranspose");
  CHECK_EQ(fused_alone({6, 1, 5, 5}, {}), "ConvTranspose");
  CHECK_EQ(fused_alone({6, 8, 5, 5}, {Attribute::of_int("group", 2)}), "ConvTranspose");
  CHECK_EQ(fused_alone({6, 24, 2, 2}, {}), "ConvTranspose");
  const std::string kTurned = "Transpose ortc.ConvTranspose Transpose";
  CHECK_EQ(fused_alone({6, 40, 3, 3}, {}), kTurned);
  CHECK_EQ(fused_alone({6, 9, 5, 5}, {}), kTurned);
}

// Over one axis as over two, with views between.
TEST(fusions, convolutions_over_one_axis_run_as_those_over_two) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {1, 4, 30});
  const std::vector<Attribute> pads = {Attribute::of_ints("pads", {1, 1})};
  auto h = g.node("Conv", {x, g.random_floats("w1", {4, 4, 3}, 1)}, {"c1"}, pads)[0];
  h = g.node("Relu", {h}, {"r"})[0];
  h = g.node("MaxPool", {h}, {"p"}, {Attribute::of_ints("kernel_shape", {2})})[0];
  h = g.node("Mul", {h, g.random_floats("s", {4, 1}, 3)}, {"m"})[0];
  g.output(g.node("Conv", {h, g.random_floats("w2", {6, 4, 1}, 2)}, {"y"})[0]);
  CHECK_EQ(fused(g),
           "Transpose Unsqueeze ortc.Conv+Relu ortc.MaxPool Mul ortc.Conv Squeeze Transpose");
}

// What the weights tell of the rank is enough.
TEST(fusions, convolutions_of_values_without_a_shape_are_as_wide_as_their_weights) {
  GraphBuilder g;
  const ValueId x = g.graph().add_value("x", Type::tensor(DType::kFloat32)).value();
  g.graph().add_input(x);
  const auto h = g.node("Conv", {x, g.random_floats("w", {4, 4, 3}, 1)}, {"c"})[0];
  g.output(g.node("Relu", {h}, {"y"})[0]);
  CHECK_EQ(fused(g), "Unsqueeze Transpose ortc.Conv+Relu Squeeze Transpose");
  CHECK_EQ(g.graph().value(g.graph().outputs()[0])->type.shape->size(), 3u);
}

TEST(fusions, bodies_pack_the_weights_of_enclosing_graphs) {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {3, 4});
  const ValueId w = g.random_floats("w", {4, 5}, 1), b = g.random_floats("b", {5}, 2);
  std::vector<Attribute> branches;
  std::vector<std::shared_ptr<Graph>> bodies;
  for (const std::string& which : {std::string("then_branch"), std::string("else_branch")}) {
    GraphBuilder body(17, &g.graph());
    const auto captured = [&](ValueId id) { return body.graph().capture(id).value(); };
    const auto m = body.node("MatMul", {captured(x), captured(w)}, {which + "_m"})[0];
    body.output(body.node("Add", {m, captured(b)}, {which})[0]);
    bodies.push_back(body.shared());
    branches.push_back(graph_attribute(which, body.shared()));
  }
  g.output(g.node("If", {g.input("is_it", DType::kBool, {})}, {"y"}, branches)[0]);
  CHECK_EQ(fused(g), "If");
  for (const auto& body : bodies) {
    CHECK_EQ(body->node_count(), 1u);
    const Node& node = *body->node(body->topological_order().value()[0]);
    CHECK_EQ(node.op_type(), "Gemm");
    CHECK(body->value(node.input(1))->constant() != nullptr);
    CHECK(body->value(node.input(1))->constant()->data() == g.graph().value(w)->constant()->data());
  }
}

TEST(fusions, transposed_convolutions_run_channels_last) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {1, 4, 5, 5});
  auto h = g.node("ConvTranspose",
                  {x, g.random_floats("w", {4, 3, 2, 2}, 1), g.random_floats("b", {3}, 2)}, {"t"},
                  {Attribute::of_ints("strides", {2, 2})})[0];
  g.output(g.node("Sigmoid", {h}, {"y"})[0]);
  CHECK_EQ(fused(g), "Transpose ortc.ConvTranspose+bias Sigmoid Transpose");
}

TEST(fusions, a_pool_alone_keeps_its_layout) {
  GraphBuilder g;
  g.output(g.node("MaxPool", {g.input("x", DType::kFloat32, {1, 4, 8, 8})}, {"y"},
                  {Attribute::of_ints("kernel_shape", {2, 2})})[0]);
  CHECK_EQ(fused(g), "MaxPool");
}

TEST(fusions, weights_that_are_computed_leave_the_convolution_alone) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {1, 3, 8, 8}),
             w = g.input("w", DType::kFloat32, {4, 3, 1, 1});
  const auto h = g.node("Conv", {x, w}, {"c"})[0];
  g.output(g.node("Relu", {h}, {"y"})[0]);
  CHECK_EQ(fused(g), "Conv Relu");
}
