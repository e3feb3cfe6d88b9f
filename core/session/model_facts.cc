// SPDX-License-Identifier: MIT
// Ports of a model: see the header.
#include "core/session/model_facts.h"

#include "core/graph/symbol/symbol.h"

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
    ports.outputs.push_back({value.name, shown_type(value.type)});
  }
  return ports;
}

Status ModelPorts::excuse_unread_inputs(const Plan& plan) {
  const BodyRecord& body = plan.body(0);
  std::vector<bool> is_read(body.slots.count, false);
  const auto read = [&](PlanRange slots) {
    for (uint32_t slot : plan.indices(slots)) {
      if (slot != kNoIndex) is_read[slot] = true;
    }
  };
  read(body.outputs);
  for (uint32_t i = 0; i < body.steps.count; ++i) read(plan.step(body, i).inputs);
  const auto slots = plan.indices(body.inputs);
  for (size_t i = 0; i < slots.size() && i < graph_inputs.size(); ++i) {
    if (is_read[slots[i]] || graph_inputs[i].is_overridable) continue;
    ASSIGN_OR_RETURN(graph_inputs[i].otherwise, Tensor::create(DType::kUint8, {}));
  }
  return Status::ok();
}

}  // namespace ortc
