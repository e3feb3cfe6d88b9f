// SPDX-License-Identifier: MIT
// One run of a session: names to ports, checks of types and shapes, then the executor. What it
// needs beside its values lies in memory of the arenas.
//
// value_places.cc has what values on devices ask for, profiled_run.cc and recorded_run.cc the runs
// that are more than one pass through the executor.
#pragma once

#include <memory_resource>
#include <optional>

#include "core/session/session.h"

namespace ortc {

class SessionRun {
 public:
  // `session` and `call` must outlive it.
  SessionRun(const Session& session, const RunCall& call, ArenaPool::Block room);
  SessionRun(const SessionRun&) = delete;
  SessionRun& operator=(const SessionRun&) = delete;

  // The bytes of `room`; whatever needs more comes from the system.
  static size_t room_bytes(const Session& session, const RunCall& call);

  Status run();

 private:
  // An output that the call names: its number in the model, its place in the call.
  struct Wanted {
    size_t number, place;
  };

  Status take_inputs();
  Status take_input(std::string_view name, const ValueRef& value, bool replaces = false);
  Status take_adapters(const RunOptions& options);
  Status list_refs();
  Status take_outputs();
  Status give_results();
  const Port& port_of(const ModelPorts::GraphInput& input) const;
  const ValueRef* given_of(const ModelPorts::GraphInput& input) const;

  Status place_values(const ValuePlaces& places);
  Result<MemoryNumber> number_of(const MemoryInfo* info, std::string_view value) const;
  Status give_again(const ValueRef& result, std::string_view name, OutputTarget& target) const;

  Status run_recorded();
  Status record(int id);
  Status provide_made(std::vector<Datum>& made);
  bool is_on_device(size_t output) const;
  RunValues values() const;

  Status run_once(bool has_own_profile = true);
  Status run_profiled(bool has_own_profile);
  Status execute(const StepObserver* observer, const StepBegins* step_begins = nullptr);

  const Session& session_;
  const RunCall& call_;
  ArenaPool::Block block_;  // the lists lie in it
  std::pmr::monotonic_buffer_resource memory_;
  std::pmr::vector<const ValueRef*> given_, overrides_;  // by port
  std::pmr::vector<ValueRef> adapters_;                  // inputs that run options bring along
  std::pmr::vector<ValueRef> refs_;                      // by input of the plan
  std::pmr::vector<OutputTarget> targets_;               // by output of the model
  std::pmr::vector<bool> is_wanted_;                     // by output of the model
  std::pmr::vector<Wanted> wanted_;
  std::pmr::vector<Wanted> repeated_;  // named before: they get copies
  std::pmr::vector<int64_t> sizes_;    // by number of a named dimension
  // With values on devices only.
  std::vector<MemoryNumber> input_memories_;  // by input of the plan
  std::vector<DeviceTarget> device_targets_;  // by output of the model
  std::optional<RunPlaces> places_;
};

}  // namespace ortc
