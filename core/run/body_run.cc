// SPDX-License-Identifier: MIT
// The walk over the steps: see the header. Steps with bodies are in run_if.cc, run_loop.cc,
// run_scan.cc and run_sequence_map.cc, transfers in run_transfer.cc.
#include "core/run/body_run.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory_resource>
#include <new>

#include "core/platform/clock.h"
#include "core/run/device_run.h"

namespace ortc {
namespace {

// Calls of up to 64 outputs need no memory of the system.
constexpr size_t kCallRoom = 64 * sizeof(OutputTarget);
std::span<const int64_t> bound_dims(const BoundSlot& bound) { return {bound.dims, bound.rank}; }

}  // namespace

BodyRun::BodyRun(const Runner& runner, uint32_t body, const Binding& binding,
                 std::span<const ValueRef> inputs, std::span<OutputTarget> outputs,
                 const RunRequest& request)
    : runner_(runner),
      plan_(runner.plan()),
      body_(plan_.body(body)),
      binding_(binding),
      given_(inputs),
      outputs_(outputs),
      request_(request) {}

// Left by an exception (memory ran out), what devices work on must not go away under them.
BodyRun::~BodyRun() {
  if (request_.devices != nullptr && !is_done_) (void)request_.devices->finish();
}

Status BodyRun::run() {
  Status status = run_steps();
  if (request_.devices != nullptr) keep_device_values();
  is_done_ = true;
  return status;
}

Status BodyRun::run_steps() {
  RETURN_IF_ERROR(make_frame());
  RETURN_IF_ERROR(place_slots());
  if (request_.places != nullptr) RETURN_IF_ERROR(bring_given_to_host());
  for (uint32_t i = 0; i < body_.steps.count; ++i) {
    if (binding_.steps[i].mode == BoundStep::kSkip) continue;
    RETURN_IF_ERROR(check_terminate());
    RETURN_IF_ERROR(request_.observer == nullptr ? run_step(i) : run_observed_step(i));
    if (!made_.empty()) drop_unread(i);
  }
  RETURN_IF_ERROR(finish_outputs());
  return request_.places != nullptr ? finish_device_outputs() : Status::ok();
}

// Activations first, then the lists of this run.
Status BodyRun::make_frame() {
  const uint64_t refs_begin = align_up(binding_.arena_bytes, 64);
  const uint64_t ref_count = uint64_t{body_.slots.count} + 2 * uint64_t{binding_.step_io_max};
  ASSIGN_OR_RETURN(arena_,
                   runner_.context_.arenas->acquire(refs_begin + ref_count * sizeof(ValueRef)));
  auto* room = new (arena_.data() + refs_begin) ValueRef[ref_count];
  refs_ = RefList(room);
  step_in_ = RefList(room + body_.slots.count);
  step_out_ = RefList(room + body_.slots.count + binding_.step_io_max);
  return Status::ok();
}

Status BodyRun::check_terminate() const {
  if (request_.terminate == nullptr || !request_.terminate->load(std::memory_order_relaxed)) {
    return Status::ok();
  }
  return fail("Exiting due to terminate flag being set to true.");
}

Status BodyRun::run_observed_step(uint32_t i) {
  const int64_t begin = now_ns();
  if (request_.step_begins != nullptr) (*request_.step_begins)(begin);
  const ArenaUse before = runner_.context_.arenas->use();
  Status status = run_step(i);
  const int64_t end = now_ns();
  const StepRecord& step = plan_.step(body_, i);
  // Observers read the host's memory only.
  const auto seen = [&](PlanRange range) {
    std::vector<ValueRef> refs;
    for (uint32_t slot : plan_.indices(range)) {
      if (slot == kNoIndex) continue;
      refs.push_back(refs_[slot]);
      if (is_on_device(slot)) refs.back().data = nullptr;
    }
    return refs;
  };
  const std::vector<ValueRef> inputs = seen(step.inputs);
  const std::vector<ValueRef> outputs =
      status.is_ok() ? seen(step.outputs) : std::vector<ValueRef>();
  const Callee* const callee = callee_of(step);
  (*request_.observer)({plan_.text(step.name), plan_.text(step.op), plan_.text(step.kernel),
                        callee != nullptr ? std::string_view(callee->provider) : request_.provider,
                        begin, end, request_.depth, i, inputs, outputs, before,
                        runner_.context_.arenas->use()});
  return status;
}

Result<Tensor> BodyRun::make_tensor(DType dtype, std::span<const int64_t> dims) const {
  const TensorMaker* maker = runner_.context_.tensor_maker;
  if (maker != nullptr && *maker) return (*maker)(dtype, dims);
  return Tensor::create_unset(dtype, Dims(dims.begin(), dims.end()));
}

Result<Datum> BodyRun::own_copy(const ValueRef& ref) const {
  if (ref.datum != nullptr || ref.dtype == DType::kString) return datum_of(ref);
  ASSIGN_OR_RETURN(Tensor tensor, make_tensor(ref.dtype, ref.dims()));
  copy_elements(ref.dtype, ref.element_count(), ref.data, tensor.mutable_data());
  return Datum(std::move(tensor));
}

Status BodyRun::place_slots() {
  refs_.assign(body_.slots.count, ValueRef{});
  for (uint32_t i = 0; i < body_.slots.count; ++i) {
    const BoundSlot& bound = binding_.slots[i];
    ValueRef& ref = refs_[i];
    ref = {bound.dtype, bound.rank, bound.dims, nullptr};
    switch (bound.place) {
      case Place::kUnbound:
        ref = {};
        break;
      case Place::kGiven:
        ref = given_[bound.index];
        break;
      case Place::kConstant:
        ref.data = const_cast<std::byte*>(plan_.tensor_bytes(bound.index).data());
        break;
      case Place::kKnown:
        ref.data = const_cast<void*>(binding_.known[bound.index].data());
        break;
      case Place::kArena:
        ref.data = arena_.data() + bound.offset;
        break;
      case Place::kOutput:
        RETURN_IF_ERROR(place_output(i, bound.index));
        break;
      case Place::kMade:
        RETURN_IF_ERROR(make_slot(i, bound.dtype, bound_dims(bound)));
        break;
    }
  }
  return Status::ok();
}

Status BodyRun::place_output(uint32_t slot, uint32_t number) {
  const BoundSlot& bound = binding_.slots[slot];
  OutputTarget& target = outputs_[number];
  ValueRef& ref = refs_[slot];
  const std::span<const int64_t> dims = bound_dims(bound);
  if (target.provided.data == nullptr) {
    ASSIGN_OR_RETURN(target.made, make_tensor(bound.dtype, dims));
    ref.data = target.made.tensor()->mutable_data();
    return Status::ok();
  }
  const bool same =
      target.provided.dtype == bound.dtype && std::ranges::equal(target.provided.dims(), dims);
  if (!same) {
    return invalid_argument("output '", plan_.slot_name(body_, slot), "' was provided as ",
                            dtype_name(target.provided.dtype),
                            dims_to_string(target.provided.dims()), ", expected ",
                            dtype_name(bound.dtype), dims_to_string(dims));
  }
  ref.data = target.provided.data;
  return Status::ok();
}

void BodyRun::gather(const StepRecord& step) {
  step_in_.clear();
  for (uint32_t slot : plan_.indices(step.inputs)) {
    step_in_.push_back(slot == kNoIndex ? ValueRef{} : refs_[slot]);
  }
}

Status BodyRun::run_step(uint32_t i) {
  const StepRecord& step = plan_.step(body_, i);
  gather(step);
  switch (static_cast<StepKind>(step.kind)) {
    case StepKind::kKernel:
      return binding_.steps[i].mode == BoundStep::kRun ? run_bound_kernel(i, step)
                                                       : run_unbound_kernel(i, step);
    case StepKind::kCall:
      return run_call(i, step);
    case StepKind::kIf:
      return run_if(step);
    case StepKind::kLoop:
      return run_loop(step);
    case StepKind::kSequenceMap:
      return run_sequence_map(step);
    case StepKind::kScan:
      return run_scan(step);
    case StepKind::kTransfer:
      return run_transfer(i, step);
  }
  return fail(step_label(plan_, step), ": a step of unknown kind");
}

Status BodyRun::run_bound_kernel(uint32_t i, const StepRecord& step) {
  const KernelRow& row = *plan_.kernel(body_, i);
  step_out_.clear();
  for (uint32_t slot : plan_.indices(step.outputs)) {
    step_out_.push_back(slot == kNoIndex ? ValueRef{} : refs_[slot]);
  }
  // A view that shares its input's bytes needs no work.
  if ((row.flags & kViewOfInput) != 0 && !step_in_.empty() &&
      step_in_[0].data == step_out_[0].data) {
    return Status::ok();
  }
  const RunContext::Host host{runner_.context_.pool, runner_.context_.isa, nullptr, nullptr};
  RunContext context(plan_.params(step.params), step_in_, step_out_,
                     arena_.data() + binding_.steps[i].scratch_offset, host);
  RETURN_IF_ERROR_WHILE(row.run(context), step_label(plan_, step));
  return Status::ok();
}

Status BodyRun::run_unbound_kernel(uint32_t i, const StepRecord& step) {
  const KernelRow& row = *plan_.kernel(body_, i);
  RETURN_IF_ERROR(check_step_types(plan_, step, row, step_in_));
  current_out_slots_ = plan_.indices(step.outputs);
  std::vector<BindContext::Output> outputs(current_out_slots_.size());
  for (size_t k = 0; k < outputs.size(); ++k) outputs[k].wanted = current_out_slots_[k] != kNoIndex;
  const int threads = runner_.context_.pool != nullptr ? runner_.context_.pool->thread_count() : 1;
  BindContext bind(row.id, plan_.params(step.params), step_in_, outputs, threads,
                   runner_.context_.isa);
  RETURN_IF_ERROR_WHILE(row.bind(bind), step_label(plan_, step));
  step_out_.assign(outputs.size(), ValueRef{});
  if ((row.flags & kDataDependent) == 0) {
    RETURN_IF_ERROR(check_step_outputs(plan_, body_, step, outputs));
    for (size_t k = 0; k < outputs.size(); ++k) {
      if (current_out_slots_[k] == kNoIndex) continue;
      RETURN_IF_ERROR(make_slot(current_out_slots_[k], outputs[k].dtype, outputs[k].dims));
      step_out_[k] = refs_[current_out_slots_[k]];
    }
  }
  ArenaPool::Block scratch;
  if (bind.scratch() > 0) {
    auto acquired = runner_.context_.arenas->acquire(bind.scratch());
    RETURN_IF_ERROR_WHILE(acquired.status(), step_label(plan_, step));
    scratch = std::move(acquired).value();
  }
  const RunContext::Host host{runner_.context_.pool, runner_.context_.isa, allocate_output, this,
                              give_output};
  RunContext context(plan_.params(step.params), step_in_, step_out_, scratch.data(), host);
  RETURN_IF_ERROR_WHILE(row.run(context), step_label(plan_, step));
  for (uint32_t slot : current_out_slots_) {
    if (slot != kNoIndex && !refs_[slot].is_present()) {
      return fail(step_label(plan_, step), ": the kernel left an output without a tensor");
    }
  }
  return Status::ok();
}

Status BodyRun::allocate_output(void* state, size_t i, DType dtype, std::span<const int64_t> dims,
                                ValueRef* out) {
  auto& run = *static_cast<BodyRun*>(state);
  const uint32_t slot = i < run.current_out_slots_.size() ? run.current_out_slots_[i] : kNoIndex;
  if (slot == kNoIndex) return fail("a kernel asked for the memory of an omitted output");
  RETURN_IF_ERROR(run.make_slot(slot, dtype, dims));
  *out = run.refs_[slot];
  return Status::ok();
}

Status BodyRun::give_output(void* state, size_t i, Datum value) {
  auto& run = *static_cast<BodyRun*>(state);
  const uint32_t slot = i < run.current_out_slots_.size() ? run.current_out_slots_[i] : kNoIndex;
  if (slot == kNoIndex) return Status::ok();  // computed for nobody
  return run.set_slot(slot, std::move(value));
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
  for (uint32_t k = 0; k < outputs_.size(); ++k) {
    if (plan_.indices(body_.outputs)[k] != slot || outputs_[k].provided.data == nullptr) continue;
    RETURN_IF_ERROR(check_provided(outputs_[k].provided, slot, dtype, dims));
    refs_[slot] = outputs_[k].provided;
    return Status::ok();
  }
  ASSIGN_OR_RETURN(Tensor tensor, make_tensor(dtype, dims));
  return set_slot(slot, std::move(tensor));
}

Status BodyRun::set_slot(uint32_t slot, Datum value) {
  const auto expected = static_cast<DType>(plan_.slot(body_, slot).dtype);
  const auto found = value.is_tensor() ? value.tensor()->dtype() : DType::kUndefined;
  if (expected != DType::kUndefined && expected != found) {
    return invalid_graph("value '", plan_.slot_name(body_, slot), "' is ", describe(value),
                         ", expected ", dtype_name(expected));
  }
  if (made_.empty()) made_.resize(body_.slots.count);
  made_[slot] = std::move(value);
  refs_[slot] = ref_to(made_[slot]);
  return Status::ok();
}

// Tensors made in this run end with their last reader.
void BodyRun::drop_unread(uint32_t step) {
  for (uint32_t slot : plan_.indices(plan_.step(body_, step).inputs)) {
    if (slot == kNoIndex || made_[slot].is_none() || plan_.slot(body_, slot).last_use != step)
      continue;
    if (plan_.slot(body_, slot).memory != kHostMemory) {
      request_.devices->keep(std::move(made_[slot]));
    }
    made_[slot] = Datum();
    refs_[slot] = {};
  }
}

// What an object of a provider sees of the step that calls it.
class BodyRun::ObjectCall final : public ComputeCall {
 public:
  ObjectCall(BodyRun& run, const ComputeObject& object, const StepRecord& step)
      : run_(run),
        object_(object),
        in_slots_(run.plan_.indices(step.inputs)),
        slots_(run.plan_.indices(step.outputs)) {}

  std::span<const ValueRef> inputs() const override { return run_.step_in_; }
  size_t output_count() const override { return slots_.size(); }
  bool is_wanted(size_t i) const override { return i < slots_.size() && slots_[i] != kNoIndex; }
  DType output_type(size_t i) const override {
    return is_wanted(i) ? static_cast<DType>(run_.plan_.slot(run_.body_, slots_[i]).dtype)
                        : DType::kUndefined;
  }
  Status allocate_output(size_t i, DType dtype, std::span<const int64_t> dims,
                         ValueRef* out) override {
    RETURN_IF_ERROR(check_output(i));
    const DType expected = output_type(i);
    if (expected != DType::kUndefined && expected != dtype) {
      return invalid_graph("output '", run_.plan_.slot_name(run_.body_, slots_[i]), "' is ",
                           dtype_name(dtype), ", expected ", dtype_name(expected));
    }
    RETURN_IF_ERROR(run_.make_slot(slots_[i], dtype, dims));
    *out = run_.refs_[slots_[i]];
    return Status::ok();
  }
  Status give_output(size_t i, Datum value) override {
    RETURN_IF_ERROR(check_output(i));
    return run_.set_slot(slots_[i], std::move(value));
  }
  bool is_input_on_device(size_t i) const override {
    return i < in_slots_.size() && run_.is_in_device_slot(in_slots_[i]);
  }
  bool is_output_on_device(size_t i) const override {
    return is_wanted(i) && run_.is_in_device_slot(slots_[i]);
  }
  const RunFacts& run() const override { return run_.request_.facts; }
  Result<void*> stream() override {
    const auto memory = object_.stream_memory();
    if (memory == nullptr || run_.request_.devices == nullptr) return nullptr;
    ASSIGN_OR_RETURN(DeviceStream* const made, run_.request_.devices->stream(*memory));
    return made != nullptr ? made->handle() : nullptr;
  }

  Status check_all_given() const {
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i] != kNoIndex && !run_.refs_[slots_[i]].is_present() &&
          !run_.may_stay_empty(slots_[i])) {
        return make_status(Code::kEpFail, "it gave no output ", i, " ('",
                           run_.plan_.slot_name(run_.body_, slots_[i]), "')");
      }
    }
    return Status::ok();
  }

 private:
  Status check_output(size_t i) const {
    return is_wanted(i) ? Status::ok() : fail("output ", i, " does not exist");
  }

  BodyRun& run_;
  const ComputeObject& object_;
  std::span<const uint32_t> in_slots_, slots_;
};

Status BodyRun::run_object(const ComputeObject& object, const StepRecord& step) {
  ObjectCall call(*this, object, step);
  RETURN_IF_ERROR_WHILE(object.compute(call), step_label(plan_, step));
  RETURN_IF_ERROR_WHILE(call.check_all_given(), step_label(plan_, step));
  return Status::ok();
}

const Callee* BodyRun::callee_of(const StepRecord& step) const {
  const auto kind = static_cast<StepKind>(step.kind);
  if (kind == StepKind::kKernel || kind == StepKind::kTransfer) return nullptr;
  const size_t end = kind == StepKind::kCall ? size_t{step.callee} + 1 : step.callee;
  return end > 0 && end <= runner_.callees_.size() ? &runner_.callees_[end - 1] : nullptr;
}

const ControlFlowHelper* BodyRun::helper_of(const StepRecord& step) const {
  const Callee* const callee = callee_of(step);
  return callee != nullptr && callee->object != nullptr ? callee->object->helper() : nullptr;
}

Status BodyRun::run_call(uint32_t, const StepRecord& step) {
  const Callee& callee = runner_.callees_[step.callee];
  if (callee.object != nullptr) {
    RETURN_IF_ERROR_WHILE(run_object(*callee.object, step), callee.provider);
    return Status::ok();
  }
  auto out_slots = plan_.indices(step.outputs);
  std::array<std::byte, kCallRoom> room;
  std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
  std::pmr::vector<OutputTarget> targets(out_slots.size(), &memory);
  for (size_t k = 0; k < targets.size(); ++k) {
    if (out_slots[k] != kNoIndex) targets[k].provided = refs_[out_slots[k]];
  }
  RunRequest request = request_;
  ++request.depth;
  request.places = nullptr;
  request.provider = callee.provider;
  RETURN_IF_ERROR(callee.runner->run(step_in_, targets, request));
  for (size_t k = 0; k < targets.size(); ++k) {
    if (out_slots[k] != kNoIndex && !targets[k].made.is_none()) {
      RETURN_IF_ERROR(set_slot(out_slots[k], std::move(targets[k].made)));
    }
  }
  return Status::ok();
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
      // A second mention of a tensor gets bytes of its own.
      if (!made_.empty() && !made_[slot].is_none()) {
        const bool is_last = std::ranges::find(slots.subspan(k + 1), slot) == slots.end();
        if (is_last || !made_[slot].is_tensor()) {
          target.made = made_[slot];
          continue;
        }
      }
      ASSIGN_OR_RETURN(target.made, own_copy(ref));
      continue;
    }
    if (ref.datum != nullptr) {
      return invalid_argument("output '", plan_.slot_name(body_, slot), "' is a ",
                              describe(*ref.datum), "; a tensor was provided for it");
    }
    if (destination.dtype != ref.dtype || !std::ranges::equal(destination.dims(), ref.dims())) {
      return invalid_argument("output '", plan_.slot_name(body_, slot), "' was provided as ",
                              dtype_name(destination.dtype), dims_to_string(destination.dims()),
                              ", expected ", dtype_name(ref.dtype), dims_to_string(ref.dims()));
    }
    copy_elements(ref.dtype, ref.element_count(), ref.data, destination.data);
  }
  return Status::ok();
}

}  // namespace ortc
