// SPDX-License-Identifier: MIT
// d / Sqrt(ReduceMean(d^2) + epsilon) * scale + bias, d = x - ReduceMean(x)   -> LayerNormalization
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

namespace {

struct Options {
  bool by_mul = false, axes_as_input = false, has_bias = true;
  int64_t axis = -1;
  float power = 2;
  DType dtype = DType::kFloat32;
};

ValueId layer_norm(TestGraph& g, ValueId x, const Options& options) {
  const auto mean = [&](ValueId v) {
    if (options.axes_as_input) return g.node("ReduceMean", {v, g.ints("axes", {options.axis})});
    return g.node("ReduceMean", {v}, {Attribute::of_ints("axes", {options.axis})});
  };
  const ValueId d = g.node("Sub", {x, mean(x)});
  const ValueId square =
      options.by_mul ? g.node("Mul", {d, d}) : g.node("Pow", {d, g.scalar(options.power)});
  const ValueId root = g.node("Sqrt", {g.node("Add", {mean(square), g.scalar(1e-12f)})});
  ValueId y = g.node("Mul", {g.node("Div", {d, root}), g.floats("scale", {4}, {1, 2, 3, 4})});
  if (options.has_bias) y = g.node("Add", {y, g.floats("bias", {4}, {1, 2, 3, 4})});
  return y;
}

}  // namespace

TEST(layer_norm_fusion, finds_the_exporters_forms) {
  for (const int kind : {0, 1, 2, 3, 4}) {
    Options options;
    options.by_mul = kind == 1;
    options.axes_as_input = kind == 2;
    options.has_bias = kind != 3;
    TestGraph g(kind == 2 ? 18 : kind == 4 ? 11 : 17);
    g.output(layer_norm(g, g.input("x", {2, 3, 4}), options));
    CHECK_EQ(g.run("layer_norm_fusion"), 1);
    CHECK_EQ(g.operators(), "LayerNormalization");
    const Node& norm = g.producer_of("y");
    CHECK_EQ(norm.inputs().size(), kind == 3 ? 2u : 3u);
    CHECK_EQ(norm.float_attribute("epsilon", 0), 1e-12f);
    CHECK_EQ(norm.int_attribute("axis", 0), -1);
  }
}

TEST(layer_norm_fusion, leaves_other_axes_and_powers) {
  Options axis, power;
  axis.axis = 1;
  power.power = 3;
  TestGraph g(17);
  g.output(layer_norm(g, g.input("x", {2, 4, 4}), axis), "a");
  g.output(layer_norm(g, g.input("z", {2, 4, 4}), power), "b");
  CHECK_EQ(g.run("layer_norm_fusion"), 0);
}

TEST(layer_norm_fusion, leaves_a_difference_that_others_read) {
  TestGraph g(17);
  g.output(layer_norm(g, g.input("x", {2, 3, 4}), {}));
  for (NodeId id = 0; id < g.graph().node_bound(); ++id) {
    if (g.graph().node(id)->op_type() == "Sub") {
      g.output(g.node("Neg", {g.graph().node(id)->output(0)}), "z");
      break;
    }
  }
  CHECK_EQ(g.run("layer_norm_fusion"), 0);
}
