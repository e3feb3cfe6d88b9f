// SPDX-License-Identifier: MIT
// The last stage: a compiled model gets threads, memory and a runner.
#include "core/platform/machine/floating_point_mode.h"
#include "core/run/pooled_tensors.h"
#include "core/session/stages.h"

namespace ortc {
namespace {

// The program's function is called now, while there is somebody to tell of its failure.
Result<std::shared_ptr<ThreadPool>> started_pool(Making& making) {
  ASSIGN_OR_RETURN(auto pool, making.pool());
  const SessionOptions& options = making.options();
  if (options.own_threads && options.thread_hooks.create && !pool->start()) {
    return fail("the function that creates threads gave none");
  }
  return pool;
}

// The session's own setting, and that of the threads which it shares.
bool takes_denormals_as_zero(const Making& making) {
  const bool is_asked =
      making.settings().denormals_as_zero ||
      (!making.settings().own_threads && making.environment().denormals_as_zero());
  if (is_asked && !has_denormals_as_zero()) {
    ORTC_LOG(making.logger(), kWarning, "threads",
             "denormal numbers stay what they are: this processor has no mode for it here");
  }
  return is_asked;
}

Result<std::vector<Callee>> callees_of(const CompiledModel& compiled,
                                       const ExecutorContext& context) {
  std::vector<Callee> callees;
  for (const CompiledModel::Part& part : compiled.parts) {
    Callee callee;
    callee.provider = part.provider;
    callee.object = part.compiled.object;
    if (part.compiled.plan != nullptr) {
      ExecutorContext inner = context;
      inner.memories = nullptr;  // a compiled plan's values lie on the host
      inner.isa = std::min(context.isa, part.compiled.isa_max);
      ASSIGN_OR_RETURN(callee.runner, Runner::create(part.compiled.plan, {}, inner));
    }
    callees.push_back(std::move(callee));
  }
  return callees;
}

// That of its sharing group, when its runs take turns; else null.
Result<std::shared_ptr<GroupArena>> group_arena_of(const Making& making) {
  if (!making.settings().group_exclusive) return std::shared_ptr<GroupArena>();
  const auto& group = making.options().sharing_group;
  if (group == nullptr && !making.context().share) {
    return invalid_argument(
        "session.group_exclusive=1 is for sessions of a sharing group: expected "
        "ep.share_ep_contexts=1, or a group that the options name");
  }
  return making.environment().group_arenas().of(group, making.settings().memory_arena);
}

// What the session's plans and inputs name.
std::unique_ptr<SessionMemory> memory_of(const CompiledModel& compiled) {
  SessionMemory::Plans callees;
  for (const CompiledModel::Part& part : compiled.parts) callees.push_back(part.compiled.plan);
  std::vector<Tensor> tensors;
  for (const ModelPorts::GraphInput& input : compiled.facts.ports.graph_inputs) {
    if (input.otherwise.is_defined()) tensors.push_back(input.otherwise);
  }
  return std::make_unique<SessionMemory>(compiled.main.plan, std::move(callees),
                                         std::move(tensors));
}

}  // namespace

Status Session::take_arenas(const Making& making) {
  ASSIGN_OR_RETURN(group_arena_, group_arena_of(making));
  waits_for_group_ = !making.settings().group_refuses_if_busy;
  if (group_arena_ != nullptr) {
    arenas_ = {group_arena_, &group_arena_->arenas()};
    results_ = {group_arena_, &group_arena_->results()};
  } else {
    arenas_ = std::make_shared<ArenaPool>(making.settings().memory_arena);
    results_ = std::make_shared<ArenaPool>(making.settings().memory_arena);
  }
  tensor_maker_ = making.options().tensor_maker;
  if (tensor_maker_ == nullptr) {
    tensor_maker_ = std::make_shared<const TensorMaker>(tensors_of(results_));
  }
  return Status::ok();
}

Status Session::take_device_memories(CompiledModel& compiled) {
  places_ = PortPlaces::of(compiled);
  memories_ = std::move(compiled.memories);
  for (ExecutionProvider* provider : compiled.providers.list()) {
    auto memories = provider->memories();
    RETURN_IF_ERROR_WHILE(memories.status(), provider->name());
    for (auto& memory : *memories) {
      // The host uses what it reads as its own.
      if (!memory->info().is_host_accessible) RETURN_IF_ERROR(memories_.add_memory(memory));
      device_memories_.push_back(std::move(memory));
    }
  }
  return Status::ok();
}

Status Session::make_runner(const CompiledModel& compiled, const Making& making) {
  ExecutorContext context;
  context.pool = pool_.get();
  context.isa = host_isa();
  context.arenas = arenas_.get();
  context.tensor_maker = tensor_maker_.get();
  if (!memories_.is_host_only()) context.memories = &memories_;
  if (!making.settings().memory_pattern) context.binding_count_max = 0;
  ASSIGN_OR_RETURN(auto callees, callees_of(compiled, context));
  ASSIGN_OR_RETURN(replay_, GraphReplay::create(compiled.providers.list(), compiled.main.plan,
                                                callees, logger_));
  ASSIGN_OR_RETURN(runner_, Runner::create(compiled.main.plan, std::move(callees), context));
  return Status::ok();
}

Status Session::take_facts(CompiledModel& compiled) {
  memory_ = memory_of(compiled);  // looks at the facts while they are there
  facts_ = std::move(compiled.facts);
  input_numbers_ = PortNumbers(facts_.ports.inputs);
  overridable_numbers_ = PortNumbers(facts_.ports.overridable);
  output_numbers_ = PortNumbers(facts_.ports.outputs);
  PortSymbols::Numbering numbering;
  input_symbols_ = PortSymbols(facts_.ports.inputs, numbering);
  overridable_symbols_ = PortSymbols(facts_.ports.overridable, numbering);
  symbol_count_ = numbering.count();
  return facts_.ports.excuse_unread_inputs(*compiled.main.plan);
}

Status Session::take_providers(SessionProviders providers) {
  providers_ = std::move(providers);
  for (ExecutionProvider* provider : providers_.list()) {
    RETURN_IF_ERROR_WHILE(provider->finish_session(), provider->name());
    if (provider->watches_runs()) watchers_.push_back(provider);
  }
  if (facts_.profiler != nullptr) add_providers(*facts_.profiler);
  return Status::ok();
}

// The runner keeps pointers to threads, arenas and memories: they are in their places before it.
// Providers hear that the session is finished when nothing of it is missing but pages in memory.
Result<std::unique_ptr<Session>> make_session(CompiledModel compiled, Making& making) {
  if (!compiled.can_run) {
    return fail("the model was compiled to be written (session.compile_only=1); it cannot run");
  }
  std::unique_ptr<Session> session(new Session());
  session->logger_ = making.logger();
  ASSIGN_OR_RETURN(session->pool_, started_pool(making));
  session->denormals_as_zero_ = takes_denormals_as_zero(making);
  session->packed_weights_ = making.options().packed_weights;
  RETURN_IF_ERROR(session->take_arenas(making));
  RETURN_IF_ERROR(session->take_device_memories(compiled));
  RETURN_IF_ERROR(session->make_runner(compiled, making));
  RETURN_IF_ERROR(session->take_facts(compiled));
  RETURN_IF_ERROR(session->take_providers(std::move(compiled.providers)));
  RETURN_IF_ERROR(session->memory_->make_resident(making));
  making.end_stage();
  CompileReport& report = session->facts_.report;
  if (making.report.stages.size() != report.stages.size()) report.stages = making.report.stages;
  return session;
}

}  // namespace ortc
