// SPDX-License-Identifier: MIT
// The rewrites of quantised graphs: before and after as lists of operators, and the same numbers
// with and without them. Where the integers' arithmetic is what the floats' is rounded to, outputs
// of 8 bits may differ by one.
#include <cmath>
#include <cstring>

#include "core/compile/apply_fusions.h"
#include "tests/providers/cpu/fusions/quantised_graph.h"
#include "tests/providers/cpu/fusions/short_attributes.h"

using namespace ortc;
using namespace ortc::test;

// MatMul, bias, Relu between quantised ends -> one QGemm
TEST(quantised_fusions, a_matrix_product_rounds_its_result_itself) {
  QuantisedGraph g;
  const auto x = g.pair(g.input("x", DType::kFloat32, {-1, 12}));
  auto h = g.op("MatMul", {x, g.weights({12, 20}, 1, 1)});
  h = g.op("Relu", {g.op("Add", {g.random_floats("b", {20}, 2), h})});
  g.output(g.quantize(h, 0.1f, 10));
  check_rewrite(g, {{5, 12}}, "QuantizeLinear ortc.QGemm+round+act", 0.1);
}

TEST(quantised_fusions, bodies_keep_nothing_that_nobody_reads) {
  QuantisedGraph g;
  const auto x = g.quantize(g.input("x", DType::kFloat32, {1, 3, 12, 12}), 0.05f, 128);
  std::vector<Attribute> branches;
  std::vector<std::shared_ptr<Graph>> bodies;
  for (const char* which : {"then_branch", "else_branch"}) {
    QuantisedGraph body(g.graph(), which);
    const auto from = body.dequantize(body.graph().capture(x).value(), 0.05f, 128);
    const auto w = body.weights({8, 3, 3, 3}, 0, 1);
    body.output(body.quantize(body.op("Conv", {from, w, body.bias(8, 0.05f)}, kPad), 0.1f, 10));
    bodies.push_back(body.shared());
    branches.push_back(graph_attribute(which, body.shared()));
  }
  g.output(g.op("If", {g.input("is_it", DType::kBool, {})}, branches));
  g.infer();
  CHECK_OK(apply_fusions(g.graph(), cpu::lowering_rules(), Logger()));
  for (const auto& body : bodies) {
    CHECK_EQ(operators(*body), "Transpose ortc.QConv+round Transpose");
  }
}

TEST(quantised_fusions, without_rounding_the_product_gives_floats) {
  QuantisedGraph g;
  const auto x = g.pair(g.input("x", DType::kFloat32, {-1, 12}));
  const auto h = g.op("Gemm", {x, g.weights({20, 12}, 0, 1), g.bias(20, 0.05f)},
                      {Attribute::of_int("transB", 1)});
  g.output(g.op("Sigmoid", {h}));
  check_rewrite(g, {{5, 12}}, "QuantizeLinear ortc.QGemm+act");
}

TEST(quantised_fusions, a_bias_times_zero_is_none) {
  QuantisedGraph g;
  const auto x = g.pair(g.input("x", DType::kFloat32, {-1, 12}));
  const auto c = g.floats("c", {3}, {1, NAN, INFINITY});
  g.output(g.op("Gemm", {x, g.weights({12, 3}, 1, 1), c}, {Attribute::of_float("beta", 0)}));
  check_rewrite(g, {{5, 12}}, "QuantizeLinear ortc.QGemm");
}

// A scale along the wrong axis cannot be applied to sums: the weights become floats.
TEST(quantised_fusions, scales_along_the_depth_leave_a_float_product) {
  QuantisedGraph g;
  const auto x = g.pair(g.input("x", DType::kFloat32, {-1, 12}));
  g.output(g.op("MatMul", {x, g.weights({12, 20}, 0, 1)}));
  check_rewrite(g, {{5, 12}}, "QuantizeLinear DequantizeLinear ortc.Gemm");
}

TEST(quantised_fusions, sums_that_could_leave_int32_are_of_floats) {
  for (const int64_t depth : {33025, 33026}) {
    QuantisedGraph g;
    const auto x = g.pair(g.input("x", DType::kFloat32, {-1, depth}));
    g.output(g.op("MatMul", {x, g.weights({depth, 2}, 1, 1)}));
    g.infer();
    CHECK_OK(apply_fusions(g.graph(), cpu::lowering_rules(), Logger()));
    CHECK_EQ(operators(g.graph()), depth == 33025 ? "QuantizeLinear ortc.QGemm"
                                                  : "QuantizeLinear DequantizeLinear ortc.Gemm");
  }
}

// Sums of positive products stay positive with a bias near the end of int32.
TEST(quantised_fusions, a_bias_that_the_sums_have_no_room_for_is_of_floats) {
  for (const int32_t bias : {1000, INT32_MAX - 200}) {
    QuantisedGraph g;
    const auto x = g.pair(g.input("x", DType::kFloat32, {2, 9}), 0.01f, 0);
    const auto w = g.op("DequantizeLinear",
                        {g.constant(Tensor::from<int8_t>({9, 1}, std::vector<int8_t>(9, 100))),
                         g.scale(0.01f), g.constant(Tensor::scalar(int8_t{0}))});
    const auto b = g.op("DequantizeLinear",
                        {g.constant(Tensor::from<int32_t>({1}, std::vector<int32_t>{bias})),
                         g.constant(Tensor::from<float>({1}, {{1e-4f}}))});
    g.output(g.op("Gemm", {x, w, b}));
    g.infer();
    CHECK_OK(apply_fusions(g.graph(), cpu::lowering_rules(), Logger()));
    CHECK_EQ(operators(g.graph()), "QuantizeLinear ortc.QGemm");
    const Tensor ones = Tensor::from<float>({2, 9}, std::vector<float>(18, 1.0f));
    const double expected = 9 + static_cast<double>(bias) * 1e-4;
    CHECK_NEAR(static_cast<double>(test::run_graph(g.graph(), {ones})[0].elements<float>()[0]),
               expected, 1e-5, 1e-5);
  }
}

TEST(quantised_fusions, computed_operands_that_are_deep_in_a_run_only_are_multiplied_exactly) {
  constexpr int64_t kDepth = 40000;
  QuantisedGraph g;
  const auto a = g.pair(g.input("a", DType::kFloat32, {1, -1}), 0.01f, 0);
  const auto b = g.pair(g.input("b", DType::kFloat32, {-1, 2}), 0.01f, 0);
  g.output(g.op("MatMul", {a, b}));
  g.output(g.quantize(g.op("MatMul", {a, b}), 1000.0f, 7));
  g.infer();
  CHECK_OK(apply_fusions(g.graph(), cpu::lowering_rules(), Logger()));
  CHECK(operators(g.graph()).find("ortc.QMatMul") != std::string::npos);
  const Tensor row = Tensor::from<float>({1, kDepth}, std::vector<float>(kDepth, 2.4f));
  const Tensor columns = Tensor::from<float>({kDepth, 2}, std::vector<float>(2 * kDepth, 2.4f));
  const auto found = test::run_graph(g.graph(), {row, columns});
  CHECK_NEAR(static_cast<double>(found[0].elements<float>()[1]), 5.76 * kDepth, 1e-6, 0);
  CHECK_EQ(int{found[1].elements<uint8_t>()[1]}, 237);
}

TEST(quantised_fusions, lines_and_volumes_whose_sums_could_leave_int32_are_of_floats) {
  for (const int64_t channels : {1223, 1224}) {
    QuantisedGraph g;
    const auto x = g.pair(g.input("x", DType::kFloat32, {1, channels, 3, 3, 3}));
    g.output(g.quantize(g.op("Conv", {x, g.weights({1, channels, 3, 3, 3}, 0, 4)}), 9.0f, 100));
    g.infer();
    CHECK_OK(apply_fusions(g.graph(), cpu::lowering_rules(), Logger()));
    CHECK_EQ(operators(g.graph()).find("QLinearConv") != std::string::npos, channels == 1223);
  }
}

TEST(quantised_fusions, a_scale_without_an_inverse_is_left_to_the_operators) {
  for (const float scale : {1e-45f, 1.0f}) {
    QuantisedGraph g;
    const auto a = g.pair(g.input("a", DType::kFloat32, {4}), 1.0f, 0);
    const auto b = g.pair(g.input("b", DType::kFloat32, {4}), 1.0f, 0);
    g.output(g.quantize(g.op("Add", {a, b}), scale, 0));
    g.infer();
    CHECK_OK(apply_fusions(g.graph(), cpu::lowering_rules(), Logger()));
    CHECK_EQ(operators(g.graph()).find("ortc.QAdd") != std::string::npos, scale == 1.0f);
  }
}

TEST(quantised_fusions, a_residual_network_stays_in_integers_channels_last) {
  QuantisedGraph g;
  auto x = g.pair(g.input("x", DType::kFloat32, {1, 3, 12, 12}));
  auto h = g.op("Relu", {g.op("Conv", {x, g.weights({8, 3, 3, 3}, 0, 1), g.bias(8, 0.05f)}, kPad)});
  h = g.pair(h, 0.04f, 0);
  h = g.pair(
      g.op("MaxPool", {h},
           {Attribute::of_ints("kernel_shape", {2, 2}), Attribute::of_ints("strides", {2, 2})}),
      0.04f, 0);
  auto y = g.pair(g.op("Conv", {h, g.weights({8, 8, 3, 3}, 0, 2), g.bias(8, 0.04f)}, kPad));
  h = g.pair(g.op("Relu", {g.op("Add", {y, h})}), 0.06f, 0);
  h = g.pair(g.op("GlobalAveragePool", {h}), 0.03f, 0);
  h = g.pair(g.op("Flatten", {h}), 0.03f, 0);
  h = g.op("Gemm", {h, g.weights({8, 4}, 1, 3), g.bias(4, 0.03f)});
  g.output(g.pair(h, 0.02f, 100));
  check_rewrite(
      g, {{1, 3, 12, 12}},
      "QuantizeLinear Transpose ortc.QConv+round+act ortc.MaxPool ortc.QConv+round ortc.QAdd "
      "ortc.QGlobalAveragePool Transpose Flatten ortc.QGemm+round DequantizeLinear",
      0.06);
}

// As exporters of channels-last frameworks write it.
TEST(quantised_fusions, an_image_that_comes_channels_last_is_not_turned) {
  const std::vector<int64_t> first = {0, 3, 1, 2}, last = {0, 2, 3, 1};
  for (const bool comes_as_bytes : {true, false}) {
    QuantisedGraph g;
    ValueId x = g.input("x", DType::kFloat32, {1, 12, 12, 3});
    if (comes_as_bytes) x = g.quantize(x, 0.05f, 128);
    x = g.op("Transpose", {x}, {Attribute::of_ints("perm", first)});
    x = comes_as_bytes ? g.dequantize(x, 0.05f, 128) : g.pair(x);
    const auto y = g.pair(g.op("Conv", {x, g.weights({8, 3, 3, 3}, 0, 1), g.bias(8, 0.05f)}, kPad));
    g.output(g.op("Transpose", {y}, {Attribute::of_ints("perm", last)}));
    check_rewrite(g, {{1, 12, 12, 3}}, "QuantizeLinear ortc.QConv+round DequantizeLinear", 0.06);
  }
}

// Reshape and Transpose of what is quantised move bytes; the quantisation goes to who computes.
TEST(quantised_fusions, what_moves_elements_moves_integers) {
  QuantisedGraph g;
  const auto turn = Attribute::of_ints("perm", {0, 2, 1});
  const auto x = g.pair(g.input("x", DType::kFloat32, {2, 6, 4}));
  const auto w = g.pair(g.input("w", DType::kFloat32, {2, 6, 4}));
  const auto product = g.op("MatMul", {x, g.op("Transpose", {w}, {turn})});
  const auto scaled = g.op("Mul", {product, g.floats("s", {}, {0.5f})});
  const auto shape = g.int64s("shape", {2}, {12, 6});
  g.output(g.quantize(g.op("Reshape", {g.op("Transpose", {scaled}, {turn}), shape}), 0.2f, 128));
  check_rewrite(g, {{2, 6, 4}, {2, 6, 4}},
                "QuantizeLinear QuantizeLinear Transpose ortc.QMatMul+round Transpose Reshape",
                0.2);
}

TEST(quantised_fusions, functions_of_one_number_become_tables) {
  QuantisedGraph g;
  const auto x = g.input("x", DType::kFloat32, {4, 50});
  auto h = g.op("Add", {g.pair(x), g.floats("one", {}, {1.0f})});
  h = g.op("Clip", {g.op("Sigmoid", {h}), g.floats("lo", {}, {0.1f}), g.floats("hi", {}, {0.8f})});
  g.output(g.quantize(h, 0.004f, 3));
  check_rewrite(g, {{4, 50}}, "QuantizeLinear ortc.Lookup");
}

TEST(quantised_fusions, the_same_scale_again_is_nothing) {
  QuantisedGraph g;
  g.output(g.quantize(g.pair(g.pair(g.input("x", DType::kFloat32, {9}))), 0.05f, 128));
  check_rewrite(g, {{9}}, "QuantizeLinear Identity");
}

TEST(quantised_fusions, joined_tensors_of_other_scales_go_through_tables) {
  QuantisedGraph g;
  const auto a = g.pair(g.input("a", DType::kFloat32, {2, 3}), 0.05f, 128);
  const auto b = g.pair(g.input("b", DType::kFloat32, {2, 5}), 0.1f, 100);
  const auto h = g.op("Concat", {a, b}, {Attribute::of_int("axis", 1)});
  g.output(g.quantize(h, 0.08f, 120));
  check_rewrite(g, {{2, 3}, {2, 5}},
                "QuantizeLinear QuantizeLinear ortc.Lookup ortc.Lookup Concat");
}

TEST(quantised_fusions, a_sum_with_floats_stays_a_sum_of_floats) {
  QuantisedGraph g;
  const auto x = g.pair(g.input("x", DType::kFloat32, {4, 5}));
  g.output(g.quantize(g.op("Add", {x, g.input("y", DType::kFloat32, {4, 5})}), 0.1f, 128));
  check_rewrite(g, {{4, 5}, {4, 5}}, "QuantizeLinear DequantizeLinear Add QuantizeLinear");
}

TEST(quantised_fusions, scales_that_come_at_run_time_are_left_alone) {
  QuantisedGraph g;
  const auto x = g.input("x", DType::kFloat32, {4, 6});
  const auto s = g.op("Abs", {g.input("s", DType::kFloat32, {})});
  const auto q = g.op("QuantizeLinear", {x, s});
  const auto d = g.op("DequantizeLinear", {q, s});
  g.output(g.op("MatMul", {d, g.weights({6, 3}, 1, 1)}));
  check_rewrite(g, {{4, 6}, {}}, "Abs QuantizeLinear DequantizeLinear ortc.Gemm");
}

// DynamicQuantizeLinear, MatMulInteger, Cast, Mul, Mul, Add -> two nodes
TEST(quantised_fusions, dynamic_quantisation_keeps_its_product_in_one_node) {
  QuantisedGraph g;
  const auto x = g.input("x", DType::kFloat32, {3, 8});
  const auto q = g.node("DynamicQuantizeLinear", {x}, {"q", "qs", "qz"});
  const auto weights = g.graph().producer(g.weights({8, 5}, 1, 4));
  const auto product =
      g.op("MatMulInteger", {q[0], weights->input(0), q[2], g.constant(Tensor::scalar(int8_t{0}))});
  const auto factor = g.op("Mul", {q[1], g.floats("ws", {5}, {.1f, .2f, .3f, .4f, .5f})});
  const auto h = g.op("Mul", {g.op("Cast", {product}, {Attribute::of_int("to", 1)}), factor});
  g.output(g.op("Add", {h, g.random_floats("b", {5}, 2)}));
  check_rewrite(g, {{3, 8}}, "DynamicQuantizeLinear ortc.QGemm");
}

TEST(quantised_fusions, onnx_operators_with_constant_weights_are_packed) {
  QuantisedGraph g;
  const auto q = g.quantize(g.input("x", DType::kFloat32, {2, 4, 6, 6}), 0.05f, 128);
  const auto w = g.graph().producer(g.weights({8, 4, 3, 3}, 0, 4))->input(0);
  const auto zero = g.constant(Tensor::scalar(int8_t{0}));
  const auto y = g.op("QLinearConv", {q, g.scale(0.05f), g.constant(Tensor::scalar(uint8_t{128})),
                                      w, g.scale(0.02f), zero, g.scale(0.5f),
                                      g.constant(Tensor::scalar(uint8_t{100}))});
  g.output(y);
  check_rewrite(g, {{2, 4, 6, 6}}, "QuantizeLinear Transpose ortc.QConv+round Transpose", 1.0);
}

namespace {

// A convolution as it is quantised at run time, behind it Mul by the scales, and Add.
struct DynamicConv {
  QuantisedGraph g;
  ValueId sums = kNoValue;
  std::vector<ValueId> q;

  DynamicConv() {
    q = g.node("DynamicQuantizeLinear", {g.input("x", DType::kFloat32, {2, 4, 6, 6})},
               {"q", "qs", "qz"});
    const auto w = g.graph().producer(g.weights({8, 4, 3, 3}, 0, 4))->input(0);
    sums = g.op("ConvInteger", {q[0], w, q[2], g.constant(Tensor::scalar(int8_t{0}))}, kPad);
  }
  ValueId cast() { return g.op("Cast", {sums}, {Attribute::of_int("to", 1)}); }
  ValueId bias() { return g.random_floats("b", {1, 8, 1, 1}, 2); }
};

}  // namespace

TEST(quantised_fusions, dynamic_quantisation_keeps_its_convolution_in_one_node) {
  for (const bool by_channel : {false, true}) {
    DynamicConv c;
    const auto numbers =
        by_channel ? c.g.floats("ws", {1, 8, 1, 1}, {.1f, .2f, .3f, .4f, .5f, .6f, .7f, .8f})
                   : c.g.floats("ws", {}, {.1f});
    const auto h = c.g.op("Mul", {c.cast(), c.g.op("Mul", {c.q[1], numbers})});
    c.g.output(c.g.op("Add", {h, c.bias()}));
    check_rewrite(c.g, {{2, 4, 6, 6}}, "DynamicQuantizeLinear Transpose ortc.QConv Transpose",
                  1e-4);
  }
}

TEST(quantised_fusions, groups_of_few_channels_and_several_filters_stay_in_onnx_layout) {
  const auto fused = [](const Dims& w, int64_t groups) {
    QuantisedGraph g;
    const auto q = g.node("DynamicQuantizeLinear", {g.input("x", DType::kFloat32, {2, 8, 6, 6})},
                          {"q", "qs", "qz"});
    const auto weights = g.graph().producer(g.weights(w, 0, 4))->input(0);
    const auto zero = g.constant(Tensor::scalar(int8_t{0}));
    g.output(g.op("ConvInteger", {q[0], weights, q[2], zero}, {flag("group", groups)}));
    g.infer();
    CHECK_OK(apply_fusions(g.graph(), cpu::lowering_rules(), Logger()));
    return operators(g.graph());
  };
  const std::string kTurned = "DynamicQuantizeLinear Transpose ortc.QConv Transpose";
  CHECK_EQ(fused({72, 1, 3, 3}, 8), "DynamicQuantizeLinear ConvInteger");
  CHECK_EQ(fused({16, 1, 3, 3}, 8), kTurned);
  CHECK_EQ(fused({8, 2, 3, 3}, 4), "DynamicQuantizeLinear ConvInteger");
  CHECK_EQ(fused({8, 1, 3, 3}, 8), kTurned);
  CHECK_EQ(fused({8, 4, 3, 3}, 2), kTurned);
}

TEST(quantised_fusions, lone_sums_of_many_pixels_stay_in_onnx_layout) {
  const auto fused = [](const Dims& w, int64_t size, int64_t stride) {
    QuantisedGraph g;
    const auto q =
        g.node("DynamicQuantizeLinear", {g.input("x", DType::kFloat32, {1, w[1], size, size})},
               {"q", "qs", "qz"});
    const auto weights = g.graph().producer(g.weights(w, 0, 4))->input(0);
    const auto zero = g.constant(Tensor::scalar(int8_t{0}));
    g.output(g.op("ConvInteger", {q[0], weights, q[2], zero},
                  {Attribute::of_ints("strides", {stride, stride})}));
    g.infer();
    CHECK_OK(apply_fusions(g.graph(), cpu::lowering_rules(), Logger()));
    return operators(g.graph());
  };
  const std::string kTurned = "DynamicQuantizeLinear Transpose ortc.QConv Transpose";
  const std::string kAlone = "DynamicQuantizeLinear ConvInteger";
  CHECK_EQ(fused({8, 16, 3, 3}, 30, 1), kAlone);
  CHECK_EQ(fused({8, 16, 3, 3}, 8, 1), kTurned);   // few pixels
  CHECK_EQ(fused({8, 16, 3, 3}, 60, 2), kTurned);  // long windows far apart
  CHECK_EQ(fused({8, 3, 3, 3}, 60, 2), kAlone);
}

TEST(quantised_fusions, factors_that_are_not_by_channel_stay_beside_the_convolution) {
  DynamicConv c;
  const auto numbers = c.g.floats("ws", {6}, {.1f, .2f, .3f, .4f, .5f, .6f});  // along the width
  c.g.output(c.g.op("Mul", {c.cast(), numbers}));
  check_rewrite(c.g, {{2, 4, 6, 6}},
                "DynamicQuantizeLinear Transpose ortc.QConv Cast Mul Transpose");
}

TEST(quantised_fusions, sums_that_two_read_are_not_scaled_in_place) {
  DynamicConv c;
  c.g.output(c.g.op("Mul", {c.cast(), c.g.floats("ws", {}, {.1f})}));
  c.g.output(c.g.op("Identity", {c.sums}));
  c.g.infer();
  CHECK_OK(apply_fusions(c.g.graph(), cpu::lowering_rules(), Logger()));
  CHECK_OK(verify_graph(c.g.graph()));
  CHECK(operators(c.g.graph()).find("Cast") != std::string::npos);
}

// Q(Conv(D(x), D(w), bias)) over one axis, and over three.
TEST(quantised_fusions, quantised_lines_and_volumes_are_convolved_as_integers) {
  for (const size_t rank : {1, 3}) {
    for (const bool has_bias : {false, true}) {
      QuantisedGraph g;
      Dims x = {2, 4}, w = {8, 4};
      x.insert(x.end(), rank, 6);
      w.insert(w.end(), rank, 3);
      std::vector<ValueId> inputs = {g.pair(g.input("x", DType::kFloat32, x)), g.weights(w, 0, 4)};
      if (has_bias) inputs.push_back(g.bias(8, 0.05f));
      g.output(g.quantize(g.op("Conv", inputs), 0.2f, 100));
      check_rewrite(g, {x},
                    rank == 1
                        ? "QuantizeLinear Transpose Unsqueeze ortc.QConv+round Squeeze Transpose"
                        : "QuantizeLinear QLinearConv",
                    1.0);
    }
  }
}

// The sums have steps of 0.02, the bias and the result finer ones.
TEST(quantised_fusions, a_bias_finer_than_the_sums_leaves_a_convolution_of_floats) {
  for (const bool is_float : {false, true}) {
    for (const bool has_relu : {false, true}) {
      QuantisedGraph g;
      const auto x = g.pair(g.input("x", DType::kFloat32, {2, 4, 9}), 1.0f, 128);
      const auto b = is_float ? g.floats("b", {8}, {.3f, .2f, .45f, .1f, .7f, .15f, .6f, .25f})
                              : g.bias(8, 0.003f);
      auto h = g.op("Conv", {x, g.weights({8, 4, 3}, 0, 4), b});
      if (has_relu) h = g.op("Relu", {h});
      g.output(g.quantize(h, 0.002f, 0));
      g.infer();
      CHECK_OK(apply_fusions(g.graph(), cpu::lowering_rules(), Logger()));
      CHECK(operators(g.graph()).find("QConv") == std::string::npos);
      CHECK(operators(g.graph()).find("QLinearConv") == std::string::npos);
      // x at its zero point leaves the bias.
      const Tensor zeros = Tensor::from<float>({2, 4, 9}, std::vector<float>(72, 0.0f));
      const auto y = test::run_graph(g.graph(), {zeros});
      if (is_float) CHECK_EQ(int{y[0].elements<uint8_t>()[7 * 3]}, 50);
    }
  }
}

TEST(quantised_fusions, images_are_convolved_by_computed_weights_as_integers) {
  QuantisedGraph g;
  const auto x = g.pair(g.input("x", DType::kFloat32, {2, 4, 6, 6}));
  const auto w = g.pair(g.input("w", DType::kFloat32, {8, 4, 3, 3}), 0.04f, 120);
  g.output(g.quantize(g.op("Conv", {x, w}, kPad), 2.0f, 100));
  check_rewrite(g, {{2, 4, 6, 6}, {8, 4, 3, 3}}, "QuantizeLinear QuantizeLinear QLinearConv", 1.0);
}

// QGemm with a bias of integers.
TEST(quantised_fusions, the_bias_of_a_quantised_gemm_stays_integers) {
  QuantisedGraph g;
  const auto q = g.quantize(g.input("x", DType::kFloat32, {3, 8}), 0.05f, 128);
  const auto w = g.graph().producer(g.weights({8, 5}, 1, 4))->input(0);
  const auto bias = g.constant(Tensor::from<int32_t>({5}, std::vector<int32_t>{1, -20, 300, 4, 0}));
  g.output(g.op("QGemm",
                {q, g.scale(0.05f), g.constant(Tensor::scalar(uint8_t{128})), w, g.scale(0.02f),
                 g.constant(Tensor::scalar(int8_t{0})), bias, g.scale(0.5f),
                 g.constant(Tensor::scalar(uint8_t{100}))},
                {}, std::string(kMicrosoftDomain)));
  g.infer();
  CHECK_OK(apply_fusions(g.graph(), cpu::lowering_rules(), Logger()));
  CHECK_OK(verify_graph(g.graph()));
  CHECK_EQ(operators(g.graph()), "QuantizeLinear ortc.QGemm+round");
}

TEST(quantised_fusions, lines_in_a_row_stay_images) {
  QuantisedGraph g;
  const auto x = g.pair(g.input("x", DType::kFloat32, {2, 4, 9}));
  const auto y = g.pair(g.op("Conv", {x, g.weights({8, 4, 3}, 0, 4)}), 0.2f, 100);
  g.output(g.quantize(g.op("Conv", {y, g.weights({6, 8, 3}, 0, 5)}), 0.3f, 90));
  check_rewrite(
      g, {{2, 4, 9}},
      "QuantizeLinear Transpose Unsqueeze ortc.QConv+round ortc.QConv+round Squeeze Transpose",
      1.0);
}

TEST(quantised_fusions, a_relu_before_rounding_is_nothing_where_zero_is_the_least_number) {
  for (const uint8_t zero : {0, 3}) {
    QuantisedGraph g;
    const auto x = g.pair(g.input("x", DType::kFloat32, {2, 4, 9}));
    const auto y = g.op("Relu", {g.op("Conv", {x, g.weights({8, 4, 3}, 0, 4)})});
    g.output(g.quantize(y, 0.2f, zero));
    g.infer();
    CHECK_OK(apply_fusions(g.graph(), cpu::lowering_rules(), Logger()));
    CHECK_EQ(operators(g.graph()).find("QConv+round Squeeze Transpose") != std::string::npos,
             zero == 0);
  }
}

TEST(quantised_fusions, a_line_with_scales_along_the_depth_is_convolved_as_floats) {
  QuantisedGraph g;
  const auto x = g.pair(g.input("x", DType::kFloat32, {2, 4, 9}));
  g.output(g.quantize(g.op("Conv", {x, g.weights({8, 4, 3}, 1, 4)}), 0.2f, 100));
  g.infer();
  CHECK_OK(apply_fusions(g.graph(), cpu::lowering_rules(), Logger()));
  CHECK(operators(g.graph()).find("QConv") == std::string::npos);
}

// MatMulIntegerToFloat and DynamicQuantizeMatMul beside the same in ONNX's operators.
TEST(quantised_fusions, float_products_of_computed_operands_are_spelled_out) {
  for (const bool is_dynamic : {false, true}) {
    for (const bool has_bias : {false, true}) {
      QuantisedGraph g;
      const auto x = g.input("x", DType::kFloat32, {3, 8});
      const auto w = g.input("w", DType::kFloat32, {8, 5});
      const auto a = g.node("DynamicQuantizeLinear", {x}, {"a", "a_scale", "a_zero"});
      const auto b = g.node("DynamicQuantizeLinear", {w}, {"b", "b_scale", "b_zero"});
      const auto bias = has_bias ? g.random_floats("bias", {5}, 2) : kNoValue;
      g.output(is_dynamic ? g.op("DynamicQuantizeMatMul", {x, b[0], b[1], b[2], bias}, {},
                                 std::string(kMicrosoftDomain))
                          : g.op("MatMulIntegerToFloat", {a[0], b[0], a[1], b[1], a[2], b[2], bias},
                                 {}, std::string(kMicrosoftDomain)));
      const auto sums = g.op("MatMulInteger", {a[0], b[0], a[2], b[2]});
      const auto scaled = g.op(
          "Mul", {g.op("Cast", {sums}, {Attribute::of_int("to", 1)}), g.op("Mul", {a[1], b[1]})});
      g.output(has_bias ? g.op("Add", {scaled, bias}) : g.op("Identity", {scaled}));
      g.infer();
      CHECK_OK(apply_fusions(g.graph(), cpu::lowering_rules(), Logger()));
      CHECK_OK(verify_graph(g.graph()));
      const auto y = test::run_graph(g.graph(), {random_input({3, 8}, 3), random_input({8, 5}, 4)});
      CHECK_EQ(y[0].dims(), (Dims{3, 5}));
      for (size_t i = 0; i < 15; ++i) {
        CHECK_EQ(y[0].elements<float>()[i], y[1].elements<float>()[i]);
      }
    }
  }
}
