// SPDX-License-Identifier: MIT
// Running a session: names to slots, checks of types and shapes, then the executor.
#include "core/session/session.h"

#include <algorithm>
#include <functional>

#include "core/base/json_writer.h"
#include "core/platform/clock.h"
#include "core/platform/machine/floating_point_mode.h"
#include "core/session/runs/port_mismatch.h"
#include "core/session/runs/session_frame.h"
#include "core/session/stages.h"

namespace ortc {
namespace {

// Whether a value that is not a dense tensor is of the type; its tensors' shapes are the kernels'
// business.
bool is_of_type(const Type& type, const Datum& value) {
  const auto is_of = [](const Type& tensor, DType dtype) {
    return tensor.is_tensor() && tensor.dtype == dtype;
  };
  const Type none;
  const Type& element = type.element != nullptr ? *type.element : none;
  switch (value.kind()) {
    case DatumKind::kSequence: {
      const Sequence& sequence = *value.sequence();
      if (type.kind != TypeKind::kSequence) return false;
      if (sequence.map_key == DType::kUndefined) return is_of(element, sequence.dtype);
      return element.kind == TypeKind::kMap && element.dtype == sequence.map_key &&
             element.element != nullptr && is_of(*element.element, sequence.dtype);
    }
    case DatumKind::kMap:
      return type.kind == TypeKind::kMap && type.dtype == value.map()->keys.dtype() &&
             is_of(element, value.map()->values.dtype());
    case DatumKind::kSparseTensor:
      return type.kind == TypeKind::kSparseTensor && type.dtype == value.sparse()->dtype;
    case DatumKind::kNone:
    case DatumKind::kTensor:
      break;
  }
  return false;
}

std::string names_of(const std::vector<Port>& ports) {
  std::string names;
  for (const Port& port : ports) names += str_cat(names.empty() ? "'" : ", '", port.name, "'");
  return names.empty() ? "none" : names;
}

// Where tensors without elements lie: nobody reads or writes there.
alignas(64) constinit std::byte kNoElements[64] = {};

// An optional input that was left out.
const Datum& nothing() {
  static const Datum none;
  return none;
}

}  // namespace

Session::~Session() = default;

bool Session::has_input(std::string_view name) const {
  return input_numbers_.find(name) != SIZE_MAX || overridable_numbers_.find(name) != SIZE_MAX;
}

Status Session::check_input(Frame& frame, const Port& port, std::span<const uint32_t> symbols,
                            const ValueRef& value) {
  const bool is_none = value.datum != nullptr && value.datum->is_none();
  if (!value.is_present() || (is_none && port.type.kind != TypeKind::kOptional)) {
    return invalid_argument("input '", port.name, "' has no value");
  }
  if (is_none) return Status::ok();
  const Type& type = content_of(port.type);
  if (type.is_tensor()) return check_tensor(frame, port, symbols, value);
  if (value.datum != nullptr && is_of_type(type, *value.datum)) return Status::ok();
  return wrong_type(PortKind::kInput, port.name, port.type, value);
}

Status Session::check_tensor(Frame& frame, const Port& port, std::span<const uint32_t> symbols,
                             const ValueRef& value) {
  const Type& type = content_of(port.type);
  if (value.dtype != type.dtype) {
    return wrong_type(PortKind::kInput, port.name, port.type, value);
  }
  if (!type.has_shape()) return Status::ok();
  const Shape& shape = *type.shape;
  // One element is taken for a scalar, whatever its shape: ONNX Runtime's clients rely on that.
  if (shape.empty() && value.element_count() == 1) return Status::ok();
  if (shape.size() != value.dims().size()) {
    return wrong_rank(PortKind::kInput, port.name, type, value);
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t found = value.dims()[i];
    if (shape[i].is_known() && shape[i].value != found) {
      return wrong_dims(PortKind::kInput, port.name, type, value);
    }
    if (symbols[i] == PortSymbols::kNone) continue;
    int64_t& size = frame.sizes[symbols[i]];
    if (size == Frame::kUnknownSize) size = found;
    if (size != found) {
      return invalid_argument("input '", port.name, "': dimension '", shape[i].symbol, "' is ",
                              found, ", but another input has ", size);
    }
  }
  return Status::ok();
}

Status Session::take_input(Frame& frame, std::string_view name, const ValueRef& value,
                           bool replaces) const {
  size_t number = input_numbers_.find(name);
  const bool is_input = number != SIZE_MAX;
  if (!is_input) number = overridable_numbers_.find(name);
  if (number == SIZE_MAX) {
    return invalid_argument("the model has no input '", name, "'; it has ", names_of(inputs()));
  }
  const Port& port = is_input ? inputs()[number] : overridable()[number];
  const ValueRef*& place = is_input ? frame.given[number] : frame.overrides[number];
  if (place != nullptr && !replaces)
    return invalid_argument("input '", port.name, "' was given twice");
  const auto symbols = is_input ? input_symbols_.of(number) : overridable_symbols_.of(number);
  RETURN_IF_ERROR(check_input(frame, port, symbols, value));
  place = &value;
  return Status::ok();
}

// What can be said before the run. That a scalar's memory fits is seen when the result is there.
Status Session::check_output(const Port& port, const ValueRef& provided) {
  const Type& type = content_of(port.type);
  if (!provided.is_present() || type.dtype == DType::kUndefined) return Status::ok();
  if (!type.is_tensor() || provided.dtype != type.dtype) {
    return wrong_type(PortKind::kOutput, port.name, type, provided);
  }
  if (!type.has_shape() || type.shape->empty()) return Status::ok();
  const Shape& shape = *type.shape;
  if (shape.size() != provided.dims().size()) {
    return wrong_rank(PortKind::kOutput, port.name, type, provided);
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].is_known() && shape[i].value != provided.dims()[i]) {
      return wrong_dims(PortKind::kOutput, port.name, type, provided);
    }
  }
  return Status::ok();
}

Status Session::take_outputs(Frame& frame, std::span<const std::string_view> names,
                             std::span<const OutputTarget> targets) const {
  for (size_t i = 0; i < names.size(); ++i) {
    const size_t number = output_numbers_.find(names[i]);
    if (number == SIZE_MAX) {
      return invalid_argument("the model has no output '", names[i], "'; it has ",
                              names_of(outputs()));
    }
    if (frame.is_wanted[number]) {
      frame.repeated.push_back({number, i});
      continue;
    }
    frame.is_wanted[number] = true;
    frame.wanted.push_back({number, i});
    ValueRef& provided = frame.targets[number].provided;
    provided = targets[i].provided;
    // Without elements a tensor needs no memory, but is given all the same.
    if (provided.is_present() && provided.data == nullptr) provided.data = kNoElements;
    RETURN_IF_ERROR(check_output(outputs()[number], provided));
  }
  return Status::ok();
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
  RETURN_IF_ERROR(run_in_place(input_names, inputs, output_names, targets, options, observer));
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
  RETURN_IF_ERROR(run_in_place(input_names, refs, output_names, targets, options, observer));
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

Status Session::run_in_place(std::span<const std::string_view> input_names,
                             std::span<const ValueRef> inputs,
                             std::span<const std::string_view> output_names,
                             std::span<OutputTarget> targets, const RunOptions* options,
                             const StepObserver* observer, const ValuePlaces* places) const {
  if (output_names.empty())
    return invalid_argument("At least one output should be requested. The model has ",
                            names_of(outputs()));
  const auto own_mode = FloatingPointMode::current();
  const InFloatingPointMode mode(denormals_as_zero_ ? own_mode.with_denormals_as_zero() : own_mode);
  GroupArena::Turn turn;
  if (group_arena_ != nullptr) {
    ASSIGN_OR_RETURN(turn, group_arena_->enter(waits_for_group_,
                                               options != nullptr ? &options->terminate : nullptr));
  }
  {
    const size_t value_count = input_names.size() + output_names.size() +
                               facts_.ports.graph_inputs.size() + outputs().size();
    ASSIGN_OR_RETURN(ArenaPool::Block block,
                     arenas_->acquire(Frame::kBytes + Frame::kBytesPerValue * value_count +
                                      Frame::kBytesPerSymbol * symbol_count_));
    Frame frame(*this, std::move(block), output_names.size());
    RETURN_IF_ERROR(
        run_in_frame(frame, input_names, inputs, output_names, targets, options, observer, places));
  }
  if (options != nullptr) finish_run(*options);
  return Status::ok();
}

// Parameters of LoRA adapters stand in for inputs of their names.
Status Session::take_adapters(Frame& frame, const RunOptions& options) const {
  size_t count = 0;
  for (const auto& adapter : options.adapters) count += adapter->size();
  frame.adapters.reserve(count);  // they are pointed at
  for (const auto& adapter : options.adapters) {
    for (const auto& [name, tensor] : *adapter) {
      frame.adapters.push_back(ref_to(tensor));
      RETURN_IF_ERROR_WHILE(take_input(frame, name, frame.adapters.back(), /*replaces=*/true),
                            "parameter of a LoRA adapter");
    }
  }
  return Status::ok();
}

Status Session::run_in_frame(Frame& frame, std::span<const std::string_view> input_names,
                             std::span<const ValueRef> inputs,
                             std::span<const std::string_view> output_names,
                             std::span<OutputTarget> targets, const RunOptions* options,
                             const StepObserver* observer, const ValuePlaces* places) const {
  for (size_t i = 0; i < input_names.size(); ++i) {
    RETURN_IF_ERROR(take_input(frame, input_names[i], inputs[i]));
  }
  if (options != nullptr) RETURN_IF_ERROR(take_adapters(frame, *options));
  for (const ModelPorts::GraphInput& input : facts_.ports.graph_inputs) {
    const Port& port =
        input.is_overridable ? overridable()[input.port] : facts_.ports.inputs[input.port];
    const ValueRef* value =
        input.is_overridable ? frame.overrides[input.port] : frame.given[input.port];
    if (value != nullptr) {
      frame.refs.push_back(*value);
    } else if (input.otherwise.is_defined()) {
      frame.refs.push_back(ref_to(input.otherwise));
    } else if (port.type.kind == TypeKind::kOptional) {
      frame.refs.push_back(ref_to(nothing()));
    } else {
      return missing_input(port.name, port.type);
    }
    const Type& type = content_of(port.type);
    if (type.has_shape() && type.shape->empty()) frame.refs.back().rank = 0;  // see check_tensor
  }
  RETURN_IF_ERROR(take_outputs(frame, output_names, targets));
  if (places != nullptr) RETURN_IF_ERROR(place_values(frame, inputs, *places));
  RETURN_IF_ERROR(replay_ != nullptr ? run_recorded(frame, options, observer)
                                     : run_once(frame, options, observer));
  for (const auto& [number, place] : frame.wanted) {
    targets[place].made = frame.targets[number].made;
  }
  for (const auto& [number, place] : frame.repeated) {
    const OutputTarget& first = frame.targets[number];
    const ValueRef result = first.provided.is_present() ? first.provided : ref_to(first.made);
    RETURN_IF_ERROR(give_again(result, outputs()[number].name, targets[place]));
  }
  return Status::ok();
}

Status Session::run_frame(Frame& frame, const RunOptions* options, const StepObserver* observer,
                          const StepBegins* step_begins) const {
  if (options != nullptr && !options->tag.empty()) {
    const Logger logger = options->log_severity >= 0
                              ? logger_.with(static_cast<Severity>(options->log_severity))
                              : logger_;
    ORTC_LOG(logger, kInfo, "run", "running with tag: ", options->tag);
  }
  RunRequest request;
  request.terminate = options != nullptr ? &options->terminate : nullptr;
  request.observer = observer;
  request.step_begins = step_begins;
  request.provider = providers_.rest.factory->name();
  request.facts.terminate = request.terminate;
  if (options != nullptr) {
    request.facts.tag = options->tag;
    request.facts.config = &options->config;
    request.facts.log_severity = options->log_severity;
    request.facts.log_verbosity = options->log_verbosity;
  }
  request.facts.pool = pool_.get();
  if (options != nullptr) request.stream = options->stream;
  if (frame.places.has_value()) request.places = &*frame.places;
  return watchers_.empty() ? runner_->run(frame.refs, frame.targets, request)
                           : run_watched(frame, request);
}

// Whoever heard of the beginning hears of the end, also when the run fails or memory runs out; the
// run's failure counts.
Status Session::run_watched(Frame& frame, const RunRequest& request) const {
  struct Watched {
    const std::vector<ExecutionProvider*>& watchers;
    const RunFacts& facts;
    size_t begun = 0;
    ~Watched() {
      while (begun > 0) {
        try {
          (void)watchers[--begun]->end_run(facts);
        } catch (...) {  // NOLINT(bugprone-empty-catch): the run has failed already
        }
      }
    }
    Status begin() {
      for (; begun < watchers.size(); ++begun) {
        RETURN_IF_ERROR(watchers[begun]->begin_run(facts));
      }
      return Status::ok();
    }
    Status end() {
      Status outcome;
      while (begun > 0) {
        Status ended = watchers[--begun]->end_run(facts);
        if (outcome.is_ok()) outcome = std::move(ended);
      }
      return outcome;
    }
  };
  Watched watched{watchers_, request.facts};
  RETURN_IF_ERROR(watched.begin());
  RETURN_IF_ERROR(runner_->run(frame.refs, frame.targets, request));
  return watched.end();
}

Status Session::run_once(Frame& frame, const RunOptions* options, const StepObserver* observer,
                         bool has_own_profile) const {
  const bool is_own = has_own_profile && options != nullptr && options->profiling;
  const bool is_profiled = is_own || (facts_.profiler != nullptr && facts_.profiler->is_on());
  return is_profiled ? run_profiled(frame, options, observer, is_own)
                     : run_frame(frame, options, observer);
}

void Session::add_providers(Profiler& profiler) const {
  for (ExecutionProvider* provider : providers_.list()) {
    profiler.add_provider(provider->make_profiler());
  }
}

// What the run does goes into the session's profile, and into one of its own when the options say
// so. Both have failures, too.
Status Session::run_profiled(Frame& frame, const RunOptions* options, const StepObserver* observer,
                             bool has_own_profile) const {
  std::vector<std::shared_ptr<Profiler>> profilers;
  if (facts_.profiler != nullptr && facts_.profiler->is_on()) profilers.push_back(facts_.profiler);
  if (has_own_profile) {
    ASSIGN_OR_RETURN(auto own, Profiler::start(options->profile_prefix, logger_));
    add_providers(*own);
    profilers.push_back(std::move(own));
  }
  const StepBegins begins = [&](int64_t begin_ns) {
    for (const auto& profiler : profilers) profiler->begin_event(begin_ns);
  };
  const StepObserver recording = [&](const StepEvent& event) {
    for (const auto& profiler : profilers) profiler->add_step(event);
    if (observer != nullptr) (*observer)(event);
  };
  const int64_t begin = now_ns();
  begins(begin);
  const int64_t execute_begin = now_ns();
  begins(execute_begin);
  Status status = run_frame(frame, options, &recording, &begins);
  const int64_t end = now_ns();
  for (const auto& profiler : profilers) {
    profiler->end_session_event("SequentialExecutor::Execute", execute_begin, end);
    profiler->end_session_event("model_run", begin, now_ns());
  }
  if (!has_own_profile) return status;
  const auto written = profilers.back()->end();
  return status.is_ok() ? written.status() : status;
}

void Session::finish_run(const RunOptions& options) const {
  if (options.settings.shrink_arenas.empty()) return;
  arenas_->shrink();
  results_->shrink();
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
