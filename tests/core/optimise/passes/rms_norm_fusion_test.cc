// SPDX-License-Identifier: MIT
// x / Sqrt(ReduceMean(x^2) + epsilon) * scale   ->   RMSNormalization
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

namespace {

enum class Form { kDivided, kByReciprocal, kByQuotient, kBySquare };

ValueId rms_norm(TestGraph& g, ValueId x, Form form, float power = 2, int64_t axis = -1) {
  const ValueId square =
      form == Form::kBySquare ? g.node("Mul", {x, x}) : g.node("Pow", {x, g.scalar(power)});
  const ValueId mean = g.node("ReduceMean", {square}, {Attribute::of_ints("axes", {axis})});
  const ValueId root = g.node("Sqrt", {g.node("Add", {mean, g.scalar(1e-6f)})});
  const ValueId scale = g.floats("scale", {4}, {1, 2, 3, 4});
  if (form == Form::kByReciprocal) {
    return g.node("Mul", {scale, g.node("Mul", {x, g.node("Reciprocal", {root})})});
  }
  if (form == Form::kByQuotient) {
    return g.node("Mul", {g.node("Mul", {g.node("Div", {g.scalar(1), root}), x}), scale});
  }
  return g.node("Mul", {g.node("Div", {x, root}), scale});
}

}  // namespace

TEST(rms_norm_fusion, finds_the_exporters_forms) {
  for (const Form form :
       {Form::kDivided, Form::kByReciprocal, Form::kByQuotient, Form::kBySquare}) {
    TestGraph g(17);
    const ValueId x = g.input("x", {2, 3, 4});
    g.output(g.node("Add", {rms_norm(g, x, form), x}));
    CHECK_EQ(g.run("rms_norm_fusion"), 1);
    CHECK_EQ(g.operators(), "SimplifiedLayerNormalization Add");
    const Node& norm = *g.graph().producer(g.producer_of("y").input(0));
    CHECK_EQ(norm.float_attribute("epsilon", 0), 1e-6f);
    CHECK_EQ(norm.int_attribute("axis", 0), -1);
  }
}

TEST(rms_norm_fusion, makes_the_standard_operator_where_there_is_one) {
  TestGraph g(23);
  const ValueId x = g.input("x", {2, 3, 4});
  const ValueId mean = g.node("ReduceMean", {g.node("Mul", {x, x}), g.ints("axes", {-1})});
  const ValueId root = g.node("Sqrt", {g.node("Add", {mean, g.scalar(1e-6f)})});
  g.output(g.node("Mul", {g.node("Div", {x, root}), g.floats("scale", {4}, {1, 2, 3, 4})}));
  CHECK_EQ(g.run("rms_norm_fusion"), 1);
  CHECK_EQ(g.operators(), "RMSNormalization");
}

TEST(rms_norm_fusion, leaves_other_axes_powers_and_roots_that_others_read) {
  TestGraph g(17);
  g.output(rms_norm(g, g.input("x", {2, 4, 4}), Form::kDivided, 2, 1), "a");
  g.output(rms_norm(g, g.input("z", {2, 4, 4}), Form::kDivided, 3), "b");
  g.output(rms_norm(g, g.input("w", {2, 4, 4}), Form::kDivided), "c");
  for (NodeId id = 0; id < g.graph().node_bound(); ++id) {
    if (g.graph().node(id)->op_type() == "Sqrt") {
      g.output(g.node("Neg", {g.graph().node(id)->output(0)}), "root" + std::to_string(id));
    }
  }
  CHECK_EQ(g.run("rms_norm_fusion"), 0);
}
