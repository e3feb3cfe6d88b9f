// SPDX-License-Identifier: MIT
// DequantizeLinear of constants that no other fusion has taken:
//
//   D(constant) -> constant
#include "core/kernel/evaluator.h"
#include "providers/cpu/fusions/quantised/quantised_match.h"

namespace ortc::cpu {
namespace {

// A constant that is still dequantised at each run.
Result<bool> fold_constant(Graph& graph, const Evaluator& evaluator, NodeId id) {
  const Node& node = *graph.node(id);
  if (!is_dequantize(node)) return false;
  const ValueId output = node.output(0);
  if (graph.value(output)->is_output || graph.value(output)->uses.empty()) return false;
  std::vector<Tensor> inputs;
  for (ValueId input : node.inputs()) {
    const Tensor* constant = input != kNoValue ? graph.value(input)->constant() : nullptr;
    if (input != kNoValue && constant == nullptr) return false;
    inputs.push_back(constant != nullptr ? *constant : Tensor());
  }
  auto results = evaluator.evaluate(node, inputs);
  if (!results.is_ok()) return false;  // the run will say what is wrong
  graph.remove_node(id);
  auto constant = std::make_shared<Constant>();
  constant->name = graph.value(output)->name;
  constant->tensor = std::move((*results)[0]);
  graph.value(output)->type = Type::tensor_of(constant->tensor);
  graph.set_initializer(output, std::move(constant));
  return true;
}

}  // namespace

Result<int> dequantised_constants(Graph& graph, const KernelRegistry& kernels) {
  const Evaluator evaluator(kernels);
  int matches = 0;
  const size_t bound = graph.node_bound();
  for (NodeId id = 0; id < bound; ++id) {
    if (graph.node(id) == nullptr) continue;
    ASSIGN_OR_RETURN(const bool done, fold_constant(graph, evaluator, id));
    matches += done ? 1 : 0;
  }
  return matches;
}

}  // namespace ortc::cpu
