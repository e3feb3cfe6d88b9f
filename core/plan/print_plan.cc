// SPDX-License-Identifier: MIT
// The text of a Plan: see plan.h.
#include "core/plan/plan.h"

namespace ortc {
namespace {

std::string slot_text(const Plan& plan, const BodyRecord& body, uint32_t index) {
  if (index == kNoIndex) return "-";
  const SlotRecord& slot = plan.slot(body, index);
  std::string text = str_cat("%", index);
  if (!plan.text(slot.name).empty()) text += str_cat(":", plan.text(slot.name));
  text += str_cat(" ", dtype_name(static_cast<DType>(slot.dtype)));
  if (slot.memory != 0) text += str_cat(" @", slot.memory);
  if (slot.rank == kUnknownRank) return text;
  text += "[";
  auto dims = plan.dims(slot.dims, slot.rank);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i != 0) text += ",";
    text += dims[i] >= 0    ? str_cat(dims[i])
            : dims[i] == -1 ? std::string("?")
                            : str_cat("s", -(dims[i] + 2));
  }
  text += "]";
  if (static_cast<SlotKind>(slot.kind) == SlotKind::kConstant) {
    const TensorRecord& tensor = plan.tensor(slot.tensor);
    text += str_cat(" const#", slot.tensor, " layout ", tensor.layout, " ", tensor.size, " B");
  }
  return text;
}

std::string slots_text(const Plan& plan, const BodyRecord& body, PlanRange range) {
  std::string text;
  for (uint32_t slot : plan.indices(range)) {
    text += str_cat(text.empty() ? "" : ", ", slot_text(plan, body, slot));
  }
  return text;
}

}  // namespace

std::string print_plan(const Plan& plan) {
  std::string text;
  for (uint32_t number = 0; number < plan.body_count(); ++number) {
    const BodyRecord& body = plan.body(number);
    text += str_cat("body ", number, "\n  inputs: ", slots_text(plan, body, body.inputs), "\n");
    if (body.captures.count != 0) {
      text += str_cat("  captures: ", slots_text(plan, body, body.captures), "\n");
    }
    for (uint32_t i = 0; i < body.steps.count; ++i) {
      const StepRecord& step = plan.step(body, i);
      text += str_cat("  ", i, ": ", plan.text(step.op), " '", plan.text(step.name), "' [",
                      plan.text(step.kernel), " #", step.contract, "] (",
                      slots_text(plan, body, step.inputs), ") -> ",
                      slots_text(plan, body, step.outputs), "\n");
      for (uint32_t child : plan.indices(step.bodies)) text += str_cat("     body ", child, "\n");
    }
    text += str_cat("  outputs: ", slots_text(plan, body, body.outputs), "\n");
  }
  return text;
}

}  // namespace ortc
