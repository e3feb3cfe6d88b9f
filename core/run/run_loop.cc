// SPDX-License-Identifier: MIT
// Loop(M, cond, v...) -> v..., scan outputs. The body takes (iteration, cond, v...) and gives
// (cond, v..., scan...); scan results of all iterations are stacked along a new first axis.
#include "core/run/body_run.h"
#include "core/run/copy_range.h"

namespace ortc {
namespace {

// One scan output: the results of all iterations, in order.
class ScanOutput {
 public:
  Status append(const Datum& value) {
    if (!value.is_tensor()) {
      return invalid_argument("a scan output is ", describe(value), ", expected a tensor");
    }
    const Tensor& element = *value.tensor();
    if (parts_.empty()) {
      dims_ = element.dims();
      dtype_ = element.dtype();
    } else if (element.dims() != dims_ || element.dtype() != dtype_) {
      return invalid_argument("a scan output changed its shape from ", dims_to_string(dims_),
                              " to ", dims_to_string(element.dims()));
    }
    parts_.push_back(element);
    return Status::ok();
  }
  // `helper`: the node's owner's, if it has one.
  Result<Tensor> finish(const ControlFlowHelper* helper) const {
    Dims dims = {static_cast<int64_t>(parts_.size())};
    dims.insert(dims.end(), dims_.begin(), dims_.end());
    const bool is_bytes = dtype_ != DType::kString && dtype_bits(dtype_) >= 8;
    if (helper != nullptr && helper->concatenates() && is_bytes && !parts_.empty()) {
      ASSIGN_OR_RETURN(Tensor joined, Tensor::create(dtype_, std::move(dims)));
      RETURN_IF_ERROR(helper->concatenate(parts_, joined));
      return joined;
    }
    ASSIGN_OR_RETURN(Tensor stacked, Tensor::create(dtype_, std::move(dims)));
    uint64_t at = 0;
    for (const Tensor& part : parts_) {
      const auto count = static_cast<uint64_t>(part.element_count());
      copy_range(dtype_, count, part.data(), 0, stacked.mutable_data(), at);
      at += count;
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

// One execution of a Loop step.
class LoopRun {
 public:
  LoopRun(BodyRun& run, const StepRecord& step)
      : run_(run),
        step_(step),
        number_(run.plan_.indices(step.bodies)[0]),
        body_(run.plan_.body(number_)),
        carried_(body_.inputs.count - 2),
        scans_(step.outputs.count - carried_.size()),
        captures_(run.step_in_.begin() + body_.inputs.count, run.step_in_.end()) {}

  Status run() {
    RETURN_IF_ERROR(read_start());
    for (int64_t iteration = 0; iteration < trip_count_ && goes_on_; ++iteration) {
      RETURN_IF_ERROR(run_iteration(iteration));
    }
    return give_results();
  }

 private:
  Status read_start() {
    const ValueRef &trips = run_.step_in_[0], &condition = run_.step_in_[1];
    if (trips.is_present()) {
      if (trips.dtype != DType::kInt64 || trips.element_count() != 1) {
        return invalid_argument("the trip count must be one int64");
      }
      trip_count_ = *trips.as<int64_t>();
    }
    if (condition.is_present()) {
      ASSIGN_OR_RETURN(goes_on_, read_flag(condition));
    }
    for (size_t k = 0; k < carried_.size(); ++k) {
      ASSIGN_OR_RETURN(carried_[k], datum_of(run_.step_in_[2 + k]));
    }
    return Status::ok();
  }

  Status run_iteration(int64_t iteration) {
    // Bodies may want the iteration number as a vector of one.
    static constexpr int64_t kOne = 1;
    const uint32_t rank = run_.plan_.slot(body_, run_.plan_.indices(body_.inputs)[0]).rank;
    std::vector<ValueRef> inputs = {{DType::kInt64, rank == 1 ? 1u : 0u, &kOne, &iteration},
                                    {DType::kBool, 0, nullptr, &goes_on_}};
    for (const Datum& value : carried_) inputs.push_back(ref_to(value));
    inputs.insert(inputs.end(), captures_.begin(), captures_.end());
    std::vector<OutputTarget> targets(body_.outputs.count);
    RETURN_IF_ERROR(run_.run_child(number_, inputs, targets));
    ASSIGN_OR_RETURN(goes_on_, read_flag(ref_to(targets[0].made)));
    for (size_t k = 0; k < carried_.size(); ++k) carried_[k] = std::move(targets[1 + k].made);
    for (size_t k = 0; k < scans_.size(); ++k) {
      RETURN_IF_ERROR(scans_[k].append(targets[1 + carried_.size() + k].made));
    }
    return Status::ok();
  }

  Status give_results() {
    const auto out_slots = run_.plan_.indices(step_.outputs);
    for (size_t k = 0; k < out_slots.size(); ++k) {
      if (out_slots[k] == kNoIndex) continue;
      Datum result;
      if (k < carried_.size()) {
        result = std::move(carried_[k]);
      } else {
        ASSIGN_OR_RETURN(result, stacked(k));
      }
      RETURN_IF_ERROR(run_.set_slot(out_slots[k], std::move(result)));
    }
    return Status::ok();
  }

  // Of a loop that never ran: empty, with the shape that the body's plan says.
  Result<Tensor> stacked(size_t k) {
    ScanOutput& scan = scans_[k - carried_.size()];
    if (!scan.has_parts()) {
      const SlotRecord& slot = run_.plan_.slot(body_, run_.plan_.indices(body_.outputs)[1 + k]);
      scan.set_empty(static_cast<DType>(slot.dtype), run_.declared_dims(slot));
    }
    return scan.finish(run_.helper_of(step_));
  }

  BodyRun& run_;
  const StepRecord& step_;
  const uint32_t number_;
  const BodyRecord& body_;
  std::vector<Datum> carried_;
  std::vector<ScanOutput> scans_;
  const std::vector<ValueRef> captures_;
  int64_t trip_count_ = INT64_MAX;
  bool goes_on_ = true;
};

Status BodyRun::run_loop(const StepRecord& step) {
  RETURN_IF_ERROR_WHILE(LoopRun(*this, step).run(), step_label(plan_, step));
  return Status::ok();
}

}  // namespace ortc
