// SPDX-License-Identifier: MIT
// Transfers between memories: see the header.
#include "core/compile/transfers.h"

#include "core/base/str_cat.h"
#include "core/provider/linked_memory.h"

namespace ortc {
namespace {

// Others hold objects of the host.
bool can_lie_on_device(const SlotRecord& slot) {
  const auto dtype = static_cast<DType>(slot.dtype);
  return dtype != DType::kUndefined && dtype != DType::kString;
}

}  // namespace

uint32_t Transfers::carry(uint32_t body, uint32_t slot, MemoryNumber wanted) {
  if (slot == kNoIndex) return slot;
  const SlotRecord& record = builder_.body(body).slots[slot];
  const MemoryNumber found = record.memory;
  if (!can_lie_on_device(record) || found == wanted) return slot;
  // Devices copy from and to the host; few know of each other.
  if (found != kHostMemory && wanted != kHostMemory &&
      link_between(memories_->memory(found), memories_->memory(wanted)) == nullptr) {
    return carry(body, carry(body, slot, kHostMemory), wanted);
  }
  auto& copies = copies_[{body, slot}];
  const auto known = copies.find(wanted);
  if (known != copies.end()) return known->second;
  return copies[wanted] = add_step(body, slot, wanted);
}

uint32_t Transfers::add_step(uint32_t body, uint32_t slot, MemoryNumber to) {
  const uint32_t copy = builder_.add_copy_slot(body, slot, to);
  PlanBuilder::Step step;
  step.kind = StepKind::kTransfer;
  const bool is_from_host = builder_.body(body).slots[slot].memory == kHostMemory;
  step.op = to == kHostMemory ? "MemcpyToHost" : is_from_host ? "MemcpyFromHost" : "Memcpy";
  step.name = str_cat("Memcpy_", builder_.name_of(body, slot));
  step.inputs = {slot};
  step.outputs = {copy};
  builder_.add_step(body, step);
  return copy;
}

void Transfers::carry_inputs(uint32_t body, uint32_t callee, std::vector<uint32_t>& slots) {
  if (memories_ == nullptr || memories_->is_host_only()) return;
  for (size_t i = 0; i < slots.size(); ++i) {
    slots[i] = carry(body, slots[i], memories_->callee(callee).inputs[i]);
  }
}

void Transfers::place_outputs(uint32_t body, uint32_t callee, const std::vector<uint32_t>& slots) {
  if (memories_ == nullptr || memories_->is_host_only()) return;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i] == kNoIndex) continue;
    SlotRecord& slot = builder_.body(body).slots[slots[i]];
    if (can_lie_on_device(slot)) slot.memory = memories_->callee(callee).outputs[i];
  }
}

}  // namespace ortc
