// SPDX-License-Identifier: MIT
// Inputs that the program keeps on devices, and outputs that it wants there. The plan has every
// input and output on the host, with transfers behind and before it: where the program's place is
// the other end of such a transfer, nothing is carried.
#include <algorithm>
#include <utility>

#include "core/run/body_run.h"
#include "core/run/device_run.h"
#include "core/run/provided_output.h"

namespace ortc {

// The input of that slot, when it was given in that memory.
const ValueRef* BodyRun::given_in(MemoryNumber memory, uint32_t slot) const {
  const BoundSlot& bound = binding_.slots[slot];
  if (request_.places == nullptr || memory == kHostMemory || bound.place != Place::kGiven) {
    return nullptr;
  }
  return request_.places->input(bound.index) == memory ? &given_[bound.index] : nullptr;
}

bool BodyRun::is_on_device(uint32_t slot) const {
  if (is_in_device_slot(slot)) return true;
  const BoundSlot& bound = binding_.slots[slot];
  return request_.places != nullptr && bound.place == Place::kGiven &&
         request_.places->input(bound.index) != kHostMemory &&
         refs_.begin()[slot].data == given_[bound.index].data;
}

// Inputs that somebody reads where they are not.
Status BodyRun::bring_given_to_host() {
  auto slots = plan_.indices(body_.inputs);
  for (uint32_t k = 0; k < slots.size(); ++k) {
    const MemoryNumber memory = request_.places->input(k);
    const uint32_t slot = slots[k];
    if (memory == kHostMemory) continue;
    const bool is_output = slot_outputs_.first(slot) != kNoIndex;
    if (!is_output && !runner_.is_read_elsewhere(slot, memory)) continue;
    const ValueRef& given = given_[k];
    ASSIGN_OR_RETURN(Tensor copy, make_tensor(given.dtype, given.dims()));
    RETURN_IF_ERROR_WHILE(request_.devices->copy(given, memory, ref_to(copy), kHostMemory),
                          "input '", plan_.slot_name(body_, slot), "'");
    RETURN_IF_ERROR(set_slot(slot, std::move(copy)));
  }
  return Status::ok();
}

Status BodyRun::check_provided(const ValueRef& provided, uint32_t slot, DType dtype,
                               std::span<const int64_t> dims) const {
  if (fits(provided, dtype, dims)) return Status::ok();
  return wrong_provided(plan_.slot_name(body_, slot), provided, dtype, dims);
}

// The output, provided in the memory of `slot`, that a transfer of this slot brings.
const DeviceTarget* BodyRun::target_made_by(uint32_t slot) const {
  if (request_.places == nullptr) return nullptr;
  const MemoryNumber memory = plan_.slot(body_, slot).memory;
  for (uint32_t i = 0; i < body_.steps.count; ++i) {
    const StepRecord& step = plan_.step(body_, i);
    if (static_cast<StepKind>(step.kind) != StepKind::kTransfer ||
        plan_.indices(step.inputs)[0] != slot) {
      continue;
    }
    const uint32_t brought = plan_.indices(step.outputs)[0];
    for (uint32_t k = slot_outputs_.first(brought); k != kNoIndex; k = slot_outputs_.next(k)) {
      if (request_.places->output(k) != memory) continue;
      const DeviceTarget& target = request_.places->outputs[k];
      if (target.provided.data != nullptr) return &target;
    }
  }
  return nullptr;
}

// `from` lies on a device, `to` would be its copy on the host: true when nobody needs that.
Result<bool> BodyRun::deliver_on_device(uint32_t from, uint32_t to) {
  bool is_delivered = false;
  bool is_needed = runner_.is_read_elsewhere(to, kHostMemory);
  for (uint32_t k = slot_outputs_.first(to); k != kNoIndex; k = slot_outputs_.next(k)) {
    if (request_.places->output(k) != plan_.slot(body_, from).memory) {
      is_needed = true;
      continue;
    }
    RETURN_IF_ERROR(deliver(request_.places->outputs[k], outputs_[k], from));
    is_delivered = true;
  }
  if (!is_delivered || is_needed) return false;
  refs_[to] = refs_[from];
  return true;
}

Status BodyRun::deliver(DeviceTarget& target, OutputTarget& output, uint32_t from) {
  const ValueRef& value = refs_[from];
  target.is_done = true;
  if (target.provided.data != nullptr) {
    RETURN_IF_ERROR(check_provided(target.provided, from, value.dtype, value.dims()));
    if (target.provided.data == value.data) return Status::ok();
    return request_.devices->copy_within(value, target.provided.data, target.memory);
  }
  // The first who wants it gets the bytes themselves, any other a copy.
  const MadeValue* const made = made_in(from);
  const bool is_own = made != nullptr && made->other().is_tensor();
  const bool is_given_away =
      is_own && std::ranges::any_of(outputs_, [&](const OutputTarget& other) {
        return other.made.is_tensor() && other.made.tensor()->data() == value.data;
      });
  if (is_own && !is_given_away) {
    output.made = made->other();
    return Status::ok();
  }
  ASSIGN_OR_RETURN(Tensor copy,
                   request_.devices->make_tensor(target.memory, value.dtype, value.dims()));
  RETURN_IF_ERROR(request_.devices->copy_within(value, copy.mutable_data(), target.memory));
  output.made = std::move(copy);
  return Status::ok();
}

// Outputs that were made on the host, or on another device.
Status BodyRun::finish_device_outputs() {
  auto slots = plan_.indices(body_.outputs);
  for (uint32_t k = 0; k < slots.size(); ++k) {
    if (request_.places->output(k) == kHostMemory) continue;
    DeviceTarget& target = request_.places->outputs[k];
    if (std::exchange(target.is_done, true)) continue;
    const Datum made = std::move(outputs_[k].made);
    if (!made.is_tensor() || made.tensor()->dtype() == DType::kString) {
      return invalid_argument("output '", plan_.slot_name(body_, slots[k]), "' is ", describe(made),
                              ", which memory of a device cannot hold");
    }
    const ValueRef value = ref_to(*made.tensor());
    ValueRef to = target.provided;
    if (to.data != nullptr) {
      RETURN_IF_ERROR(check_provided(to, slots[k], value.dtype, value.dims()));
    } else {
      ASSIGN_OR_RETURN(Tensor tensor,
                       request_.devices->make_tensor(target.memory, value.dtype, value.dims()));
      outputs_[k].made = std::move(tensor);
      to = ref_to(outputs_[k].made);
    }
    RETURN_IF_ERROR(request_.devices->copy(value, kHostMemory, to, target.memory));
  }
  return Status::ok();
}

}  // namespace ortc
