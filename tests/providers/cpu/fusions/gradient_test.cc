// SPDX-License-Identifier: MIT
// Gradients beside differences of the function itself, for each operator that has a rule.
#include <functional>

#include "core/graph/verify.h"
#include "core/compile/apply_fusions.h"
#include "core/ops/infer.h"
#include "core/optimise/passes.h"
#include "core/rewrite/changes.h"
#include "tests/providers/cpu/fusions/run_graph.h"
#include "tests/support/graph_builder.h"

using namespace ortc;
using ortc::test::GraphBuilder;

namespace {

constexpr const char* kTraining = "ai.onnx.preview.training";

Attribute names(std::string name, std::initializer_list<const char*> values) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = AttributeKind::kStrings;
  for (const char* value : values) attribute.strings.push_back(Blob::from_string(value));
  return attribute;
}

Status run_pass(Graph& graph) {
  const Evaluator evaluator(cpu::lowering_rules().kernels);
  Budget budget = Budget::of(graph);
  return gradient(graph, PassContext{evaluator, OptimiseOptions(), budget}).status();
}

// y = f(a, b), and both gradients when they are asked for.
using Function = std::function<ValueId(GraphBuilder& g, ValueId a, ValueId b)>;

std::unique_ptr<GraphBuilder> graph_of(const Function& f, const Dims& a, const Dims& b, bool asks) {
  auto g = std::make_unique<GraphBuilder>(21);
  const ValueId x = g->input("a", DType::kFloat32, a), w = g->input("b", DType::kFloat32, b);
  const ValueId y = g->node("Identity", {f(*g, x, w)}, {"y"})[0];
  g->output(y);
  if (asks) {
    import_domain(g->graph(), kTraining, 1);
    const auto gradients =
        g->node("Gradient", {x, w}, {"da", "db"},
                {names("xs", {"a", "b"}), Attribute::of_string("y", "y")}, kTraining);
    g->output(gradients[0]);
    g->output(gradients[1]);
  }
  g->infer();
  CHECK_OK(run_pass(g->graph()));
  CHECK_OK(verify_graph(g->graph()));
  CHECK_OK(infer_types(g->graph()));
  CHECK_OK(apply_fusions(g->graph(), cpu::lowering_rules(), Logger()));
  return g;
}

double sum_of(const Tensor& tensor) {
  double sum = 0;
  for (const float x : tensor.elements<float>()) sum += static_cast<double>(x);
  return sum;
}

void check_gradient(const Function& f, const Dims& a, const Dims& b) {
  const auto asked = graph_of(f, a, b, true), plain = graph_of(f, a, b, false);
  std::vector<Tensor> inputs;
  unsigned seed = 0;
  for (const Dims& dims : {a, b}) {
    auto numbers =
        test::random_numbers(static_cast<size_t>(checked_element_count(dims).value()), ++seed);
    for (float& x : numbers) x = x * 0.4f + 1.0f;  // where logarithms and roots are smooth
    inputs.push_back(Tensor::from<float>(dims, numbers));
  }
  const auto found = test::run_graph(asked->graph(), inputs);
  for (size_t i = 0; i < 2; ++i) {
    CHECK_EQ(found[1 + i].dims(), inputs[i].dims());
    for (size_t k = 0; k < found[1 + i].elements<float>().size(); ++k) {
      constexpr float kStep = 1.0f / 256;
      double sums[2];
      for (int side = 0; side < 2; ++side) {
        std::vector<Tensor> moved = inputs;
        std::vector<float> numbers(inputs[i].elements<float>().begin(),
                                   inputs[i].elements<float>().end());
        numbers[k] += side == 0 ? -kStep : kStep;
        moved[i] = Tensor::from<float>(inputs[i].dims(), numbers);
        sums[side] = sum_of(test::run_graph(plain->graph(), moved)[0]);
      }
      const double slope = (sums[1] - sums[0]) / (2 * static_cast<double>(kStep));
      CHECK_NEAR(static_cast<double>(found[1 + i].elements<float>()[k]), slope, 5e-3, 5e-3);
    }
  }
}

ValueId op(GraphBuilder& g, const std::string& type, std::vector<ValueId> in,
           std::vector<Attribute> attributes = {}) {
  static int count = 0;
  return g.node(type, std::move(in), {str_cat("v", ++count)}, std::move(attributes))[0];
}

ValueId list(GraphBuilder& g, std::vector<int64_t> values) {
  const Dims dims = {static_cast<int64_t>(values.size())};
  return g.graph().add_constant("list", Tensor::from<int64_t>(dims, values));
}

// Of y by a, taken at `at`.
Status status_of_gradient(GraphBuilder& g, ValueId at) {
  import_domain(g.graph(), kTraining, 1);
  g.output(g.node("Gradient", {at}, {"da"}, {names("xs", {"a"}), Attribute::of_string("y", "y")},
                  kTraining)[0]);
  RETURN_IF_ERROR(infer_types(g.graph()));
  return run_pass(g.graph());
}

}  // namespace

TEST(gradient, of_sums_and_products_with_broadcasting) {
  for (const char* type : {"Add", "Sub", "Mul", "Div", "Pow", "Sum"}) {
    const auto f = [&](GraphBuilder& g, ValueId a, ValueId b) { return op(g, type, {a, b}); };
    check_gradient(f, {2, 3}, {2, 3});
    check_gradient(f, {2, 3}, {3});
    check_gradient(f, {1, 3}, {2, 1});
  }
}

TEST(gradient, of_functions_of_one_number) {
  for (const char* type : {"Abs", "Cos", "Erf", "Exp", "Identity", "Log", "Neg", "Reciprocal",
                           "Relu", "Sigmoid", "Sin", "Softplus", "Sqrt", "Tanh"}) {
    check_gradient(
        [&](GraphBuilder& g, ValueId a, ValueId b) {
          return op(g, "Mul", {op(g, type, {a}), op(g, type, {op(g, "Mul", {b, b})})});
        },
        {2, 2}, {2, 2});
  }
}

// A step is flat: of a * whole(a) only the first factor counts.
TEST(gradient, of_casts_to_whole_numbers_and_flags_is_none) {
  for (const DType step : {DType::kInt64, DType::kBool, DType::kFloat64}) {
    check_gradient(
        [&](GraphBuilder& g, ValueId a, ValueId b) {
          const auto to = [](DType type) {
            return std::vector{Attribute::of_int("to", static_cast<int64_t>(type))};
          };
          const ValueId between = op(g, "Cast", {a}, to(step));
          return op(g, "Mul",
                    {b, op(g, "Mul", {a, op(g, "Cast", {between}, to(DType::kFloat32))})});
        },
        {2, 2}, {2, 2});
  }
}

TEST(gradient, of_matrix_products) {
  const auto matmul = [](GraphBuilder& g, ValueId a, ValueId b) { return op(g, "MatMul", {a, b}); };
  check_gradient(matmul, {2, 3}, {3, 4});
  check_gradient(matmul, {2, 2, 3}, {3, 2});
  check_gradient(matmul, {1, 2, 3}, {2, 3, 2});
  for (const int64_t turns_a : {0, 1}) {
    for (const int64_t turns_b : {0, 1}) {
      check_gradient(
          [&](GraphBuilder& g, ValueId a, ValueId b) {
            const ValueId c = op(g, "ReduceSum", {b, list(g, {0})});
            const ValueId bias = op(g, "Slice", {c, list(g, {0}), list(g, {1}), list(g, {1})});
            return op(g, "Gemm", {a, b, bias},
                      {Attribute::of_int("transA", turns_a), Attribute::of_int("transB", turns_b),
                       Attribute::of_float("alpha", 0.5f), Attribute::of_float("beta", 2.0f)});
          },
          turns_a != 0 ? Dims{3, 2} : Dims{2, 3}, turns_b != 0 ? Dims{4, 3} : Dims{3, 4});
    }
  }
}

TEST(gradient, of_reductions_and_softmax) {
  for (const char* type : {"ReduceSum", "ReduceMean"}) {
    for (const int64_t keeps : {0, 1}) {
      check_gradient(
          [&](GraphBuilder& g, ValueId a, ValueId b) {
            const ValueId squares = op(g, "Mul", {a, a});
            const ValueId left =
                op(g, type, {squares, list(g, {-1})}, {Attribute::of_int("keepdims", keeps)});
            return op(g, "Mul", {left, op(g, type, {b}, {Attribute::of_int("keepdims", 0)})});
          },
          {2, 3}, {3});
    }
  }
  check_gradient(
      [](GraphBuilder& g, ValueId a, ValueId b) {
        return op(g, "Mul", {op(g, "Softmax", {a}, {Attribute::of_int("axis", 0)}), b});
      },
      {3, 2}, {3, 2});
}

TEST(gradient, passes_through_operators_that_only_move_elements) {
  check_gradient(
      [](GraphBuilder& g, ValueId a, ValueId b) {
        const ValueId turned = op(g, "Transpose", {op(g, "Reshape", {a, list(g, {3, 4})})},
                                  {Attribute::of_ints("perm", {1, 0})});
        const ValueId joined = op(g, "Concat", {turned, b}, {Attribute::of_int("axis", 1)});
        const ValueId part =
            op(g, "Slice", {joined, list(g, {1, -3}), list(g, {100, -1}), list(g, {0, 1})});
        const ValueId wide =
            op(g, "Expand", {op(g, "Unsqueeze", {part, list(g, {0})}), list(g, {2, 1, 1})});
        return op(g, "Mul", {wide, op(g, "Flatten", {part})});
      },
      {2, 6}, {4, 2});
}

TEST(gradient, of_a_value_that_y_does_not_depend_on_is_zero) {
  check_gradient(
      [](GraphBuilder& g, ValueId a, ValueId) {
        return op(g, "Mul", {a, a});
      },
      {2}, {3});
}

TEST(gradient, is_taken_at_the_inputs_of_the_node) {
  GraphBuilder g(21);
  const ValueId a = g.input("a", DType::kFloat32, {1}), b = g.input("b", DType::kFloat32, {1});
  g.output(g.node("Mul", {a, a}, {"y"})[0]);
  import_domain(g.graph(), kTraining, 1);
  g.output(g.node("Gradient", {b}, {"da"}, {names("xs", {"a"}), Attribute::of_string("y", "y")},
                  kTraining)[0]);
  g.infer();
  CHECK_OK(run_pass(g.graph()));
  CHECK_OK(apply_fusions(g.graph(), cpu::lowering_rules(), Logger()));
  const auto found = test::run_graph(g.graph(), {Tensor::from<float>({1}, std::vector<float>{2}),
                                                 Tensor::from<float>({1}, std::vector<float>{5})});
  CHECK_EQ(found[0].elements<float>()[0], 4.0f);
  CHECK_EQ(found[1].elements<float>()[0], 10.0f);
}

// A left out output of one node is not a left out input of another: the Loop, which has no rule,
// does not depend on `a`.
TEST(gradient, does_not_reach_a_node_by_what_both_leave_out) {
  GraphBuilder g(21);
  const ValueId a = g.input("a", DType::kFloat32, {2, 3}),
                b = g.input("b", DType::kFloat32, {2, 3});
  const ValueId scale = g.floats("s", {3}, {1, 1, 1});
  g.output(g.node("LayerNormalization", {a, scale}, {"n", "", "deviation"})[0]);
  GraphBuilder body(21, &g.graph());
  body.input("i", DType::kInt64, {});
  const ValueId go_on = body.input("c", DType::kBool, {});
  const ValueId v = body.input("v", DType::kFloat32, {2, 3});
  body.output(body.node("Identity", {go_on}, {"c_next"})[0]);
  body.output(body.node("Neg", {v}, {"v_next"})[0]);
  const ValueId apart = g.node("Loop", {kNoValue, g.input("is_it", DType::kBool, {}), b}, {"apart"},
                               {graph_attribute("body", body.shared())})[0];
  g.output(g.node("Mul", {a, apart}, {"y"})[0]);
  import_domain(g.graph(), kTraining, 1);
  g.output(g.node("Gradient", {a}, {"da"}, {names("xs", {"a"}), Attribute::of_string("y", "y")},
                  kTraining)[0]);
  g.infer();
  CHECK_OK(run_pass(g.graph()));
}

TEST(gradient, without_a_rule_names_the_operator) {
  GraphBuilder g(21);
  const ValueId a = g.input("a", DType::kFloat32, {2});
  g.output(g.node("Gelu", {a}, {"y"})[0]);
  import_domain(g.graph(), kTraining, 1);
  g.output(g.node("Gradient", {a}, {"da"}, {names("xs", {"a"}), Attribute::of_string("y", "y")},
                  kTraining)[0]);
  g.infer();
  const Status status = run_pass(g.graph());
  CHECK_CODE(status, Code::kNotImplemented);
  CHECK(status.message().find("Gelu") != std::string::npos);
}

TEST(gradient, of_a_name_that_no_value_has_is_refused) {
  GraphBuilder g(21);
  const ValueId a = g.input("a", DType::kFloat32, {2});
  g.output(g.node("Neg", {a}, {"y"})[0]);
  import_domain(g.graph(), kTraining, 1);
  g.output(g.node("Gradient", {a}, {"da"}, {names("xs", {"a"}), Attribute::of_string("y", "z")},
                  kTraining)[0]);
  g.infer();
  CHECK_CODE(run_pass(g.graph()), Code::kInvalidGraph);
}

TEST(gradient, of_softmax_before_opset_13_is_not_taken_for_that_over_the_last_axis) {
  GraphBuilder g(11);
  const ValueId a = g.input("a", DType::kFloat32, {2, 3, 4});
  g.output(g.node("Softmax", {a}, {"y"})[0]);
  CHECK_CODE(status_of_gradient(g, a), Code::kNotImplemented);
}

TEST(gradient, at_an_input_of_another_shape_or_type_is_refused) {
  const std::pair<DType, Dims> others[] = {
      {DType::kFloat32, {2, 3}}, {DType::kFloat32, {3, 2, 1}}, {DType::kFloat64, {3, 2}}};
  for (const auto& [dtype, dims] : others) {
    GraphBuilder g(21);
    const ValueId a = g.input("a", DType::kFloat32, {3, 2});
    g.output(g.node("Transpose", {a}, {"y"}, {Attribute::of_ints("perm", {1, 0})})[0]);
    const Status status = status_of_gradient(g, g.input("b", dtype, dims));
    CHECK_CODE(status, Code::kInvalidGraph);
    CHECK(status.message().find("expected the same type and shape") != std::string::npos);
  }
}

TEST(gradient, of_gradients_does_not_grow_without_limit) {
  GraphBuilder g(21);
  const ValueId a = g.input("a", DType::kFloat32, {1});
  std::string y = "y0";
  g.node("Tanh", {a}, {y.c_str()});
  import_domain(g.graph(), kTraining, 1);
  for (int i = 1; i < 16; ++i) {
    const std::string next = str_cat("y", i);
    g.node("Gradient", {a}, {next.c_str()}, {names("xs", {"a"}), Attribute::of_string("y", y)},
           kTraining);
    y = next;
  }
  g.output(g.graph().find_value(y)->id);
  g.infer();
  const Status status = run_pass(g.graph());
  CHECK_CODE(status, Code::kInvalidGraph);
  CHECK(status.message().find("that gradients may still add") != std::string::npos);
}
