// SPDX-License-Identifier: MIT
// Making one binding another: see rebind() in binding.h.
//
// The walk is that of make_binding(), over the steps that read something that has changed: a shape,
// or contents known now. Which values share a buffer stays; where they would no longer be of one
// size, or the way of a step becomes another, it gives up.
#include <algorithm>

#include "core/run/binding.h"
#include "core/run/given_shapes.h"
#include "core/run/known_contents.h"

namespace ortc {

class Rebinder {
 public:
  Rebinder(const Runner& runner, uint32_t body, Binding& binding)
      : runner_(runner),
        plan_(runner.plan()),
        body_(plan_.body(body)),
        binding_(binding),
        room_(binding.room) {}

  Result<bool> run(std::span<const ValueRef> inputs) {
    room_.has_changed.assign(body_.slots.count, 0);
    if (!take_given(inputs)) return false;
    for (uint32_t i = 0; i < body_.steps.count; ++i) {
      const StepRecord& step = plan_.step(body_, i);
      if (std::ranges::none_of(plan_.indices(step.inputs), [&](uint32_t slot) {
            return slot != kNoIndex && room_.has_changed[slot] != 0;
          })) {
        continue;
      }
      ASSIGN_OR_RETURN(const bool is_done, static_cast<StepKind>(step.kind) == StepKind::kCall
                                               ? rebind_call(i, step)
                                               : rebind_step(i, step));
      if (!is_done) return false;
    }
    if (!has_new_sizes_) return true;
    if (!resize_buffers()) return false;
    RETURN_IF_ERROR(place_buffers(binding_));
    return true;
  }

 private:
  bool take_given(std::span<const ValueRef> inputs) {
    uint32_t number = 0;
    for (PlanRange list : {body_.inputs, body_.captures}) {
      for (uint32_t slot : plan_.indices(list)) {
        const ValueRef& input = inputs[number++];
        const BoundSlot& bound = binding_.slots[slot];
        if (bound.is_opaque != (input.datum != nullptr)) return false;
        if (!set_shape(slot, input.dtype, input.dims())) return false;
      }
    }
    return true;
  }

  // As their values are now. False where values share a buffer that are of several sizes now.
  bool resize_buffers() {
    const std::vector<uint32_t>& buffer_of = binding_.buffer_of;
    for (size_t slot = 0; slot < buffer_of.size(); ++slot) {
      if (buffer_of[slot] == kNoIndex || room_.has_changed[slot] == 0) continue;
      binding_.buffers[buffer_of[slot]].size = binding_.slots[slot].bytes;
    }
    for (size_t slot = 0; slot < buffer_of.size(); ++slot) {
      if (buffer_of[slot] == kNoIndex) continue;
      if (binding_.buffers[buffer_of[slot]].size != binding_.slots[slot].bytes) return false;
    }
    return true;
  }

  // False where it is of another kind.
  bool set_shape(uint32_t slot, DType dtype, std::span<const int64_t> dims) {
    BoundSlot& bound = binding_.slots[slot];
    if (bound.dtype != dtype || bound.rank != dims.size()) return false;
    if (std::ranges::equal(std::span(bound.dims, bound.rank), dims)) return true;
    const auto count = checked_element_count(dims);
    const uint64_t bytes =
        count ? dtype_bytes(dtype, static_cast<uint64_t>(*count)).value_or(0) : 0;
    has_new_sizes_ = has_new_sizes_ || (bound.place == Place::kArena && bytes != bound.bytes);
    std::ranges::copy(dims, const_cast<int64_t*>(bound.dims));  // of this binding alone
    bound.bytes = bytes;
    room_.has_changed[slot] = 1;
    return true;
  }

  // The contents where they are known now.
  ValueRef ref_of(uint32_t slot) const {
    if (slot == kNoIndex) return {};
    const BoundSlot& bound = binding_.slots[slot];
    const void* data = bound.place == Place::kConstant ? plan_.tensor_bytes(bound.index).data()
                       : bound.place == Place::kKnown  ? binding_.known[bound.index].data()
                                                       : nullptr;
    return {bound.dtype, bound.rank, bound.dims, const_cast<void*>(data)};
  }

  Result<bool> rebind_step(uint32_t i, const StepRecord& step) {
    const BoundStep::Mode mode = binding_.steps[i].mode;
    if (static_cast<StepKind>(step.kind) != StepKind::kKernel || mode == BoundStep::kUnbound) {
      return false;
    }
    const KernelRow& row = *plan_.kernel(body_, i);
    room_.inputs.clear();
    for (uint32_t slot : plan_.indices(step.inputs)) room_.inputs.push_back(ref_of(slot));
    // What had no elements was known without contents; now it may have some.
    const bool reads_shapes_only = (row.flags & kReadsShapesOnly) != 0;
    const bool needs_all = mode == BoundStep::kSkip && !reads_shapes_only;
    if (!can_bind(row, room_.inputs) || (needs_all && !all_known(room_.inputs))) return false;
    const auto out_slots = plan_.indices(step.outputs);
    if (room_.results.size() < out_slots.size()) room_.results.resize(out_slots.size());
    const std::span results(room_.results.data(), out_slots.size());
    for (size_t k = 0; k < results.size(); ++k) {
      results[k].wanted = out_slots[k] != kNoIndex;
      results[k].is_set = false;
    }
    BindContext bind(row.id, plan_.params(step.params), room_.inputs, results,
                     runner_.context_.pool != nullptr ? runner_.context_.pool->thread_count() : 1,
                     runner_.context_.isa);
    RETURN_IF_ERROR_WHILE(row.bind(bind), step_label(plan_, step));
    RETURN_IF_ERROR(check_step_outputs(plan_, body_, step, results));
    if (mode == BoundStep::kSkip) return compute_again(step, row, results, bind);
    for (size_t k = 0; k < results.size(); ++k) {
      if (out_slots[k] == kNoIndex) continue;
      if (!set_shape(out_slots[k], results[k].dtype, results[k].dims)) return false;
    }
    return set_scratch(i, bind.scratch());
  }

  bool set_scratch(uint32_t i, uint64_t bytes) {
    const uint32_t buffer = binding_.scratch_of[i];
    if (buffer == kNoIndex) return bytes == 0;
    has_new_sizes_ = has_new_sizes_ || binding_.buffers[buffer].size != bytes;
    binding_.buffers[buffer].size = bytes;
    return true;
  }

  // Shape arithmetic: as many results of as many elements as before.
  Result<bool> compute_again(const StepRecord& step, const KernelRow& row,
                             std::span<const BindContext::Output> results,
                             const BindContext& bind) {
    const auto out_slots = plan_.indices(step.outputs);
    room_.outputs.clear();
    for (size_t k = 0; k < out_slots.size(); ++k) {
      if (out_slots[k] == kNoIndex) {
        room_.outputs.emplace_back();
        continue;
      }
      const BoundSlot& bound = binding_.slots[out_slots[k]];
      if (bound.place != Place::kKnown || bound.dtype != results[k].dtype ||
          !std::ranges::equal(std::span(bound.dims, bound.rank), results[k].dims)) {
        return false;
      }
      room_.has_changed[out_slots[k]] = 1;
      room_.outputs.push_back(ref_of(out_slots[k]));
    }
    auto scratch = runner_.context_.arenas->acquire(bind.scratch());
    RETURN_IF_ERROR_WHILE(scratch.status(), step_label(plan_, step));
    const RunContext::Host host{nullptr, runner_.context_.isa, nullptr, nullptr};
    RunContext run(plan_.params(step.params), room_.inputs, room_.outputs, scratch->data(), host);
    RETURN_IF_ERROR_WHILE(row.run(run), step_label(plan_, step));
    return true;
  }

  Result<bool> rebind_call(uint32_t i, const StepRecord& step) {
    if (binding_.steps[i].mode != BoundStep::kRun) return false;
    room_.inputs.clear();
    for (uint32_t slot : plan_.indices(step.inputs)) room_.inputs.push_back(ref_of(slot));
    const Runner& callee = *runner_.callees_[step.callee].runner;
    ASSIGN_OR_RETURN(const auto inner, callee.binding(0, room_.inputs));
    const auto from = callee.plan().indices(callee.plan().body(0).outputs);
    const auto to = plan_.indices(step.outputs);
    for (size_t k = 0; k < to.size(); ++k) {
      const BoundSlot& made = inner->slots[from[k]];
      if (made.place == Place::kUnbound) return false;
      if (to[k] == kNoIndex) continue;
      if (!set_shape(to[k], made.dtype, std::span(made.dims, made.rank))) return false;
    }
    return true;
  }

  const Runner& runner_;
  const Plan& plan_;
  const BodyRecord& body_;
  Binding& binding_;
  Binding::Room& room_;
  bool has_new_sizes_ = false;
};

Result<bool> rebind(const Runner& runner, uint32_t body, std::span<const ValueRef> inputs,
                    Binding& binding) {
  const bool is_usable = std::ranges::none_of(
      binding.steps, [](const BoundStep& step) { return step.mode == BoundStep::kUnbound; });
  if (!is_usable) return false;
  if (body == 0) RETURN_IF_ERROR(check_given_shapes(runner.plan(), inputs));
  return Rebinder(runner, body, binding).run(inputs);
}

}  // namespace ortc
