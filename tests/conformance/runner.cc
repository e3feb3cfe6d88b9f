// SPDX-License-Identifier: MIT
// The test case runner: see the header.
#include "tests/conformance/runner.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/graph/model.h"
#include "core/kernel/evaluator.h"
#include "core/platform/threads.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/element.h"

namespace ortc::test {
namespace {

template <typename T>
double as_double(T value) {
  if constexpr (cpu::kIsReduced<T>) return static_cast<float>(value);
  return static_cast<double>(value);
}

bool is_close(double found, double expected, double rtol, double atol) {
  if (std::isnan(found) || std::isnan(expected)) return std::isnan(found) && std::isnan(expected);
  if (std::isinf(found) || std::isinf(expected)) return found == expected;
  return std::fabs(found - expected) <= atol + rtol * std::fabs(expected);
}

// Neighbouring bfloat16 numbers lie up to 2^-7 apart, and some expected values are truncated ones.
double rtol_of(DType dtype, double rtol) {
  return dtype == DType::kBfloat16 ? std::max(rtol, 1.0 / 128) : rtol;
}

template <typename T>
std::string float_difference(const Tensor& found, const Tensor& expected, double rtol,
                             double atol) {
  for (int64_t i = 0; i < found.element_count(); ++i) {
    const double a = as_double(static_cast<const T*>(found.data())[i]);
    const double b = as_double(static_cast<const T*>(expected.data())[i]);
    if (!is_close(a, b, rtol, atol)) {
      return str_cat("element ", i, " is ", a, ", expected ", b);
    }
  }
  return {};
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.byte_size() == b.byte_size() &&
         (a.byte_size() == 0 || std::memcmp(a.data(), b.data(), a.byte_size()) == 0);
}

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

using Values = std::map<ValueId, Tensor>;

Status run_node(Graph& graph, const Node& node, Values& values, ThreadPool& pool, Isa isa) {
  std::vector<Tensor> outputs;
  if (node.is_op("Constant")) {
    ASSIGN_OR_RETURN(Tensor value, constant_of(node));
    outputs.push_back(std::move(value));
  } else {
    std::vector<Tensor> inputs;
    for (const ValueId id : node.inputs()) {
      inputs.push_back(id == kNoValue ? Tensor() : values[id]);
    }
    ASSIGN_OR_RETURN(outputs, Evaluator(cpu::kernel_registry()).evaluate(node, inputs, &pool, isa));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (node.output(i) == kNoValue) continue;
    graph.value(node.output(i))->type = Type::tensor_of(outputs[i]);
    values[node.output(i)] = std::move(outputs[i]);
  }
  return Status::ok();
}

Result<std::vector<Tensor>> run_graph(Graph& graph, const std::vector<Tensor>& inputs,
                                      ThreadPool& pool, Isa isa) {
  Values values;
  for (const ValueId id : graph.initializers()) {
    const Value* value = graph.value(id);
    if (value->initializer == nullptr) return not_implemented("sparse initializers");
    values[id] = value->initializer->tensor;
    graph.value(id)->type = Type::tensor_of(values[id]);
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    values[graph.inputs()[i]] = inputs[i];
    graph.value(graph.inputs()[i])->type = Type::tensor_of(inputs[i]);
  }
  ASSIGN_OR_RETURN(const std::vector<NodeId> order, graph.topological_order());
  for (const NodeId id : order) {
    RETURN_IF_ERROR(run_node(graph, *graph.node(id), values, pool, isa));
  }
  std::vector<Tensor> outputs;
  for (const ValueId id : graph.outputs()) outputs.push_back(values[id]);
  return outputs;
}

CaseResult failed(const Status& status) {
  const bool is_missing = status.code() == Code::kNotImplemented;
  return {is_missing ? Outcome::kUnsupported : Outcome::kFail, status.to_string()};
}

// One data set at one level: two threads must give the bits that one gives.
CaseResult run_level(const TestCase& test_case, Graph& graph, const DataSet& set, Isa isa) {
  std::vector<Tensor> first;
  for (const int threads : {1, 2}) {
    ThreadPool pool({.thread_count = threads});
    auto outputs = run_graph(graph, set.inputs, pool, isa);
    if (!outputs.is_ok()) return failed(outputs.status());
    for (size_t i = 0; i < outputs->size(); ++i) {
      std::string what = difference((*outputs)[i], set.outputs[i], test_case.rtol, test_case.atol);
      if (what.empty() && threads == 2 && !same_bytes((*outputs)[i], first[i])) {
        what = "two threads give other bits than one";
      }
      if (!what.empty()) {
        return {Outcome::kFail,
                str_cat("output ", i, ", ", isa_name(isa), ", ", threads, " threads: ", what)};
      }
    }
    first = std::move(*outputs);
  }
  return {};
}

// Some of ONNX's files hold bfloat16 under the type uint16; the model says what is meant.
Status take_types(const Graph& graph, const std::vector<ValueId>& ids,
                  std::vector<Tensor>& tensors) {
  for (size_t i = 0; i < ids.size(); ++i) {
    Tensor& tensor = tensors[i];
    const bool means_bfloat16 = graph.value(ids[i])->type.dtype == DType::kBfloat16;
    if (!means_bfloat16 || tensor.dtype() != DType::kUint16) continue;
    ASSIGN_OR_RETURN(tensor,
                     Tensor::view(DType::kBfloat16, tensor.dims(), tensor.bytes(), tensor.owner()));
  }
  return Status::ok();
}

CaseResult run_data_set(const TestCase& test_case, Graph& graph, const std::string& path) {
  auto set = read_data_set(path, graph.inputs().size(), graph.outputs().size());
  if (!set.is_ok()) return failed(set.status());
  for (Status status : {take_types(graph, graph.inputs(), set->inputs),
                        take_types(graph, graph.outputs(), set->outputs)}) {
    if (!status.is_ok()) return failed(status);
  }
  for (int level = 0; level <= static_cast<int>(host_isa()); ++level) {
    CaseResult result = run_level(test_case, graph, *set, static_cast<Isa>(level));
    if (result.outcome != Outcome::kPass) return result;
  }
  return {};
}

bool are_tensors(const Graph& graph, const std::vector<ValueId>& ids) {
  for (const ValueId id : ids) {
    if (!graph.value(id)->type.is_tensor()) return false;
  }
  return true;
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

std::string difference(const Tensor& found, const Tensor& expected, double rtol, double atol) {
  if (found.dtype() != expected.dtype() || found.dims() != expected.dims()) {
    return str_cat("found ", dtype_name(found.dtype()), dims_to_string(found.dims()), ", expected ",
                   dtype_name(expected.dtype()), dims_to_string(expected.dims()));
  }
  if (found.dtype() == DType::kString) {
    const auto a = found.string_elements(), b = expected.string_elements();
    return std::equal(a.begin(), a.end(), b.begin()) ? "" : "strings differ";
  }
  std::string what;
  const bool is_float = cpu::with_type(cpu::FloatTypes{}, found.dtype(), [&](auto tag) {
    what = float_difference<typename decltype(tag)::type>(found, expected,
                                                          rtol_of(found.dtype(), rtol), atol);
  });
  if (is_float) return what;
  return same_bytes(found, expected) ? "" : "elements differ";
}

CaseResult run_case(const TestCase& test_case) {
  auto model = import_model_file(test_case.model_path, {});
  if (!model.is_ok()) return failed(model.status());
  Graph& graph = *(*model)->graph;
  if (!are_tensors(graph, graph.inputs()) || !are_tensors(graph, graph.outputs())) {
    return {Outcome::kUnsupported, "inputs or outputs that are no tensors"};
  }
  if (test_case.data_set_paths.empty()) return {Outcome::kFail, "the case has no data"};
  for (const std::string& path : test_case.data_set_paths) {
    CaseResult result = run_data_set(test_case, graph, path);
    if (result.outcome != Outcome::kPass) return result;
  }
  return {};
}

}  // namespace ortc::test
