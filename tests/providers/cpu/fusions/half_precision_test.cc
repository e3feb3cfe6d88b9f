// SPDX-License-Identifier: MIT
// Stretches of float16 and bfloat16 computed in float32: which nodes take part, what stays rounded,
// and how large a Plan of 16-bit weights is.
#include <cmath>

#include "core/compile/apply_fusions.h"
#include "providers/cpu/elements/float_rows.h"
#include "providers/cpu/fusions/fusions.h"
#include "tests/providers/cpu/fusions/run_graph.h"
#include "tests/support/graph_builder.h"

using namespace ortc;
using ortc::cpu::Float16;
using ortc::test::GraphBuilder;

namespace {

constexpr DType kHalf = DType::kFloat16;

ValueId halves(GraphBuilder& g, const std::string& name, Dims dims, unsigned seed) {
  Tensor tensor = Tensor::create(kHalf, std::move(dims)).value();
  const int64_t count = tensor.element_count();
  const auto numbers = test::random_numbers(static_cast<size_t>(count), seed);
  cpu::narrow(numbers.data(), count, static_cast<Float16*>(tensor.mutable_data()));
  return g.graph().add_constant(name, std::move(tensor));
}

void fuse(GraphBuilder& g) {
  g.infer();
  CHECK_OK(apply_fusions(g.graph(), cpu::lowering_rules(), Logger()));
}

std::string operators_and_casts(const Graph& graph) {
  std::string text;
  for (NodeId id : graph.topological_order().value()) {
    const Node& node = *graph.node(id);
    text += str_cat(text.empty() ? "" : " ", node.domain().empty() ? "" : node.domain() + ".",
                    node.op_type());
    if (node.is_op("Cast")) text += str_cat(":", node.int_attribute("to", 0));
  }
  return text;
}

std::string fused_halves(GraphBuilder& g) {
  fuse(g);
  return operators_and_casts(g.graph());
}

Tensor half_tensor(Dims dims, const std::vector<float>& values) {
  Tensor tensor = Tensor::create(kHalf, std::move(dims)).value();
  cpu::narrow(values.data(), static_cast<int64_t>(values.size()),
              static_cast<Float16*>(tensor.mutable_data()));
  return tensor;
}

std::vector<float> floats_of(const Tensor& half) {
  CHECK(half.dtype() == kHalf);
  std::vector<float> values(static_cast<size_t>(half.element_count()));
  cpu::widen(static_cast<const Float16*>(half.data()), half.element_count(), values.data());
  return values;
}

}  // namespace

TEST(half_precision, a_stretch_is_widened_at_its_borders_only) {
  GraphBuilder g;
  auto h = g.node("MatMul", {g.input("x", kHalf, {-1, 4}), halves(g, "w", {4, 5}, 1)}, {"m"})[0];
  h = g.node("Add", {h, halves(g, "b", {5}, 2)}, {"a"})[0];
  h = g.node("Relu", {h}, {"r"})[0];
  h = g.node("Reshape", {h, g.int64s("s", {1}, {-1})}, {"f"})[0];
  g.output(g.node("Softmax", {h}, {"y"})[0]);
  CHECK_EQ(fused_halves(g), "Cast:1 ortc.Gemm Reshape Softmax Cast:10");
  for (NodeId id : g.graph().topological_order().value()) {
    const Node& node = *g.graph().node(id);
    if (node.is_op("Gemm", kInternalDomain)) CHECK(dtype_of(g.graph(), node.input(1)) == kHalf);
  }
}

TEST(half_precision, products_with_weights_of_few_bits_take_part) {
  GraphBuilder g;
  const std::vector<Attribute> form = {Attribute::of_int("K", 32), Attribute::of_int("N", 4),
                                       Attribute::of_int("block_size", 32)};
  const ValueId q = g.graph().add_constant("q", Tensor::create(DType::kUint8, {4, 1, 16}).value());
  const ValueId scale = halves(g, "s", {4, 1}, 1);
  const ValueId x = g.input("x", kHalf, {-1, 32});
  const ValueId h = g.node("MatMulNBits", {x, q, scale}, {"h"}, form, "com.microsoft")[0];
  g.output(g.node("Softmax", {h}, {"y"})[0]);
  CHECK_EQ(fused_halves(g), "Cast:1 com.microsoft.MatMulNBits Softmax Cast:10");
}

TEST(half_precision, convolutions_keep_their_weights_and_run_channels_last) {
  GraphBuilder g;
  const auto x = g.input("x", kHalf, {1, 3, 8, 8});
  auto h = g.node("Conv", {x, halves(g, "w", {4, 3, 3, 3}, 1), halves(g, "b", {4}, 2)}, {"c"})[0];
  g.output(g.node("Relu", {h}, {"y"})[0]);
  CHECK_EQ(fused_halves(g), "Cast:1 Transpose ortc.Conv Cast:10 Transpose");
}

// Those that stand alone stay in ONNX's layout as in float32, whose kernels read floats.
TEST(half_precision, convolutions_of_few_terms_that_stand_alone_widen_their_weights) {
  for (const bool is_transposed : {false, true}) {
    GraphBuilder g;
    const auto x = g.input("x", kHalf, {1, 3, 16, 16});
    const auto w = halves(g, "w", is_transposed ? Dims{3, 4, 3, 3} : Dims{4, 3, 3, 3}, 1);
    g.output(g.node(is_transposed ? "ConvTranspose" : "Conv", {x, w}, {"y"},
                    {Attribute::of_ints("strides", {is_transposed ? 2 : 1, 1})})[0]);
    CHECK_EQ(fused_halves(g),
             is_transposed ? "Cast:1 ConvTranspose Cast:10" : "Cast:1 Conv Cast:10");
    for (NodeId id : g.graph().topological_order().value()) {
      const Node& node = *g.graph().node(id);
      if (!node.is_op("Cast")) CHECK(dtype_of(g.graph(), node.input(1)) == DType::kFloat32);
    }
    test::run_graph(g.graph(), {half_tensor({1, 3, 16, 16}, test::random_numbers(768, 3))});
  }
}

TEST(half_precision, transposed_convolutions_of_images_and_lines_keep_their_weights) {
  for (const bool is_line : {false, true}) {
    GraphBuilder g;
    const auto x = g.input("x", kHalf, is_line ? Dims{1, 3, 8} : Dims{1, 3, 8, 8});
    const auto w = halves(g, "w", is_line ? Dims{3, 40, 2} : Dims{3, 40, 2, 2}, 1);
    const std::vector<int64_t> strides(is_line ? 1 : 2, 2);
    g.output(g.node("ConvTranspose", {x, w, halves(g, "b", {40}, 2)}, {"y"},
                    {Attribute::of_ints("strides", strides)})[0]);
    fuse(g);
    int found = 0;
    for (NodeId id : g.graph().topological_order().value()) {
      const Node& node = *g.graph().node(id);
      if (!node.is_op("ConvTranspose", kInternalDomain)) continue;
      CHECK(dtype_of(g.graph(), node.input(1)) == kHalf);
      ++found;
    }
    CHECK_EQ(found, 1);
    test::run_graph(g.graph(), {half_tensor(is_line ? Dims{1, 3, 8} : Dims{1, 3, 8, 8},
                                            test::random_numbers(is_line ? 24 : 192, 3))});
  }
}

// Of three axes no kernel reads them.
TEST(half_precision, transposed_convolutions_that_no_kernel_takes_widen_their_weights) {
  GraphBuilder g;
  const auto x = g.input("x", kHalf, {1, 3, 4, 4, 4});
  g.output(g.node("ConvTranspose", {x, halves(g, "w", {3, 4, 2, 2, 2}, 1)}, {"y"})[0]);
  fuse(g);
  for (NodeId id : g.graph().topological_order().value()) {
    const Node& node = *g.graph().node(id);
    if (node.is_op("ConvTranspose")) CHECK(dtype_of(g.graph(), node.input(1)) == DType::kFloat32);
  }
  test::run_graph(g.graph(), {half_tensor({1, 3, 4, 4, 4}, test::random_numbers(192, 3))});
}

// Without strides it becomes a convolution, which reads floats where its groups have few channels
// or it gives few.
TEST(half_precision, transposed_convolutions_that_become_others_have_weights_that_those_read) {
  struct Case {
    Dims x, w;
    int64_t groups;
    bool stays_half;
  };
  for (const Case& c :
       {Case{{1, 8, 5, 5}, {8, 1, 3, 3}, 8, false}, Case{{1, 8, 9}, {8, 1, 3}, 8, false},
        Case{{1, 15, 5, 5}, {15, 2, 3, 3}, 1, false},
        Case{{1, 8, 4, 5, 5}, {8, 1, 2, 3, 3}, 8, false},
        Case{{1, 16, 5, 5}, {16, 8, 3, 3}, 1, true}}) {
    GraphBuilder g;
    const auto x = g.input("x", kHalf, c.x);
    g.output(g.node("ConvTranspose", {x, halves(g, "w", c.w, 1)}, {"y"},
                    {Attribute::of_int("group", c.groups)})[0]);
    fuse(g);
    int found = 0;
    for (NodeId id : g.graph().topological_order().value()) {
      const Node& node = *g.graph().node(id);
      if (node.op_type() != "Conv") continue;
      CHECK(dtype_of(g.graph(), node.input(1)) == (c.stays_half ? kHalf : DType::kFloat32));
      ++found;
    }
    CHECK_EQ(found, 1);
    const auto count = static_cast<size_t>(Tensor::create(kHalf, c.x).value().element_count());
    test::run_graph(g.graph(), {half_tensor(c.x, test::random_numbers(count, 3))});
  }
}

// com.microsoft's Attention is its projection, a product by constant weights, and the rest.
TEST(half_precision, attention_keeps_its_weights) {
  const std::vector<float> x = test::random_numbers(2 * 5 * 8, 3);
  std::vector<float> results[2];
  for (const bool is_half : {false, true}) {
    GraphBuilder g;
    const auto input = g.input("x", is_half ? kHalf : DType::kFloat32, {2, 5, 8});
    // The same numbers for both.
    const Tensor w = half_tensor({8, 24}, test::random_numbers(8 * 24, 1));
    const Tensor b = half_tensor({24}, test::random_numbers(24, 2));
    const auto constant = [&](const char* name, const Tensor& half) {
      if (is_half) return g.graph().add_constant(name, half);
      const std::vector<float> floats = floats_of(half);
      return g.graph().add_constant(name, Tensor::from<float>(half.dims(), floats));
    };
    const auto node = g.graph().add_node(
        "Attention", "com.microsoft", "attention", {input, constant("w", w), constant("b", b)},
        {g.graph().add_value("y").value()}, {Attribute::of_int("num_heads", 2)});
    CHECK_OK(node);
    g.output((*node)->output(0));
    CHECK_EQ(fused_halves(g), is_half ? "Cast:1 ortc.Gemm ortc.ProjectedAttention Cast:10"
                                      : "ortc.Gemm ortc.ProjectedAttention");
    for (NodeId id : g.graph().topological_order().value()) {
      const Node& product = *g.graph().node(id);
      if (!product.is_op("Gemm", kInternalDomain)) continue;
      CHECK(dtype_of(g.graph(), product.input(1)) == (is_half ? kHalf : DType::kFloat32));
    }
    const Tensor half = half_tensor({2, 5, 8}, x);
    const Tensor given = is_half ? half : Tensor::from<float>({2, 5, 8}, floats_of(half));
    const Tensor y = test::run_graph(g.graph(), {given})[0];
    results[is_half] =
        is_half ? floats_of(y)
                : std::vector<float>(y.elements<float>().begin(), y.elements<float>().end());
  }
  for (size_t i = 0; i < results[0].size(); ++i) {
    CHECK_NEAR(results[1][i], results[0][i], 0x1p-11, 0x1p-24);  // rounded once
  }
}

// Where both W and R are constant; else W is widened.
TEST(half_precision, recurrent_cells_keep_their_weights) {
  for (const auto& [op, gates] : {std::pair{"RNN", 1}, {"GRU", 3}, {"LSTM", 4}}) {
    for (const bool is_constant : {true, false}) {
      GraphBuilder g;
      const auto x = g.input("x", kHalf, {3, 2, 5});
      const Dims dims = {1, 4 * gates, 4};
      const auto r = is_constant ? halves(g, "r", dims, 2) : g.input("r", kHalf, {1, 4 * gates, 4});
      g.output(g.node(op, {x, halves(g, "w", {1, 4 * gates, 5}, 1), r}, {"y"},
                      {Attribute::of_int("hidden_size", 4)})[0]);
      fuse(g);
      for (NodeId id : g.graph().topological_order().value()) {
        const Node& node = *g.graph().node(id);
        CHECK(!node.is_op(op) || !is_constant);
        if (node.op_type() != op) continue;
        const DType expected = is_constant ? kHalf : DType::kFloat32;
        CHECK(dtype_of(g.graph(), node.input(1)) == expected);
        CHECK(dtype_of(g.graph(), node.input(2)) == expected);
      }
      std::vector<Tensor> inputs = {half_tensor({3, 2, 5}, test::random_numbers(30, 3))};
      if (!is_constant) {
        inputs.push_back(
            half_tensor(dims, test::random_numbers(static_cast<size_t>(16 * gates), 2)));
      }
      test::run_graph(g.graph(), inputs);
    }
  }
}

// The kernel with a filter for each channel reads floats.
TEST(half_precision, depthwise_convolutions_widen_their_weights) {
  for (const int64_t channels : {1, 8}) {
    GraphBuilder g;
    const auto x = g.input("x", kHalf, {1, channels, 5, 5});
    g.output(g.node("Conv", {x, halves(g, "w", {channels, 1, 3, 3}, 1)}, {"y"},
                    {Attribute::of_int("group", channels)})[0]);
    CHECK_EQ(fused_halves(g), "Cast:1 Transpose ortc.Conv Cast:10 Transpose");
    for (NodeId id : g.graph().topological_order().value()) {
      const Node& node = *g.graph().node(id);
      if (node.is_op("Conv", kInternalDomain)) {
        CHECK(dtype_of(g.graph(), node.input(1)) == DType::kFloat32);
      }
    }
  }
}

// What compares, chooses or rounds sees the numbers that the model's types can hold.
TEST(half_precision, comparisons_see_rounded_numbers) {
  GraphBuilder g;
  const auto x = g.input("x", kHalf, {2}), y = g.input("y", kHalf, {2});
  const auto sum = g.node("Add", {x, y}, {"s"})[0];
  g.output(g.node("Softmax", {sum}, {"p"})[0]);
  g.output(g.node("Equal", {sum, x}, {"e"})[0]);
  g.output(g.node("Floor", {sum}, {"f"})[0]);
  fuse(g);
  // 2048 + 0.5 is 2048 in float16.
  const auto outputs = test::run_graph(
      g.graph(), {half_tensor({2}, {2048.0f, 3.0f}), half_tensor({2}, {0.5f, 0.5f})});
  CHECK(outputs[1].elements<bool>()[0]);
  CHECK(!outputs[1].elements<bool>()[1]);
  CHECK_EQ(floats_of(outputs[2])[1], 3.0f);
}

TEST(half_precision, a_cast_that_the_model_has_rounds) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {1});
  const auto half = g.node("Cast", {x}, {"h"}, {Attribute::of_int("to", 10)})[0];
  const auto doubled = g.node("Add", {half, half}, {"d"})[0];
  g.output(g.node("Softmax", {doubled}, {"p"})[0]);
  g.output(g.node("Cast", {doubled}, {"y"}, {Attribute::of_int("to", 1)})[0]);
  fuse(g);
  const std::vector<float> third = {1.0f / 3.0f};
  const auto outputs = test::run_graph(g.graph(), {Tensor::from<float>({1}, third)});
  const float rounded = floats_of(half_tensor({1}, third))[0];
  CHECK_EQ(outputs[1].elements<float>()[0], 2.0f * rounded);
}

// Beyond 65504 a float16 is infinite; between the nodes of a stretch it is not.
TEST(half_precision, large_numbers_survive_between_nodes) {
  GraphBuilder g;
  const auto x = g.input("x", kHalf, {1, 1});
  const auto square = g.node("MatMul", {x, x}, {"s"})[0];
  g.output(g.node("Sqrt", {square}, {"y"})[0]);
  g.output(square);
  fuse(g);
  const auto outputs = test::run_graph(g.graph(), {half_tensor({1, 1}, {1000.0f})});
  CHECK_EQ(floats_of(outputs[0])[0], 1000.0f);
  CHECK(std::isinf(floats_of(outputs[1])[0]));
}

TEST(half_precision, an_embedding_and_a_cache_stay_16_bits) {
  GraphBuilder g;
  const auto ids = g.input("ids", DType::kInt64, {1, 1});
  const auto past = g.input("past", kHalf, {1, -1, 4});
  const auto row = g.node("Gather", {halves(g, "table", {9, 4}, 1), ids}, {"row"})[0];
  const auto key = g.node("MatMul", {row, halves(g, "w", {4, 4}, 2)}, {"key"})[0];
  g.output(g.node("Concat", {past, key}, {"present"}, {Attribute::of_int("axis", 1)})[0]);
  CHECK_EQ(fused_halves(g), "Gather Cast:1 ortc.Gemm Cast:10 Concat");
}

// Each of them converts within its loop: casts would be passes over memory of their own.
TEST(half_precision, elementwise_operators_among_themselves_stay) {
  GraphBuilder g;
  const auto x = g.input("x", kHalf, {4}), y = g.input("y", kHalf, {4});
  g.output(g.node("Relu", {g.node("Add", {x, y}, {"a"})[0]}, {"r"})[0]);
  CHECK_EQ(fused_halves(g), "Add Relu");
}

// Products that no kernel for 16-bit weights takes read floats.
TEST(half_precision, weights_of_three_dims_are_widened) {
  GraphBuilder g;
  const auto x = g.input("x", kHalf, {2, 3, 4});
  g.output(g.node("MatMul", {x, halves(g, "w", {2, 4, 5}, 1)}, {"y"})[0]);
  fuse(g);
  for (ValueId id = 0; id < g.graph().value_bound(); ++id) {
    const Value* value = g.graph().value(id);
    if (value == nullptr || value->uses.empty() || value->constant() == nullptr) continue;
    CHECK(value->constant()->dtype() == DType::kFloat32);
  }
  test::run_graph(g.graph(), {half_tensor({2, 3, 4}, test::random_numbers(24, 3))});
}

TEST(half_precision, a_network_of_float16_is_half_the_size_of_its_float32_twin) {
  uint64_t bytes[2] = {};
  for (const bool is_half : {false, true}) {
    GraphBuilder g;
    const DType type = is_half ? kHalf : DType::kFloat32;
    const auto weights = [&](const std::string& name, Dims dims) {
      return is_half ? halves(g, name, std::move(dims), 1)
                     : g.random_floats(name, std::move(dims), 1);
    };
    const auto image = g.input("image", type, {1, 32, 8, 8});
    auto h = g.node("Conv", {image, weights("cw", {64, 32, 3, 3})}, {"c"})[0];
    h = g.node("Flatten", {g.node("Relu", {h}, {"r"})[0]}, {"f"})[0];
    h = g.node("MatMul", {h, weights("m", {2304, 64})}, {"p"})[0];
    g.output(g.node("Gemm", {h, weights("g", {96, 64}), weights("gb", {96})}, {"y"},
                    {Attribute::of_int("transB", 1)})[0]);
    g.infer();
    LoweringOptions options;
    options.rules = &cpu::lowering_rules();
    const auto image_and_tensors = lower(g.graph(), options);
    CHECK_OK(image_and_tensors);
    for (const Tensor& tensor : image_and_tensors->tensors) bytes[is_half] += tensor.byte_size();
  }
  CHECK(bytes[1] * 100 <= bytes[0] * 51);
}
