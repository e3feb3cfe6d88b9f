// SPDX-License-Identifier: MIT
// Steps that carry a tensor from one memory to another.
#include "core/run/body_run.h"
#include "core/run/device_run.h"

namespace ortc {

Status BodyRun::run_transfer(uint32_t i, const StepRecord& step) {
  const uint32_t to = plan_.indices(step.outputs)[0];
  if (const Tensor* constant = runner_.device_constant(body_.steps.begin + i)) {
    refs_[to] = ref_to(*constant);
    return Status::ok();
  }
  RETURN_IF_ERROR_WHILE(transfer(plan_.indices(step.inputs)[0], to), step_label(plan_, step));
  return Status::ok();
}

Status BodyRun::transfer(uint32_t from, uint32_t to) {
  const MemoryNumber from_memory = plan_.slot(body_, from).memory;
  const MemoryNumber to_memory = plan_.slot(body_, to).memory;
  if (const ValueRef* const given = given_in(to_memory, from); given != nullptr) {
    refs_[to] = *given;
    return Status::ok();
  }
  const ValueRef& value = refs_[from];
  if (value.datum != nullptr || value.dtype == DType::kString) {
    return invalid_graph("value '", plan_.slot_name(body_, from),
                         "' is not a tensor that a device can hold");
  }
  if (request_.places != nullptr && from_memory != kHostMemory) {
    ASSIGN_OR_RETURN(const bool is_done, deliver_on_device(from, to));
    if (is_done) return Status::ok();
  }
  const bool is_readable = from_memory != kHostMemory && to_memory == kHostMemory &&
                           runner_.context_.memories->memory(from_memory).info().is_host_accessible;
  if (const MadeValue* const made = made_in(from);
      is_readable && made != nullptr && made->other().is_tensor()) {
    RETURN_IF_ERROR(request_.devices->wait(from_memory));
    return set_slot(to, made->other());
  }
  RETURN_IF_ERROR(make_slot(to, value.dtype, value.dims()));
  return request_.devices->copy(refs_[from], from_memory, refs_[to], to_memory);
}

// What this body made on devices may still be in work.
void BodyRun::keep_device_values() {
  for (uint32_t slot = 0; slot < body_.slots.count; ++slot) {
    if (plan_.slot(body_, slot).memory != kHostMemory && made_in(slot) != nullptr) {
      request_.devices->keep(room().made[slot].take_other());
    }
  }
}

}  // namespace ortc
