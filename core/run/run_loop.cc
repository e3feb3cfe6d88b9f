// SPDX-License-Identifier: MIT
// Loop(M, cond, v...) -> v..., scan outputs. The body takes (iteration, cond, v...) and gives
// (cond, v..., scan...); scan results of all iterations are stacked along a new first axis.
#include "core/run/body_run.h"

namespace ortc {
namespace {

// Scan results that the owner of the node joins: `parts` are of one type and shape.
Result<Tensor> join(const ControlFlowHelper& helper, std::span<const Tensor> parts) {
  Dims dims = {static_cast<int64_t>(parts.size())};
  dims.insert(dims.end(), parts[0].dims().begin(), parts[0].dims().end());
  ASSIGN_OR_RETURN(Tensor joined, Tensor::create(parts[0].dtype(), std::move(dims)));
  RETURN_IF_ERROR(helper.concatenate(parts, joined));
  return joined;
}

}  // namespace

// One execution of a Loop step.
class LoopRun {
 public:
  LoopRun(BodyRun& run, const StepRecord& step)
      : run_(run),
        step_(step),
        number_(run.plan_.indices(step.bodies)[0]),
        body_(run.plan_.body(number_)),
        states_(body_.inputs.count - 2),
        room_(run.room()),
        helper_(run.helper_of(step)) {
    if (helper_ != nullptr && !helper_->concatenates()) helper_ = nullptr;
    room_.clear_step();
    room_.carried.resize(states_);
    room_.stacks.resize(step.outputs.count - states_);
  }

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
    return Status::ok();
  }

  // What the program gave, then what the iteration before made. A state that is left out is an
  // empty value.
  ValueRef state(int64_t iteration, size_t k) {
    static const Datum& kEmpty = *new Datum;  // a run may be under way while the process exits
    const ValueRef& given = run_.step_in_[2 + k];
    if (iteration > 0) return room_.carried[k].ref();
    return given.is_present() ? given : ref_to(kEmpty);
  }

  Status run_iteration(int64_t iteration) {
    // Bodies may want the iteration number as a vector of one.
    static constexpr int64_t kOne = 1;
    const uint32_t rank = run_.plan_.slot(body_, run_.plan_.indices(body_.inputs)[0]).rank;
    std::vector<ValueRef>& inputs = room_.inputs;
    inputs.clear();
    inputs.push_back({DType::kInt64, rank == 1 ? 1u : 0u, &kOne, &iteration});
    inputs.push_back({DType::kBool, 0, nullptr, &goes_on_});
    for (size_t k = 0; k < states_; ++k) inputs.push_back(state(iteration, k));
    inputs.insert(inputs.end(), run_.step_in_.begin() + body_.inputs.count, run_.step_in_.end());
    room_.set_targets(body_.outputs.count);
    for (size_t k = 0; helper_ != nullptr && k < room_.stacks.size(); ++k) {
      room_.targets[1 + states_ + k].within = nullptr;
    }
    RETURN_IF_ERROR(run_.run_child(number_, inputs, room_.targets));
    ASSIGN_OR_RETURN(goes_on_, read_flag(room_.targets[0].result()));
    for (size_t k = 0; k < states_; ++k) room_.carried[k] = room_.targets[1 + k].take();
    for (size_t k = 0; k < room_.stacks.size(); ++k) RETURN_IF_ERROR(add_row(k));
    ++iterations_;
    return Status::ok();
  }

  Status add_row(size_t k) {
    OutputTarget& target = room_.targets[1 + states_ + k];
    const ValueRef row = target.result();
    if (row.datum != nullptr || !row.is_present()) {
      return invalid_argument("a scan output is ", describe(target.made), ", expected a tensor");
    }
    if (helper_ == nullptr || !dtype_is_addressable(row.dtype)) {
      return room_.stacks[k].append(run_.arenas(), row, trip_count_);
    }
    parts_.resize(room_.stacks.size());
    const Tensor& part = *target.made.tensor();
    if (!parts_[k].empty() &&
        (parts_[k][0].dims() != part.dims() || parts_[k][0].dtype() != part.dtype())) {
      return scan_shape_changed(parts_[k][0].dims(), part.dims());
    }
    parts_[k].push_back(part);
    return Status::ok();
  }

  Status give_results() {
    const auto out_slots = run_.plan_.indices(step_.outputs);
    for (size_t k = 0; k < out_slots.size(); ++k) {
      if (out_slots[k] == kNoIndex) continue;
      MadeValue result;
      if (k >= states_) {
        ASSIGN_OR_RETURN(result, stacked(k - states_));
      } else if (iterations_ > 0) {
        result = std::move(room_.carried[k]);
      } else {
        ASSIGN_OR_RETURN(result, run_.copy_within(run_.step_in_[2 + k]));
      }
      RETURN_IF_ERROR(run_.set_slot(out_slots[k], std::move(result)));
    }
    return Status::ok();
  }

  Result<MadeValue> stacked(size_t k) {
    if (k < parts_.size() && !parts_[k].empty()) {
      ASSIGN_OR_RETURN(Tensor joined, join(*helper_, parts_[k]));
      return MadeValue(std::move(joined));
    }
    if (room_.stacks[k].count() > 0) return room_.stacks[k].finish(run_.arenas());
    // Of a loop that never ran: empty, with the shape that the body's plan says.
    const uint32_t output = run_.plan_.indices(body_.outputs)[1 + states_ + k];
    const SlotRecord& slot = run_.plan_.slot(body_, output);
    return MadeValue::rows(run_.arenas(), static_cast<DType>(slot.dtype), 0,
                           run_.declared_dims(slot));
  }

  BodyRun& run_;
  const StepRecord& step_;
  const uint32_t number_;
  const BodyRecord& body_;
  const size_t states_;
  RunRoom& room_;
  const ControlFlowHelper* helper_;         // null: rows are stacked here
  std::vector<std::vector<Tensor>> parts_;  // by scan output, with a helper
  int64_t trip_count_ = INT64_MAX;
  int64_t iterations_ = 0;
  bool goes_on_ = true;
};

Status BodyRun::run_loop(const StepRecord& step) {
  RETURN_IF_ERROR_WHILE(LoopRun(*this, step).run(), step_label(plan_, step));
  room().clear_step();
  return Status::ok();
}

}  // namespace ortc
