// SPDX-License-Identifier: MIT
// A Binding: one body of a plan for one set of input shapes. Immutable once made; many runs share
// it. One that has left the cache, and that no run uses, may become another (rebind()).
#pragma once

#include <deque>

#include "core/run/lifetimes.h"
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
  // kGiven, kOutput: number of the input or output; kKnown: of the tensor.
  uint32_t index = kNoIndex;

  std::span<const int64_t> shape() const { return {dims, rank}; }
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
  uint64_t held_bytes = 0;   // about what this object takes

  // What the offsets came from.
  std::vector<Lifetime> buffers;
  std::vector<uint32_t> buffer_of;   // by slot
  std::vector<uint32_t> scratch_of;  // by step: its scratch's buffer
  // Room for rebind().
  struct Room {
    std::vector<uint8_t> has_changed;  // by slot
    std::vector<ValueRef> inputs, outputs;
    std::vector<BindContext::Output> results;
  } room;
};

// `inputs`: the body's inputs and captures; only their types and shapes are looked at.
Result<std::shared_ptr<Binding>> make_binding(const Runner& runner, uint32_t body,
                                              std::span<const ValueRef> inputs);

// Makes `binding`, of the same body, one for these inputs: walks only the steps that what has
// changed leads to, and lays the arena out again when a buffer has another size. So a shape that
// grows from run to run costs little. False when it cannot; then the binding is of no use any more.
Result<bool> rebind(const Runner& runner, uint32_t body, std::span<const ValueRef> inputs,
                    Binding& binding);

// Offsets for all buffers.
Status place_buffers(Binding& binding);

// The checks that stand before every kernel's own: types as the row has them, results as the plan
// says.
Status check_step_types(const Plan& plan, const StepRecord& step, const KernelRow& row,
                        std::span<const ValueRef> inputs);
Status check_slot_type(const Plan& plan, const BodyRecord& body, uint32_t slot, DType found);
Status check_step_outputs(const Plan& plan, const BodyRecord& body, const StepRecord& step,
                          std::span<const BindContext::Output> outputs);
std::string step_label(const Plan& plan, const StepRecord& step);

}  // namespace ortc
