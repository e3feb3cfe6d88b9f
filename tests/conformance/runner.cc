// SPDX-License-Identifier: MIT
// The route node by node: see the header.
#include "tests/conformance/runner.h"

#include <map>

#include "core/graph/model.h"
#include "core/kernel/evaluator.h"
#include "core/platform/threads.h"
#include "providers/cpu/cpu_kernels.h"

namespace ortc::test {
namespace {

// What a Constant node gives, as far as it is a tensor.
Result<Tensor> constant_of(const Node& node) {
  if (const Attribute* value = node.attribute("value"); value != nullptr && value->tensor) {
    return value->tensor->tensor;
  }
  if (const Attribute* value = node.attribute("value_int")) return Tensor::scalar(value->i);
  if (const Attribute* value = node.attribute("value_float")) return Tensor::scalar(value->f);
  if (const Attribute* value = node.attribute("value_ints")) {
    return Tensor::from<int64_t>({static_cast<int64_t>(value->ints.size())}, value->ints);
  }
  if (const Attribute* value = node.attribute("value_floats")) {
    return Tensor::from<float>({static_cast<int64_t>(value->floats.size())}, value->floats);
  }
  return not_implemented("a Constant of this kind");
}

using Values = std::map<ValueId, Datum>;

// An optional keeps the type it has: its content does not tell.
void set_type(Value& value, const Datum& datum) {
  if (value.type.kind != TypeKind::kOptional) value.type = Type::of(datum);
}

Status run_node(Graph& graph, const Node& node, Values& values, ThreadPool& pool, Isa isa) {
  std::vector<Datum> outputs;
  if (node.is_op("Constant")) {
    ASSIGN_OR_RETURN(Tensor value, constant_of(node));
    outputs.emplace_back(std::move(value));
  } else {
    std::vector<Datum> inputs;
    for (const ValueId id : node.inputs()) {
      inputs.push_back(id == kNoValue ? Datum() : values[id]);
    }
    const Evaluator evaluator(cpu::kernel_registry());
    ASSIGN_OR_RETURN(outputs, evaluator.evaluate_values(node, inputs, &pool, isa));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (node.output(i) == kNoValue) continue;
    set_type(*graph.value(node.output(i)), outputs[i]);
    values[node.output(i)] = std::move(outputs[i]);
  }
  return Status::ok();
}

Result<std::vector<Datum>> run_graph(Graph& graph, const std::vector<Datum>& inputs,
                                     ThreadPool& pool, Isa isa) {
  Values values;
  for (const ValueId id : graph.initializers()) {
    const Value* value = graph.value(id);
    if (value->initializer == nullptr) return not_implemented("sparse initializers");
    values[id] = value->initializer->tensor;
    set_type(*graph.value(id), values[id]);
  }
  const auto ids = inputs_without_values(graph);
  for (size_t i = 0; i < inputs.size(); ++i) {
    values[ids[i]] = inputs[i];
    set_type(*graph.value(ids[i]), inputs[i]);
  }
  ASSIGN_OR_RETURN(const std::vector<NodeId> order, graph.topological_order());
  for (const NodeId id : order) {
    RETURN_IF_ERROR(run_node(graph, *graph.node(id), values, pool, isa));
  }
  std::vector<Datum> outputs;
  for (const ValueId id : graph.outputs()) outputs.push_back(values[id]);
  return outputs;
}

// All data sets at one level: two threads must give the bits that one gives.
RouteResult run_level(const TestCase& test_case, Graph& graph, const std::vector<DataSet>& sets,
                      Isa isa) {
  std::vector<std::vector<Datum>> first;
  for (const int threads : {1, 2}) {
    ThreadPool pool({.thread_count = threads});
    std::vector<std::vector<Datum>> found;
    for (const DataSet& set : sets) {
      auto outputs = run_graph(graph, set.inputs, pool, isa);
      if (!outputs.is_ok()) return failed("nodes", outputs.status());
      found.push_back(std::move(outputs).value());
    }
    std::string what = first_difference(found, sets, test_case.tolerance);
    if (what.empty() && threads == 2 && !are_same(found, first)) {
      what = "two threads give other bits than one";
    }
    if (!what.empty()) {
      return {"nodes", Outcome::kFail, str_cat(isa_name(isa), ", ", threads, " threads: ", what)};
    }
    first = std::move(found);
  }
  return {"nodes", Outcome::kPass, ""};
}

}  // namespace

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPass:
      return "pass";
    case Outcome::kFail:
      return "fail";
    case Outcome::kUnsupported:
      return "unsupported";
  }
  return "";
}

RouteResult failed(const std::string& route, const Status& status) {
  const bool is_missing = status.code() == Code::kNotImplemented;
  return {route, is_missing ? Outcome::kUnsupported : Outcome::kFail, status.to_string()};
}

std::string first_difference(const std::vector<std::vector<Datum>>& found,
                             const std::vector<DataSet>& expected, Tolerance tolerance) {
  for (size_t s = 0; s < expected.size(); ++s) {
    for (size_t i = 0; i < expected[s].outputs.size(); ++i) {
      const Comparison result = compare(found[s][i], expected[s].outputs[i], tolerance);
      if (!result.agrees()) return str_cat("data set ", s, ", output ", i, ": ", result.what);
    }
  }
  return {};
}

RouteResult run_nodes(const TestCase& test_case) {
  auto model = import_model_file(test_case.model_path, {});
  if (!model.is_ok()) return failed("nodes", model.status());
  Graph& graph = *(*model)->graph;
  auto sets = read_data_sets(test_case, graph);
  if (!sets.is_ok()) return failed("nodes", sets.status());
  for (int level = 0; level <= static_cast<int>(host_isa()); ++level) {
    RouteResult result = run_level(test_case, graph, *sets, static_cast<Isa>(level));
    if (result.outcome != Outcome::kPass) return result;
  }
  return {"nodes", Outcome::kPass, ""};
}

}  // namespace ortc::test
