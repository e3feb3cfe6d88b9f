// SPDX-License-Identifier: MIT
// BatchNormalization(Conv(x, w, b))   ->   Conv(x, w', b')
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// y[m] = b[m] + sum over the 1 x 1 kernel of a Conv on an input of 1 x 1: enough to see each
// weight.
std::vector<double> conv_1x1(const Tensor& w, const Tensor* b, const std::vector<double>& x,
                             int64_t group, bool transposed) {
  const int64_t rows = w.dims()[0], columns = w.dims()[1];
  const int64_t channels = transposed ? columns * group : rows;
  std::vector<double> y(static_cast<size_t>(channels), 0.0);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      const double weight =
          static_cast<double>(w.elements<float>()[static_cast<size_t>(r * columns + c)]);
      const int64_t g = r / (rows / group);
      const int64_t out = transposed ? g * columns + c : r, in = transposed ? r : g * columns + c;
      y[static_cast<size_t>(out)] += weight * x[static_cast<size_t>(in)];
    }
  }
  for (size_t i = 0; b != nullptr && i < y.size(); ++i)
    y[i] += static_cast<double>(b->elements<float>()[i]);
  return y;
}

}  // namespace

TEST(conv_bn_fusion, gives_the_numbers_of_both_nodes) {
  for (const bool transposed : {false, true}) {
    // Two groups; 4 channels in, 6 out.
    TestGraph g(13);
    const int64_t rows = transposed ? 4 : 6, columns = transposed ? 3 : 2;
    std::vector<float> numbers;
    for (int i = 0; i < 12; ++i) numbers.push_back(0.25f * static_cast<float>(i) - 1.1f);
    const std::vector<float> s = {1, 2, -1, .5f, 3, 1}, t = {0, 1, 2, 3, 4, 5};
    const std::vector<float> m = {.1f, .2f, .3f, .4f, .5f, .6f}, v = {1, 2, .5f, 4, .1f, 3};
    const std::vector<float> b = {1, -1, 2, -2, 3, -3};
    const ValueId x = g.input("x", {1, 4, 1, 1});
    const ValueId w = g.floats("w", {rows, columns, 1, 1}, numbers);
    const ValueId bias = g.floats("b", {6}, b);
    const ValueId y = g.node(transposed ? "ConvTranspose" : "Conv", {x, w, bias},
                             {Attribute::of_int("group", 2)});
    g.output(g.node("BatchNormalization",
                    {y, g.floats("s", {6}, s), g.floats("t", {6}, t), g.floats("m", {6}, m),
                     g.floats("v", {6}, v)},
                    {Attribute::of_float("epsilon", 0.01f)}));
    const std::vector<double> data = {1.5, -2, 0.5, 3};
    const auto before = conv_1x1(*g.graph().value(w)->constant(), g.graph().value(bias)->constant(),
                                 data, 2, transposed);
    CHECK_EQ(g.run("conv_bn_fusion"), 1);
    CHECK_EQ(g.operators(), transposed ? "ConvTranspose" : "Conv");
    const Node& conv = g.producer_of("y");
    const auto after =
        conv_1x1(g.constant_input(conv, 1), &g.constant_input(conv, 2), data, 2, transposed);
    for (size_t c = 0; c < 6; ++c) {
      const double expected = (before[c] - m[c]) * s[c] / std::sqrt(v[c] + 0.01) + t[c];
      CHECK_NEAR(after[c], expected, 1e-5, 1e-5);
    }
  }
}

TEST(conv_bn_fusion, leaves_training_shared_values_and_changing_weights_alone) {
  const auto build = [](TestGraph& g, ValueId w, bool training, bool shared) {
    const ValueId x = g.input("x", {1, 2, 1, 1});
    const ValueId y = g.node("Conv", {x, w});
    const ValueId ones = g.floats("o", {2}, {1, 1});
    std::vector<Attribute> attributes;
    if (training) attributes.push_back(Attribute::of_int("training_mode", 1));
    const auto outputs =
        g.nodes("BatchNormalization", {y, ones, ones, ones, ones}, training ? 3 : 1, attributes);
    g.output(outputs[0]);
    if (shared) g.output(g.node("Relu", {y}), "z");
  };
  for (const int kind : {0, 1, 2}) {
    TestGraph g(15);
    const ValueId w =
        kind == 2 ? g.input("w", {2, 2, 1, 1}) : g.floats("w", {2, 2, 1, 1}, {1, 2, 3, 4});
    build(g, w, kind == 0, kind == 1);
    CHECK_EQ(g.run("conv_bn_fusion"), 0);
  }
}

TEST(conv_bn_fusion, leaves_a_normalisation_that_nobody_reads) {
  TestGraph g(13);
  const ValueId x = g.input("x", {1, 1, 2, 2});
  const ValueId y = g.node("Conv", {x, g.floats("w", {1, 1, 1, 1}, {3})});
  const ValueId one = g.floats("one", {1}, {1});
  g.node("BatchNormalization", {y, one, one, one, one});
  g.output(g.node("Relu", {x}));
  CHECK_EQ(g.run("conv_bn_fusion"), 0);
}
