// SPDX-License-Identifier: MIT
// Running a body: slots get their memory, steps run in order, outputs go where the caller wants
// them.
#include "core/run/executor.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "core/run/binding.h"
#include "core/run/body_run.h"

namespace ortc {

ArenaPool::Block ArenaPool::acquire(uint64_t size) {
  {
    std::lock_guard lock(mutex_);
    auto best = free_.end();
    for (auto it = free_.begin(); it != free_.end(); ++it) {
      if (it->size >= size && (best == free_.end() || it->size < best->size)) best = it;
    }
    if (best != free_.end()) {
      Block block = std::move(*best);
      free_.erase(best);
      return block;
    }
    if (!free_.empty()) free_.pop_back();  // too small: its successor is larger
  }
  Block block;
  block.size = align_up(std::max<uint64_t>(size, 64), 4096);
  void* memory = std::aligned_alloc(64, block.size);
  if (memory == nullptr) throw std::bad_alloc();
  block.memory = {memory, std::free};
  return block;
}

void ArenaPool::release(Block block) {
  if (block.memory == nullptr || !keeps_memory_) return;
  std::lock_guard lock(mutex_);
  free_.push_back(std::move(block));
}

void ArenaPool::shrink() {
  std::vector<Block> unused;
  std::lock_guard lock(mutex_);
  unused.swap(free_);
}

uint64_t ArenaPool::held_bytes() const {
  std::lock_guard lock(mutex_);
  uint64_t bytes = 0;
  for (const Block& block : free_) bytes += block.size;
  return bytes;
}

Result<std::shared_ptr<const Runner>> Runner::create(std::shared_ptr<const Plan> plan,
                                                     std::vector<Callee> callees,
                                                     const ExecutorContext& context) {
  std::shared_ptr<Runner> runner(new Runner());
  runner->plan_ = std::move(plan);
  runner->callees_ = std::move(callees);
  runner->context_ = context;
  for (uint32_t b = 0; b < runner->plan_->body_count(); ++b) {
    runner->caches_.push_back(std::make_unique<BindingCache>());
    const BodyRecord& body = runner->plan_->body(b);
    for (uint32_t i = 0; i < body.steps.count; ++i) {
      const StepRecord& step = runner->plan_->step(body, i);
      if (static_cast<StepKind>(step.kind) != StepKind::kCall) continue;
      if (step.callee >= runner->callees_.size()) {
        return invalid_graph("the plan calls compiled object ", step.callee, ", the session has ",
                             runner->callees_.size());
      }
      const Callee& callee = runner->callees_[step.callee];
      if (callee.runner == nullptr) continue;
      const BodyRecord& inner = callee.runner->plan().body(0);
      if (inner.inputs.count != step.inputs.count || inner.outputs.count != step.outputs.count) {
        return invalid_graph(step_label(*runner->plan_, step), ": expected ", step.inputs.count,
                             " inputs and ", step.outputs.count, " outputs, its context has ",
                             inner.inputs.count, " and ", inner.outputs.count);
      }
    }
  }
  return std::shared_ptr<const Runner>(std::move(runner));
}

Runner::~Runner() = default;

size_t Runner::binding_count() const {
  size_t count = 0;
  for (auto& cache : caches_) {
    std::lock_guard lock(cache->mutex);
    count += cache->entries.size();
  }
  return count;
}

Result<std::shared_ptr<const Binding>> Runner::binding(uint32_t body,
                                                       std::span<const ValueRef> inputs) const {
  thread_local std::vector<int64_t> key;
  key.clear();
  for (const ValueRef& input : inputs) {
    const int64_t kind = input.datum != nullptr ? 1 << 16 : 0;
    key.push_back(kind | static_cast<int64_t>(input.dtype) << 8 | input.rank);
    key.insert(key.end(), input.dim_data, input.dim_data + input.rank);
  }
  BindingCache& cache = *caches_[body];
  {
    std::lock_guard lock(cache.mutex);
    for (auto it = cache.entries.begin(); it != cache.entries.end(); ++it) {
      if (it->first != key) continue;
      cache.entries.splice(cache.entries.begin(), cache.entries, it);
      return cache.entries.front().second;
    }
  }
  // Made without the lock: two threads may make the same binding; either serves. A nested call may
  // use `key`.
  std::vector<int64_t> own_key = key;
  ASSIGN_OR_RETURN(auto binding, make_binding(*this, body, inputs));
  std::lock_guard lock(cache.mutex);
  cache.entries.emplace_front(std::move(own_key), binding);
  if (cache.entries.size() > context_.binding_count_max) cache.entries.pop_back();
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
  return run_body(0, inputs, outputs, request);
}

Status Runner::run_body(uint32_t body, std::span<const ValueRef> inputs,
                        std::span<OutputTarget> outputs, const RunRequest& request) const {
  ASSIGN_OR_RETURN(auto bound, binding(body, inputs));
  BodyRun run(*this, body, *bound, inputs, outputs, request);
  return run.run();
}

}  // namespace ortc
