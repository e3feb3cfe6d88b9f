// SPDX-License-Identifier: MIT
// Where the values of a run lie, and outputs that a call names several times.
#include <algorithm>
#include <functional>

#include "core/session/runs/session_frame.h"

namespace ortc {

Result<MemoryNumber> Session::number_of(const MemoryInfo* info, std::string_view value) const {
  if (info == nullptr) return kHostMemory;
  const auto number = memories_.find(*info);
  if (number.has_value()) return *number;
  return invalid_argument("'", value, "' lies in memory '", info->name, "' of device ",
                          info->device_id, ", which the session does not use");
}

static bool is_among(const ValueRef* value, std::span<const ValueRef> values) {
  const std::less<> is_before;  // between any two pointers
  return value != nullptr && !is_before(value, values.data()) &&
         is_before(value, values.data() + values.size());
}

// From the lists of the call to those of the plan.
Status Session::place_values(Frame& frame, std::span<const ValueRef> inputs,
                             const ValuePlaces& places) const {
  frame.input_memories.assign(frame.refs.size(), kHostMemory);
  frame.device_targets.assign(frame.targets.size(), {});
  for (size_t k = 0; k < frame.refs.size(); ++k) {
    const ModelPorts::GraphInput& input = facts_.ports.graph_inputs[k];
    const ValueRef* const given =
        input.is_overridable ? frame.overrides[input.port] : frame.given[input.port];
    if (!is_among(given, inputs)) continue;  // nothing was given, or an adapter replaced it
    const auto i = static_cast<size_t>(given - inputs.data());
    if (i >= places.inputs.size()) continue;
    const Port& port =
        input.is_overridable ? overridable()[input.port] : facts_.ports.inputs[input.port];
    ASSIGN_OR_RETURN(frame.input_memories[k], number_of(places.inputs[i], port.name));
  }
  for (const auto& [number, place] : frame.wanted) {
    if (place >= places.outputs.size()) continue;
    DeviceTarget& target = frame.device_targets[number];
    ASSIGN_OR_RETURN(target.memory, number_of(places.outputs[place], outputs()[number].name));
    if (target.memory != kHostMemory) {
      target.provided = std::exchange(frame.targets[number].provided, {});
    }
  }
  for (const auto& [number, place] : frame.repeated) {
    const bool is_on_host = place >= places.outputs.size() || places.outputs[place] == nullptr;
    if (is_on_host && frame.device_targets[number].memory == kHostMemory) continue;
    return invalid_argument("output '", outputs()[number].name,
                            "' is asked for twice, and one copy is to be in memory of a device");
  }
  frame.places = RunPlaces{frame.input_memories, frame.device_targets};
  return Status::ok();
}

// The result once more, for a call that names an output several times.
Status Session::give_again(const ValueRef& result, std::string_view name,
                           OutputTarget& target) const {
  const ValueRef& provided = target.provided;
  if (result.datum != nullptr && !provided.is_present()) {
    target.made = *result.datum;
    return Status::ok();
  }
  if (!provided.is_present()) {
    ASSIGN_OR_RETURN(
        Tensor copy,
        tensor_maker_ != nullptr && *tensor_maker_
            ? (*tensor_maker_)(result.dtype, result.dims())
            : Tensor::create_unset(result.dtype, Dims(result.dims().begin(), result.dims().end())));
    copy_elements(result.dtype, result.element_count(), result.data, copy.mutable_data());
    target.made = std::move(copy);
    return Status::ok();
  }
  if (provided.dtype != result.dtype || !std::ranges::equal(provided.dims(), result.dims())) {
    return invalid_argument("output '", name, "' was provided as ", dtype_name(provided.dtype),
                            dims_to_string(provided.dims()), ", expected ",
                            dtype_name(result.dtype), dims_to_string(result.dims()));
  }
  copy_elements(result.dtype, result.element_count(), result.data, provided.data);
  return Status::ok();
}

}  // namespace ortc
