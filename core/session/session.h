// SPDX-License-Identifier: MIT
// A session: a model made ready to run, from source or from a context. run() may be called by any
// number of threads at the same time; nothing else changes a session.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/tensor.h"
#include "core/run/runner.h"
#include "core/session/compiled_model.h"
#include "core/session/memory/memory_report.h"
#include "core/session/memory/port_places.h"
#include "core/session/runs/graph_replay.h"
#include "core/session/runs/port_numbers.h"
#include "core/session/runs/port_symbols.h"
#include "core/session/runs/run_call.h"

namespace ortc {

// Inputs that run options bring along: the parameters of a LoRA adapter.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

struct RunOptions {
  std::string tag;
  int log_severity = -1;
  int log_verbosity = 0;
  RunSettings settings;
  KeyValues config;  // entries as they were set
  std::atomic<bool> terminate{false};
  bool profiling = false;  // a profile of each run, in a file of its own
  std::string profile_prefix;
  std::vector<std::shared_ptr<const NamedTensors>> adapters;
  GivenStream stream;  // borrowed; one run at a time
};

// The last stage: a model made ready to run.
class Session {
 public:
  // All stages: see core/session/stages.h. INVALID_ARGUMENT when the options say that the session
  // shall not run.
  static Result<std::unique_ptr<Session>> create(
      const std::shared_ptr<const Environment>& environment, const ModelSource& source,
      const SessionOptions& options, const MakingLimits& limits = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const ModelFacts& facts() const { return facts_; }
  const std::vector<Port>& inputs() const { return facts_.ports.inputs; }
  const std::vector<Port>& outputs() const { return facts_.ports.outputs; }
  const std::vector<Port>& overridable() const { return facts_.ports.overridable; }
  // Also an initializer that may be given in place of the model's own.
  bool has_input(std::string_view name) const;
  const CompileReport& report() const { return facts_.report; }
  const PortPlaces& places() const { return places_; }

  // `names` and `values` go together. Names may be inputs or overridable initializers; all inputs
  // must be there, but for optional ones, which are none then. `outputs[i]`: a defined tensor is
  // written in place when its type and shape are the result's (else INVALID_ARGUMENT); an undefined
  // one becomes the result. INVALID_ARGUMENT names what is wrong: name, expected and found type or
  // shape.
  Status run(std::span<const std::string_view> input_names, std::span<const Tensor> input_values,
             std::span<const std::string_view> output_names, std::span<Tensor> outputs,
             const RunOptions* options = nullptr, const StepObserver* observer = nullptr) const;
  // The same with values of any kind. An optional input without content is given as none; an output
  // without content receives the result.
  Status run_values(std::span<const std::string_view> input_names, std::span<const Datum> inputs,
                    std::span<const std::string_view> output_names, std::span<Datum> outputs,
                    const RunOptions* options = nullptr,
                    const StepObserver* observer = nullptr) const;
  // The same over values where they are. With outputs provided, and shapes that were among the last
  // 16 sets (64 when sets come back again and again), nothing is allocated from the system, but for
  // texts, sequences, and bodies that meet more sets in one run. Values may lie in memory of the
  // session's devices; INVALID_ARGUMENT names another.
  Status run_in_place(const RunCall& call) const;
  // Null when no device of the session has it.
  std::shared_ptr<const DeviceMemory> device_memory(const MemoryInfo& info) const;
  // Returns when the devices have done what was given to them.
  Status wait_for_devices() const;
  // Begins a run on another thread. `work` shall call run(); INVALID_ARGUMENT when the pool has no
  // thread for it.
  Status submit(std::function<void()> work) const;

  // Whether the output may be written to the very memory of the input (Runner::updates_in_place).
  bool updates_in_place(std::string_view input, std::string_view output) const;

  // Ends a recording that runs did again; nothing when no provider records.
  Status release_recording(int id) const;

  // Each provider of the session hears of them. The first failure, after all were asked.
  Status set_dynamic_options(const KeyValues& options) const;

  // {"schema":"ortc.session/1","load_ms":..,"stages":[..],"providers":[..],"memory":{..}}
  std::string report_json() const;
  // NOT_IMPLEMENTED where the system does not tell.
  Result<MemoryReport> memory_report() const;
  // The same: {"schema":"ortc.memory/1","mapped_bytes":..,"files":[..]}
  Result<std::string> memory_json() const;
  const SessionMemory& memory() const { return *memory_; }

 private:
  friend class SessionRun;
  friend Result<std::unique_ptr<Session>> make_session(CompiledModel compiled, Making& making);
  Session() = default;
  // The steps of make_session().
  Status take_arenas(const Making& making);
  Status take_device_memories(CompiledModel& compiled);
  Status make_runner(const CompiledModel& compiled, const Making& making);
  Status take_facts(CompiledModel& compiled);
  Status take_providers(SessionProviders providers);
  void add_providers(Profiler& profiler) const;
  void finish_run(const RunOptions& options) const;

  ModelFacts facts_;
  PortNumbers input_numbers_, overridable_numbers_, output_numbers_;  // of `facts_`
  PortSymbols input_symbols_, overridable_symbols_;
  size_t symbol_count_ = 0;
  PortPlaces places_;
  SessionProviders providers_;
  std::vector<ExecutionProvider*> watchers_;  // of those, who hear of runs
  Logger logger_;
  std::shared_ptr<ThreadPool> pool_;         // its own, or the environment's
  bool denormals_as_zero_ = false;           // in runs
  std::shared_ptr<GroupArena> group_arena_;  // null: the session runs as often at once as it likes
  bool waits_for_group_ = true;
  // Its own, or the group's: for activations, and for results.
  std::shared_ptr<ArenaPool> arenas_, results_;
  std::shared_ptr<const TensorMaker> tensor_maker_;
  std::shared_ptr<PackedWeights> packed_weights_;
  ValueMemories memories_;
  std::vector<std::shared_ptr<const DeviceMemory>> device_memories_;  // of its providers
  std::shared_ptr<const Runner> runner_;
  std::unique_ptr<GraphReplay> replay_;    // null: runs are not recorded
  std::unique_ptr<SessionMemory> memory_;  // the first to end: it looks at what the others hold
};

}  // namespace ortc
