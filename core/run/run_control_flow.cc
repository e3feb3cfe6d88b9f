// SPDX-License-Identifier: MIT
// If and Loop: bodies are run by the same executor, with a frame of their own for each run.
//
//   Loop(M, cond, v...) -> v..., scan outputs. The body takes (iteration, cond, v...) and gives
//   (cond, v..., scan...); scan results of all iterations are stacked along a new first axis.
#include <cstring>

#include "core/run/body_run.h"

namespace ortc {
namespace {

TensorRef ref_of(const Tensor& tensor) {
  return {tensor.dtype(), static_cast<uint32_t>(tensor.dims().size()), tensor.dims().data(),
          const_cast<void*>(tensor.data())};
}

Result<bool> read_flag(const TensorRef& ref, const std::string& where) {
  if (ref.dtype != DType::kBool || ref.element_count() != 1 || ref.data == nullptr) {
    return invalid_argument(where, ": the condition must be one bool, found ",
                            dtype_name(ref.dtype), dims_to_string(ref.dims()));
  }
  return *ref.as<bool>();
}

Result<Tensor> copy_of(const TensorRef& ref) {
  ASSIGN_OR_RETURN(Tensor copy,
                   Tensor::create(ref.dtype, Dims(ref.dims().begin(), ref.dims().end())));
  if (ref.dtype == DType::kString) return not_implemented("string tensors in a Loop");
  if (copy.byte_size() != 0) std::memcpy(copy.mutable_data(), ref.data, copy.byte_size());
  return copy;
}

// One scan output: the results of all iterations, in order.
class ScanOutput {
 public:
  Status append(const Tensor& element, const std::string& where) {
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
      if (part.byte_size() != 0) std::memcpy(to, part.data(), part.byte_size());
      to += part.byte_size();
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
  const std::vector<TensorRef> inputs(
      step_in_.begin() + static_cast<std::ptrdiff_t>(first),
      step_in_.begin() + static_cast<std::ptrdiff_t>(first + plan_.body(taken).captures.count));
  auto out_slots = plan_.indices(step.outputs);
  std::vector<OutputTarget> targets(out_slots.size());
  RunRequest request = request_;
  ++request.depth;
  RETURN_IF_ERROR_WHILE(runner_.run_body(taken, inputs, targets, request), step_label(plan_, step));
  for (size_t k = 0; k < targets.size(); ++k) {
    if (out_slots[k] == kNoIndex) continue;
    const Tensor& result = targets[k].made;
    RETURN_IF_ERROR(make_slot(out_slots[k], result.dtype(), result.dims()));
    if (result.byte_size() != 0)
      std::memcpy(refs_[out_slots[k]].data, result.data(), result.byte_size());
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
  std::vector<Tensor> carried(carried_count);
  for (size_t k = 0; k < carried_count; ++k) {
    ASSIGN_OR_RETURN(carried[k], copy_of(step_in_[2 + k]));
  }
  const std::vector<TensorRef> captures(step_in_.begin() + body.inputs.count, step_in_.end());
  std::vector<ScanOutput> scans(scan_count);
  RunRequest request = request_;
  ++request.depth;
  for (int64_t iteration = 0; iteration < trip_count && go_on; ++iteration) {
    RETURN_IF_ERROR(check_terminate());
    int64_t iteration_value = iteration;
    bool flag_value = go_on;
    std::vector<TensorRef> inputs = {{DType::kInt64, 0, nullptr, &iteration_value},
                                     {DType::kBool, 0, nullptr, &flag_value}};
    for (const Tensor& tensor : carried) inputs.push_back(ref_of(tensor));
    inputs.insert(inputs.end(), captures.begin(), captures.end());
    std::vector<OutputTarget> targets(1 + carried_count + scan_count);
    RETURN_IF_ERROR_WHILE(runner_.run_body(body_number, inputs, targets, request), label);
    ASSIGN_OR_RETURN(go_on, read_flag(ref_of(targets[0].made), label));
    for (size_t k = 0; k < carried_count; ++k) carried[k] = std::move(targets[1 + k].made);
    for (size_t k = 0; k < scan_count; ++k) {
      RETURN_IF_ERROR(scans[k].append(targets[1 + carried_count + k].made, label));
    }
  }
  auto out_slots = plan_.indices(step.outputs);
  auto body_outputs = plan_.indices(body.outputs);
  for (size_t k = 0; k < out_slots.size(); ++k) {
    if (out_slots[k] == kNoIndex) continue;
    Tensor result;
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
    RETURN_IF_ERROR(make_slot(out_slots[k], result.dtype(), result.dims()));
    if (result.byte_size() != 0)
      std::memcpy(refs_[out_slots[k]].data, result.data(), result.byte_size());
  }
  return Status::ok();
}

}  // namespace ortc
