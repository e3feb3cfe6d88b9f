// SPDX-License-Identifier: MIT
// Runners: see the header. What happens in one run of one body is in body_run.cc.
#include "core/run/runner.h"

#include <algorithm>

#include "core/base/hash.h"
#include "core/run/binding.h"
#include "core/run/body_run.h"
#include "core/run/device_run.h"
#include "core/run/run_room.h"

namespace ortc {

namespace {

int64_t key_of_type(const ValueRef& input) {
  const int64_t kind = input.datum != nullptr ? 1 << 16 : 0;
  return kind | static_cast<int64_t>(input.dtype) << 8 | input.rank;
}

void set_key(std::span<const ValueRef> inputs, std::vector<int64_t>& key) {
  key.clear();
  for (const ValueRef& input : inputs) {
    key.push_back(key_of_type(input));
    key.insert(key.end(), input.dim_data, input.dim_data + input.rank);
  }
}

uint64_t hash_of(const std::vector<int64_t>& key) {
  return hash128(std::as_bytes(std::span(key))).low;
}

// Whether it is what set_key() gives.
bool is_key_of(std::span<const int64_t> key, std::span<const ValueRef> inputs) {
  for (const ValueRef& input : inputs) {
    const size_t count = 1 + size_t{input.rank};
    const bool same = key.size() >= count && key[0] == key_of_type(input) &&
                      std::equal(input.dim_data, input.dim_data + input.rank, key.data() + 1);
    if (!same) return false;
    key = key.subspan(count);
  }
  return key.empty();
}

}  // namespace

// What a step says of a compiled plan must be true of it: a context may have been made for another
// model.
Status Runner::check_call(const BodyRecord& body, const StepRecord& step) const {
  if (step.callee >= callees_.size()) {
    return invalid_graph("the plan calls compiled object ", step.callee, ", the session has ",
                         callees_.size());
  }
  const Callee& callee = callees_[step.callee];
  if (callee.runner == nullptr) return Status::ok();
  const Plan& inner = callee.runner->plan();
  const BodyRecord& inner_body = inner.body(0);
  if (inner_body.inputs.count != step.inputs.count ||
      inner_body.outputs.count != step.outputs.count) {
    return invalid_graph(step_label(*plan_, step), ": expected ", step.inputs.count, " inputs and ",
                         step.outputs.count, " outputs, its context has ", inner_body.inputs.count,
                         " and ", inner_body.outputs.count);
  }
  const auto check_types = [&](PlanRange ours, PlanRange theirs) {
    for (uint32_t k = 0; k < ours.count; ++k) {
      const uint32_t slot = plan_->indices(ours)[k];
      const auto found = static_cast<DType>(inner.slot(inner_body, inner.indices(theirs)[k]).dtype);
      if (slot == kNoIndex || found == DType::kUndefined) continue;
      RETURN_IF_ERROR(check_slot_type(*plan_, body, slot, found));
    }
    return Status::ok();
  };
  RETURN_IF_ERROR_WHILE(check_types(step.inputs, inner_body.inputs), step_label(*plan_, step),
                        ": its context's inputs");
  RETURN_IF_ERROR_WHILE(check_types(step.outputs, inner_body.outputs), step_label(*plan_, step),
                        ": its context's outputs");
  return Status::ok();
}

Result<std::shared_ptr<const Runner>> Runner::create(std::shared_ptr<const Plan> plan,
                                                     std::vector<Callee> callees,
                                                     const ExecutorContext& context) {
  std::shared_ptr<Runner> runner(new Runner());
  runner->plan_ = std::move(plan);
  runner->callees_ = std::move(callees);
  runner->context_ = context;
  runner->caches_ = std::make_unique<BindingCache[]>(runner->plan_->body_count());
  runner->rooms_ = std::make_unique<RunRooms>();
  for (uint32_t b = 0; b < runner->plan_->body_count(); ++b) {
    const BodyRecord& body = runner->plan_->body(b);
    runner->slot_outputs_.emplace_back(*runner->plan_, body);
    for (uint32_t i = 0; i < body.steps.count; ++i) {
      const StepRecord& step = runner->plan_->step(body, i);
      const auto kind = static_cast<StepKind>(step.kind);
      if (kind == StepKind::kCall) RETURN_IF_ERROR(runner->check_call(body, step));
      if (kind == StepKind::kTransfer) RETURN_IF_ERROR(runner->place_constant(body, i));
    }
  }
  return std::shared_ptr<const Runner>(std::move(runner));
}

// A constant that a device reads is copied to it once.
Status Runner::place_constant(const BodyRecord& body, uint32_t i) {
  const StepRecord& step = plan_->step(body, i);
  const uint32_t from = plan_->indices(step.inputs)[0], to = plan_->indices(step.outputs)[0];
  const SlotRecord& slot = plan_->slot(body, from);
  const size_t memory_count = context_.memories != nullptr ? context_.memories->memory_count() : 1;
  const MemoryNumber memory = plan_->slot(body, to).memory;
  if (std::max(memory, slot.memory) >= memory_count) {
    return invalid_graph(step_label(*plan_, step), ": memory ", std::max(memory, slot.memory),
                         " of ", memory_count);
  }
  if (static_cast<SlotKind>(slot.kind) != SlotKind::kConstant) return Status::ok();
  const TensorRecord& record = plan_->tensor(slot.tensor);
  auto copy = copy_constant(context_.memories->memory(memory), static_cast<DType>(record.dtype),
                            plan_->dims(record.dims, record.rank),
                            plan_->tensor_bytes(slot.tensor).bytes());
  RETURN_IF_ERROR_WHILE(copy.status(), step_label(*plan_, step));
  device_constants_.emplace(body.steps.begin + i, std::move(copy).value());
  return Status::ok();
}

bool Runner::is_read_elsewhere(uint32_t slot, MemoryNumber memory) const {
  const BodyRecord& body = plan_->body(0);
  const auto has_slot = [&](PlanRange range) {
    return std::ranges::find(plan_->indices(range), slot) != plan_->indices(range).end();
  };
  for (uint32_t i = 0; i < body.steps.count; ++i) {
    const StepRecord& step = plan_->step(body, i);
    if (!has_slot(step.inputs)) continue;
    if (static_cast<StepKind>(step.kind) != StepKind::kTransfer ||
        plan_->slot(body, plan_->indices(step.outputs)[0]).memory != memory) {
      return true;
    }
  }
  return false;
}

const Tensor* Runner::device_constant(uint32_t step) const {
  const auto it = device_constants_.find(step);
  return it != device_constants_.end() ? &it->second : nullptr;
}

Runner::~Runner() = default;

size_t Runner::binding_count() const {
  size_t count = 0;
  for (uint32_t b = 0; b < plan_->body_count(); ++b) {
    std::lock_guard lock(caches_[b].mutex);
    count += caches_[b].entries.size();
  }
  return count;
}

bool Runner::has_room(const BindingCache& cache) const {
  const size_t count = cache.entries.size();
  if (count >= std::min(cache.most, context_.binding_count_max)) return false;
  if (count < kBindingsLeast) return true;
  uint64_t bytes = 0;
  for (const auto& [key, binding] : cache.entries) bytes += binding->held_bytes;
  return bytes < kBindingBytesMost;
}

Runner::BindingList Runner::BindingCache::take_oldest() {
  BindingList taken;
  taken.splice(taken.begin(), entries, std::prev(entries.end()));
  gone[gone_count++ % gone.size()] = hash_of(taken.front().first);
  return taken;
}

Runner::BindingList Runner::take_unused(BindingCache& cache) const {
  BindingList taken;
  std::lock_guard lock(cache.mutex);
  if (cache.entries.empty() || has_room(cache)) return taken;
  if (cache.entries.back().second.use_count() > 1) return taken;
  taken = cache.take_oldest();
  // What the last run did with it comes before what is done here.
  std::shared_ptr<Binding>(taken.front().second).reset();
  return taken;
}

Result<std::shared_ptr<const Binding>> Runner::binding(uint32_t body,
                                                       std::span<const ValueRef> inputs) const {
  BindingCache& cache = caches_[body];
  {
    std::lock_guard lock(cache.mutex);
    for (auto it = cache.entries.begin(); it != cache.entries.end(); ++it) {
      if (!is_key_of(it->first, inputs)) continue;
      cache.entries.splice(cache.entries.begin(), cache.entries, it);
      return std::shared_ptr<const Binding>(cache.entries.front().second);
    }
  }
  // Made without the lock: two threads may make the same binding; either serves.
  BindingList made = take_unused(cache);
  bool is_done = false;
  if (!made.empty()) {
    ASSIGN_OR_RETURN(is_done, rebind(*this, body, inputs, *made.front().second));
  } else {
    made.emplace_back();
  }
  if (!is_done) {
    ASSIGN_OR_RETURN(made.front().second, make_binding(*this, body, inputs));
  }
  set_key(inputs, made.front().first);
  const uint64_t hash = hash_of(made.front().first);
  std::shared_ptr<const Binding> binding = made.front().second;
  if (context_.binding_count_max == 0) return binding;
  BindingList dropped;  // ends without the lock
  std::lock_guard lock(cache.mutex);
  if (std::ranges::find(cache.gone, hash) != cache.gone.end()) {
    cache.most = std::min(2 * cache.most, context_.binding_count_max);
  }
  if (!cache.entries.empty() && !has_room(cache)) dropped = cache.take_oldest();
  cache.entries.splice(cache.entries.begin(), made);
  return binding;
}

Status Runner::run(std::span<const ValueRef> inputs, std::span<OutputTarget> outputs,
                   const RunRequest& request) const {
  const BodyRecord& body = plan_->body(0);
  if (inputs.size() != body.inputs.count || outputs.size() != body.outputs.count ||
      body.captures.count != 0) {
    return invalid_argument("expected ", body.inputs.count, " inputs and ", body.outputs.count,
                            " outputs, found ", inputs.size(), " and ", outputs.size());
  }
  if (context_.memories == nullptr) return run_body(0, inputs, outputs, request);
  DeviceRun devices(*context_.memories, request.stream);
  RunRequest with_devices = request;
  with_devices.devices = &devices;
  Status ran = run_body(0, inputs, outputs, with_devices);
  Status done = devices.finish();
  return ran.is_ok() ? done : ran;
}

Status Runner::run_body(uint32_t body, std::span<const ValueRef> inputs,
                        std::span<OutputTarget> outputs, const RunRequest& request) const {
  ASSIGN_OR_RETURN(auto bound, binding(body, inputs));
  const uint64_t call = caches_[body].runs.fetch_add(1, std::memory_order_relaxed);
  BodyRun run(*this, body, *bound, inputs, outputs, request, call);
  return run.run();
}

}  // namespace ortc
