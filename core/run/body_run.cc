// SPDX-License-Identifier: MIT
// The walk over the steps: see the header. Steps with bodies are in run_if.cc, run_loop.cc,
// run_scan.cc and run_sequence_map.cc, transfers in run_transfer.cc, outputs and values that are
// made on the way in run_outputs.cc.
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

}  // namespace

BodyRun::BodyRun(const Runner& runner, uint32_t body, const Binding& binding,
                 std::span<const ValueRef> inputs, std::span<OutputTarget> outputs,
                 const RunRequest& request, uint64_t call)
    : runner_(runner),
      plan_(runner.plan()),
      body_(plan_.body(body)),
      slot_outputs_(runner.slot_outputs_[body]),
      binding_(binding),
      given_(inputs),
      outputs_(outputs),
      request_(request),
      call_(call) {}

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
    if (has_made()) drop_unread(i);
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

RunRoom& BodyRun::room() {
  if (room_.get() == nullptr) room_ = runner_.rooms_->take();
  return *room_.get();
}

const MadeValue* BodyRun::made_in(uint32_t slot) const {
  if (!has_made() || room_.get()->made[slot].is_none()) return nullptr;
  return &room_.get()->made[slot];
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
        RETURN_IF_ERROR(make_slot(i, bound.dtype, bound.shape()));
        break;
    }
  }
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
  const RunContext::Host host{
      runner_.context_.pool, runner_.context_.isa, nullptr, nullptr, nullptr, call_};
  RunContext context(plan_.params(step.params), step_in_, step_out_,
                     arena_.data() + binding_.steps[i].scratch_offset, host);
  RETURN_IF_ERROR_WHILE(row.run(context), step_label(plan_, step));
  return Status::ok();
}

Status BodyRun::run_unbound_kernel(uint32_t i, const StepRecord& step) {
  const KernelRow& row = *plan_.kernel(body_, i);
  RETURN_IF_ERROR(check_step_types(plan_, step, row, step_in_));
  current_out_slots_ = plan_.indices(step.outputs);
  std::vector<BindContext::Output>& results = room().results;
  if (results.size() < current_out_slots_.size()) results.resize(current_out_slots_.size());
  const std::span outputs(results.data(), current_out_slots_.size());
  for (size_t k = 0; k < outputs.size(); ++k) {
    outputs[k].wanted = current_out_slots_[k] != kNoIndex;
    outputs[k].is_set = false;
  }
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
    auto acquired = arenas().acquire(bind.scratch());
    RETURN_IF_ERROR_WHILE(acquired.status(), step_label(plan_, step));
    scratch = std::move(acquired).value();
  }
  const RunContext::Host host{
      runner_.context_.pool, runner_.context_.isa, allocate_output, this, give_output, call_};
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

Status BodyRun::run_call(uint32_t i, const StepRecord& step) {
  const Callee& callee = runner_.callees_[step.callee];
  if (callee.object != nullptr) {
    RETURN_IF_ERROR_WHILE(run_object(*callee.object, step), callee.provider);
    return Status::ok();
  }
  auto out_slots = plan_.indices(step.outputs);
  std::array<std::byte, kCallRoom> bytes;
  std::pmr::monotonic_buffer_resource memory(bytes.data(), bytes.size());
  std::pmr::vector<OutputTarget> targets(out_slots.size(), &memory);
  const bool is_bound = binding_.steps[i].mode == BoundStep::kRun;
  if (!is_bound) room().set_targets(out_slots.size());
  for (size_t k = 0; k < targets.size(); ++k) {
    if (out_slots[k] == kNoIndex) continue;
    targets[k].provided = refs_[out_slots[k]];
    if (!is_bound && !leaves_run(out_slots[k])) targets[k].within = &room().given[k];
  }
  RunRequest request = request_;
  ++request.depth;
  request.places = nullptr;
  request.provider = callee.provider;
  RETURN_IF_ERROR(callee.runner->run(step_in_, targets, request));
  for (size_t k = 0; k < targets.size(); ++k) {
    if (out_slots[k] == kNoIndex || targets[k].provided.data != nullptr) continue;
    RETURN_IF_ERROR(set_slot(out_slots[k], targets[k].take()));
  }
  if (!is_bound) room().clear_step();
  return Status::ok();
}

}  // namespace ortc
