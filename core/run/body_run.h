// SPDX-License-Identifier: MIT
// One run of one body: the frame (slots, arena, tensors made on the way) and the walk over the
// steps.
#pragma once

#include <algorithm>

#include "core/run/binding.h"
#include "core/run/run_room.h"

namespace ortc {

// Tensors in memory of the frame; the room is enough by construction.
class RefList {
 public:
  RefList() = default;
  explicit RefList(ValueRef* room) : begin_(room), end_(room) {}
  void clear() { end_ = begin_; }
  void push_back(const ValueRef& ref) { *end_++ = ref; }
  void assign(size_t count, const ValueRef& ref) { end_ = std::fill_n(begin_, count, ref); }
  ValueRef& operator[](size_t i) { return begin_[i]; }
  const ValueRef& operator[](size_t i) const { return begin_[i]; }
  ValueRef* begin() const { return begin_; }
  ValueRef* end() const { return end_; }
  size_t size() const { return static_cast<size_t>(end_ - begin_); }
  bool empty() const { return begin_ == end_; }

 private:
  ValueRef* begin_ = nullptr;
  ValueRef* end_ = nullptr;
};

// A condition: INVALID_ARGUMENT unless it is one bool.
Result<bool> read_flag(const ValueRef& ref);

class BodyRun {
 public:
  BodyRun(const Runner& runner, uint32_t body, const Binding& binding,
          std::span<const ValueRef> inputs, std::span<OutputTarget> outputs,
          const RunRequest& request, uint64_t call);
  BodyRun(const BodyRun&) = delete;
  BodyRun& operator=(const BodyRun&) = delete;
  ~BodyRun();

  Status run();

 private:
  friend class LoopRun;
  friend class ScanRun;
  class ObjectCall;

  Status make_frame();
  Status check_terminate() const;
  Status run_observed_step(uint32_t i);
  Status place_slots();
  Status place_output(uint32_t slot, uint32_t number);
  Status run_step(uint32_t i);
  Status run_bound_kernel(uint32_t i, const StepRecord& step);
  Status run_unbound_kernel(uint32_t i, const StepRecord& step);
  Status run_call(uint32_t i, const StepRecord& step);
  Status run_object(const ComputeObject& object, const StepRecord& step);
  Status run_if(const StepRecord& step);
  Status run_loop(const StepRecord& step);
  Status run_sequence_map(const StepRecord& step);
  Status run_scan(const StepRecord& step);
  Status run_transfer(uint32_t i, const StepRecord& step);
  Status transfer(uint32_t from, uint32_t to);
  // What the program keeps on devices: see run_places.cc.
  Status bring_given_to_host();
  const ValueRef* given_in(MemoryNumber memory, uint32_t slot) const;
  bool is_in_device_slot(uint32_t slot) const {
    return slot != kNoIndex && plan_.slot(body_, slot).memory != kHostMemory;
  }
  bool is_on_device(uint32_t slot) const;
  bool may_stay_empty(uint32_t slot) const;
  const DeviceTarget* target_made_by(uint32_t slot) const;
  Result<bool> deliver_on_device(uint32_t from, uint32_t to);
  Status deliver(DeviceTarget& target, OutputTarget& output, uint32_t from);
  Status finish_device_outputs();
  Status check_provided(const ValueRef& provided, uint32_t slot, DType dtype,
                        std::span<const int64_t> dims) const;
  void keep_device_values();
  Status run_steps();
  // Whose object a step calls, or is helped by; null: none's.
  const Callee* callee_of(const StepRecord& step) const;
  const ControlFlowHelper* helper_of(const StepRecord& step) const;
  // One execution of a child body, unless the run was told to end.
  Status run_child(uint32_t body, std::span<const ValueRef> inputs,
                   std::span<OutputTarget> outputs) const;
  // As far as the plan knows them; 0 for the rest.
  Dims declared_dims(const SlotRecord& slot) const;
  Status finish_outputs();
  void gather(const StepRecord& step);

  // Memory for a slot whose shape became known just now: the caller's output, or a tensor of this
  // frame.
  Status make_slot(uint32_t slot, DType dtype, std::span<const int64_t> dims);
  Result<Tensor> make_tensor(DType dtype, std::span<const int64_t> dims) const;
  Result<Datum> own_copy(const ValueRef& ref) const;
  Result<MadeValue> copy_within(const ValueRef& ref) const;
  // Whether the caller gets the slot's value to keep.
  bool leaves_run(uint32_t slot) const;
  // A slot takes over a finished value, whose bytes are its own. Where an output is provided for
  // it, finish_outputs() copies.
  Status set_slot(uint32_t slot, MadeValue value);
  Status set_slot(uint32_t slot, Datum value) {
    return set_slot(slot, MadeValue(std::move(value)));
  }
  Status give_made(uint32_t slot, bool is_last, OutputTarget& target);
  ArenaPool& arenas() const { return *runner_.context_.arenas; }
  // Taken when it is first needed.
  RunRoom& room();
  bool has_made() const { return room_.get() != nullptr && !room_.get()->made.empty(); }
  const MadeValue* made_in(uint32_t slot) const;
  static Status allocate_output(void* state, size_t i, DType dtype, std::span<const int64_t> dims,
                                ValueRef* out);
  static Status give_output(void* state, size_t i, Datum value);
  void drop_unread(uint32_t step);

  const Runner& runner_;
  const Plan& plan_;
  const BodyRecord& body_;
  const SlotOutputs& slot_outputs_;
  const Binding& binding_;
  std::span<const ValueRef> given_;
  std::span<OutputTarget> outputs_;
  const RunRequest& request_;
  const uint64_t call_;  // runs of the body before this one
  ArenaPool::Block arena_;
  // Behind the activations in `arena_`, so that a run of known shapes allocates nothing.
  RefList refs_;  // by slot
  RefList step_in_, step_out_;
  RunRooms::Lease room_;
  std::span<const uint32_t> current_out_slots_;
  bool is_done_ = false;
};

}  // namespace ortc
