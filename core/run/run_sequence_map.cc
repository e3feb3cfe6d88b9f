// SPDX-License-Identifier: MIT
// SequenceMap(s, more...) -> sequences. The body sees one element of each sequence at a time, and
// tensors as they are.
#include "core/run/body_run.h"

namespace ortc {

Status BodyRun::run_sequence_map(const StepRecord& step) {
  const std::string label = step_label(plan_, step);
  const uint32_t body_number = plan_.indices(step.bodies)[0];
  const BodyRecord& body = plan_.body(body_number);
  const auto sequence_of = [&](size_t i) {
    return step_in_[i].datum != nullptr ? step_in_[i].datum->sequence() : nullptr;
  };
  if (sequence_of(0) == nullptr) return invalid_argument(label, ": input 0 is not a sequence");
  const size_t count = sequence_of(0)->items.size();
  for (size_t i = 0; i < body.inputs.count; ++i) {
    if (sequence_of(i) != nullptr && sequence_of(i)->items.size() != count) {
      return invalid_argument(label, ": input ", i, " has ", sequence_of(i)->items.size(),
                              " elements, input 0 has ", count);
    }
  }
  const std::vector<ValueRef> given(step_in_.begin(), step_in_.end());
  std::vector<Sequence> results(body.outputs.count);
  for (size_t at = 0; at < count; ++at) {
    std::vector<ValueRef> inputs = given;
    for (size_t i = 0; i < body.inputs.count; ++i) {
      if (const Sequence* sequence = sequence_of(i)) inputs[i] = ref_to(sequence->items[at]);
    }
    std::vector<OutputTarget> targets(results.size());
    RETURN_IF_ERROR_WHILE(run_child(body_number, inputs, targets), label);
    for (size_t k = 0; k < results.size(); ++k) {
      const Tensor* made = targets[k].made.tensor();
      if (made == nullptr || (at > 0 && made->dtype() != results[k].dtype)) {
        return invalid_argument(label, ": the body gives ", describe(targets[k].made),
                                " for output ", k);
      }
      results[k].dtype = made->dtype();
      results[k].items.push_back(std::move(targets[k].made));
    }
  }
  auto out_slots = plan_.indices(step.outputs);
  auto body_outputs = plan_.indices(body.outputs);
  for (size_t k = 0; k < out_slots.size(); ++k) {
    if (out_slots[k] == kNoIndex) continue;
    if (count == 0) {
      results[k].dtype = static_cast<DType>(plan_.slot(body, body_outputs[k]).dtype);
    }
    RETURN_IF_ERROR(set_slot(out_slots[k], Datum::of(std::move(results[k]))));
  }
  return Status::ok();
}

}  // namespace ortc
