// SPDX-License-Identifier: MIT
// What runs in place of a claim when it is not a Plan: for providers with machinery of their own.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "core/base/log.h"
#include "core/kernel/value_ref.h"
#include "core/provider/device_memory.h"

namespace ortc {

class ThreadPool;

// What a run says to everything it calls.
struct RunFacts {
  std::string_view tag;
  const std::map<std::string, std::string>* config = nullptr;  // entries of the run; may be null
  const std::atomic<bool>* terminate = nullptr;                // may be null
  ThreadPool* pool = nullptr;                                  // of the session; may be null
  int log_severity = -1, log_verbosity = 0;                    // -1: the session's
};

// One call of a ComputeObject. Inputs may be of any kind, strings and sequences included. Those on
// the host are valid during the call; those in the object's memory until its stream has done the
// work of the call. Outputs on the host are complete when the call returns.
class ComputeCall {
 public:
  virtual ~ComputeCall() = default;
  virtual std::span<const ValueRef> inputs() const = 0;
  virtual size_t output_count() const = 0;
  virtual bool is_wanted(size_t i) const = 0;
  // That the model declares for output i; kUndefined when it tells none, or no tensor.
  virtual DType output_type(size_t i) const = 0;
  // Gives output i its memory, where output_memory(i) says. Its type is the one that the model
  // declares: INVALID_GRAPH with expected and found otherwise.
  virtual Status allocate_output(size_t i, DType dtype, std::span<const int64_t> dims,
                                 ValueRef* out) = 0;
  // Output i is `value`, of any kind; its bytes have no other owner. A tensor lies where
  // output_memory(i) says.
  virtual Status give_output(size_t i, Datum value) = 0;
  // Whether input or output i lies in the object's memory, not on the host.
  virtual bool is_input_on_device(size_t) const { return false; }
  virtual bool is_output_on_device(size_t) const { return false; }
  virtual const RunFacts& run() const = 0;
  // The handle of this run's stream of the object's stream_memory(); null for none.
  virtual Result<void*> stream() = 0;
};

// What a provider does itself for a Loop or Scan of its own, whose body the runtime runs. Values
// are tensors on the host, of elements that have a fixed size in bytes. Any number of threads may
// ask.
class ControlFlowHelper {
 public:
  virtual ~ControlFlowHelper() = default;
  virtual bool concatenates() const { return false; }
  virtual bool transposes() const { return false; }
  // Loop: the results of all iterations, of one type and shape, one after another.
  virtual Status concatenate(std::span<const Tensor> parts, Tensor& to) const = 0;
  // Scan: axis d of `to`, whose shape says so, is axis permutation[d] of `from`.
  virtual Status transpose(std::span<const size_t> permutation, const Tensor& from,
                           Tensor& to) const = 0;
};

class ComputeObject {
 public:
  virtual ~ComputeObject() = default;
  // May be called by several threads at once; what a call keeps to itself lives in compute().
  virtual Status compute(ComputeCall& call) const = 0;

  // In which memory input i is wanted, and output i will lie; null: on the host. Asked once, when
  // the session is made. Only tensors whose elements have a fixed size, and whose type the model
  // tells, lie in memory of a device; strings, sequences and the like are always on the host.
  virtual std::shared_ptr<const DeviceMemory> input_memory(size_t) const { return nullptr; }
  virtual std::shared_ptr<const DeviceMemory> output_memory(size_t) const { return nullptr; }
  // For an If, Loop or Scan, which is not computed; null: it needs no help.
  virtual const ControlFlowHelper* helper() const { return nullptr; }
  // The memory whose streams its calls work on; null: none.
  virtual std::shared_ptr<const DeviceMemory> stream_memory() const { return nullptr; }
};

}  // namespace ortc
