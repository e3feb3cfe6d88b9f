// SPDX-License-Identifier: MIT
// Recorded runs: see the header.
#include "core/session/runs/graph_replay.h"

#include <algorithm>
#include <charconv>

namespace ortc {
namespace {

constexpr uint32_t kMainBody = 0;

Status control_flow(const std::string& provider) {
  return fail(
      "This session cannot use the graph capture feature as requested by the user as the model has "
      "control flow nodes which can't be supported by ",
      provider);
}

// Programs know ONNX Runtime's words.
Status other_nodes(const std::string& provider) {
  return fail(
      "This session cannot use the graph capture feature as requested by the user as all the graph "
      "nodes have not been assigned to ",
      provider);
}

bool is_control_flow(StepKind kind) {
  return kind == StepKind::kIf || kind == StepKind::kLoop || kind == StepKind::kScan ||
         kind == StepKind::kSequenceMap;
}

std::string described(const RunValue& value) {
  if (!value.is_used) return "not wanted";
  if (value.data == nullptr) return "made by the run";
  return str_cat(dtype_name(value.dtype), dims_to_string(value.dims));
}

}  // namespace

RunValue RunValue::of(const ValueRef& ref, MemoryNumber memory) {
  const auto dims = ref.dims();
  const void* const data = ref.datum != nullptr ? ref.datum : ref.data;
  return {true, data, memory, ref.dtype, std::vector<int64_t>(dims.begin(), dims.end())};
}

Result<std::unique_ptr<GraphReplay>> GraphReplay::create(
    std::span<ExecutionProvider* const> providers, const std::shared_ptr<const Plan>& plan,
    std::span<const Callee> callees, const Logger& logger) {
  for (ExecutionProvider* provider : providers) {
    auto capture = provider->make_graph_capture();
    RETURN_IF_ERROR_WHILE(capture.status(), provider->name());
    if (*capture == nullptr) continue;
    std::unique_ptr<GraphReplay> made(
        new GraphReplay(std::string(provider->name()), std::move(*capture), plan));
    RETURN_IF_ERROR(made->check_plan(callees));
    ORTC_LOG(logger, kInfo, "session", "runs are recorded and done again by ", provider->name());
    return made;  // one provider of a session records
  }
  return std::unique_ptr<GraphReplay>();
}

// What stands between two steps of the plan lies in memory of one run, which is gone when the
// recording is done again: one call, and transfers of the model's inputs and outputs.
Status GraphReplay::check_plan(std::span<const Callee> callees) {
  const BodyRecord& body = plan_->body(kMainBody);
  const auto inputs = plan_->indices(body.inputs), outputs = plan_->indices(body.outputs);
  input_memories_.assign(inputs.size(), kHostMemory);
  output_memories_.assign(outputs.size(), kHostMemory);
  size_t call_count = 0, host_count = 0;
  for (uint32_t i = 0; i < body.steps.count; ++i) {
    const StepRecord& step = plan_->step(body, i);
    const auto kind = static_cast<StepKind>(step.kind);
    if (is_control_flow(kind)) return control_flow(provider_);
    if (kind == StepKind::kKernel) ++host_count;
    if (kind == StepKind::kCall) {
      if (callees[step.callee].provider != provider_) return other_nodes(provider_);
      ++call_count;
    }
    if (kind != StepKind::kTransfer) continue;
    const uint32_t from = plan_->indices(step.inputs)[0], to = plan_->indices(step.outputs)[0];
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (inputs[k] == from) input_memories_[k] = plan_->slot(body, to).memory;
    }
    for (size_t k = 0; k < outputs.size(); ++k) {
      if (outputs[k] == to) output_memories_[k] = plan_->slot(body, from).memory;
    }
  }
  if (host_count > 0 && capture_->needs() == CaptureNeeds::kAllNodes) return other_nodes(provider_);
  if (call_count == 1 && host_count == 0) return Status::ok();
  return not_implemented("recording the runs of a model of ", call_count, " parts of ", provider_,
                         " and ", host_count, " nodes on the host; expected one part");
}

Result<std::optional<int>> GraphReplay::id_of(const KeyValues* config) {
  constexpr int kOrdinaryRun = -1;
  if (config == nullptr) return std::optional<int>(0);
  const auto entry = config->find("gpu_graph_id");
  if (entry == config->end() || entry->second.empty()) return std::optional<int>(0);
  const std::string& text = entry->second;
  int id = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), id);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
    return invalid_argument("Failed to parse the cuda graph annotation id: ", text);
  }
  return id == kOrdinaryRun ? std::optional<int>() : std::optional<int>(id);
}

std::string_view GraphReplay::name_of(PlanRange ports, size_t i) const {
  return plan_->slot_name(plan_->body(kMainBody), plan_->indices(ports)[i]);
}

Status GraphReplay::check_places(const RunValues& values) const {
  const BodyRecord& body = plan_->body(kMainBody);
  for (size_t i = 0; i < values.inputs.size(); ++i) {
    if (values.inputs[i].memory == input_memories_[i]) continue;
    return invalid_argument("input '", name_of(body.inputs, i), "' does not lie in the memory of ",
                            provider_, ", which a recorded run needs");
  }
  for (size_t i = 0; i < values.outputs.size(); ++i) {
    const RunValue& output = values.outputs[i];
    if (!output.is_used || output.memory == output_memories_[i]) continue;
    return invalid_argument("output '", name_of(body.outputs, i),
                            "' is not wanted in the memory of ", provider_,
                            ", which a recorded run needs");
  }
  return Status::ok();
}

void GraphReplay::remember(int id, RunValues values) {
  const std::lock_guard lock(mutex_);
  recorded_.insert_or_assign(id, std::move(values));
}

Status GraphReplay::check_same(int id, const RunValues& values) const {
  const std::lock_guard lock(mutex_);
  const auto found = recorded_.find(id);
  if (found == recorded_.end()) {
    return make_status(Code::kEpFail, provider_, " says that it has recorded run ", id,
                       ", which this session has not run");
  }
  const BodyRecord& body = plan_->body(kMainBody);
  const auto differing = [&](std::string_view what, PlanRange ports,
                             const std::vector<RunValue>& recorded,
                             const std::vector<RunValue>& given) {
    for (size_t i = 0; i < recorded.size(); ++i) {
      if (recorded[i] == given[i]) continue;
      return invalid_argument(
          what, " '", name_of(ports, i), "' is ", described(given[i]), ", but run ", id,
          " was recorded with it as ", described(recorded[i]),
          "; a recording is done again with the same values in the same places");
    }
    return Status::ok();
  };
  RETURN_IF_ERROR(differing("input", body.inputs, found->second.inputs, values.inputs));
  return differing("output", body.outputs, found->second.outputs, values.outputs);
}

Status GraphReplay::replay(int id, const RunValues& values) const {
  RETURN_IF_ERROR(check_same(id, values));
  return capture_->replay(id);
}

Status GraphReplay::release(int id) { return capture_->release(id); }

}  // namespace ortc
