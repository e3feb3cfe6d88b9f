// SPDX-License-Identifier: MIT
// What a session is asked; a run of it: runs/session_run.h.
#include "core/session/session.h"

#include <algorithm>
#include <functional>

#include "core/base/json_writer.h"
#include "core/platform/machine/floating_point_mode.h"
#include "core/session/runs/port_checks.h"
#include "core/session/runs/session_run.h"
#include "core/session/stages.h"

namespace ortc {

Session::~Session() = default;

bool Session::has_input(std::string_view name) const {
  return input_numbers_.find(name) != SIZE_MAX || overridable_numbers_.find(name) != SIZE_MAX;
}

Status Session::run(std::span<const std::string_view> input_names,
                    std::span<const Tensor> input_values,
                    std::span<const std::string_view> output_names, std::span<Tensor> outputs,
                    const RunOptions* options, const StepObserver* observer) const {
  std::vector<ValueRef> inputs;
  inputs.reserve(input_values.size());
  for (const Tensor& value : input_values) inputs.push_back(ref_to(value));
  std::vector<OutputTarget> targets(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) targets[i].provided = ref_to(outputs[i]);
  RETURN_IF_ERROR(run_in_place({input_names, inputs, output_names, targets, options, observer}));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].is_defined()) continue;
    if (!targets[i].made.is_tensor()) {
      return not_implemented("output '", output_names[i], "' is ", describe(targets[i].made),
                             ", which this call cannot give");
    }
    outputs[i] = std::move(*targets[i].made.tensor());
  }
  return Status::ok();
}

Status Session::run_values(std::span<const std::string_view> input_names,
                           std::span<const Datum> inputs,
                           std::span<const std::string_view> output_names, std::span<Datum> outputs,
                           const RunOptions* options, const StepObserver* observer) const {
  std::vector<ValueRef> refs;
  refs.reserve(inputs.size());
  for (const Datum& value : inputs) refs.push_back(ref_to(value));
  std::vector<OutputTarget> targets(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].is_tensor()) targets[i].provided = ref_to(outputs[i]);
  }
  RETURN_IF_ERROR(run_in_place({input_names, refs, output_names, targets, options, observer}));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].is_tensor()) outputs[i] = std::move(targets[i].made);
  }
  return Status::ok();
}

bool Session::updates_in_place(std::string_view input, std::string_view output) const {
  const size_t from = input_numbers_.find(input), to = output_numbers_.find(output);
  const std::vector<ModelPorts::GraphInput>& given = facts_.ports.graph_inputs;
  for (size_t k = from; k < given.size(); ++k) {  // overridable ones may come before it
    if (given[k].is_overridable || given[k].port != from) continue;
    return to != SIZE_MAX &&
           runner_->updates_in_place(static_cast<uint32_t>(k), static_cast<uint32_t>(to));
  }
  return false;
}

Status Session::run_in_place(const RunCall& call) const {
  if (call.output_names.empty())
    return invalid_argument("At least one output should be requested. The model has ",
                            names_of(outputs()));
  const auto own_mode = FloatingPointMode::current();
  const InFloatingPointMode mode(denormals_as_zero_ ? own_mode.with_denormals_as_zero() : own_mode);
  GroupArena::Turn turn;
  if (group_arena_ != nullptr) {
    ASSIGN_OR_RETURN(
        turn, group_arena_->enter(waits_for_group_,
                                  call.options != nullptr ? &call.options->terminate : nullptr));
  }
  {
    ASSIGN_OR_RETURN(ArenaPool::Block room, arenas_->acquire(SessionRun::room_bytes(*this, call)));
    SessionRun run(*this, call, std::move(room));
    RETURN_IF_ERROR(run.run());
  }
  if (call.options != nullptr) finish_run(*call.options);
  return Status::ok();
}

void Session::finish_run(const RunOptions& options) const {
  if (options.settings.shrink_arenas.empty()) return;
  arenas_->shrink();
  results_->shrink();
}

void Session::add_providers(Profiler& profiler) const {
  for (ExecutionProvider* provider : providers_.list()) {
    profiler.add_provider(provider->make_profiler());
  }
}

Status Session::release_recording(int id) const {
  return replay_ != nullptr ? replay_->release(id) : Status::ok();
}

Status Session::submit(std::function<void()> work) const {
  if (pool_->submit(std::move(work))) return Status::ok();
  return invalid_argument(
      "intra op thread pool must have at least one thread for RunAsync: the caller's own does not "
      "count, so intra_op_num_threads must be 2 or more");
}

std::shared_ptr<const DeviceMemory> Session::device_memory(const MemoryInfo& info) const {
  const auto found = std::ranges::find_if(
      device_memories_, [&](const auto& memory) { return is_same_memory(memory->info(), info); });
  return found != device_memories_.end() ? *found : nullptr;
}

Status Session::wait_for_devices() const {
  Status outcome;
  for (ExecutionProvider* provider : providers_.list()) {
    Status answer = provider->wait_for_devices();
    if (outcome.is_ok() && !answer.is_ok()) outcome = std::move(answer.note(provider->name()));
  }
  return outcome;
}

Status Session::set_dynamic_options(const KeyValues& options) const {
  Status outcome;
  for (ExecutionProvider* provider : providers_.list()) {
    Status answer = provider->set_dynamic_options(options);
    if (outcome.is_ok() && !answer.is_ok()) {
      outcome = std::move(answer.note(provider->name()));
    }
  }
  return outcome;
}

Result<MemoryReport> Session::memory_report() const {
  const ArenaPool* const pools[] = {arenas_.get(), results_.get()};
  return MemoryReport::make(*memory_, pools);
}

Result<std::string> Session::memory_json() const {
  ASSIGN_OR_RETURN(const MemoryReport report, memory_report());
  return report.json(*memory_);
}

std::string Session::report_json() const {
  JsonWriter json;
  json.begin_object().field("schema", "ortc.session/1");
  json.field("model", facts_.description->path);
  facts_.report.write(json);
  json.key("memory").begin_object();
  json.field("arena_bytes", arenas_->held_bytes() + results_->held_bytes());
  json.field("weight_bytes", facts_.report.weight_bytes);
  if (packed_weights_ != nullptr) {
    json.field("shared_weight_bytes", packed_weights_->held_bytes());
  }
  json.end_object();
  json.field("threads", pool_->thread_count());
  json.end_object();
  return json.text();
}

}  // namespace ortc
