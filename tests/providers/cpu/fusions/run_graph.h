// SPDX-License-Identifier: MIT
// Runs the nodes of a graph one after the other, each by its kernel: for graphs after rewrites.
#pragma once

#include <vector>

#include "core/compile/lowering.h"
#include "core/kernel/evaluator.h"
#include "providers/cpu/fusions/fusions.h"
#include "tests/support/test.h"

namespace ortc::test {

inline std::vector<Tensor> run_graph(const Graph& graph, const std::vector<Tensor>& inputs) {
  const Evaluator evaluator(cpu::lowering_rules().kernels);
  std::vector<Tensor> values(graph.value_bound());
  for (size_t i = 0; i < inputs.size(); ++i) values[graph.inputs()[i]] = inputs[i];
  for (NodeId id : graph.topological_order().value()) {
    const Node& node = *graph.node(id);
    std::vector<Tensor> operands;
    for (ValueId input : node.inputs()) {
      const Tensor* constant = input != kNoValue ? graph.value(input)->constant() : nullptr;
      operands.push_back(input == kNoValue ? Tensor() : constant ? *constant : values[input]);
    }
    auto results = evaluator.evaluate(node, operands);
    CHECK_OK(results);
    for (size_t i = 0; i < results->size(); ++i) values[node.output(i)] = (*results)[i];
  }
  std::vector<Tensor> outputs;
  for (ValueId id : graph.outputs()) outputs.push_back(values[id]);
  return outputs;
}

}  // namespace ortc::test
