// SPDX-License-Identifier: MIT
// What runs in place of a claim when it is not a Plan: for providers with machinery of their own.
#pragma once

#include <atomic>
#include <map>
#include <span>
#include <string>

#include "core/base/log.h"
#include "core/kernel/value_ref.h"

namespace ortc {

// What a run says to everything it calls.
struct RunFacts {
  std::string_view tag;
  const std::map<std::string, std::string>* config = nullptr;  // entries of the run; may be null
  const std::atomic<bool>* terminate = nullptr;                // may be null
};

// One call of a ComputeObject. Inputs stay valid during the call; they may be of any kind, strings
// and sequences included.
class ComputeCall {
 public:
  virtual ~ComputeCall() = default;
  virtual std::span<const ValueRef> inputs() const = 0;
  virtual size_t output_count() const = 0;
  virtual bool is_wanted(size_t i) const = 0;
  // Gives output i its memory, on the host. Its type is the one that the model declares:
  // INVALID_GRAPH with expected and found otherwise.
  virtual Status allocate_output(size_t i, DType dtype, std::span<const int64_t> dims,
                                 ValueRef* out) = 0;
  // Output i is `value`, of any kind; its bytes belong to nobody else.
  virtual Status give_output(size_t i, Datum value) = 0;
  virtual const RunFacts& run() const = 0;
  // The stream the run was given, as its provider made it; null for none.
  virtual void* stream() const = 0;
};

class ComputeObject {
 public:
  virtual ~ComputeObject() = default;
  // May be called by several threads at once; what a call keeps to itself lives in compute().
  virtual Status compute(ComputeCall& call) const = 0;
};

}  // namespace ortc
