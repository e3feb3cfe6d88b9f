// SPDX-License-Identifier: MIT
// If, Loop and SequenceMap: bodies are run by the same executor, with a frame of their own for each
// run.
//
//   Loop(M, cond, v...) -> v..., scan outputs. The body takes (iteration, cond, v...) and gives
//   (cond, v..., scan...); scan results of all iterations are stacked along a new first axis.
//   SequenceMap(s, more...) -> sequences. The body sees one element of each sequence at a time, and
//   tensors as they are.
#include <cstring>

#include "core/run/body_run.h"

namespace ortc {
namespace {

Result<bool> read_flag(const ValueRef& ref, const std::string& where) {
  if (ref.dtype != DType::kBool || ref.element_count() != 1 || ref.data == nullptr) {
    return invalid_argument(where, ": the condition must be one bool, found ",
                            dtype_name(ref.dtype), dims_to_string(ref.dims()));
  }
  return *ref.as<bool>();
}

// One scan output: the results of all iterations, in order.
class ScanOutput {
 public:
  Status append(const Datum& value, const std::string& where) {
    if (!value.is_tensor()) {
      return invalid_argument(where, ": a scan output is ", describe(value), ", expected a tensor");
    }
    const Tensor& element = *value.tensor();
    if (parts_.empty()) {
      dims_ = element.dims();
      dtype_ = element.dtype();
    } else if (element.dims() != dims_ || element.dtype() != dtype_) {
      return invalid_argument(where, ": a scan output changed its shape from ",
                              dims_to_string(dims_), " to ", dims_to_string(element.dims()));
    }
    parts_.push_back(element);
    return Status::ok();
  }
  Result<Tensor> finish() const {
    Dims dims = {static_cast<int64_t>(parts_.size())};
    dims.insert(dims.end(), dims_.begin(), dims_.end());
    ASSIGN_OR_RETURN(Tensor stacked, Tensor::create(dtype_, std::move(dims)));
    auto* to = static_cast<std::byte*>(stacked.mutable_data());
    for (const Tensor& part : parts_) {
      copy_elements(dtype_, part.element_count(), part.data(), to);
      const bool is_text = dtype_ == DType::kString;
      to += is_text ? part.string_elements().size_bytes() : part.byte_size();
    }
    return stacked;
  }
  // What the body's output slot says, for a loop that never ran.
  void set_empty(DType dtype, Dims dims) {
    dtype_ = dtype;
    dims_ = std::move(dims);
  }
  bool has_parts() const { return !parts_.empty(); }

 private:
  DType dtype_ = DType::kUndefined;
  Dims dims_;
  std::vector<Tensor> parts_;
};

}  // namespace

Status BodyRun::run_if(const StepRecord& step) {
  ASSIGN_OR_RETURN(const bool flag, read_flag(step_in_[0], step_label(plan_, step)));
  auto bodies = plan_.indices(step.bodies);
  const uint32_t then_captures = plan_.body(bodies[0]).captures.count;
  const uint32_t taken = bodies[flag ? 0 : 1];
  const size_t first = 1 + (flag ? 0 : then_captures);
  const std::vector<ValueRef> inputs(
      step_in_.begin() + static_cast<std::ptrdiff_t>(first),
      step_in_.begin() + static_cast<std::ptrdiff_t>(first + plan_.body(taken).captures.count));
  auto out_slots = plan_.indices(step.outputs);
  std::vector<OutputTarget> targets(out_slots.size());
  RunRequest request = request_;
  ++request.depth;
  RETURN_IF_ERROR_WHILE(runner_.run_body(taken, inputs, targets, request), step_label(plan_, step));
  for (size_t k = 0; k < targets.size(); ++k) {
    if (out_slots[k] == kNoIndex) continue;
    RETURN_IF_ERROR(set_slot(out_slots[k], std::move(targets[k].made)));
  }
  return Status::ok();
}

Status BodyRun::run_loop(const StepRecord& step) {
  const std::string label = step_label(plan_, step);
  const uint32_t body_number = plan_.indices(step.bodies)[0];
  const BodyRecord& body = plan_.body(body_number);
  const size_t carried_count = body.inputs.count - 2;
  const size_t scan_count = step.outputs.count - carried_count;

  int64_t trip_count = INT64_MAX;
  if (step_in_[0].is_present()) {
    if (step_in_[0].dtype != DType::kInt64 || step_in_[0].element_count() != 1) {
      return invalid_argument(label, ": the trip count must be one int64");
    }
    trip_count = *step_in_[0].as<int64_t>();
  }
  bool go_on = true;
  if (step_in_[1].is_present()) {
    ASSIGN_OR_RETURN(go_on, read_flag(step_in_[1], label));
  }
  std::vector<Datum> carried(carried_count);
  for (size_t k = 0; k < carried_count; ++k) {
    ASSIGN_OR_RETURN(carried[k], datum_of(step_in_[2 + k]));
  }
  const std::vector<ValueRef> captures(step_in_.begin() + body.inputs.count, step_in_.end());
  // Bodies may want the iteration number as a vector of one.
  static constexpr int64_t kOne = 1;
  const uint32_t iteration_rank = plan_.slot(body, plan_.indices(body.inputs)[0]).rank == 1 ? 1 : 0;
  std::vector<ScanOutput> scans(scan_count);
  RunRequest request = request_;
  ++request.depth;
  for (int64_t iteration = 0; iteration < trip_count && go_on; ++iteration) {
    RETURN_IF_ERROR(check_terminate());
    int64_t iteration_value = iteration;
    bool flag_value = go_on;
    std::vector<ValueRef> inputs = {{DType::kInt64, iteration_rank, &kOne, &iteration_value},
                                    {DType::kBool, 0, nullptr, &flag_value}};
    for (const Datum& value : carried) inputs.push_back(ref_to(value));
    inputs.insert(inputs.end(), captures.begin(), captures.end());
    std::vector<OutputTarget> targets(1 + carried_count + scan_count);
    RETURN_IF_ERROR_WHILE(runner_.run_body(body_number, inputs, targets, request), label);
    ASSIGN_OR_RETURN(go_on, read_flag(ref_to(targets[0].made), label));
    for (size_t k = 0; k < carried_count; ++k) carried[k] = std::move(targets[1 + k].made);
    for (size_t k = 0; k < scan_count; ++k) {
      RETURN_IF_ERROR(scans[k].append(targets[1 + carried_count + k].made, label));
    }
  }
  auto out_slots = plan_.indices(step.outputs);
  auto body_outputs = plan_.indices(body.outputs);
  for (size_t k = 0; k < out_slots.size(); ++k) {
    if (out_slots[k] == kNoIndex) continue;
    Datum result;
    if (k < carried_count) {
      result = std::move(carried[k]);
    } else {
      ScanOutput& scan = scans[k - carried_count];
      if (!scan.has_parts()) {
        const SlotRecord& slot = plan_.slot(body, body_outputs[1 + k]);
        Dims dims;
        if (slot.rank != kUnknownRank) {
          for (int64_t dim : plan_.dims(slot.dims, slot.rank)) dims.push_back(dim < 0 ? 0 : dim);
        }
        scan.set_empty(static_cast<DType>(slot.dtype), std::move(dims));
      }
      ASSIGN_OR_RETURN(result, scan.finish());
    }
    RETURN_IF_ERROR(set_slot(out_slots[k], std::move(result)));
  }
  return Status::ok();
}

Status BodyRun::run_sequence_map(const StepRecord& step) {
  const std::string label = step_label(plan_, step);
  const uint32_t body_number = plan_.indices(step.bodies)[0];
  const BodyRecord& body = plan_.body(body_number);
  const auto sequence_of = [&](size_t i) {
    return step_in_[i].datum != nullptr ? step_in_[i].datum->sequence() : nullptr;
  };
  if (sequence_of(0) == nullptr) return invalid_argument(label, ": input 0 is no sequence");
  const size_t count = sequence_of(0)->items.size();
  for (size_t i = 0; i < body.inputs.count; ++i) {
    if (sequence_of(i) != nullptr && sequence_of(i)->items.size() != count) {
      return invalid_argument(label, ": input ", i, " has ", sequence_of(i)->items.size(),
                              " elements, input 0 has ", count);
    }
  }
  const std::vector<ValueRef> given(step_in_.begin(), step_in_.end());
  std::vector<Sequence> results(body.outputs.count);
  RunRequest request = request_;
  ++request.depth;
  for (size_t at = 0; at < count; ++at) {
    std::vector<ValueRef> inputs = given;
    for (size_t i = 0; i < body.inputs.count; ++i) {
      if (const Sequence* sequence = sequence_of(i)) inputs[i] = ref_to(sequence->items[at]);
    }
    std::vector<OutputTarget> targets(results.size());
    RETURN_IF_ERROR_WHILE(runner_.run_body(body_number, inputs, targets, request), label);
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
