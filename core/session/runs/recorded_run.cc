// SPDX-License-Identifier: MIT
// Runs of a session that records them: once through the executor, until the provider has recorded
// them, then by the provider alone.
#include "core/session/runs/session_frame.h"

namespace ortc {
namespace {

bool waits(const RunOptions* options) {
  if (options == nullptr) return true;
  const auto entry = options->config.find("disable_synchronize_execution_providers");
  return entry == options->config.end() || entry->second != "1";
}

}  // namespace

RunValues Session::values_of(const Frame& frame) {
  RunValues values;
  for (size_t k = 0; k < frame.refs.size(); ++k) {
    const MemoryNumber memory =
        frame.places.has_value() ? frame.places->input(k) : MemoryNumber(kHostMemory);
    values.inputs.push_back(RunValue::of(frame.refs[k], memory));
  }
  values.outputs.resize(frame.targets.size());
  for (const auto& [number, place] : frame.wanted) {
    const bool is_on_device =
        frame.places.has_value() && frame.places->output(number) != kHostMemory;
    const ValueRef& provided =
        is_on_device ? frame.device_targets[number].provided : frame.targets[number].provided;
    values.outputs[number] = RunValue::of(
        provided, is_on_device ? frame.places->output(number) : MemoryNumber(kHostMemory));
  }
  return values;
}

// What a run made for the caller is where the next ones write, too.
Status Session::provide_made(Frame& frame, std::vector<Datum>& made) const {
  for (const auto& [number, place] : frame.wanted) {
    OutputTarget& target = frame.targets[number];
    if (made[number].is_none()) made[number] = target.made;
    if (made[number].is_none()) continue;  // the caller's own
    if (!made[number].is_tensor()) {
      return not_implemented("recording runs whose output '", outputs()[number].name,
                             "' is not a tensor");
    }
    const bool is_on_device =
        frame.places.has_value() && frame.places->output(number) != kHostMemory;
    ValueRef& provided = is_on_device ? frame.device_targets[number].provided : target.provided;
    provided = ref_to(*made[number].tensor());
  }
  return Status::ok();
}

Status Session::record(Frame& frame, int id, const RunOptions* options,
                       const StepObserver* observer) const {
  std::vector<Datum> made(frame.targets.size());
  for (int attempt = 0; attempt < GraphReplay::kAttemptsMax; ++attempt) {
    for (DeviceTarget& target : frame.device_targets) target.is_done = false;
    RETURN_IF_ERROR(run_once(frame, options, observer, /*has_own_profile=*/attempt == 0));
    RETURN_IF_ERROR(provide_made(frame, made));
    ASSIGN_OR_RETURN(const bool is_captured, replay_->is_captured(id));
    if (!is_captured) continue;
    replay_->remember(id, values_of(frame));
    for (const auto& [number, place] : frame.wanted) {
      if (!made[number].is_none()) frame.targets[number].made = std::move(made[number]);
    }
    return Status::ok();
  }
  return fail("Graph capture did not complete after ", GraphReplay::kAttemptsMax,
              " internal runs for ", replay_->provider(), ", which says that it captures graphs");
}

Status Session::run_recorded(Frame& frame, const RunOptions* options,
                             const StepObserver* observer) const {
  ASSIGN_OR_RETURN(const std::optional<int> id,
                   GraphReplay::id_of(options != nullptr ? &options->config : nullptr));
  if (!id.has_value()) return run_once(frame, options, observer);
  RETURN_IF_ERROR(replay_->check_places(values_of(frame)));
  ASSIGN_OR_RETURN(const bool is_captured, replay_->is_captured(*id));
  if (!is_captured) return record(frame, *id, options, observer);
  RETURN_IF_ERROR(replay_->replay(*id, values_of(frame)));
  return waits(options) ? wait_for_devices() : Status::ok();
}

Status Session::release_recording(int id) const {
  return replay_ != nullptr ? replay_->release(id) : Status::ok();
}

}  // namespace ortc
