// SPDX-License-Identifier: MIT
// A Binding: one body of a plan for one set of input shapes. Immutable once made; many runs share
// it.
#pragma once

#include <deque>

#include "core/run/runner.h"

namespace ortc {

enum class Place : uint8_t {
  kUnbound,  // known only while running: a data-dependent shape somewhere before
  kGiven,    // an input or capture
  kConstant,
  kKnown,  // computed at binding (shape arithmetic)
  kArena,
  kOutput,  // memory of an output of the body
  kMade,    // strings: a tensor made for each run
};

struct BoundSlot {
  Place place = Place::kUnbound;
  bool is_opaque = false;  // kGiven: not a tensor, so that no step that reads it can be bound
  DType dtype = DType::kUndefined;
  uint32_t rank = 0;
  const int64_t* dims = nullptr;
  uint64_t bytes = 0;
  uint64_t offset = 0;  // kArena
  uint32_t index =
      kNoIndex;  // kGiven, kOutput: number of the input or output; kKnown: of the tensor
};

struct BoundStep {
  enum Mode : uint8_t { kRun, kSkip, kUnbound } mode = kUnbound;
  uint64_t scratch_offset = 0;
};

struct Binding {
  std::vector<BoundSlot> slots;
  std::vector<BoundStep> steps;
  std::deque<Dims> dims;  // what slots point to
  std::vector<Tensor> known;
  uint64_t arena_bytes = 0;
  uint32_t step_io_max = 0;  // inputs + outputs of the largest step
};

// `inputs`: the body's inputs and captures; only their types and shapes are looked at.
Result<std::shared_ptr<const Binding>> make_binding(const Runner& runner, uint32_t body,
                                                    std::span<const ValueRef> inputs);

// The checks that stand before every kernel's own: types as the row has them, results as the plan
// says.
Status check_step_types(const Plan& plan, const StepRecord& step, const KernelRow& row,
                        std::span<const ValueRef> inputs);
Status check_slot_type(const Plan& plan, const BodyRecord& body, uint32_t slot, DType found);
Status check_step_outputs(const Plan& plan, const BodyRecord& body, const StepRecord& step,
                          std::span<const BindContext::Output> outputs);
std::string step_label(const Plan& plan, const StepRecord& step);

}  // namespace ortc
