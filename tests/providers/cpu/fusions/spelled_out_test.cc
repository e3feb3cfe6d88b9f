// SPDX-License-Identifier: MIT
// Operators without kernels beside what they mean in plain operators: both are outputs of one
// graph, and give the same numbers after the rewrites.
#include <cmath>

#include "core/compile/apply_fusions.h"
#include "core/compile/lowerable.h"
#include "core/graph/verify.h"
#include "core/rewrite/changes.h"
#include "tests/providers/cpu/fusions/run_graph.h"
#include "tests/providers/cpu/fusions/short_attributes.h"
#include "tests/support/graph_builder.h"
#include "tests/support/session_support.h"

using namespace ortc;
using ortc::test::flag;
using ortc::test::GraphBuilder;
using ortc::test::integers;
using ortc::test::number;
using ortc::test::text;

namespace {

const std::string kMs(kMicrosoftDomain);

Tensor int64_vector(const std::vector<int64_t>& numbers) {
  return Tensor::from<int64_t>({static_cast<int64_t>(numbers.size())}, numbers);
}

class Pair : public GraphBuilder {
 public:
  explicit Pair(int64_t opset = 21) : GraphBuilder(opset) {}

  ValueId fed(Dims dims, float scale = 2.0f) {
    const auto numbers = test::random_numbers(
        static_cast<size_t>(checked_element_count(dims).value()), ++seed_, scale);
    inputs_.push_back(Tensor::from<float>(dims, numbers));
    return input(str_cat("x", inputs_.size()), DType::kFloat32, dims);
  }
  ValueId constant(Tensor tensor) { return graph().add_constant("c", std::move(tensor)); }
  ValueId op(const std::string& type, std::vector<ValueId> in,
             std::vector<Attribute> attributes = {}, const std::string& domain = "") {
    return node(type, std::move(in), {str_cat("v", ++count_)}, std::move(attributes), domain)[0];
  }
  // Outputs come in pairs. Bytes may differ by `steps`.
  void check(int steps = 0) {
    infer();
    CHECK_OK(apply_fusions(graph(), cpu::lowering_rules(), Logger()));
    CHECK_OK(verify_graph(graph()));
    const auto found = test::run_graph(graph(), inputs_);
    for (size_t i = 0; i + 1 < found.size(); i += 2) compare(found[i], found[i + 1], steps);
  }

 private:
  static void compare(const Tensor& a, const Tensor& b, int steps) {
    CHECK_EQ(a.dims(), b.dims());
    CHECK_EQ(a.dtype(), b.dtype());
    for (size_t k = 0; k < static_cast<size_t>(a.element_count()); ++k) {
      if (a.dtype() == DType::kUint8) {
        CHECK(std::abs(a.elements<uint8_t>()[k] - b.elements<uint8_t>()[k]) <= steps);
      } else {
        CHECK_NEAR(static_cast<double>(a.elements<float>()[k]),
                   static_cast<double>(b.elements<float>()[k]), 1e-4, 1e-5);
      }
    }
  }
  std::vector<Tensor> inputs_;
  unsigned seed_ = 0;
  int count_ = 0;
};

uint64_t bytes_of_constants(const Graph& graph) {
  uint64_t bytes = 0;
  for (ValueId id = 0; id < graph.value_bound(); ++id) {
    const Value* value = graph.value(id);
    if (value != nullptr && value->constant() != nullptr) bytes += value->constant()->byte_size();
  }
  return bytes;
}

}  // namespace

TEST(spelled_out, fused_matmul_turns_matrices_and_batches_and_scales) {
  struct {
    Dims a, b;
    std::vector<Attribute> attributes;
    std::vector<int64_t> order_a, order_b;
  } cases[] = {
      {{2, 3, 4}, {2, 4, 5}, {}, {0, 1, 2}, {0, 1, 2}},
      {{2, 4, 3}, {2, 4, 5}, {flag("transA"), number("alpha", 0.5f)}, {0, 2, 1}, {0, 1, 2}},
      {{2, 3, 4}, {2, 5, 4}, {flag("transB")}, {0, 1, 2}, {0, 2, 1}},
      {{3, 2, 4}, {2, 4, 5}, {flag("transBatchA")}, {1, 0, 2}, {0, 1, 2}},
      {{4, 2, 3}, {2, 4, 5}, {flag("transBatchA"), flag("transA")}, {1, 2, 0}, {0, 1, 2}},
      {{2, 3, 4}, {5, 2, 4}, {flag("transBatchB"), flag("transB")}, {0, 1, 2}, {1, 2, 0}},
  };
  const struct {
    const char* name;
    bool is_known;  // the rank of the operands
  } forms[] = {{"FusedMatMul", true}, {"TransposeMatMul", true}, {"FusedMatMul", false}};
  for (const auto& c : cases) {
    for (const auto& [name, is_known] : forms) {
      Pair g;
      const ValueId a = g.fed(c.a), b = g.fed(c.b);
      for (const ValueId x : {a, b}) {
        if (!is_known) g.graph().value(x)->type.shape.reset();
      }
      g.output(g.op(name, {a, b}, c.attributes, kMs));
      const ValueId product =
          g.op("MatMul", {g.op("Transpose", {a}, {integers("perm", c.order_a)}),
                          g.op("Transpose", {b}, {integers("perm", c.order_b)})});
      const float alpha = c.attributes.size() > 1 && c.attributes[1].name == "alpha" ? 0.5f : 1.0f;
      g.output(g.op("Mul", {product, g.constant(Tensor::scalar(alpha))}));
      g.check();
    }
  }
}

TEST(spelled_out, fused_matmul_has_nothing_to_turn_in_a_vector) {
  Pair g;
  const ValueId row = g.fed({4}), matrix = g.fed({4, 5}), column = g.fed({5});
  g.output(g.op("FusedMatMul", {row, matrix}, {flag("transA")}, kMs));
  g.output(g.op("MatMul", {row, matrix}));
  g.output(g.op("FusedMatMul", {matrix, column}, {flag("transB")}, kMs));
  g.output(g.op("MatMul", {matrix, column}));
  g.check();
}

TEST(spelled_out, windows_of_an_axis_need_no_more_than_its_size_known) {
  for (const bool is_known : {true, false}) {
    Pair g;
    const ValueId x = g.fed({2, 7});
    if (!is_known) (*g.graph().value(x)->type.shape)[0] = Dim::unknown();
    g.output(g.op("UnfoldTensor", {x}, {flag("dim", -1), flag("size", 3), flag("step", 2)}, kMs));
    const ValueId places =
        g.constant(Tensor::from<int64_t>({3, 3}, std::vector<int64_t>{0, 1, 2, 2, 3, 4, 4, 5, 6}));
    g.output(g.op("Gather", {x, places}, {flag("axis", 1)}));
    g.check();
  }
}

// A list of all their places would be a large constant.
TEST(spelled_out, many_windows_are_placed_by_the_run) {
  Pair g;
  g.output(g.op("UnfoldTensor", {g.fed({1500})}, {flag("size", 300), flag("step", 2)}, kMs));
  g.infer();
  CHECK_OK(apply_fusions(g.graph(), cpu::lowering_rules(), Logger()));
  const Tensor numbers = Tensor::from<float>({1500}, test::random_numbers(1500, 1));
  const Tensor y = test::run_graph(g.graph(), {numbers})[0];
  CHECK_EQ(y.dims(), (Dims{601, 300}));
  for (size_t i = 0; i < 601 * 300; ++i) {
    CHECK_EQ(y.elements<float>()[i], numbers.elements<float>()[i / 300 * 2 + i % 300]);
  }
  CHECK(bytes_of_constants(g.graph()) < 1000);
}

TEST(spelled_out, what_needs_a_rank_says_so_when_there_is_none) {
  Pair g;
  const ValueId x = g.fed({2, 7});
  g.graph().value(x)->type.shape.reset();
  g.output(g.op("UnfoldTensor", {x}, {flag("size", 3)}, kMs));
  const auto environment = test::quiet_environment();
  const auto session = Session::create(environment, test::memory_source(g.model_bytes()),
                                       test::options_with(*environment, {}));
  CHECK_CODE(session, Code::kNotImplemented);
  CHECK(session.status().message().find("UnfoldTensor of opset 1 on float32 of unknown rank") !=
        std::string::npos);
}

// What has no kernel then is refused by the compiler.
TEST(spelled_out, what_is_not_an_operator_at_all_is_left) {
  const auto is_left = [](const std::string& op, const Dims& dims, size_t more,
                          std::vector<Attribute> attributes) {
    Pair g;
    std::vector<ValueId> in = {g.fed(dims)};
    for (size_t i = 0; i < more; ++i) in.push_back(g.fed(i == 0 && more == 1 ? dims : Dims{6}));
    g.output(g.op(op, in, std::move(attributes), kMs));
    g.infer();
    CHECK_OK(apply_fusions(g.graph(), cpu::lowering_rules(), Logger()));
    return g.graph().producer(g.graph().outputs()[0])->op_type() == op;
  };
  for (const int64_t axis : {int64_t{1} << 32, int64_t{3}, int64_t{-4}}) {
    CHECK(
        is_left("BiasSoftmax", {2, 3, 4}, 1, {flag("axis", axis), flag("is_inner_broadcast", 0)}));
  }
  CHECK(!is_left("BiasSoftmax", {2, 3, 4}, 1, {flag("axis", -3), flag("is_inner_broadcast", 0)}));
  for (const int64_t groups : {int64_t{1} << 33, int64_t{4}, int64_t{12}}) {
    CHECK(is_left("GroupNorm", {1, 2, 2, 6}, 2, {flag("groups", groups), flag("activation", 0)}));
  }
  CHECK(!is_left("GroupNorm", {1, 2, 2, 6}, 2, {flag("groups", 3), flag("activation", 0)}));
}

TEST(spelled_out, gemm_and_convolution_take_their_activation_along) {
  const struct {
    std::string name;
    std::vector<Attribute> gemm, conv, plain;
  } cases[] = {
      {"Relu", {}, {}, {}},
      {"Tanh", {}, {}, {}},
      {"Sigmoid", {}, {}, {}},
      {"LeakyRelu",
       {number("activation_alpha", 0.3f)},
       {Attribute::of_floats("activation_params", {0.3f})},
       {number("alpha", 0.3f)}},
      {"HardSigmoid",
       {number("activation_alpha", 0.3f), number("activation_beta", 0.4f)},
       {Attribute::of_floats("activation_params", {0.3f, 0.4f})},
       {number("alpha", 0.3f), number("beta", 0.4f)}},
  };
  for (const auto& c : cases) {
    Pair g;
    const ValueId a = g.fed({4, 3}), b = g.fed({4, 5}), bias = g.fed({5});
    const std::vector<Attribute> shape = {flag("transA"), number("alpha", 0.5f),
                                          number("beta", 2.0f)};
    auto fused = c.gemm;
    fused.insert(fused.end(), shape.begin(), shape.end());
    fused.push_back(text("activation", c.name));
    g.output(g.op("FusedGemm", {a, b, bias}, fused, kMs));
    g.output(g.op(c.name, {g.op("Gemm", {a, b, bias}, shape)}, c.plain));
    const ValueId x = g.fed({1, 3, 7, 6}), w = g.fed({4, 3, 3, 3}), z = g.fed({1, 4, 7, 6});
    const std::vector<Attribute> window = {integers("pads", {1, 1, 1, 1})};
    auto conv = c.conv;
    conv.push_back(text("activation", c.name));
    conv.push_back(window[0]);
    g.output(g.op("FusedConv", {x, w, kNoValue, z}, conv, kMs));
    g.output(g.op(c.name, {g.op("Add", {g.op("Conv", {x, w}, window), z})}, c.plain));
    g.check();
  }
}

TEST(spelled_out, pools_of_channels_last_stay_as_they_lie) {
  Pair g;
  const std::vector<Attribute> window = {integers("kernel_shape", {3, 3}),
                                         integers("strides", {2, 2})};
  const ValueId x = g.fed({2, 9, 8, 5});
  const auto turned = [&g](ValueId v, std::vector<int64_t> perm) {
    return g.op("Transpose", {v}, {integers("perm", std::move(perm))});
  };
  g.output(g.op("NhwcMaxPool", {x}, window, kMs));
  g.output(turned(g.op("MaxPool", {turned(x, {0, 3, 1, 2})}, window), {0, 2, 3, 1}));
  g.check();
  for (NodeId id : g.graph().topological_order().value()) {
    CHECK(g.graph().node(id)->is_op("MaxPool", kInternalDomain));
  }
}

TEST(spelled_out, quantised_attention_is_that_of_what_its_bytes_stand_for) {
  for (const bool has_mask : {false, true}) {
    Pair g;
    const auto bytes = [](Dims dims) {
      std::vector<uint8_t> numbers(static_cast<size_t>(checked_element_count(dims).value()));
      for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<uint8_t>(i * 37 + 11);
      return Tensor::from<uint8_t>(dims, numbers);
    };
    const ValueId scale = g.constant(Tensor::scalar(0.02f)),
                  zero = g.constant(Tensor::scalar<uint8_t>(120));
    const ValueId x = g.op("QuantizeLinear", {g.fed({2, 5, 9}), scale, zero});
    const ValueId w = g.constant(bytes({9, 24})), w_scale = g.constant(Tensor::scalar(0.01f)),
                  w_zero = g.constant(Tensor::scalar<uint8_t>(128)), bias = g.fed({24});
    const std::vector<int32_t> ends = {5, 3};
    const ValueId mask =
        has_mask ? g.constant(Tensor::from<int32_t>({2}, ends)) : ValueId{kNoValue};
    const std::vector<Attribute> heads = {flag("num_heads", 2), flag("unidirectional")};
    g.output(g.op("QAttention", {x, w, bias, scale, w_scale, mask, zero, w_zero}, heads, kMs));
    g.output(g.op("Attention",
                  {g.op("DequantizeLinear", {x, scale, zero}),
                   g.op("DequantizeLinear", {w, w_scale, w_zero}), bias, mask},
                  heads, kMs));
    g.check();
    const auto order = g.graph().topological_order().value();
    CHECK(std::ranges::any_of(order, [&g](NodeId id) {
      return g.graph().node(id)->is_op("ProjectedAttention", kInternalDomain);
    }));
  }
}

TEST(spelled_out, an_activation_that_is_not_known_is_left) {
  Pair g;
  g.output(
      g.op("FusedGemm", {g.fed({3, 4}), g.fed({4, 5})}, {text("activation", "Softplus")}, kMs));
  g.infer();
  CHECK(!cpu::is_spelled_out(*g.graph().node(0)));
  CHECK_CODE(check_lowers(g.graph(), cpu::lowering_rules()), Code::kNotImplemented);
}

TEST(spelled_out, sums_and_gelus) {
  Pair g;
  const ValueId x = g.fed({2, 3, 8}), w = g.fed({8, 6}), bias = g.fed({6});
  g.output(g.op("GemmFastGelu", {x, w, bias}, {}, kMs));
  g.output(
      g.op("Gelu", {g.op("Add", {g.op("MatMul", {x, w}), bias})}, {text("approximate", "tanh")}));
  const ValueId row = g.fed({8}), skip = g.fed({2, 3, 8});
  g.output(g.op("BiasAdd", {x, row, skip}, {}, kMs));
  g.output(g.op("Add", {g.op("Add", {x, row}), skip}));
  const ValueId sum = g.op("Add", {x, row});
  const auto half = [&](int64_t from) {
    return g.op("Slice", {sum, g.constant(int64_vector({from})),
                          g.constant(int64_vector({from + 4})), g.constant(int64_vector({-1}))});
  };
  g.output(g.op("BiasSplitGelu", {x, row}, {}, kMs));
  g.output(g.op("Mul", {half(0), g.op("Gelu", {half(4)})}));
  g.check();
}

TEST(spelled_out, quantised_operators_are_floats_between_two_roundings) {
  const auto with = [](const std::function<ValueId(Pair&, ValueId, ValueId, ValueId)>& fused,
                       const std::function<ValueId(Pair&, ValueId)>& plain) {
    Pair g;
    const ValueId scale = g.constant(Tensor::scalar(0.03f));
    const ValueId zero = g.constant(Tensor::scalar(uint8_t{120}));
    const ValueId x = g.op("QuantizeLinear", {g.fed({1, 4, 7, 6}), scale, zero});
    g.output(fused(g, x, scale, zero));
    const ValueId y = plain(g, g.op("DequantizeLinear", {x, scale, zero}));
    g.output(g.op("QuantizeLinear", {y, scale, zero}));
    g.check(1);
  };
  const auto same = [&](const std::string& name, const std::vector<Attribute>& more,
                        const std::vector<Attribute>& attributes) {
    auto all = attributes;
    all.insert(all.end(), more.begin(), more.end());
    with(
        [&](Pair& g, ValueId x, ValueId scale, ValueId zero) {
          return g.op("QLinear" + name, {x, scale, zero, scale, zero}, all, kMs);
        },
        [&](Pair& g, ValueId x) { return g.op(name, {x}, attributes); });
  };
  same("Sigmoid", {}, {});
  same("LeakyRelu", {}, {number("alpha", 0.2f)});
  same("Softmax", {flag("opset", 13)}, {flag("axis", 1)});
  // The last axis, whatever the version of Softmax has as its own default.
  for (const int64_t opset : {11, 21}) {
    Pair g(opset);
    const ValueId scale = g.constant(Tensor::scalar(0.03f));
    const ValueId zero = g.constant(Tensor::scalar(uint8_t{120}));
    const ValueId x = g.op("QuantizeLinear", {g.fed({2, 4, 5}), scale, zero});
    g.output(g.op("QLinearSoftmax", {x, scale, zero, scale, zero}, {flag("opset", opset)}, kMs));
    const ValueId y =
        g.op("Softmax", {g.op("DequantizeLinear", {x, scale, zero})}, {flag("axis", 2)});
    g.output(g.op("QuantizeLinear", {y, scale, zero}));
    g.check();
  }
  same("AveragePool", {}, {integers("kernel_shape", {3, 3}), integers("pads", {1, 1, 1, 1})});
  with(
      [](Pair& g, ValueId x, ValueId scale, ValueId zero) {
        return g.op("QLinearConcat", {scale, zero, x, scale, zero, x, scale, zero},
                    {flag("axis", 1)}, kMs);
      },
      [](Pair& g, ValueId x) {
        return g.op("Concat", {x, x}, {flag("axis", 1)});
      });
  const auto condition = [](Pair& g) {
    Tensor bits = Tensor::create(DType::kBool, {6}).value();
    for (int i = 0; i < 6; ++i) static_cast<bool*>(bits.mutable_data())[i] = i % 2 == 0;
    return g.constant(std::move(bits));
  };
  with(
      [&](Pair& g, ValueId x, ValueId scale, ValueId zero) {
        return g.op("QLinearWhere", {condition(g), x, scale, zero, x, scale, zero, scale, zero}, {},
                    kMs);
      },
      [](Pair&, ValueId x) { return x; });
}

TEST(spelled_out, quantised_gemm_adds_its_bias_in_units_of_the_sums) {
  for (const bool turns : {false, true}) {
    for (const bool is_quantised : {false, true}) {
      Pair g;
      const ValueId a_scale = g.constant(Tensor::scalar(0.02f));
      const ValueId b_scale = g.constant(
          Tensor::from<float>({5}, std::vector<float>{0.01f, 0.02f, 0.03f, 0.01f, 0.05f}));
      const ValueId y_scale = g.constant(Tensor::scalar(0.03f));
      const ValueId zero = g.constant(Tensor::scalar(uint8_t{120}));
      Tensor b_zeros = Tensor::create(DType::kUint8, {5}).value();
      for (uint8_t& x : b_zeros.mutable_elements<uint8_t>()) x = 128;
      const ValueId b_zero = g.constant(b_zeros);
      const ValueId c =
          g.constant(Tensor::from<int32_t>({5}, std::vector<int32_t>{10, -200, 33, 0, 77}));
      const Attribute axis = flag("axis", turns ? 0 : 1);
      const ValueId a = g.op("QuantizeLinear", {g.fed({4, 7}), a_scale, zero});
      const ValueId b =
          g.op("QuantizeLinear", {g.fed(turns ? Dims{5, 7} : Dims{7, 5}), b_scale, b_zero}, {axis});
      const std::vector<Attribute> shape = {flag("transB", turns), number("alpha", 0.5f)};
      std::vector<ValueId> in = {a, a_scale, zero, b, b_scale, b_zero, c};
      if (is_quantised) in.insert(in.end(), {y_scale, zero});
      g.output(g.op("QGemm", in, shape, kMs));
      const ValueId product = g.op("Gemm",
                                   {g.op("DequantizeLinear", {a, a_scale, zero}),
                                    g.op("DequantizeLinear", {b, b_scale, b_zero}, {axis})},
                                   shape);
      const ValueId half = g.constant(Tensor::scalar(0.5f));
      const ValueId bias =
          g.op("Mul",
               {g.op("Mul", {g.op("Cast", {c}, {flag("to", 1)}), g.op("Mul", {a_scale, b_scale})}),
                half});
      const ValueId y = g.op("Add", {product, bias});
      g.output(is_quantised ? g.op("QuantizeLinear", {y, y_scale, zero}) : y);
      g.check(1);
    }
  }
}

namespace {

// scores -> scores * 0.5 + offset, offset a constant of the enclosing graph
std::shared_ptr<Graph> modification(Pair& g, ValueId offset) {
  GraphBuilder body(21, &g.graph());
  const ValueId x = body.input("s", DType::kFloat32, {-1, -1, -1, -1});
  const ValueId half = body.node("Mul", {x, body.floats("half", {}, {0.5f})}, {"h"})[0];
  const ValueId captured = body.graph().capture(offset).value();
  body.output(body.node("Add", {half, captured}, {"t"})[0]);
  return body.shared();
}

}  // namespace

TEST(spelled_out, flex_attention_takes_its_bodies_and_shared_heads) {
  for (const int64_t key_heads : {4, 2, 1}) {
    Pair g;
    import_domain(g.graph(), "ai.onnx.preview", 1);
    const ValueId q = g.fed({2, 4, 3, 8}), k = g.fed({2, key_heads, 5, 8}),
                  v = g.fed({2, key_heads, 5, 6});
    const ValueId offset = g.constant(Tensor::from<float>({5}, std::vector<float>{1, 0, -1, 2, 0}));
    std::vector<Attribute> attributes = {
        number("scale", 0.3f), test::graph_attribute("score_mod", modification(g, offset)),
        test::graph_attribute("prob_mod", modification(g, offset))};
    g.output(g.op("FlexAttention", {q, k, v}, attributes, "ai.onnx.preview"));
    const auto repeated = [&](ValueId x, int64_t size) {
      const ValueId shape = g.constant(int64_vector({2, key_heads, 4 / key_heads, 5, size}));
      const ValueId wide =
          g.op("Expand", {g.op("Unsqueeze", {x, g.constant(int64_vector({2}))}), shape});
      return g.op("Reshape", {wide, g.constant(int64_vector({2, 4, 5, size}))});
    };
    const auto modified = [&](ValueId x) {
      return g.op("Add", {g.op("Mul", {x, g.constant(Tensor::scalar(0.5f))}), offset});
    };
    const ValueId turned = g.op("Transpose", {repeated(k, 8)}, {integers("perm", {0, 1, 3, 2})});
    const ValueId scores =
        g.op("Mul", {g.op("MatMul", {q, turned}), g.constant(Tensor::scalar(0.3f))});
    const ValueId probs = modified(g.op("Softmax", {modified(scores)}, {flag("axis", -1)}));
    g.output(g.op("MatMul", {probs, repeated(v, 6)}));
    g.check();
  }
}

// The operator has two inputs, one of them left out.
TEST(spelled_out, normalisations_compute_in_the_type_of_the_stash_or_a_wider_one) {
  const struct {
    const char* op;
    std::vector<Attribute> attributes;
    bool has_bias;
  } cases[] = {{"LayerNormalization", {}, true},
               {"RMSNormalization", {}, false},
               {"SimplifiedLayerNormalization", {}, false},
               {"GroupNormalization", {flag("num_groups", 2)}, true}};
  for (const auto& c : cases) {
    for (const DType stash : {DType::kFloat16, DType::kFloat64, DType::kBfloat16}) {
      Pair g(23);
      const ValueId x = g.fed({3, 8}, 100);
      std::vector<ValueId> in = {x, g.fed({8})};
      if (c.has_bias) in.push_back(g.fed({8}));
      auto attributes = c.attributes;
      attributes.push_back(flag("stash_type", static_cast<int64_t>(stash)));
      g.output(g.op(c.op, in, attributes));
      g.output(g.op(c.op, in, c.attributes));
      g.check();
    }
  }
}

TEST(spelled_out, a_convolution_without_weights_is_refused) {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {1, 2, 5, 5});
  g.output(g.node("FusedConv", {x, kNoValue}, {"y"}, {integers("kernel_shape", {1, 1})}, kMs)[0]);
  const auto environment = test::quiet_environment();
  const auto session = Session::create(environment, test::memory_source(g.model_bytes()),
                                       test::options_with(*environment, {}));
  if (!session.is_ok()) return;
  std::vector<Tensor> outputs;
  CHECK(!test::try_run(**session, {Tensor::create(DType::kFloat32, {1, 2, 5, 5}).value()}, &outputs)
             .is_ok());
}
