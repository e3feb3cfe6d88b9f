// SPDX-License-Identifier: MIT
// Products of floats by weights that alone are integers: which operator they become, and that the
// numbers are those of the same product of floats, but for rows that are rounded to 8 bits.
#include "core/optimise/pipeline.h"
#include "core/compile/apply_fusions.h"
#include "tests/core/platform/platform_files.h"
#include "tests/providers/cpu/fusions/quantised_graph.h"
#include "tests/support/session_support.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// A matrix with scales by column, and zero points of many values.
ValueId add_columns(QuantisedGraph& g, DType dtype, bool has_zero, int64_t k, int64_t n) {
  Tensor w = Tensor::create(dtype, {k, n}).value();
  auto* bytes = static_cast<uint8_t*>(w.mutable_data());
  for (int64_t i = 0; i < k * n; ++i) bytes[i] = static_cast<uint8_t>(i * 37 % 251);
  std::vector<float> scales;
  for (int64_t i = 0; i < n; ++i) scales.push_back(0.001f + 0.0001f * float(i % 7));
  std::vector<ValueId> inputs = {g.constant(w), g.constant(Tensor::from<float>({n}, scales))};
  if (has_zero) {
    Tensor zero = Tensor::create(dtype, {n}).value();
    auto* codes = static_cast<uint8_t*>(zero.mutable_data());
    for (int64_t i = 0; i < n; ++i) codes[i] = static_cast<uint8_t>(i * 11 + 1);
    inputs.push_back(g.constant(zero));
  }
  return g.op("DequantizeLinear", inputs, {Attribute::of_int("axis", 1)});
}

std::string levels_of(QuantisedGraph& g) {
  std::string levels;
  for (NodeId id : g.graph().topological_order().value()) {
    const Node& node = *g.graph().node(id);
    if (node.is_op("MatMulNBits", kMicrosoftDomain)) {
      levels +=
          str_cat(node.int_attribute("bits", 0), " at ", node.int_attribute("accuracy_level", 0));
    }
  }
  return levels;
}

}  // namespace

// Rows are rounded to 8 bits in blocks of 32 unless the session computes in float32.
TEST(small_weights, of_8_bits_with_scales_by_column_stay_so) {
  for (const int64_t k : {1, 31, 64, 67}) {
    for (const int64_t n : {1, 33}) {
      for (const DType dtype : {DType::kInt8, DType::kUint8}) {
        for (const bool has_zero : {false, true}) {
          for (const bool rounds_rows : {true, false}) {
            QuantisedGraph g;
            g.output(g.op("MatMul", {g.input("x", DType::kFloat32, {3, k}),
                                     add_columns(g, dtype, has_zero, k, n)}));
            const bool in_float = dtype == DType::kInt8 && !has_zero;
            const LoweringRules& rules = cpu::lowering_rules({.rounds_rows = rounds_rows});
            check_rewrite(g, {{3, k}}, rounds_rows ? "MatMulNBits" : "ortc.Gemm",
                          rounds_rows ? 0.04 * std::sqrt(double(k)) : 1e-3, rules);
            CHECK_EQ(levels_of(g), rounds_rows ? "8 at 4" : "");
            if (rounds_rows) continue;
            const Node& gemm = *g.graph().producer(g.graph().outputs()[0]);
            const DType kept = g.graph().value(gemm.input(1))->type.dtype;
            CHECK(kept == (in_float ? DType::kInt8 : DType::kFloat32));
          }
        }
      }
    }
  }
}

TEST(small_weights, of_a_transposed_gemm_are_multiplied_in_float) {
  QuantisedGraph g;
  const auto x = g.input("x", DType::kFloat32, {3, 64});
  const auto gemm = g.op("Gemm", {x, g.weights({40, 64}, 0, 5), g.random_floats("c", {40}, 3)},
                         {Attribute::of_int("transB", 1)});
  g.output(gemm);
  check_rewrite(g, {{3, 64}}, "ortc.Gemm", 1e-3);
}

TEST(small_weights, with_scales_along_the_depth_become_floats) {
  QuantisedGraph g;
  g.output(g.op("MatMul", {g.input("x", DType::kFloat32, {3, 64}), g.weights({64, 40}, 0, 4)}));
  check_rewrite(g, {{3, 64}}, "ortc.Gemm", 1e-3);
  const Node& gemm = *g.graph().producer(g.graph().outputs()[0]);
  CHECK(g.graph().value(gemm.input(1))->type.dtype == DType::kFloat32);
}

// Blocks of 32 along the depth, in both orders, with and without zero points. Of 8 bits those of a
// transposed matrix are multiplied in float32, as ONNX Runtime does.
TEST(small_weights, of_4_and_8_bits_in_blocks_become_one_product) {
  for (const DType dtype : {DType::kInt4, DType::kUint4, DType::kInt8, DType::kUint8}) {
    for (int form = 0; form < 8; ++form) {
      const bool transposed = form % 2 != 0, has_zero = form / 2 % 2 != 0, rounds_rows = form < 4;
      QuantisedGraph g(21);
      const int64_t k = 80, n = 24, blocks = 3, bits = dtype_bits(dtype);
      Tensor w = Tensor::create(dtype, transposed ? Dims{n, k} : Dims{k, n}).value();
      auto* bytes = static_cast<uint8_t*>(w.mutable_data());
      for (int64_t i = 0; i < k * n * bits / 8; ++i) bytes[i] = static_cast<uint8_t>(i * 37 % 251);
      const Dims by_block = transposed ? Dims{n, blocks} : Dims{blocks, n};
      const float unit = bits == 4 ? 0.001f : 0.0001f;
      std::vector<float> scales;
      for (int64_t i = 0; i < blocks * n; ++i) scales.push_back(unit * float(10 + i % 7));
      std::vector<ValueId> inputs = {g.constant(w),
                                     g.constant(Tensor::from<float>(by_block, scales))};
      if (has_zero) {
        Tensor zero = Tensor::create(dtype, by_block).value();
        auto* codes = static_cast<uint8_t*>(zero.mutable_data());
        for (int64_t i = 0; i < blocks * n * bits / 8; ++i) codes[i] = static_cast<uint8_t>(i * 11);
        inputs.push_back(g.constant(zero));
      }
      const auto floats = g.op(
          "DequantizeLinear", inputs,
          {Attribute::of_int("axis", transposed ? 1 : 0), Attribute::of_int("block_size", 32)});
      const auto x = g.input("x", DType::kFloat32, {3, k});
      g.output(transposed ? g.op("Gemm", {x, floats}, {Attribute::of_int("transB", 1)})
                          : g.op("MatMul", {x, floats}));
      const bool rounds = rounds_rows && (bits == 4 || !transposed);
      check_rewrite(g, {{3, k}}, "MatMulNBits", rounds ? 0.3 : 1e-3,
                    cpu::lowering_rules({.rounds_rows = rounds_rows}));
      CHECK_EQ(levels_of(g), str_cat(bits, rounds ? " at 4" : " at 1"));
    }
  }
}

// How far a row through a session is from that of floats, by the level the session is given.
TEST(small_weights, a_session_says_whether_rows_are_rounded) {
  const std::string folder = fresh_folder("small_weights");
  Tensor exact;
  {
    QuantisedGraph g;
    g.output(g.op("MatMul", {g.input("x", DType::kFloat32, {1, 64}), g.weights({64, 40}, 1, 4)}));
    g.infer();
    exact = run_graph(g.graph(), {random_input({1, 64}, 3)})[0];
    put_file(folder + "/m.onnx", g.model_bytes());
  }
  const auto environment = quiet_environment();
  for (const char* provider : {"AOT", "CPU"}) {
    for (const char* level : {"", "0", "1", "4"}) {
      SessionOptions options = options_with(*environment, {provider});
      if (*level != 0) {
        CHECK_OK(options.set("session.qdq_matmulnbits_accuracy_level", level));
      }
      auto session = Session::create(environment, file_source(folder + "/m.onnx"), options);
      CHECK_OK(session);
      const auto y = run_all(**session, {random_input({1, 64}, 3)});
      double worst = 0;
      for (size_t i = 0; i < 40; ++i) {
        worst = std::max(worst, std::fabs(double{y[0].elements<float>()[i]} -
                                          double{exact.elements<float>()[i]}));
      }
      const bool rounds = *level == 0 || *level == '4';
      CHECK(worst < 0.5);
      CHECK_EQ(worst > 1e-4, rounds);
    }
  }
  SessionOptions options = options_with(*environment, {"CPU"});
  CHECK(!options.set("session.qdq_matmulnbits_accuracy_level", "5").is_ok());
}

// As ONNX Runtime: two products that share a scale are of floats, a zero point may be shared.
TEST(small_weights, are_multiplied_in_float_where_they_share_a_scale) {
  for (const bool is_scale_shared : {false, true}) {
    QuantisedGraph g;
    const ValueId x = g.input("x", DType::kFloat32, {3, 64});
    const ValueId zero = g.constant(Tensor::scalar(uint8_t{121}));
    const ValueId first = g.scale(0.01f), second = is_scale_shared ? first : g.scale(0.02f);
    for (const ValueId scale : {first, second}) {
      Tensor w = Tensor::create(DType::kUint8, {64, 40}).value();
      for (size_t i = 0; i < 64 * 40; ++i) {
        w.mutable_elements<uint8_t>()[i] = static_cast<uint8_t>(i * (37 + scale) % 251);
      }
      g.output(g.op("MatMul", {x, g.op("DequantizeLinear", {g.constant(w), scale, zero})}));
    }
    check_rewrite(g, {{3, 64}}, "MatMulNBits MatMulNBits", is_scale_shared ? 1e-3 : 1.0);
    CHECK_EQ(levels_of(g), is_scale_shared ? "8 at 18 at 1" : "8 at 48 at 4");
  }
}

// The table of an embedding, turned for the output's product: in the branches of an If, as decoders
// with and without a cache are merged. Rows are not rounded.
TEST(small_weights, tied_to_a_table_are_packed_in_bodies_too) {
  constexpr int64_t kRows = 40000, kColumns = 32;
  QuantisedGraph g;
  Tensor w = Tensor::create(DType::kUint8, {kRows, kColumns}).value();
  for (int64_t i = 0; i < kRows * kColumns; ++i) {
    w.mutable_elements<uint8_t>()[static_cast<size_t>(i)] = static_cast<uint8_t>(i * 37 % 251);
  }
  const ValueId table = g.constant(w), scale = g.scale(0.01f);
  const ValueId x = g.input("x", DType::kFloat32, {1, kColumns});
  const ValueId ids = g.input("ids", DType::kInt64, {1});
  std::vector<Attribute> branches;
  std::vector<std::shared_ptr<Graph>> bodies;
  for (const char* which : {"then_branch", "else_branch"}) {
    QuantisedGraph body(g.graph(), which);
    const auto here = body.graph().capture(table).value();
    const auto unit = body.graph().capture(scale).value();
    const auto middle = body.constant(Tensor::scalar(uint8_t{121}));
    const auto rows = body.op("Gather", {here, body.graph().capture(ids).value()});
    const auto sum = body.op("Add", {body.op("DequantizeLinear", {rows, unit, middle}),
                                     body.graph().capture(x).value()});
    const auto turned = body.op("Transpose", {here}, {Attribute::of_ints("perm", {1, 0})});
    body.output(body.op("MatMul", {sum, body.op("DequantizeLinear", {turned, unit, middle})}));
    bodies.push_back(body.shared());
    branches.push_back(graph_attribute(which, body.shared()));
  }
  g.output(g.op("If", {g.input("is_it", DType::kBool, {})}, branches));
  g.infer();
  Model model;
  model.graph = g.shared();
  model.opsets = g.graph().opsets();
  const Evaluator evaluator(cpu::lowering_rules().kernels);
  CHECK_OK(optimise(model, evaluator, OptimiseOptions{}));
  CHECK_OK(apply_fusions(g.graph(), cpu::lowering_rules(), Logger()));
  for (const auto& body : bodies) {
    CHECK_EQ(operators(*body), "Gather DequantizeLinear Add MatMulNBits");
    const Node& product = *body->producer(body->outputs()[0]);
    CHECK_EQ(product.int_attribute("accuracy_level", 0), 1);
  }
}
