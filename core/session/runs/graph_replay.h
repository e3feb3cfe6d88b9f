// SPDX-License-Identifier: MIT
// Runs of a session whose provider records what its devices do: the first run with an id is
// recorded, the others do the recording again. A recording reads and writes where the recorded run
// did, so a run with values of other places or shapes is refused.
//
// Thread-safe, as far as the provider is.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/run/runner.h"

namespace ortc {

// Where a value of a run lies.
struct RunValue {
  bool is_used = false;        // false: an output that is not wanted
  const void* data = nullptr;  // null: the runtime makes it
  MemoryNumber memory = kHostMemory;
  DType dtype = DType::kUndefined;
  std::vector<int64_t> dims;

  static RunValue of(const ValueRef& ref, MemoryNumber memory);
  bool operator==(const RunValue&) const = default;
};

struct RunValues {
  std::vector<RunValue> inputs, outputs;  // of the plan
};

class GraphReplay {
 public:
  // How often a run may be done before its recording is complete.
  static constexpr int kAttemptsMax = 8;

  // Null when no provider records. FAIL or NOT_IMPLEMENTED for a plan that cannot be recorded.
  static Result<std::unique_ptr<GraphReplay>> create(std::span<ExecutionProvider* const> providers,
                                                     const std::shared_ptr<const Plan>& plan,
                                                     std::span<const Callee> callees,
                                                     const Logger& logger);

  const std::string& provider() const { return provider_; }
  // The recording that a run's entries ask for; nothing when it is an ordinary one.
  // INVALID_ARGUMENT for what is not a number.
  static Result<std::optional<int>> id_of(const KeyValues* config);
  Result<bool> is_captured(int id) const { return capture_->is_captured(id); }
  // INVALID_ARGUMENT for a value that would have to be carried to or from the device.
  Status check_places(const RunValues& values) const;
  // What the recorded run was given.
  void remember(int id, RunValues values);
  // INVALID_ARGUMENT when `values` are not those of the recorded run; names the first.
  Status replay(int id, const RunValues& values) const;
  Status release(int id);

 private:
  GraphReplay(std::string provider, std::unique_ptr<GraphCapture> capture,
              std::shared_ptr<const Plan> plan)
      : provider_(std::move(provider)), capture_(std::move(capture)), plan_(std::move(plan)) {}
  Status check_plan(std::span<const Callee> callees);
  Status check_same(int id, const RunValues& values) const;
  std::string_view name_of(PlanRange ports, size_t i) const;

  std::string provider_;
  std::unique_ptr<GraphCapture> capture_;
  std::shared_ptr<const Plan> plan_;
  std::vector<MemoryNumber> input_memories_, output_memories_;  // where the provider wants them
  mutable std::mutex mutex_;
  std::map<int, RunValues> recorded_;
};

}  // namespace ortc
