// SPDX-License-Identifier: MIT
// Runs of a session that records them: once through the executor, until the provider has recorded
// them, then by the provider alone.
#include "core/session/runs/session_run.h"

namespace ortc {
namespace {

bool waits(const RunOptions* options) {
  if (options == nullptr) return true;
  const auto entry = options->config.find("disable_synchronize_execution_providers");
  return entry == options->config.end() || entry->second != "1";
}

}  // namespace

bool SessionRun::is_on_device(size_t output) const {
  return places_.has_value() && places_->output(output) != kHostMemory;
}

RunValues SessionRun::values() const {
  RunValues values;
  for (size_t k = 0; k < refs_.size(); ++k) {
    const MemoryNumber memory = places_.has_value() ? places_->input(k) : MemoryNumber(kHostMemory);
    values.inputs.push_back(RunValue::of(refs_[k], memory));
  }
  values.outputs.resize(targets_.size());
  for (const auto& [number, place] : wanted_) {
    const ValueRef& provided =
        is_on_device(number) ? device_targets_[number].provided : targets_[number].provided;
    values.outputs[number] = RunValue::of(
        provided, is_on_device(number) ? places_->output(number) : MemoryNumber(kHostMemory));
  }
  return values;
}

// What a run made for the caller is where the next ones write, too.
Status SessionRun::provide_made(std::vector<Datum>& made) {
  for (const auto& [number, place] : wanted_) {
    OutputTarget& target = targets_[number];
    if (made[number].is_none()) made[number] = target.made;
    if (made[number].is_none()) continue;  // the caller's own
    if (!made[number].is_tensor()) {
      return not_implemented("recording runs whose output '", session_.outputs()[number].name,
                             "' is not a tensor");
    }
    ValueRef& provided = is_on_device(number) ? device_targets_[number].provided : target.provided;
    provided = ref_to(*made[number].tensor());
  }
  return Status::ok();
}

Status SessionRun::record(int id) {
  std::vector<Datum> made(targets_.size());
  for (int attempt = 0; attempt < GraphReplay::kAttemptsMax; ++attempt) {
    for (DeviceTarget& target : device_targets_) target.is_done = false;
    RETURN_IF_ERROR(run_once(/*has_own_profile=*/attempt == 0));
    RETURN_IF_ERROR(provide_made(made));
    ASSIGN_OR_RETURN(const bool is_captured, session_.replay_->is_captured(id));
    if (!is_captured) continue;
    session_.replay_->remember(id, values());
    for (const auto& [number, place] : wanted_) {
      if (!made[number].is_none()) targets_[number].made = std::move(made[number]);
    }
    return Status::ok();
  }
  return fail("Graph capture did not complete after ", GraphReplay::kAttemptsMax,
              " internal runs for ", session_.replay_->provider(),
              ", which says that it captures graphs");
}

Status SessionRun::run_recorded() {
  ASSIGN_OR_RETURN(const std::optional<int> id,
                   GraphReplay::id_of(call_.options != nullptr ? &call_.options->config : nullptr));
  if (!id.has_value()) return run_once();
  RETURN_IF_ERROR(session_.replay_->check_places(values()));
  ASSIGN_OR_RETURN(const bool is_captured, session_.replay_->is_captured(*id));
  if (!is_captured) return record(*id);
  RETURN_IF_ERROR(session_.replay_->replay(*id, values()));
  return waits(call_.options) ? session_.wait_for_devices() : Status::ok();
}

}  // namespace ortc
