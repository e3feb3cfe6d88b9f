// SPDX-License-Identifier: MIT
// ep.aot.weights: what becomes smaller, by how much, and how far results are from the model's.
#include "providers/aot/weights.h"

#include <cmath>

#include "core/rewrite/facts.h"
#include "providers/aot/aot_options.h"
#include "tests/core/platform/platform_files.h"
#include "tests/support/session_support.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// y = Gemm(Relu(MatMul(rows of a table, w1)), w2 transposed, bias); 64 columns.
std::string network() {
  GraphBuilder g;
  const auto ids = g.input("ids", DType::kInt64, {7});
  auto h = g.node("Gather", {g.random_floats("table", {100, 64}, 1), ids}, {"rows"})[0];
  h = g.node("MatMul", {h, g.random_floats("w1", {64, 96}, 2)}, {"m"})[0];
  h = g.node("Relu", {h}, {"r"})[0];
  g.output(g.node("Gemm", {h, g.random_floats("w2", {64, 96}, 3), g.random_floats("b", {64}, 4)},
                  {"y"}, {Attribute::of_int("transB", 1)})[0]);
  g.infer();
  return g.model_bytes();
}

struct Compiled {
  size_t bytes;
  std::vector<Tensor> outputs;
};

Compiled compiled(const std::string& weights) {
  const std::string folder = fresh_folder("weights_" + weights);
  put_file(folder + "/m.onnx", network());
  const auto environment = quiet_environment();
  CompileOptions options = CompileOptions::from(options_with(*environment, {"AOT"}));
  CHECK_OK(options.session.set("ep.aot.weights", weights));
  options.input = file_source(folder + "/m.onnx");
  options.output_path = folder + "/m_ctx.onnx";
  CHECK_OK(compile_to_output(environment, options));
  auto session = Session::create(environment, file_source(folder + "/m_ctx.onnx"),
                                 options_with(*environment, {"AOT"}, 2));
  CHECK_OK(session);
  const int64_t ids[] = {0, 5, 99, 42, 7, 7, 63};
  return {get_file(folder + "/m_aot.bin").size(),
          run_all(**session, {Tensor::from<int64_t>({7}, ids)})};
}

double worst_share(const Compiled& found, const Compiled& exact) {
  double worst = 0, largest = 0;
  const auto a = found.outputs[0].elements<float>(), b = exact.outputs[0].elements<float>();
  for (size_t i = 0; i < b.size(); ++i) {
    worst = std::max(worst, std::fabs(static_cast<double>(a[i]) - b[i]));
    largest = std::max(largest, std::fabs(static_cast<double>(b[i])));
  }
  return worst / largest;
}

bool reads_type(const Graph& graph, std::string_view op, size_t input, DType dtype) {
  for (NodeId id = 0; id < graph.node_bound(); ++id) {
    const Node* node = graph.node(id);
    if (node != nullptr && node->op_type() == op) {
      return dtype_of(graph, node->input(input)) == dtype;
    }
  }
  return false;
}

}  // namespace

TEST(aot_weights, of_16_bits_are_half_the_size_and_nearly_as_exact) {
  const Compiled exact = compiled("model");
  const size_t weights = (100 * 64 + 64 * 96 * 2) * sizeof(float);
  for (const auto& [type, bound] : {std::pair{"f16", 1e-3}, {"bf16", 1e-2}}) {
    const Compiled found = compiled(type);
    CHECK(exact.bytes - found.bytes > weights / 2 - 4096);
    const double worst = worst_share(found, exact);
    CHECK(worst > 0 && worst < bound);
  }
}

TEST(aot_weights, of_4_bits_are_blocks_with_scales) {
  const Compiled exact = compiled("model"), found = compiled("int4");
  // A number takes half a byte, and an eighth of a scale for each.
  CHECK(exact.bytes - found.bytes > 64 * 96 * 2 * 3);
  const double worst = worst_share(found, exact);
  CHECK(worst > 0 && worst < 0.2);
}

TEST(aot_weights, of_8_bits_are_columns_with_scales) {
  const Compiled exact = compiled("model"), found = compiled("int8");
  CHECK(exact.bytes - found.bytes > 64 * 96 * 2 * 3 - 4096);
  const double worst = worst_share(found, exact);
  CHECK(worst > 0 && worst < 0.02);
}

// A matrix that blocks hold exactly gives the products of the model.
TEST(aot_weights, of_4_bits_meet_what_they_can_hold) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {2, 40});
  std::vector<float> numbers(40 * 128);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const size_t row = i / 128;
    numbers[i] = row % 32 == 0 ? -8.0f : static_cast<float>(static_cast<int>(i * 7 % 16) - 8);
  }
  g.output(g.node("MatMul", {x, g.floats("w", {40, 128}, numbers)}, {"y"})[0]);
  g.infer();
  const auto converted = aot::convert_weights(g.graph(), aot::WeightType::kInt4);
  CHECK_OK(converted);
  CHECK_EQ(*converted, 1);
  const Node& node = *g.graph().producer(g.graph().outputs()[0]);
  CHECK(node.is_op("MatMulNBits", kMicrosoftDomain));
  const auto packed = g.graph().value(node.input(1))->constant()->elements<uint8_t>();
  const auto scales = g.graph().value(node.input(2))->constant()->elements<float>();
  for (size_t k = 0; k < 40; ++k) {
    for (size_t n = 0; n < 128; ++n) {
      const size_t block = n * 2 + k / 32, in_block = k % 32;
      const int q = packed[block * 16 + in_block / 2] >> (in_block % 2 * 4) & 15;
      CHECK_EQ(static_cast<float>(q - 8) * scales[block], numbers[k * 128 + n]);
    }
  }
}

TEST(aot_weights, that_the_type_cannot_hold_or_that_others_read_stay) {
  for (const bool is_large : {true, false}) {
    GraphBuilder g;
    const auto x = g.input("x", DType::kFloat32, {2, 80});
    std::vector<float> numbers(80 * 80, 1.0f);
    if (is_large) numbers[17] = 1e5f;
    const auto w = g.floats("w", {80, 80}, numbers);
    g.output(g.node("MatMul", {x, w}, {"y"})[0]);
    if (!is_large) g.output(g.node("Relu", {w}, {"z"})[0]);
    g.infer();
    const auto converted = aot::convert_weights(g.graph(), aot::WeightType::kFloat16);
    CHECK_OK(converted);
    CHECK_EQ(*converted, 0);
    CHECK(reads_type(g.graph(), "MatMul", 1, DType::kFloat32));
  }
}

TEST(aot_weights, that_float16_has_with_less_precision_or_not_at_all_stay) {
  for (const float largest : {1e-9f, 3e-5f, 1e-4f}) {
    GraphBuilder g;
    const auto x = g.input("x", DType::kFloat32, {2, 80});
    std::vector<float> numbers(80 * 80, 1e-9f);
    numbers[17] = largest;
    g.output(g.node("MatMul", {x, g.floats("w", {80, 80}, numbers)}, {"y"})[0]);
    g.infer();
    const auto converted = aot::convert_weights(g.graph(), aot::WeightType::kFloat16);
    CHECK_OK(converted);
    CHECK_EQ(*converted, largest < 0x1p-14f ? 0 : 1);
  }
}

TEST(aot_weights, that_4_bits_would_make_larger_stay) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {2, 2});
  g.output(g.node("MatMul", {x, g.random_floats("w", {2, 8192}, 1)}, {"y"})[0]);
  g.infer();
  const auto converted = aot::convert_weights(g.graph(), aot::WeightType::kInt4);
  CHECK_OK(converted);
  CHECK_EQ(*converted, 0);
}

TEST(aot_weights, refuse_words_that_are_no_type) {
  CHECK_CODE(aot::read_aot_options({{"weights", "f17"}}), Code::kInvalidArgument);
}

// Its kernel reads floats: with 16-bit weights the context would not run.
TEST(weights, filters_of_single_channels_stay_float32) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {1, 512, 7, 7});
  const auto h = g.node("Conv", {x, g.random_floats("d", {512, 1, 5, 5}, 1)}, {"h"},
                        {Attribute::of_int("group", 512)})[0];
  g.output(g.node("Conv", {h, g.random_floats("p", {64, 512, 1, 1}, 2)}, {"y"})[0]);
  g.infer();
  const std::string folder = fresh_folder("weights_of_channels");
  put_file(folder + "/m.onnx", g.model_bytes());
  const auto environment = quiet_environment();
  CompileOptions options = CompileOptions::from(options_with(*environment, {"AOT"}));
  CHECK_OK(options.session.set("ep.aot.weights", "f16"));
  options.input = file_source(folder + "/m.onnx");
  options.output_path = folder + "/m_ctx.onnx";
  CHECK_OK(compile_to_output(environment, options));
  const std::vector<Tensor> image = {Tensor::from<float>({1, 512, 7, 7}, random_numbers(25088, 3))};
  std::vector<std::vector<Tensor>> outputs;
  for (const char* file : {"/m.onnx", "/m_ctx.onnx"}) {
    const auto session = Session::create(environment, file_source(folder + file),
                                         options_with(*environment, {"AOT"}));
    CHECK_OK(session);
    outputs.push_back(run_all(**session, image));
  }
  CHECK(all_near(outputs[1], outputs[0], 2e-2, 2e-1));
  CHECK(!same_bits(outputs[1], outputs[0]));
}
