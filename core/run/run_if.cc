// SPDX-License-Identifier: MIT
// If, and what the constructs with bodies share.
#include "core/run/body_run.h"

namespace ortc {

Result<bool> read_flag(const ValueRef& ref) {
  if (ref.dtype != DType::kBool || ref.element_count() != 1 || ref.data == nullptr) {
    return invalid_argument("the condition must be one bool, found ", dtype_name(ref.dtype),
                            dims_to_string(ref.dims()));
  }
  return *ref.as<uint8_t>() != 0;  // a file may hold other bytes than 0 and 1
}

Dims BodyRun::declared_dims(const SlotRecord& slot) const {
  Dims dims;
  if (slot.rank == kUnknownRank) return dims;
  for (int64_t dim : plan_.dims(slot.dims, slot.rank)) dims.push_back(dim < 0 ? 0 : dim);
  return dims;
}

Status BodyRun::run_child(uint32_t body, std::span<const ValueRef> inputs,
                          std::span<OutputTarget> outputs) const {
  RETURN_IF_ERROR(check_terminate());
  RunRequest request = request_;
  ++request.depth;
  request.places = nullptr;
  return runner_.run_body(body, inputs, outputs, request);
}

Status BodyRun::run_if(const StepRecord& step) {
  const auto flag = read_flag(step_in_[0]);
  RETURN_IF_ERROR_WHILE(flag.status(), step_label(plan_, step));
  auto bodies = plan_.indices(step.bodies);
  const uint32_t then_captures = plan_.body(bodies[0]).captures.count;
  const uint32_t taken = bodies[*flag ? 0 : 1];
  const size_t first = 1 + (*flag ? 0 : then_captures);
  const std::span<const ValueRef> inputs(step_in_.begin() + first,
                                         plan_.body(taken).captures.count);
  const auto out_slots = plan_.indices(step.outputs);
  room().set_targets(out_slots.size());
  std::vector<OutputTarget>& targets = room().targets;
  for (size_t k = 0; k < targets.size(); ++k) {
    if (out_slots[k] != kNoIndex && leaves_run(out_slots[k])) targets[k].within = nullptr;
  }
  RETURN_IF_ERROR_WHILE(run_child(taken, inputs, targets), step_label(plan_, step));
  for (size_t k = 0; k < targets.size(); ++k) {
    if (out_slots[k] != kNoIndex) RETURN_IF_ERROR(set_slot(out_slots[k], targets[k].take()));
  }
  room().clear_step();
  return Status::ok();
}

}  // namespace ortc
