// SPDX-License-Identifier: MIT
// Bodies of an image: see the header.
#include <algorithm>

#include "core/graph/limits.h"
#include "core/plan/plan_checker.h"
#include "core/plan/scan_record.h"

namespace ortc {
namespace {

constexpr uint32_t kKernelIdMax = 256;

// Instead of a reader. Less than kNoIndex, and more than the steps of any image.
constexpr uint32_t kUnwritten = kNoIndex - 1;

}  // namespace

Status PlanChecker::check_slot_list(const BodyRecord& body, PlanRange range, const char* what) {
  if (!take_indices(range)) return fault_of_indices(range, what);
  for (uint32_t slot : plan_.indices(range)) {
    if (slot >= body.slots.count) return no_such_slot(body, slot, what);
  }
  return Status::ok();
}

Status PlanChecker::no_such_slot(const BodyRecord& body, uint32_t slot, const char* what) const {
  return invalid_graph(what, ": slot ", slot, " of ", body.slots.count);
}

// Slots and steps of a body lie behind those of the body before.
Status PlanChecker::check_records(const BodyRecord& body) {
  if (!range_within(body.slots.begin, body.slots.count, plan_.slots_.size()) ||
      !range_within(body.steps.begin, body.steps.count, plan_.steps_.size())) {
    return invalid_graph("its slots or steps are out of bounds");
  }
  if (body.slots.begin < slots_end_ || body.steps.begin < steps_end_) {
    return invalid_graph("its slots or steps are those of the body before");
  }
  slots_end_ = uint64_t{body.slots.begin} + body.slots.count;
  steps_end_ = uint64_t{body.steps.begin} + body.steps.count;
  return Status::ok();
}

Status PlanChecker::check_body(uint32_t number) {
  const BodyRecord& body = plan_.bodies_[number];
  if (depths_[number] == 0) return invalid_graph("no step before it uses it");
  RETURN_IF_ERROR(check_records(body));
  RETURN_IF_ERROR(check_slot_list(body, body.inputs, "inputs"));
  RETURN_IF_ERROR(check_slot_list(body, body.captures, "captures"));
  RETURN_IF_ERROR(check_slot_list(body, body.outputs, "outputs"));
  // Written before read: a damaged image must not let a step see memory that nobody filled.
  last_readers_.assign(body.slots.count, kUnwritten);
  for (uint32_t i = 0; i < body.slots.count; ++i) {
    RETURN_IF_ERROR_WHILE(check_slot(body, i), "slot ", i);
    if (static_cast<SlotKind>(plan_.slot(body, i).kind) == SlotKind::kConstant) {
      last_readers_[i] = kNoIndex;
    }
  }
  for (PlanRange list : {body.inputs, body.captures}) {
    for (uint32_t slot : plan_.indices(list)) {
      if (last_readers_[slot] != kUnwritten) {
        return invalid_graph("slot ", slot, " is filled twice");
      }
      last_readers_[slot] = kNoIndex;
    }
  }
  for (uint32_t i = 0; i < body.steps.count; ++i) {
    RETURN_IF_ERROR_WHILE(check_step(number, body, i), "step ", i);
  }
  for (uint32_t slot : plan_.indices(body.outputs)) {
    if (last_readers_[slot] == kUnwritten) {
      return invalid_graph("output slot ", slot, " is never written");
    }
    last_readers_[slot] = kNoIndex;  // it lives on
  }
  return check_last_uses(body);
}

Status PlanChecker::check_slot(const BodyRecord& body, uint32_t i) {
  const SlotRecord& slot = plan_.slot(body, i);
  const bool known_rank = slot.rank != kUnknownRank;
  if (slot.kind > static_cast<uint8_t>(SlotKind::kConstant) || slot.dtype >= kDTypeCount ||
      (known_rank && slot.rank > 64) ||
      (known_rank && !range_within(slot.dims, slot.rank, dim_count_))) {
    return invalid_graph("its record is damaged");
  }
  if (slot.memory != 0 && origin_ == Origin::kFile) {
    return invalid_graph("it lies in memory ", slot.memory, ", values of a file lie on the host");
  }
  if (!take_text(slot.name)) return fault_of_text(slot.name);
  if (static_cast<SlotKind>(slot.kind) == SlotKind::kConstant) {
    if (slot.tensor >= plan_.tensor_records_.size() ||
        plan_.tensor_records_[slot.tensor].dtype != slot.dtype) {
      return invalid_graph("constant ", slot.tensor, " of ", plan_.tensor_records_.size(),
                           " does not exist or has another type");
    }
  }
  return Status::ok();
}

// The executor drops what a run has made behind its last reader, so the records must be right.
Status PlanChecker::check_last_uses(const BodyRecord& body) const {
  for (uint32_t i = 0; i < body.slots.count; ++i) {
    const uint32_t found = plan_.slot(body, i).last_use;
    const uint32_t expected = last_readers_[i] != kUnwritten ? last_readers_[i] : kNoIndex;
    if (found == expected) continue;
    const auto text = [](uint32_t step) {
      return step == kNoIndex ? std::string("none") : str_cat(step);
    };
    return invalid_graph("slot ", i, ": its last reader is step ", text(expected),
                         ", the record says ", text(found));
  }
  return Status::ok();
}

Status PlanChecker::read_slots(const BodyRecord& body, PlanRange range, uint32_t step) {
  if (!take_indices(range)) return fault_of_indices(range, "inputs");
  for (uint32_t slot : plan_.indices(range)) {
    if (slot == kNoIndex) continue;
    if (slot >= body.slots.count) return no_such_slot(body, slot, "inputs");
    if (last_readers_[slot] == kUnwritten) {
      return invalid_graph("slot ", slot, " is read before it is written");
    }
    last_readers_[slot] = step;
  }
  return Status::ok();
}

Status PlanChecker::write_slots(const BodyRecord& body, PlanRange range) {
  if (!take_indices(range)) return fault_of_indices(range, "outputs");
  for (uint32_t slot : plan_.indices(range)) {
    if (slot == kNoIndex) continue;
    if (slot >= body.slots.count) return no_such_slot(body, slot, "outputs");
    if (last_readers_[slot] != kUnwritten) {
      return invalid_graph("slot ", slot, " is written twice");
    }
    last_readers_[slot] = kNoIndex;
  }
  return Status::ok();
}

Status PlanChecker::check_step(uint32_t number, const BodyRecord& body, uint32_t i) {
  const StepRecord& step = plan_.step(body, i);
  const auto last_kind = origin_ == Origin::kFile ? StepKind::kSequenceMap : StepKind::kTransfer;
  if (step.kind > static_cast<uint16_t>(last_kind)) {
    return invalid_graph("its record is damaged");
  }
  for (PlanRange text : {step.kernel, step.name, step.op}) {
    if (!take_text(text)) return fault_of_text(text);
  }
  if (!take_params(step.params)) return fault_of_params();
  if (!take_indices(step.bodies)) return fault_of_indices(step.bodies, "bodies");
  RETURN_IF_ERROR(read_slots(body, step.inputs, i));
  RETURN_IF_ERROR(write_slots(body, step.outputs));
  if (origin_ == Origin::kThisProcess) RETURN_IF_ERROR(check_memories(body, step));
  const auto kind = static_cast<StepKind>(step.kind);
  if (kind == StepKind::kKernel) return find_kernel(body, i);
  if (kind == StepKind::kCall || kind == StepKind::kTransfer) return Status::ok();
  return check_control_flow(number, step);
}

// Kernels read and write the host's memory; so do steps with bodies, but for what these capture.
Status PlanChecker::check_memories(const BodyRecord& body, const StepRecord& step) const {
  const auto kind = static_cast<StepKind>(step.kind);
  if (kind == StepKind::kCall) return Status::ok();
  if (kind == StepKind::kTransfer) {
    if (step.inputs.count != 1 || step.outputs.count != 1 ||
        plan_.indices(step.inputs)[0] == kNoIndex || plan_.indices(step.outputs)[0] == kNoIndex) {
      return invalid_graph("a transfer has one input and one output");
    }
    return Status::ok();
  }
  const auto check_host = [&](PlanRange range) -> Status {
    for (uint32_t slot : plan_.indices(range)) {
      if (slot == kNoIndex || plan_.slot(body, slot).memory == 0) continue;
      return invalid_graph("slot ", slot, " lies in memory ", plan_.slot(body, slot).memory,
                           ", the step needs it on the host");
    }
    return Status::ok();
  };
  if (kind == StepKind::kKernel) RETURN_IF_ERROR(check_host(step.inputs));
  return check_host(step.outputs);
}

// Texts are stored once, so steps of one kernel name the same place: it is looked up once.
Status PlanChecker::find_kernel(const BodyRecord& body, uint32_t i) {
  const StepRecord& step = plan_.step(body, i);
  FoundKernel& found = found_kernels_[step.kernel.begin % found_kernels_.size()];
  if (found.row == nullptr || found.id.begin != step.kernel.begin ||
      found.id.count != step.kernel.count || found.contract != step.contract) {
    const std::string_view id = plan_.text(step.kernel);
    found = {step.kernel, step.contract,
             id.size() <= kKernelIdMax ? registry_.find_by_id(id, step.contract) : nullptr};
    if (found.row == nullptr) {
      return invalid_graph(plan_.text(step.op), " '", plan_.text(step.name), "' needs kernel '",
                           id.substr(0, kKernelIdMax), "' with contract ", step.contract,
                           ", which this library does not have");
    }
  }
  plan_.kernels_[body.steps.begin + i] = found.row;
  return Status::ok();
}

// Bodies lie after the body that uses them and are used once, so they are a tree.
Status PlanChecker::take_bodies(uint32_t number, std::span<const uint32_t> bodies) {
  for (uint32_t child : bodies) {
    if (child <= number || child >= plan_.bodies_.size()) {
      return invalid_graph("body ", child, " cannot be used by body ", number);
    }
    if (depths_[child] != 0) return invalid_graph("body ", child, " is used twice");
    depths_[child] = depths_[number] + 1;
    if (depths_[child] > kGraphDepthMax) {
      return invalid_graph("bodies are nested deeper than ", kGraphDepthMax);
    }
  }
  return Status::ok();
}

bool PlanChecker::scan_fits(const StepRecord& step, const BodyRecord& body,
                            uint64_t explicit_inputs) const {
  if (step.params.count < sizeof(ScanRecord)) return false;
  const auto& record = *reinterpret_cast<const ScanRecord*>(plan_.params(step.params).data());
  if (record.scan_inputs < 1 || record.scan_inputs > std::min(kScanMax, body.inputs.count)) {
    return false;
  }
  const uint32_t states = body.inputs.count - record.scan_inputs;
  return record.has_batch <= 1 && explicit_inputs == body.inputs.count + record.has_batch &&
         body.outputs.count == step.outputs.count && states <= step.outputs.count &&
         step.outputs.count - states <= kScanMax;
}

Status PlanChecker::check_control_flow(uint32_t number, const StepRecord& step) {
  const auto kind = static_cast<StepKind>(step.kind);
  const uint32_t wanted = kind == StepKind::kIf ? 2 : 1;
  auto bodies = plan_.indices(step.bodies);
  if (bodies.size() != wanted) {
    return invalid_graph("expected ", wanted, " bodies, found ", bodies.size());
  }
  RETURN_IF_ERROR(take_bodies(number, bodies));
  uint64_t captures = 0;
  for (uint32_t child : bodies) captures += plan_.bodies_[child].captures.count;
  if (captures > step.inputs.count)
    return invalid_graph("it has fewer inputs than its bodies capture");
  const uint64_t explicit_inputs = step.inputs.count - captures;
  const BodyRecord& first = plan_.bodies_[bodies[0]];
  bool fits = true;
  if (kind == StepKind::kIf) {
    fits = explicit_inputs == 1 && first.inputs.count == 0 &&
           first.outputs.count == step.outputs.count &&
           plan_.bodies_[bodies[1]].inputs.count == 0 &&
           plan_.bodies_[bodies[1]].outputs.count == step.outputs.count;
  } else if (kind == StepKind::kLoop) {
    fits = explicit_inputs >= 2 && first.inputs.count == explicit_inputs &&
           first.outputs.count == step.outputs.count + 1 &&
           step.outputs.count + 2 >= explicit_inputs;
  } else if (kind == StepKind::kSequenceMap) {
    fits = explicit_inputs >= 1 && first.inputs.count == explicit_inputs &&
           first.outputs.count == step.outputs.count;
  } else if (kind == StepKind::kScan) {
    fits = scan_fits(step, first, explicit_inputs);
  }
  if (!fits) return invalid_graph("inputs and outputs do not fit its bodies");
  return Status::ok();
}

}  // namespace ortc
