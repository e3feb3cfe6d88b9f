// SPDX-License-Identifier: MIT
// Places of inputs and outputs: see the header.
#include "core/session/memory/port_places.h"

#include <algorithm>
#include <optional>

namespace ortc {
namespace {

// The main body of a session's plan, in which every input and output is on the host, with transfers
// behind and before it.
class MainBody {
 public:
  explicit MainBody(const CompiledModel& compiled)
      : compiled_(compiled), plan_(*compiled.main.plan), body_(plan_.body(0)) {}

  PortPlace place_of_input(uint32_t slot) const {
    PortPlace place;
    std::optional<MemoryNumber> memory;
    if (has(body_.outputs, slot)) memory = kHostMemory;
    for (uint32_t i = 0; i < body_.steps.count; ++i) {
      const StepRecord& step = plan_.step(body_, i);
      if (!has(step.inputs, slot)) continue;
      const uint32_t to = is_transfer(step) ? plan_.indices(step.outputs)[0] : slot;
      const MemoryNumber wanted = plan_.slot(body_, to).memory;
      memory = memory.value_or(wanted) == wanted ? wanted : kHostMemory;
      if (place.provider.empty()) place.provider = reader_of(i, to);
    }
    place.memory = memory_of(memory.value_or(kHostMemory));
    return place;
  }

  PortPlace place_of_output(uint32_t slot) const {
    for (uint32_t i = 0; i < body_.steps.count; ++i) {
      const StepRecord& step = plan_.step(body_, i);
      if (!has(step.outputs, slot)) continue;
      if (!is_transfer(step)) return {memory_of(plan_.slot(body_, slot).memory), provider_of(step)};
      return place_of_output(plan_.indices(step.inputs)[0]);
    }
    return {};
  }

 private:
  static bool is_transfer(const StepRecord& step) {
    return static_cast<StepKind>(step.kind) == StepKind::kTransfer;
  }
  bool has(PlanRange range, uint32_t slot) const {
    const auto slots = plan_.indices(range);
    return std::ranges::find(slots, slot) != slots.end();
  }
  std::shared_ptr<const DeviceMemory> memory_of(MemoryNumber number) const {
    return number != kHostMemory ? compiled_.memories.shared_memory(number) : nullptr;
  }
  std::string provider_of(const StepRecord& step) const {
    const bool is_call = static_cast<StepKind>(step.kind) == StepKind::kCall;
    return is_call ? compiled_.parts[step.callee].provider
                   : std::string(compiled_.providers.rest.factory->name());
  }
  // Who reads `slot` at or behind step `first`.
  std::string reader_of(uint32_t first, uint32_t slot) const {
    for (uint32_t i = first; i < body_.steps.count; ++i) {
      const StepRecord& step = plan_.step(body_, i);
      if (!is_transfer(step) && has(step.inputs, slot)) return provider_of(step);
    }
    return {};
  }

  const CompiledModel& compiled_;
  const Plan& plan_;
  const BodyRecord& body_;
};

}  // namespace

PortPlaces PortPlaces::of(const CompiledModel& compiled) {
  const MainBody body(compiled);
  const ModelPorts& ports = compiled.facts.ports;
  const Plan& plan = *compiled.main.plan;
  PortPlaces places;
  places.inputs.resize(ports.inputs.size());
  const auto inputs = plan.indices(plan.body(0).inputs);
  for (size_t i = 0; i < inputs.size() && i < ports.graph_inputs.size(); ++i) {
    const ModelPorts::GraphInput& input = ports.graph_inputs[i];
    if (!input.is_overridable) places.inputs[input.port] = body.place_of_input(inputs[i]);
  }
  for (uint32_t slot : plan.indices(plan.body(0).outputs)) {
    places.outputs.push_back(body.place_of_output(slot));
  }
  places.outputs.resize(ports.outputs.size());
  return places;
}

}  // namespace ortc
