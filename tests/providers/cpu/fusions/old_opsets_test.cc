// SPDX-License-Identifier: MIT
// Operators of com.microsoft in models of an old opset of ONNX, which does not have all that they
// are spelled out as: the same bits as in models of a newer one.
#include <cstring>

#include "core/graph/verify.h"
#include "core/compile/apply_fusions.h"
#include "core/compile/lowerable.h"
#include "tests/providers/cpu/fusions/run_graph.h"
#include "tests/providers/cpu/fusions/short_attributes.h"
#include "tests/support/graph_builder.h"

using namespace ortc;
using namespace ortc::test;

namespace {

const std::string kMs(kMicrosoftDomain);

// A graph of one operator, and what goes in.
class Lone : public GraphBuilder {
 public:
  explicit Lone(int64_t opset) : GraphBuilder(opset) {}

  ValueId fed(const Dims& dims) {
    const auto count = static_cast<size_t>(checked_element_count(dims).value());
    return fed(Tensor::from<float>(dims, random_numbers(count, ++seed_, 2.0f)));
  }
  ValueId bytes(const Dims& dims) {
    std::vector<uint8_t> numbers(static_cast<size_t>(checked_element_count(dims).value()));
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<uint8_t>(i * 37 % 251);
    return fed(Tensor::from<uint8_t>(dims, numbers));
  }
  ValueId constant(Tensor tensor) { return graph().add_constant("c", std::move(tensor)); }
  ValueId scale(float number) { return constant(Tensor::scalar(number)); }
  ValueId zero(uint8_t number) { return constant(Tensor::scalar(number)); }
  ValueId op(const std::string& type, std::vector<ValueId> in,
             std::vector<Attribute> attributes = {}, const std::string& domain = kMs) {
    return node(type, std::move(in), {str_cat("v", ++count_)}, std::move(attributes), domain)[0];
  }
  Tensor run() {
    infer();
    CHECK_OK(check_lowers(graph(), cpu::lowering_rules()));
    CHECK_OK(apply_fusions(graph(), cpu::lowering_rules(), Logger()));
    CHECK_OK(verify_graph(graph()));
    return run_graph(graph(), inputs_)[0];
  }

 private:
  ValueId fed(Tensor tensor) {
    inputs_.push_back(std::move(tensor));
    return input(str_cat("x", inputs_.size()), inputs_.back().dtype(), inputs_.back().dims());
  }
  std::vector<Tensor> inputs_;
  unsigned seed_ = 0;
  int count_ = 0;
};

Tensor result(int64_t opset, void (*build)(Lone& g)) {
  Lone g(opset);
  build(g);
  return g.run();
}

void check_old_opsets(void (*build)(Lone& g)) {
  const Tensor expected = result(13, build);
  for (const int64_t opset : {7, 8, 9, 10}) {
    const Tensor found = result(opset, build);
    CHECK_EQ(found.dims(), expected.dims());
    CHECK_EQ(found.dtype(), expected.dtype());
    CHECK(std::memcmp(found.bytes().data(), expected.bytes().data(), found.byte_size()) == 0);
  }
}

}  // namespace

TEST(old_opsets, products_and_windows_with_activations_give_the_same_bits) {
  check_old_opsets([](Lone& g) {
    g.output(g.op("FusedConv", {g.fed({1, 3, 6, 6}), g.fed({4, 3, 3, 3}), g.fed({4})},
                  {text("activation", "Clip"), Attribute::of_floats("activation_params", {0, 3})}));
  });
  check_old_opsets([](Lone& g) {
    g.output(g.op("FusedGemm", {g.fed({2, 3}), g.fed({3, 4})}, {text("activation", "Relu")}));
  });
  check_old_opsets([](Lone& g) {
    g.output(g.op("FusedMatMul", {g.fed({2, 3}), g.fed({4, 3})},
                  {number("alpha", 0.5f), flag("transB")}));
  });
  check_old_opsets([](Lone& g) {
    g.output(g.op("BiasSplitGelu", {g.fed({2, 3, 8}), g.fed({8})}));
  });
}

TEST(old_opsets, quantised_operators_give_the_same_bits) {
  check_old_opsets([](Lone& g) {
    g.output(g.op("QLinearAveragePool",
                  {g.bytes({1, 4, 6, 6}), g.scale(.1f), g.zero(3), g.scale(.2f), g.zero(5)},
                  {integers("kernel_shape", {2, 2})}));
  });
  check_old_opsets([](Lone& g) {
    g.output(g.op("QLinearConcat",
                  {g.scale(.1f), g.zero(3), g.bytes({2, 3}), g.scale(.2f), g.zero(5),
                   g.bytes({2, 4}), g.scale(.3f), g.zero(7)},
                  {flag("axis", 1)}));
  });
  for (const auto build :
       {+[](Lone& g) {
          g.output(g.op("QLinearSigmoid",
                        {g.bytes({2, 9}), g.scale(.1f), g.zero(90), g.scale(.004f), g.zero(0)}));
        },
        +[](Lone& g) {
          g.output(g.op("QLinearLeakyRelu",
                        {g.bytes({2, 9}), g.scale(.1f), g.zero(90), g.scale(.1f), g.zero(30)}));
        }}) {
    check_old_opsets(build);
  }
}

// B is constant, or not.
TEST(old_opsets, products_that_quantise_their_rows_give_the_same_bits) {
  check_old_opsets([](Lone& g) {
    const Tensor b = Tensor::from<uint8_t>({3, 2}, std::vector<uint8_t>{1, 20, 30, 200, 5, 77});
    g.output(g.op("DynamicQuantizeMatMul", {g.fed({2, 3}), g.constant(b), g.scale(.1f)}));
  });
  check_old_opsets([](Lone& g) {
    g.output(g.op("DynamicQuantizeMatMul", {g.fed({2, 3}), g.bytes({3, 4}), g.scale(.1f)}));
  });
}

TEST(old_opsets, operators_that_came_later_or_had_attributes_give_the_same_bits) {
  check_old_opsets([](Lone& g) {
    const auto places = Tensor::from<int64_t>({2, 1}, std::vector<int64_t>{1, 0});
    g.output(g.op("GatherND", {g.fed({2, 3}), g.constant(places)}));
  });
  check_old_opsets([](Lone& g) {
    const auto pads = Tensor::from<int64_t>({4}, std::vector<int64_t>{1, 0, 2, 1});
    g.output(g.op("Pad", {g.fed({2, 3}), g.constant(pads), g.scale(.5f)}));
  });
  check_old_opsets([](Lone& g) { g.output(g.op("Range", {g.scale(1), g.scale(9), g.scale(2)})); });
  check_old_opsets([](Lone& g) { g.output(g.op("ComplexMul", {g.fed({3, 2}), g.fed({3, 2})})); });
  check_old_opsets([](Lone& g) { g.output(g.op("Trilu", {g.fed({4, 5})})); });
}

// An image in between, which the rewrites turn: the nodes that they make anew keep their opset.
TEST(old_opsets, images_that_run_channels_last_give_the_same_bits) {
  check_old_opsets([](Lone& g) {
    const auto conv = [&g](ValueId x) {
      return g.op("Conv", {x, g.random_floats("w", {4, 4, 3, 3}, 7)}, kPad, "");
    };
    const auto pads = Tensor::from<int64_t>({8}, std::vector<int64_t>{0, 0, 1, 1, 0, 0, 1, 1});
    const auto padded = g.op("Pad", {conv(g.fed({1, 4, 6, 6})), g.constant(pads), g.scale(0)});
    const auto pooled =
        g.op("NhwcMaxPool", {g.op("Transpose", {padded}, {integers("perm", {0, 2, 3, 1})}, "")},
             {integers("kernel_shape", {2, 2}), integers("strides", {2, 2})});
    g.output(conv(g.op("Transpose", {pooled}, {integers("perm", {0, 3, 1, 2})}, "")));
  });
}

TEST(old_opsets, lines_between_quantised_ends_give_the_same_bits) {
  check_old_opsets([](Lone& g) {
    const auto pair = [&g](ValueId x, float scale, uint8_t zero) {
      return g.op("DequantizeLinear", {g.op("QuantizeLinear", {x, g.scale(scale), g.zero(zero)}),
                                       g.scale(scale), g.zero(zero)});
    };
    const auto w = pair(g.fed({4, 3, 3}), .05f, 128);
    const auto y = g.op("Conv", {pair(g.fed({1, 3, 9}), .02f, 128), w}, {}, "");
    g.output(g.op("QuantizeLinear", {y, g.scale(.2f), g.zero(100)}));
  });
}
