// SPDX-License-Identifier: MIT
// One run of one body: the frame (slots, arena, tensors made on the way) and the walk over the
// steps.
#pragma once

#include "core/run/binding.h"

namespace ortc {

class BodyRun {
 public:
  BodyRun(const Runner& runner, uint32_t body, const Binding& binding,
          std::span<const TensorRef> inputs, std::span<OutputTarget> outputs,
          const RunRequest& request);
  ~BodyRun();
  BodyRun(const BodyRun&) = delete;
  BodyRun& operator=(const BodyRun&) = delete;

  Status run();

 private:
  friend class ScanRun;

  Status place_slots();
  Status place_output(uint32_t slot, uint32_t number);
  Status run_step(uint32_t i);
  Status run_bound_kernel(uint32_t i, const StepRecord& step);
  Status run_unbound_kernel(uint32_t i, const StepRecord& step);
  Status run_call(uint32_t i, const StepRecord& step);
  Status run_if(const StepRecord& step);
  Status run_loop(const StepRecord& step);
  Status run_scan(const StepRecord& step);
  // One execution of a child body.
  Status run_child(uint32_t body, std::span<const TensorRef> inputs,
                   std::span<OutputTarget> outputs) const;
  Status finish_outputs();
  void gather(const StepRecord& step);

  // Memory for a slot whose shape became known just now: the caller's output, or a tensor of this
  // frame.
  Status make_slot(uint32_t slot, DType dtype, std::span<const int64_t> dims);
  // A slot takes over a finished tensor.
  Status set_slot(uint32_t slot, Tensor tensor);
  static Status allocate_output(void* state, size_t i, DType dtype, std::span<const int64_t> dims,
                                TensorRef* out);
  void drop_unread(uint32_t step);

  const Runner& runner_;
  const Plan& plan_;
  const BodyRecord& body_;
  const Binding& binding_;
  std::span<const TensorRef> given_;
  std::span<OutputTarget> outputs_;
  const RunRequest& request_;
  ArenaPool::Block arena_;
  std::vector<TensorRef> refs_;  // by slot
  std::vector<Tensor> made_;     // by slot; sized when the first unbound slot appears
  std::vector<TensorRef> step_in_, step_out_;
  std::span<const uint32_t> current_out_slots_;
};

}  // namespace ortc
