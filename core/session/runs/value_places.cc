// SPDX-License-Identifier: MIT
// Where the values of a run lie, and outputs that a call names several times.
#include <functional>

#include "core/run/provided_output.h"
#include "core/session/runs/session_run.h"

namespace ortc {

Result<MemoryNumber> SessionRun::number_of(const MemoryInfo* info, std::string_view value) const {
  if (info == nullptr) return kHostMemory;
  const auto number = session_.memories_.find(*info);
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
Status SessionRun::place_values(const ValuePlaces& places) {
  input_memories_.assign(refs_.size(), kHostMemory);
  device_targets_.assign(targets_.size(), {});
  for (size_t k = 0; k < refs_.size(); ++k) {
    const ModelPorts::GraphInput& input = session_.facts_.ports.graph_inputs[k];
    const ValueRef* const given = given_of(input);
    if (!is_among(given, call_.inputs)) continue;  // nothing was given, or an adapter replaced it
    const auto i = static_cast<size_t>(given - call_.inputs.data());
    if (i >= places.inputs.size()) continue;
    ASSIGN_OR_RETURN(input_memories_[k], number_of(places.inputs[i], port_of(input).name));
  }
  for (const auto& [number, place] : wanted_) {
    if (place >= places.outputs.size()) continue;
    DeviceTarget& target = device_targets_[number];
    ASSIGN_OR_RETURN(target.memory,
                     number_of(places.outputs[place], session_.outputs()[number].name));
    if (target.memory != kHostMemory) {
      target.provided = std::exchange(targets_[number].provided, {});
    }
  }
  for (const auto& [number, place] : repeated_) {
    const bool is_on_host = place >= places.outputs.size() || places.outputs[place] == nullptr;
    if (is_on_host && device_targets_[number].memory == kHostMemory) continue;
    return invalid_argument("output '", session_.outputs()[number].name,
                            "' is asked for twice, and memory of a device shall have it");
  }
  places_ = RunPlaces{input_memories_, device_targets_};
  return Status::ok();
}

// The result once more, for a call that names an output several times.
Status SessionRun::give_again(const ValueRef& result, std::string_view name,
                              OutputTarget& target) const {
  const ValueRef& provided = target.provided;
  if (result.datum != nullptr && !provided.is_present()) {
    target.made = *result.datum;
    return Status::ok();
  }
  if (!provided.is_present()) {
    ASSIGN_OR_RETURN(
        Tensor copy,
        session_.tensor_maker_ != nullptr && *session_.tensor_maker_
            ? (*session_.tensor_maker_)(result.dtype, result.dims())
            : Tensor::create_unset(result.dtype, Dims(result.dims().begin(), result.dims().end())));
    copy_elements(result.dtype, result.element_count(), result.data, copy.mutable_data());
    target.made = std::move(copy);
    return Status::ok();
  }
  if (!fits(provided, result.dtype, result.dims())) {
    return wrong_provided(name, provided, result.dtype, result.dims());
  }
  copy_elements(result.dtype, result.element_count(), result.data, provided.data);
  return Status::ok();
}

}  // namespace ortc
