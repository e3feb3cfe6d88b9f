// SPDX-License-Identifier: MIT
// Ports of a model: see the header.
#include "core/session/model_facts.h"

namespace ortc {

ModelPorts ModelPorts::of(const Graph& graph) {
  ModelPorts ports;
  for (ValueId id : graph.inputs()) {
    const Value& value = *graph.value(id);
    auto& list = value.initializer != nullptr ? ports.overridable : ports.inputs;
    GraphInput input;
    input.port = list.size();
    input.is_overridable = value.initializer != nullptr;
    if (value.initializer != nullptr) input.otherwise = value.initializer->tensor;
    ports.graph_inputs.push_back(std::move(input));
    list.push_back({value.name, value.type});
  }
  for (ValueId id : graph.outputs()) {
    const Value& value = *graph.value(id);
    ports.outputs.push_back({value.name, value.type});
  }
  return ports;
}

}  // namespace ortc
