// SPDX-License-Identifier: MIT
// Running a session: names to slots, checks of types and shapes, then the executor.
#include "core/run/session.h"

#include <algorithm>
#include <memory_resource>

#include "core/base/json_writer.h"
#include "core/platform/clock.h"
#include "core/run/session_builder.h"

namespace ortc {
namespace {

TensorRef ref_of(const Tensor& tensor) {
  return {tensor.dtype(), static_cast<uint32_t>(tensor.dims().size()), tensor.dims().data(),
          const_cast<void*>(tensor.data())};
}

std::string names_of(const std::vector<Port>& ports) {
  std::string names;
  for (const Port& port : ports) names += str_cat(names.empty() ? "'" : ", '", port.name, "'");
  return names.empty() ? "none" : names;
}

size_t find_port(const std::vector<Port>& ports, std::string_view name) {
  for (size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].name == name) return i;
  }
  return SIZE_MAX;
}

}  // namespace

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<const Environment> environment,
                                                 const ModelSource& source,
                                                 const SessionOptions& options,
                                                 const Progress& progress) {
  return build_session(std::move(environment), source, options, BuildMode{}, progress);
}

Session::~Session() = default;

// What one run needs beside its values, in memory of the arenas.
struct Session::Frame {
  Frame(const Session& session, size_t input_count, size_t output_count)
      : arenas(*session.arenas_),
        block(arenas.acquire(kBytes + kBytesPerValue * (input_count + output_count +
                                                        session.graph_inputs_.size() +
                                                        session.outputs_.size()))),
        memory(block.data(), block.size),
        given(session.inputs_.size(), nullptr, &memory),
        overrides(session.overridable_.size(), nullptr, &memory),
        refs(&memory),
        targets(session.outputs_.size(), &memory),
        wanted(&memory),
        symbols(&memory) {
    refs.reserve(session.graph_inputs_.size());
    wanted.reserve(output_count);
  }
  ~Frame() { arenas.release(std::move(block)); }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  static constexpr size_t kBytes = 4096;
  static constexpr size_t kBytesPerValue = 512;
  ArenaPool& arenas;
  ArenaPool::Block block;
  std::pmr::monotonic_buffer_resource memory;
  std::pmr::vector<const Tensor*> given, overrides;  // by port
  std::pmr::vector<TensorRef> refs;                  // by input of the plan
  std::pmr::vector<OutputTarget> targets;            // by output of the model
  std::pmr::vector<size_t> wanted;
  std::pmr::vector<std::pair<std::string_view, int64_t>> symbols;
};

Status Session::check_input(Frame& frame, const Port& port, const Tensor& value) const {
  if (!value.is_defined()) return invalid_argument("input '", port.name, "' has no value");
  if (!port.type.is_tensor()) {
    return not_implemented("input '", port.name, "' of type ", type_to_string(port.type));
  }
  const auto mismatch = [&] {
    return invalid_argument("input '", port.name, "': expected ", type_to_string(port.type),
                            ", found ", dtype_name(value.dtype()), dims_to_string(value.dims()));
  };
  if (value.dtype() != port.type.dtype) return mismatch();
  if (!port.type.has_shape()) return Status::ok();
  const Shape& shape = *port.type.shape;
  if (shape.size() != value.dims().size()) return mismatch();
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t found = value.dims()[i];
    if (shape[i].is_known() && shape[i].value != found) return mismatch();
    if (shape[i].is_known() || shape[i].symbol.empty()) continue;
    const auto it = std::find_if(frame.symbols.begin(), frame.symbols.end(),
                                 [&](const auto& s) { return s.first == shape[i].symbol; });
    if (it == frame.symbols.end()) {
      frame.symbols.emplace_back(shape[i].symbol, found);
    } else if (it->second != found) {
      return invalid_argument("input '", port.name, "': dimension '", shape[i].symbol, "' is ",
                              found, ", but another input has ", it->second);
    }
  }
  return Status::ok();
}

Status Session::take_input(Frame& frame, std::string_view name, const Tensor& value,
                           bool replaces) const {
  size_t number = find_port(inputs_, name);
  const bool is_input = number != SIZE_MAX;
  if (!is_input) number = find_port(overridable_, name);
  if (number == SIZE_MAX) {
    return invalid_argument("the model has no input '", name, "'; it has ", names_of(inputs_));
  }
  const Port& port = is_input ? inputs_[number] : overridable_[number];
  const Tensor*& place = is_input ? frame.given[number] : frame.overrides[number];
  if (place != nullptr && !replaces)
    return invalid_argument("input '", port.name, "' was given twice");
  RETURN_IF_ERROR(check_input(frame, port, value));
  place = &value;
  return Status::ok();
}

Status Session::take_outputs(Frame& frame, std::span<const std::string_view> names,
                             std::span<Tensor* const> outputs) const {
  for (size_t i = 0; i < names.size(); ++i) {
    const size_t number = find_port(outputs_, names[i]);
    if (number == SIZE_MAX) {
      return invalid_argument("the model has no output '", names[i], "'; it has ",
                              names_of(outputs_));
    }
    frame.wanted.push_back(number);
    if (outputs[i]->is_defined()) frame.targets[number].provided = ref_of(*outputs[i]);
  }
  return Status::ok();
}

Status Session::run(std::span<const std::string_view> input_names,
                    std::span<const Tensor> input_values,
                    std::span<const std::string_view> output_names, std::span<Tensor> outputs,
                    const RunOptions* options, const StepObserver* observer) const {
  std::vector<const Tensor*> inputs;
  for (const Tensor& tensor : input_values) inputs.push_back(&tensor);
  std::vector<Tensor*> targets;
  for (Tensor& tensor : outputs) targets.push_back(&tensor);
  return run_in_place(input_names, inputs, output_names, targets, options, observer);
}

Status Session::run_in_place(std::span<const std::string_view> input_names,
                             std::span<const Tensor* const> inputs,
                             std::span<const std::string_view> output_names,
                             std::span<Tensor* const> outputs, const RunOptions* options,
                             const StepObserver* observer) const {
  if (draft_ != nullptr) return fail("the session was not finalized; it cannot run");
  if (compile_only_)
    return fail("the session was made to compile only (session.compile_only=1); it cannot run");
  if (output_names.empty())
    return invalid_argument("no outputs were asked for; the model has ", names_of(outputs_));
  {
    Frame frame(*this, input_names.size(), output_names.size());
    RETURN_IF_ERROR(
        run_in_frame(frame, input_names, inputs, output_names, outputs, options, observer));
  }
  return options != nullptr ? finish_run(*options) : Status::ok();
}

Status Session::run_in_frame(Frame& frame, std::span<const std::string_view> input_names,
                             std::span<const Tensor* const> inputs,
                             std::span<const std::string_view> output_names,
                             std::span<Tensor* const> outputs, const RunOptions* options,
                             const StepObserver* observer) const {
  for (size_t i = 0; i < input_names.size(); ++i) {
    RETURN_IF_ERROR(take_input(frame, input_names[i], *inputs[i]));
  }
  if (options != nullptr) {
    for (const auto& adapter : options->adapters) {
      for (const auto& [name, tensor] : *adapter) {
        RETURN_IF_ERROR_WHILE(take_input(frame, name, tensor, /*replaces=*/true),
                              "parameter of a LoRA adapter");
      }
    }
  }
  for (const GraphInput& input : graph_inputs_) {
    const Tensor* value =
        input.is_overridable ? frame.overrides[input.port] : frame.given[input.port];
    if (value == nullptr && !input.is_overridable) {
      const Port& port = inputs_[input.port];
      return invalid_argument("input '", port.name, "' (", type_to_string(port.type),
                              ") is missing");
    }
    frame.refs.push_back(ref_of(value != nullptr ? *value : input.otherwise));
  }
  RETURN_IF_ERROR(take_outputs(frame, output_names, outputs));
  const bool is_profiled =
      (profiler_ != nullptr && profiler_->is_on()) || (options != nullptr && options->profiling);
  RETURN_IF_ERROR(is_profiled ? run_profiled(frame, options, observer)
                              : run_frame(frame, options, observer));
  for (size_t i = 0; i < frame.wanted.size(); ++i) {
    if (!outputs[i]->is_defined()) *outputs[i] = frame.targets[frame.wanted[i]].made;
  }
  return Status::ok();
}

Status Session::run_frame(Frame& frame, const RunOptions* options,
                          const StepObserver* observer) const {
  if (options != nullptr && !options->tag.empty()) {
    const Logger logger = options->log_severity >= 0
                              ? logger_.with(static_cast<Severity>(options->log_severity))
                              : logger_;
    ORTC_LOG(logger, kInfo, "run", "running with tag: ", options->tag);
  }
  RunRequest request;
  request.terminate = options != nullptr ? &options->terminate : nullptr;
  request.observer = observer;
  return runner_->run(frame.refs, frame.targets, request);
}

// What the run does goes into the session's profile, and into one of its own when the options say
// so.
Status Session::run_profiled(Frame& frame, const RunOptions* options,
                             const StepObserver* observer) const {
  std::vector<std::shared_ptr<Profiler>> profilers;
  if (profiler_ != nullptr && profiler_->is_on()) profilers.push_back(profiler_);
  if (options != nullptr && options->profiling) {
    ASSIGN_OR_RETURN(auto own, Profiler::start(options->profile_prefix));
    profilers.push_back(std::move(own));
  }
  const StepObserver recording = [&](const StepEvent& event) {
    for (const auto& profiler : profilers) profiler->add_step(event);
    if (observer != nullptr) (*observer)(event);
  };
  const int64_t begin = now_ns();
  RETURN_IF_ERROR(run_frame(frame, options, &recording));
  const int64_t end = now_ns();
  for (const auto& profiler : profilers) {
    profiler->add_session_event("SequentialExecutor::Execute", begin, end);
    profiler->add_session_event("model_run", begin, now_ns());
  }
  if (options == nullptr || !options->profiling) return Status::ok();
  return profilers.back()->end().status();
}

Status Session::finish_run(const RunOptions& options) const {
  const auto shrink = options.config.find("memory.enable_memory_arena_shrinkage");
  if (shrink == options.config.end() || shrink->second.empty()) return Status::ok();
  if (shrink->second != "cpu:0") {
    return invalid_argument("config 'memory.enable_memory_arena_shrinkage' is '", shrink->second,
                            "', but the session has an arena for 'cpu:0' only");
  }
  arenas_->shrink();
  return Status::ok();
}

Status Session::submit(std::function<void()> work) const {
  if (pool_ != nullptr && pool_->submit(std::move(work))) return Status::ok();
  return invalid_argument(
      "intra op thread pool must have at least one thread for RunAsync: the caller's own does not "
      "count, so intra_op_num_threads must be 2 or more");
}

std::string Session::report_json() const {
  JsonWriter json;
  json.begin_object().field("schema", "ortc.session/1");
  json.field("model", model_->path);
  report_.write(json);
  json.key("memory").begin_object();
  json.field("arena_bytes", arenas_ != nullptr ? arenas_->held_bytes() : uint64_t{0});
  json.field("weight_bytes", report_.weight_bytes);
  if (packed_weights_ != nullptr) {
    json.field("shared_weight_bytes", packed_weights_->held_bytes());
  }
  json.end_object();
  json.field("threads", pool_ != nullptr ? pool_->thread_count() : 0);
  json.end_object();
  return json.text();
}

}  // namespace ortc
