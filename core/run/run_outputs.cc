// SPDX-License-Identifier: MIT
// Values that a body makes while it runs, and its outputs: who has their memory, and who gets them.
#include <algorithm>

#include "core/run/body_run.h"
#include "core/run/device_run.h"

namespace ortc {
namespace {

bool is_borrowed(const Tensor& tensor) { return tensor.is_defined() && tensor.owner() == nullptr; }

// The value for those who keep it when the run is over: a sparse tensor over memory of the caller
// is copied. Values of the other kinds have their elements to themselves.
Result<Datum> with_own_memory(const Datum& datum) {
  const SparseTensor* const sparse = datum.sparse();
  if (sparse == nullptr) return datum;
  if (!is_borrowed(sparse->values) && std::ranges::none_of(sparse->indices, is_borrowed)) {
    return datum;
  }
  SparseTensor own = *sparse;
  if (is_borrowed(own.values)) {
    ASSIGN_OR_RETURN(own.values, copy_of(own.values));
  }
  for (Tensor& indices : own.indices) {
    if (!is_borrowed(indices)) continue;
    ASSIGN_OR_RETURN(indices, copy_of(indices));
  }
  return Datum::of(std::move(own));
}

}  // namespace

Result<Tensor> BodyRun::make_tensor(DType dtype, std::span<const int64_t> dims) const {
  const TensorMaker* maker = runner_.context_.tensor_maker;
  if (maker != nullptr && *maker) return (*maker)(dtype, dims);
  return Tensor::create_unset(dtype, Dims(dims.begin(), dims.end()));
}

Result<Datum> BodyRun::own_copy(const ValueRef& ref) const {
  if (ref.datum != nullptr) return with_own_memory(*ref.datum);
  if (ref.dtype == DType::kString) return datum_of(ref);
  ASSIGN_OR_RETURN(Tensor tensor, make_tensor(ref.dtype, ref.dims()));
  copy_elements(ref.dtype, ref.element_count(), ref.data, tensor.mutable_data());
  return Datum(std::move(tensor));
}

Result<MadeValue> BodyRun::copy_within(const ValueRef& ref) const {
  if (!ref.is_present()) return MadeValue();
  if (ref.datum != nullptr) {
    ASSIGN_OR_RETURN(Datum copy, datum_of(ref));
    return MadeValue(std::move(copy));
  }
  ASSIGN_OR_RETURN(MadeValue copy, MadeValue::tensor(arenas(), ref.dtype, ref.dims()));
  copy_elements(ref.dtype, ref.element_count(), ref.data, copy.ref().data);
  return copy;
}

Status BodyRun::place_output(uint32_t slot, uint32_t number) {
  const BoundSlot& bound = binding_.slots[slot];
  OutputTarget& target = outputs_[number];
  ValueRef& ref = refs_[slot];
  const std::span<const int64_t> dims = bound.shape();
  if (target.within != nullptr) {
    ASSIGN_OR_RETURN(*target.within, MadeValue::tensor(arenas(), bound.dtype, dims));
    ref.data = target.within->ref().data;
    return Status::ok();
  }
  if (target.provided.data == nullptr) {
    ASSIGN_OR_RETURN(target.made, make_tensor(bound.dtype, dims));
    ref.data = target.made.tensor()->mutable_data();
    return Status::ok();
  }
  RETURN_IF_ERROR(check_provided(target.provided, slot, bound.dtype, dims));
  ref.data = target.provided.data;
  return Status::ok();
}

Status BodyRun::make_slot(uint32_t slot, DType dtype, std::span<const int64_t> dims) {
  RETURN_IF_ERROR(check_slot_type(plan_, body_, slot, dtype));
  if (const MemoryNumber memory = plan_.slot(body_, slot).memory; memory != kHostMemory) {
    if (const DeviceTarget* const target = target_made_by(slot); target != nullptr) {
      RETURN_IF_ERROR(check_provided(target->provided, slot, dtype, dims));
      refs_[slot] = target->provided;
      return Status::ok();
    }
    ASSIGN_OR_RETURN(Tensor tensor, request_.devices->make_tensor(memory, dtype, dims));
    return set_slot(slot, std::move(tensor));
  }
  for (uint32_t k = slot_outputs_.first(slot); k != kNoIndex; k = slot_outputs_.next(k)) {
    if (outputs_[k].provided.data == nullptr) continue;
    RETURN_IF_ERROR(check_provided(outputs_[k].provided, slot, dtype, dims));
    refs_[slot] = outputs_[k].provided;
    return Status::ok();
  }
  if (leaves_run(slot)) {
    ASSIGN_OR_RETURN(Tensor tensor, make_tensor(dtype, dims));
    return set_slot(slot, std::move(tensor));
  }
  ASSIGN_OR_RETURN(MadeValue value, MadeValue::tensor(arenas(), dtype, dims));
  return set_slot(slot, std::move(value));
}

bool BodyRun::leaves_run(uint32_t slot) const {
  for (uint32_t k = slot_outputs_.first(slot); k != kNoIndex; k = slot_outputs_.next(k)) {
    if (outputs_[k].provided.data == nullptr && outputs_[k].within == nullptr) return true;
  }
  return false;
}

Status BodyRun::set_slot(uint32_t slot, MadeValue value) {
  const ValueRef found = value.ref();
  const auto expected = static_cast<DType>(plan_.slot(body_, slot).dtype);
  if (expected != DType::kUndefined && expected != found.dtype) {
    const std::string what = value.is_in_arena()
                                 ? str_cat(dtype_name(found.dtype), dims_to_string(found.dims()))
                                 : describe(value.other());
    return invalid_graph("value '", plan_.slot_name(body_, slot), "' is ", what, ", expected ",
                         dtype_name(expected));
  }
  std::vector<MadeValue>& made = room().made;
  if (made.empty()) made.resize(body_.slots.count);
  made[slot] = std::move(value);
  refs_[slot] = made[slot].ref();
  return Status::ok();
}

// Values made in this run end with their last reader.
void BodyRun::drop_unread(uint32_t step) {
  for (uint32_t slot : plan_.indices(plan_.step(body_, step).inputs)) {
    if (slot == kNoIndex || made_in(slot) == nullptr || plan_.slot(body_, slot).last_use != step)
      continue;
    MadeValue& made = room().made[slot];
    if (plan_.slot(body_, slot).memory != kHostMemory) request_.devices->keep(made.take_other());
    made.clear();
    refs_[slot] = {};
  }
}

// What an operator of the program leaves as it was, and no step reads, is an empty value.
bool BodyRun::may_stay_empty(uint32_t slot) const {
  if (&body_ != &plan_.body(0) || runner_.is_read_elsewhere(slot, kHostMemory)) return false;
  for (uint32_t i = 0; i < body_.steps.count; ++i) {
    const StepRecord& step = plan_.step(body_, i);
    const auto outputs = plan_.indices(step.outputs);
    if (std::ranges::find(outputs, slot) == outputs.end()) continue;
    const Callee* const callee = callee_of(step);
    return callee != nullptr && callee->object != nullptr && callee->provider == request_.provider;
  }
  return false;
}

// Outputs that stand elsewhere (an input, a constant, a made tensor, a second mention) are handed
// over or copied.
Status BodyRun::finish_outputs() {
  auto slots = plan_.indices(body_.outputs);
  for (uint32_t k = 0; k < slots.size(); ++k) {
    const uint32_t slot = slots[k];
    const BoundSlot& bound = binding_.slots[slot];
    if (bound.place == Place::kOutput && bound.index == k) continue;
    if (request_.places != nullptr && k < request_.places->outputs.size() &&
        request_.places->outputs[k].is_done) {
      continue;
    }
    const ValueRef& ref = refs_[slot];
    OutputTarget& target = outputs_[k];
    if (!ref.is_present()) {
      if (may_stay_empty(slot) && target.provided.data == nullptr) continue;
      return fail("output '", plan_.slot_name(body_, slot), "' has no value");
    }
    if (target.provided.data == ref.data && ref.data != nullptr) continue;
    const ValueRef& destination = target.provided;
    if (destination.data == nullptr) {
      const bool is_last = slot_outputs_.next(k) == kNoIndex;
      RETURN_IF_ERROR(give_made(slot, is_last, target));
      continue;
    }
    if (ref.datum != nullptr) {
      return invalid_argument("output '", plan_.slot_name(body_, slot), "' is a ",
                              describe(*ref.datum), "; a tensor was provided for it");
    }
    RETURN_IF_ERROR(check_provided(destination, slot, ref.dtype, ref.dims()));
    copy_elements(ref.dtype, ref.element_count(), ref.data, destination.data);
  }
  return Status::ok();
}

// What the slot holds becomes the target's: the value itself when it was made here and no other
// output is the same (what is not a tensor is shared), else a copy.
Status BodyRun::give_made(uint32_t slot, bool is_last, OutputTarget& target) {
  const MadeValue* const made = made_in(slot);
  const bool is_own =
      made != nullptr && (is_last || (!made->is_in_arena() && !made->other().is_tensor()));
  if (is_own && !made->is_in_arena()) {
    ASSIGN_OR_RETURN(target.made, with_own_memory(made->other()));
  } else if (is_own && target.within != nullptr) {
    *target.within = std::move(room().made[slot]);
  } else if (target.within != nullptr) {
    ASSIGN_OR_RETURN(*target.within, copy_within(refs_[slot]));
  } else {
    ASSIGN_OR_RETURN(target.made, own_copy(refs_[slot]));
  }
  return Status::ok();
}

}  // namespace ortc
