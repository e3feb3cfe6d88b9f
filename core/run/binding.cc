// SPDX-License-Identifier: MIT
// Making a Binding: one walk over the steps gives shapes, then lifetimes give offsets.
//
// A step whose inputs are all known in shape is bound; shape arithmetic on known contents is
// computed here, once for all runs of these shapes. What depends on data stays unbound and is bound
// again in every run.
#include "core/run/binding.h"

#include <algorithm>
#include <cstring>

#include "core/run/given_shapes.h"
#include "core/run/known_contents.h"
#include "core/run/lifetimes.h"

namespace ortc {
namespace {

constexpr uint64_t kKnownBytesMax = 64 * 1024;

std::string opaque_names(std::span<const ValueRef> inputs) {
  std::string names;
  for (const ValueRef& input : inputs) {
    if (input.datum == nullptr) continue;
    names += str_cat(names.empty() ? "" : ", ", describe(*input.datum));
  }
  return names;
}

}  // namespace

std::string step_label(const Plan& plan, const StepRecord& step) {
  return str_cat(plan.text(step.op), " '", plan.text(step.name), "'");
}

Status check_step_types(const Plan& plan, const StepRecord& step, const KernelRow& row,
                        std::span<const ValueRef> inputs) {
  const DType type =
      row.typed_input < inputs.size() ? inputs[row.typed_input].dtype : DType::kUndefined;
  const bool fits = type == DType::kUndefined
                        ? (row.types & kAnyType) == kAnyType || (row.types & kNotTensor) != 0
                        : (row.types & mask_of(type)) != 0;
  const bool has_opaque = std::any_of(inputs.begin(), inputs.end(),
                                      [](const ValueRef& input) { return input.datum != nullptr; });
  if (has_opaque && (row.types & kNotTensor) == 0) {
    return invalid_graph(step_label(plan, step), ": kernel '", row.id,
                         "' takes tensors only, found ", opaque_names(inputs));
  }
  if (fits) return Status::ok();
  return invalid_graph(step_label(plan, step), ": kernel '", row.id, "' does not take input ",
                       static_cast<int>(row.typed_input), " of type ", dtype_name(type));
}

Status check_slot_type(const Plan& plan, const BodyRecord& body, uint32_t slot, DType found) {
  const auto expected = static_cast<DType>(plan.slot(body, slot).dtype);
  if (expected == DType::kUndefined || expected == found) return Status::ok();
  return invalid_graph("value '", plan.slot_name(body, slot), "' is ", dtype_name(found),
                       ", the model declares ", dtype_name(expected));
}

Status check_step_outputs(const Plan& plan, const BodyRecord& body, const StepRecord& step,
                          std::span<const BindContext::Output> outputs) {
  auto slots = plan.indices(step.outputs);
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i] == kNoIndex) continue;
    if (!outputs[i].is_set) {
      return invalid_graph(step_label(plan, step), ": the kernel gave no shape for output ", i);
    }
    RETURN_IF_ERROR_WHILE(check_slot_type(plan, body, slots[i], outputs[i].dtype),
                          step_label(plan, step));
  }
  return Status::ok();
}

Status place_buffers(Binding& binding) {
  binding.arena_bytes = plan_arena(binding.buffers);
  if (binding.arena_bytes > ArenaPool::kBytesMax) {
    return fail("the activations of these input shapes need ", binding.arena_bytes,
                " bytes, expected ", ArenaPool::kBytesMax, " at most");
  }
  const auto place = [&](const std::vector<uint32_t>& numbers, auto&& offset_of) {
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] != kNoIndex) offset_of(i) = binding.buffers[numbers[i]].offset;
    }
  };
  place(binding.buffer_of, [&](size_t i) -> uint64_t& { return binding.slots[i].offset; });
  place(binding.scratch_of, [&](size_t i) -> uint64_t& { return binding.steps[i].scratch_offset; });
  return Status::ok();
}

class Binder {
 public:
  Binder(const Runner& runner, uint32_t body)
      : runner_(runner),
        plan_(runner.plan()),
        body_(plan_.body(body)),
        outputs_(runner.slot_outputs_[body]),
        binding_(std::make_shared<Binding>()) {
    binding_->slots.resize(body_.slots.count);
    binding_->steps.resize(body_.steps.count);
    data_.resize(body_.slots.count, nullptr);
    binding_->buffer_of.resize(body_.slots.count, kNoIndex);
    binding_->scratch_of.resize(body_.steps.count, kNoIndex);
  }

  Result<std::shared_ptr<Binding>> run(std::span<const ValueRef> inputs) {
    place_given(inputs);
    place_constants();
    for (uint32_t i = 0; i < body_.steps.count; ++i) {
      const StepRecord& step = plan_.step(body_, i);
      binding_->step_io_max =
          std::max(binding_->step_io_max, step.inputs.count + step.outputs.count);
      RETURN_IF_ERROR(bind_step(i, step));
    }
    RETURN_IF_ERROR(place_buffers(*binding_));
    binding_->held_bytes = held_bytes();
    return std::move(binding_);
  }

 private:
  uint64_t held_bytes() const {
    const Binding& b = *binding_;
    uint64_t bytes = sizeof(Binding) + b.slots.size() * (sizeof(BoundSlot) + sizeof(uint32_t)) +
                     b.steps.size() * (sizeof(BoundStep) + sizeof(uint32_t)) +
                     b.buffers.size() * sizeof(Lifetime);
    for (const Dims& dims : b.dims) bytes += sizeof(Dims) + dims.size() * sizeof(int64_t);
    for (const Tensor& tensor : b.known) bytes += sizeof(Tensor) + tensor.byte_size();
    return bytes;
  }

  void place_given(std::span<const ValueRef> inputs) {
    uint32_t number = 0;
    for (PlanRange list : {body_.inputs, body_.captures}) {
      for (uint32_t slot : plan_.indices(list)) {
        BoundSlot& bound = binding_->slots[slot];
        bound.place = Place::kGiven;
        bound.index = number;
        const ValueRef& input = inputs[number++];
        bound.is_opaque = input.datum != nullptr;
        set_shape(bound, input.dtype, input.dims());
      }
    }
  }

  void place_constants() {
    for (uint32_t i = 0; i < body_.slots.count; ++i) {
      const SlotRecord& slot = plan_.slot(body_, i);
      if (static_cast<SlotKind>(slot.kind) != SlotKind::kConstant) continue;
      const TensorRecord& record = plan_.tensor(slot.tensor);
      BoundSlot& bound = binding_->slots[i];
      bound.place = Place::kConstant;
      bound.index = slot.tensor;
      bound.dtype = static_cast<DType>(record.dtype);
      bound.rank = record.rank;
      bound.dims = plan_.dims(record.dims, record.rank).data();
      bound.bytes = record.size;
      data_[i] = const_cast<std::byte*>(plan_.tensor_bytes(slot.tensor).data());
    }
  }

  void set_shape(BoundSlot& bound, DType dtype, std::span<const int64_t> dims) {
    binding_->dims.emplace_back(dims.begin(), dims.end());
    bound.dtype = dtype;
    bound.rank = static_cast<uint32_t>(dims.size());
    bound.dims = binding_->dims.back().data();
    const auto count = checked_element_count(dims);
    bound.bytes = count ? dtype_bytes(dtype, static_cast<uint64_t>(*count)).value_or(0) : 0;
  }

  ValueRef ref_of(uint32_t slot) const {
    if (slot == kNoIndex) return {};
    const BoundSlot& bound = binding_->slots[slot];
    return {bound.dtype, bound.rank, bound.dims, data_[slot]};
  }

  bool all_bound(std::span<const uint32_t> slots) const {
    return std::all_of(slots.begin(), slots.end(), [&](uint32_t slot) {
      return slot == kNoIndex ||
             (binding_->slots[slot].place != Place::kUnbound && !binding_->slots[slot].is_opaque);
    });
  }

  Status bind_step(uint32_t i, const StepRecord& step) {
    auto in_slots = plan_.indices(step.inputs);
    const auto kind = static_cast<StepKind>(step.kind);
    if (kind == StepKind::kCall) return bind_call(i, step);
    if (kind != StepKind::kKernel || !all_bound(in_slots)) return Status::ok();
    const KernelRow& row = *plan_.kernel(body_, i);
    std::vector<ValueRef> inputs;
    for (uint32_t slot : in_slots) inputs.push_back(ref_of(slot));
    if ((row.flags & kDataDependent) != 0 || !can_bind(row, inputs)) return Status::ok();
    RETURN_IF_ERROR(check_step_types(plan_, step, row, inputs));
    std::vector<BindContext::Output> outputs(step.outputs.count);
    auto out_slots = plan_.indices(step.outputs);
    for (size_t k = 0; k < outputs.size(); ++k) outputs[k].wanted = out_slots[k] != kNoIndex;
    BindContext bind(row.id, plan_.params(step.params), inputs, outputs,
                     runner_.context_.pool != nullptr ? runner_.context_.pool->thread_count() : 1,
                     runner_.context_.isa);
    RETURN_IF_ERROR_WHILE(row.bind(bind), step_label(plan_, step));
    RETURN_IF_ERROR(check_step_outputs(plan_, body_, step, outputs));
    for (size_t k = 0; k < outputs.size(); ++k) {
      if (out_slots[k] == kNoIndex) continue;
      BoundSlot& bound = binding_->slots[out_slots[k]];
      set_shape(bound, outputs[k].dtype, outputs[k].dims);
    }
    if (is_computable_now(row, inputs, out_slots))
      return compute_now(i, step, row, inputs, out_slots, bind);
    place_outputs(i, row, in_slots, out_slots);
    add_scratch(i, bind.scratch());
    binding_->steps[i].mode = BoundStep::kRun;
    return Status::ok();
  }

  bool is_computable_now(const KernelRow& row, const std::vector<ValueRef>& inputs,
                         std::span<const uint32_t> out_slots) const {
    if ((row.flags & (kShapeArithmetic | kReadsShapesOnly)) == 0) return false;
    for (uint32_t slot : out_slots) {
      if (slot != kNoIndex && binding_->slots[slot].bytes > kKnownBytesMax) return false;
    }
    return (row.flags & kReadsShapesOnly) != 0 || all_known(inputs);
  }

  Status compute_now(uint32_t i, const StepRecord& step, const KernelRow& row,
                     const std::vector<ValueRef>& inputs, std::span<const uint32_t> out_slots,
                     const BindContext& bind) {
    std::vector<ValueRef> outputs(out_slots.size());
    for (size_t k = 0; k < out_slots.size(); ++k) {
      if (out_slots[k] == kNoIndex) continue;
      BoundSlot& bound = binding_->slots[out_slots[k]];
      ASSIGN_OR_RETURN(Tensor tensor,
                       Tensor::create(bound.dtype, Dims(bound.dims, bound.dims + bound.rank)));
      bound.place = Place::kKnown;
      bound.index = static_cast<uint32_t>(binding_->known.size());
      data_[out_slots[k]] = tensor.mutable_data();
      outputs[k] = ref_of(out_slots[k]);
      binding_->known.push_back(std::move(tensor));
    }
    auto scratch = runner_.context_.arenas->acquire(bind.scratch());
    RETURN_IF_ERROR_WHILE(scratch.status(), step_label(plan_, step));
    const RunContext::Host host{nullptr, runner_.context_.isa, nullptr, nullptr};
    RunContext run(plan_.params(step.params), inputs, outputs, scratch->data(), host);
    RETURN_IF_ERROR_WHILE(row.run(run), step_label(plan_, step));
    binding_->steps[i].mode = BoundStep::kSkip;
    return Status::ok();
  }

  uint32_t add_buffer(uint64_t size, uint32_t first, uint32_t last) {
    binding_->buffers.push_back({size, first, last, 0});
    return static_cast<uint32_t>(binding_->buffers.size() - 1);
  }

  // Joins an input's buffer when the kernel allows it and nobody reads that buffer afterwards.
  bool share_buffer(uint32_t step, uint32_t in_slot, uint32_t out_slot, bool is_view) {
    std::vector<uint32_t>& buffer_of = binding_->buffer_of;
    if (in_slot == kNoIndex || buffer_of[in_slot] == kNoIndex) return false;
    Lifetime& buffer = binding_->buffers[buffer_of[in_slot]];
    const bool same_size = binding_->slots[in_slot].bytes == binding_->slots[out_slot].bytes;
    if (!same_size || (!is_view && buffer.last != step)) return false;
    buffer.last = std::max(buffer.last, last_use(out_slot, step));
    buffer_of[out_slot] = buffer_of[in_slot];
    binding_->slots[out_slot].place = Place::kArena;
    return true;
  }

  uint32_t last_use(uint32_t slot, uint32_t step) const {
    const uint32_t last = plan_.slot(body_, slot).last_use;
    return last == kNoIndex ? step : last;
  }

  void place_outputs(uint32_t i, const KernelRow& row, std::span<const uint32_t> in_slots,
                     std::span<const uint32_t> out_slots) {
    for (size_t k = 0; k < out_slots.size(); ++k) {
      const uint32_t slot = out_slots[k];
      if (slot == kNoIndex) continue;
      BoundSlot& bound = binding_->slots[slot];
      if (const uint32_t output = outputs_.first(slot); output != kNoIndex) {
        bound.place = Place::kOutput;
        bound.index = output;
        continue;
      }
      if (bound.dtype == DType::kString) {
        bound.place = Place::kMade;
        continue;
      }
      if (k == 0 && (row.flags & kViewOfInput) != 0 && !in_slots.empty() &&
          share_buffer(i, in_slots[0], slot, /*is_view=*/true)) {
        continue;
      }
      bool shared = false;
      if (k == 0 && (row.flags & kInPlace) != 0) {
        for (uint32_t in_slot : in_slots) {
          shared = shared || share_buffer(i, in_slot, slot, /*is_view=*/false);
        }
      }
      if (shared) continue;
      bound.place = Place::kArena;
      binding_->buffer_of[slot] = add_buffer(bound.bytes, i, last_use(slot, i));
    }
  }

  void add_scratch(uint32_t i, uint64_t bytes) {
    if (bytes == 0) return;
    binding_->scratch_of[i] = add_buffer(bytes, i, i);
  }

  // A call of a plan whose outputs have known shapes writes straight into this body's memory.
  Status bind_call(uint32_t i, const StepRecord& step) {
    const Callee& callee = runner_.callees_[step.callee];
    auto in_slots = plan_.indices(step.inputs);
    if (callee.runner == nullptr || !all_bound(in_slots)) return Status::ok();
    std::vector<ValueRef> inputs;
    for (uint32_t slot : in_slots) inputs.push_back(ref_of(slot));
    ASSIGN_OR_RETURN(auto inner, callee.runner->binding(0, inputs));
    const Plan& inner_plan = callee.runner->plan();
    auto inner_outputs = inner_plan.indices(inner_plan.body(0).outputs);
    auto out_slots = plan_.indices(step.outputs);
    for (uint32_t slot : inner_outputs) {
      if (inner->slots[slot].place == Place::kUnbound) return Status::ok();
    }
    for (size_t k = 0; k < out_slots.size(); ++k) {
      if (out_slots[k] == kNoIndex) continue;
      const BoundSlot& from = inner->slots[inner_outputs[k]];
      RETURN_IF_ERROR(check_slot_type(plan_, body_, out_slots[k], from.dtype));
      set_shape(binding_->slots[out_slots[k]], from.dtype, {from.dims, from.rank});
    }
    static constexpr KernelRow kNoSharing{};
    place_outputs(i, kNoSharing, in_slots, out_slots);
    binding_->steps[i].mode = BoundStep::kRun;
    return Status::ok();
  }

  const Runner& runner_;
  const Plan& plan_;
  const BodyRecord& body_;
  const SlotOutputs& outputs_;
  std::shared_ptr<Binding> binding_;
  std::vector<void*> data_;  // by slot: contents known now
};

Result<std::shared_ptr<Binding>> make_binding(const Runner& runner, uint32_t body,
                                              std::span<const ValueRef> inputs) {
  if (body == 0) RETURN_IF_ERROR(check_given_shapes(runner.plan(), inputs));
  return Binder(runner, body).run(inputs);
}

}  // namespace ortc
