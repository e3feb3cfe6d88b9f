// SPDX-License-Identifier: MIT
// The executor: a Runner runs a Plan, one that was made in memory or one from a context alike.
//
// A Runner holds one Plan with everything that is worked out at the first run of a set of input
// shapes (a Binding: shapes, offsets, scratch) in a bounded cache. run() is const in effect: any
// number of threads call it at the same time, each with a Frame of its own.
#pragma once

#include <array>
#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/tensor.h"
#include "core/plan/plan.h"
#include "core/provider/execution_provider.h"
#include "core/provider/value_memories.h"
#include "core/run/arena_pool.h"
#include "core/run/made_value.h"
#include "core/run/slot_outputs.h"

namespace ortc {

class Runner;
class RunRooms;
class DeviceRun;
struct Binding;

// Makes the results of runs. The bytes need not be zero. May be called by several threads at once.
using TensorMaker = std::function<Result<Tensor>(DType dtype, std::span<const int64_t> dims)>;

// Called after every step of a profiled run, on the thread that runs. A step that failed has no
// outputs.
struct StepEvent {
  std::string_view name, op, kernel, provider;
  int64_t begin_ns, end_ns;
  int depth;       // 0: the main plan; 1: inside a compiled claim; more inside control flow
  uint32_t index;  // of the step in its body
  std::span<const ValueRef> inputs, outputs;
  ArenaUse use_before, use_after;  // of the memory of the session's activations
};
using StepObserver = std::function<void(const StepEvent&)>;
// Called before it, with the time at which the step begins.
using StepBegins = std::function<void(int64_t begin_ns)>;

// What is kept for sets of input shapes: so many at first, and more when shapes come back that had
// to go. For one that only grows the oldest is made another, see rebind().
inline constexpr size_t kBindingsLeast = 16;
inline constexpr uint64_t kBindingBytesMost = uint64_t{4} << 20;

// What all runners of a session share. Outlives them.
struct ExecutorContext {
  ThreadPool* pool = nullptr;
  Isa isa = Isa::kGeneric;
  ArenaPool* arenas = nullptr;
  // Per body; fewer, but kBindingsLeast, when they hold more than kBindingBytesMost.
  size_t binding_count_max = 64;
  const TensorMaker* tensor_maker = nullptr;  // null: Tensor::create_unset
  const ValueMemories* memories = nullptr;    // those that slots name; null: the host's only
};

// An output that is wanted in memory of a device: in `provided` when it has data.
struct DeviceTarget {
  MemoryNumber memory = kHostMemory;
  ValueRef provided;
  bool is_done = false;
};

// Where a plan's inputs lie, and its outputs should lie; each list may be shorter than the plan's,
// the rest is on the host. Inputs keep their places until the run is over.
struct RunPlaces {
  std::span<const MemoryNumber> inputs;
  std::span<DeviceTarget> outputs;

  MemoryNumber input(size_t i) const { return i < inputs.size() ? inputs[i] : kHostMemory; }
  MemoryNumber output(size_t i) const {
    return i < outputs.size() ? outputs[i].memory : kHostMemory;
  }
};

// What one run asks for.
struct RunRequest {
  const std::atomic<bool>* terminate = nullptr;
  const StepObserver* observer = nullptr;
  const StepBegins* step_begins = nullptr;  // with an observer only; may be null
  int depth = 0;
  std::string_view provider;          // whose plan this is, for the observer
  RunFacts facts;                     // for objects of providers
  DeviceRun* devices = nullptr;       // of the main plan; null: everything lies on the host
  const RunPlaces* places = nullptr;  // of the main body's values; null: all on the host
  GivenStream stream;                 // for the run's work on its memory
};

// Where an output goes. With `provided.data` set the result is written there, and its shape must be
// the output's; otherwise `made` gets a value of its own, or what `within` points to gets one that
// stays within the run.
struct OutputTarget {
  ValueRef provided;
  Datum made;
  MadeValue* within = nullptr;

  // What was made, while this keeps its place.
  ValueRef result() const { return is_within() ? within->ref() : ref_to(made); }
  MadeValue take() { return is_within() ? std::move(*within) : MadeValue(std::move(made)); }

 private:
  bool is_within() const { return within != nullptr && !within->is_none(); }
};

// What a call step runs: another plan, or a provider's own object.
struct Callee {
  std::shared_ptr<const Runner> runner;
  std::shared_ptr<const ComputeObject> object;
  std::string provider;
};

class Runner {
 public:
  static Result<std::shared_ptr<const Runner>> create(std::shared_ptr<const Plan> plan,
                                                      std::vector<Callee> callees,
                                                      const ExecutorContext& context);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  const Plan& plan() const { return *plan_; }
  // Runs the main body. `inputs` are as many as the plan has, of any kind; their types and shapes
  // are checked by the kernels only.
  Status run(std::span<const ValueRef> inputs, std::span<OutputTarget> outputs,
             const RunRequest& request) const;
  size_t binding_count() const;
  // Whether the main body's output may be written to the very memory of the input: a cache that the
  // only operator that reads it appends to.
  bool updates_in_place(uint32_t input, uint32_t output) const;

 private:
  friend class Binder;
  friend class Rebinder;
  friend class BodyRun;
  Runner() = default;
  Status check_call(const BodyRecord& body, const StepRecord& step) const;
  Status place_constant(const BodyRecord& body, uint32_t i);
  // By slot of the main body: where its only reader appends to it, or kNoIndex.
  std::vector<uint32_t> find_kept_caches() const;
  uint32_t slot_kept_in(const StepRecord& step, uint32_t input) const;
  // Whether the step reads the main body's `slot` on the host, or on another device than `memory`.
  bool is_read_elsewhere(uint32_t slot, MemoryNumber memory) const;
  // What the transfer step brings, by its number in the plan, when it is the same in every run.
  const Tensor* device_constant(uint32_t step) const;
  Status run_body(uint32_t body, std::span<const ValueRef> inputs, std::span<OutputTarget> outputs,
                  const RunRequest& request) const;
  // The binding for these inputs (shapes only), made at the first call.
  Result<std::shared_ptr<const Binding>> binding(uint32_t body,
                                                 std::span<const ValueRef> inputs) const;

  // What a binding depends on: for each input its kind, type, rank and dims.
  using Key = std::vector<int64_t>;
  using BindingList = std::list<std::pair<Key, std::shared_ptr<Binding>>>;
  struct BindingCache {
    std::mutex mutex;
    BindingList entries;              // newest first
    size_t most = kBindingsLeast;     // entries
    std::array<uint64_t, 64> gone{};  // hashes of the last keys that had to go
    size_t gone_count = 0;
    std::atomic<uint64_t> runs{0};  // of the body, begun so far

    BindingList take_oldest();
  };
  bool has_room(const BindingCache& cache) const;
  // The oldest entry of a full cache when no run uses it, else nothing.
  BindingList take_unused(BindingCache& cache) const;

  std::shared_ptr<const Plan> plan_;
  std::vector<Callee> callees_;
  ExecutorContext context_;
  std::unique_ptr<BindingCache[]> caches_;  // by body
  std::vector<SlotOutputs> slot_outputs_;   // by body
  std::unique_ptr<RunRooms> rooms_;
  // Found when first asked for.
  mutable struct {
    std::once_flag once;
    std::vector<uint32_t> slots;
  } kept_caches_;
  std::map<uint32_t, Tensor> device_constants_;  // by transfer step
};

}  // namespace ortc
