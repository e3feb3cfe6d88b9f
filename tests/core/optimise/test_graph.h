// SPDX-License-Identifier: MIT
// Builds small graphs for tests of inference and of passes, and runs one pass on them.
//
// The kernels behind the evaluator are stand-ins: they exist for the operators that passes ask for,
// and compute only Add and Mul of equal shapes.
#pragma once

#include <string>
#include <vector>

#include "core/graph/symbol/symbol.h"
#include "core/graph/verify.h"
#include "core/ops/infer.h"
#include "core/optimise/pipeline.h"
#include "tests/support/test.h"

namespace ortc::test {

inline Status stand_in_prepare(PrepareContext&) { return Status::ok(); }
inline Status stand_in_bind(BindContext& ctx) {
  return ctx.set_output(0, ctx.input(0).dtype, ctx.input(0).dims());
}
template <bool kMultiply>
Status stand_in_run(RunContext& ctx) {
  for (int64_t i = 0; i < ctx.output(0).element_count(); ++i) {
    const float a = ctx.input(0).as<float>()[i], b = ctx.input(1).as<float>()[i];
    ctx.output(0).as_mutable<float>()[i] = kMultiply ? a * b : a + b;
  }
  return Status::ok();
}

inline const KernelRegistry& stand_in_kernels() {
  constexpr std::string_view kMs = "com.microsoft";
  constexpr auto row = [](std::string_view op, std::string_view domain, bool multiply = false) {
    return KernelRow{op,
                     domain,
                     1,
                     kLatestOpset,
                     kFixedSizeTypes,
                     op,
                     1,
                     0,
                     0,
                     stand_in_prepare,
                     stand_in_bind,
                     multiply ? stand_in_run<true> : stand_in_run<false>};
  };
  static const KernelRow rows[] = {
      row("Add", ""),
      row("Mul", "", true),
      row("Cast", ""),
      row("Identity", ""),
      row("RandomNormalLike", ""),
      row("Gelu", ""),
      row("LayerNormalization", ""),
      row("SimplifiedLayerNormalization", ""),
      row("RMSNormalization", ""),
      row("Gelu", kMs),
      row("FastGelu", kMs),
      row("QuickGelu", kMs),
      row("BiasGelu", kMs),
      row("SkipLayerNormalization", kMs),
      row("DequantizeLinear", ""),
  };
  static const KernelRegistry registry({KernelTable(rows)});
  return registry;
}

class TestGraph {
 public:
  explicit TestGraph(int64_t opset) {
    model.opsets = std::make_shared<OpsetImports>(OpsetImports{{"", opset}});
    model.graph = std::make_shared<Graph>(model.opsets);
    model.graph->name = "test";
  }

  Graph& graph() { return *model.graph; }
  ValueId input(std::string name, DType dtype, Shape shape) {
    const ValueId id =
        graph().add_value(std::move(name), Type::tensor(dtype, std::move(shape))).value();
    graph().add_input(id);
    return id;
  }
  ValueId input(std::string name, Dims dims) {
    return input(std::move(name), DType::kFloat32, shape_of(dims));
  }
  ValueId constant(std::string name, Tensor tensor) {
    return graph().add_constant(name, std::move(tensor));
  }
  ValueId floats(std::string name, Dims dims, std::vector<float> values) {
    return constant(std::move(name), Tensor::from<float>(std::move(dims), values));
  }
  ValueId scalar(float value) { return floats("number", {}, {value}); }
  ValueId ints(std::string name, std::vector<int64_t> values) {
    return constant(std::move(name),
                    Tensor::from<int64_t>({static_cast<int64_t>(values.size())}, values));
  }
  std::vector<ValueId> nodes(std::string op, std::vector<ValueId> inputs, size_t outputs,
                             std::vector<Attribute> attributes = {}, std::string domain = "") {
    std::vector<ValueId> ids;
    for (size_t i = 0; i < outputs; ++i)
      ids.push_back(graph().add_value(graph().unique_name("t")).value());
    CHECK_OK(graph().add_node(std::move(op), std::move(domain), "", std::move(inputs), ids,
                              std::move(attributes)));
    return ids;
  }
  ValueId node(std::string op, std::vector<ValueId> inputs, std::vector<Attribute> attributes = {},
               std::string domain = "") {
    return nodes(std::move(op), std::move(inputs), 1, std::move(attributes), std::move(domain))[0];
  }
  void output(ValueId id, std::string name = "y") {
    CHECK_OK(graph().rename_value(id, std::move(name)));
    graph().add_output(id);
  }
  void infer() {
    CHECK_OK(infer_types(graph()));
    CHECK_OK(verify_graph(graph()));
  }
  // As callers see it: sizes that only inference has a symbol for are unknown.
  std::string type(ValueId id) { return type_to_string(shown_type(graph().value(id)->type)); }

  // Runs one pass once and says how often it rewrote something; the graph is sound afterwards.
  int run(std::string_view pass_name) {
    infer();
    const Evaluator evaluator(stand_in_kernels());
    const OptimiseOptions options;
    Budget budget = Budget::of(graph());
    const PassContext context{evaluator, options, budget};
    for (const Pass& pass : graph_passes()) {
      if (pass.name != pass_name) continue;
      auto rewrites = pass.run(graph(), context);
      CHECK_OK(rewrites);
      infer();
      return *rewrites;
    }
    check_failed(__FILE__, __LINE__, "no pass has this name");
  }
  // The operators in the order of execution: "Conv Relu".
  std::string operators() {
    std::string text;
    auto order = graph().topological_order();
    CHECK_OK(order);
    for (NodeId id : *order) {
      const Node& node = *graph().node(id);
      if (!text.empty()) text += ' ';
      if (!node.domain().empty()) text += node.domain() + "::";
      text += node.op_type();
    }
    return text;
  }
  Node& producer_of(std::string_view name) {
    Value* value = graph().find_value(name);
    CHECK(value != nullptr && value->producer != kNoNode);
    return *graph().node(value->producer);
  }
  const Tensor& constant_input(const Node& node, size_t i) {
    const Value* value = graph().value(node.input(i));
    CHECK(value != nullptr && value->constant() != nullptr);
    return *value->constant();
  }

  Model model;
};

}  // namespace ortc::test
