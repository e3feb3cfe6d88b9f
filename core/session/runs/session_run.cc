// SPDX-License-Identifier: MIT
// One run of a session: see the header.
#include "core/session/runs/session_run.h"

#include "core/session/runs/port_checks.h"
#include "core/session/runs/port_mismatch.h"
#include "core/session/runs/watched_run.h"

namespace ortc {
namespace {

constexpr size_t kBytes = 4096, kBytesPerValue = 512, kBytesPerSymbol = sizeof(int64_t);

// Where tensors without elements lie: nobody reads or writes there.
alignas(64) constinit std::byte kNoElements[64] = {};

// An optional input that was left out.
const Datum& nothing() {
  static const Datum none;
  return none;
}

}  // namespace

SessionRun::SessionRun(const Session& session, const RunCall& call, ArenaPool::Block room)
    : session_(session),
      call_(call),
      block_(std::move(room)),
      memory_(block_.data(), block_.size()),
      given_(session.inputs().size(), nullptr, &memory_),
      overrides_(session.overridable().size(), nullptr, &memory_),
      adapters_(&memory_),
      refs_(&memory_),
      targets_(session.outputs().size(), &memory_),
      is_wanted_(session.outputs().size(), false, &memory_),
      wanted_(&memory_),
      repeated_(&memory_),
      sizes_(session.symbol_count_, kUnknownSize, &memory_) {
  refs_.reserve(session.facts_.ports.graph_inputs.size());
  wanted_.reserve(call.output_names.size());
}

size_t SessionRun::room_bytes(const Session& session, const RunCall& call) {
  const size_t value_count = call.input_names.size() + call.output_names.size() +
                             session.facts_.ports.graph_inputs.size() + session.outputs().size();
  return kBytes + kBytesPerValue * value_count + kBytesPerSymbol * session.symbol_count_;
}

Status SessionRun::run() {
  RETURN_IF_ERROR(take_inputs());
  RETURN_IF_ERROR(take_outputs());
  if (call_.places != nullptr) RETURN_IF_ERROR(place_values(*call_.places));
  RETURN_IF_ERROR(session_.replay_ != nullptr ? run_recorded() : run_once());
  return give_results();
}

const Port& SessionRun::port_of(const ModelPorts::GraphInput& input) const {
  return input.is_overridable ? session_.overridable()[input.port] : session_.inputs()[input.port];
}

const ValueRef* SessionRun::given_of(const ModelPorts::GraphInput& input) const {
  return input.is_overridable ? overrides_[input.port] : given_[input.port];
}

Status SessionRun::take_inputs() {
  for (size_t i = 0; i < call_.input_names.size(); ++i) {
    RETURN_IF_ERROR(take_input(call_.input_names[i], call_.inputs[i]));
  }
  if (call_.options != nullptr) RETURN_IF_ERROR(take_adapters(*call_.options));
  return list_refs();
}

Status SessionRun::take_input(std::string_view name, const ValueRef& value, bool replaces) {
  size_t number = session_.input_numbers_.find(name);
  const bool is_input = number != SIZE_MAX;
  if (!is_input) number = session_.overridable_numbers_.find(name);
  if (number == SIZE_MAX) {
    return invalid_argument("the model has no input '", name, "'; it has ",
                            names_of(session_.inputs()));
  }
  const Port& port = is_input ? session_.inputs()[number] : session_.overridable()[number];
  const ValueRef*& place = is_input ? given_[number] : overrides_[number];
  if (place != nullptr && !replaces)
    return invalid_argument("input '", port.name, "' was given twice");
  const auto symbols =
      is_input ? session_.input_symbols_.of(number) : session_.overridable_symbols_.of(number);
  RETURN_IF_ERROR(check_input(port, symbols, sizes_, value));
  place = &value;
  return Status::ok();
}

// Parameters of LoRA adapters stand in for inputs of their names.
Status SessionRun::take_adapters(const RunOptions& options) {
  size_t count = 0;
  for (const auto& adapter : options.adapters) count += adapter->size();
  adapters_.reserve(count);  // they are pointed at
  for (const auto& adapter : options.adapters) {
    for (const auto& [name, tensor] : *adapter) {
      adapters_.push_back(ref_to(tensor));
      RETURN_IF_ERROR_WHILE(take_input(name, adapters_.back(), /*replaces=*/true),
                            "parameter of a LoRA adapter");
    }
  }
  return Status::ok();
}

// What the plan reads, in its order.
Status SessionRun::list_refs() {
  for (const ModelPorts::GraphInput& input : session_.facts_.ports.graph_inputs) {
    const Port& port = port_of(input);
    const ValueRef* const value = given_of(input);
    if (value != nullptr) {
      refs_.push_back(*value);
    } else if (input.otherwise.is_defined()) {
      refs_.push_back(ref_to(input.otherwise));
    } else if (port.type.kind == TypeKind::kOptional) {
      refs_.push_back(ref_to(nothing()));
    } else {
      return missing_input(port.name, port.type);
    }
    const Type& type = content_of(port.type);
    if (type.has_shape() && type.shape->empty()) refs_.back().rank = 0;  // see check_tensor
  }
  return Status::ok();
}

Status SessionRun::take_outputs() {
  for (size_t i = 0; i < call_.output_names.size(); ++i) {
    const size_t number = session_.output_numbers_.find(call_.output_names[i]);
    if (number == SIZE_MAX) {
      return invalid_argument("the model has no output '", call_.output_names[i], "'; it has ",
                              names_of(session_.outputs()));
    }
    if (is_wanted_[number]) {
      repeated_.push_back({number, i});
      continue;
    }
    is_wanted_[number] = true;
    wanted_.push_back({number, i});
    ValueRef& provided = targets_[number].provided;
    provided = call_.targets[i].provided;
    // Without elements a tensor needs no memory, but is given all the same.
    if (provided.is_present() && provided.data == nullptr) provided.data = kNoElements;
    RETURN_IF_ERROR(check_output(session_.outputs()[number], provided));
  }
  return Status::ok();
}

Status SessionRun::give_results() {
  for (const auto& [number, place] : wanted_) {
    call_.targets[place].made = targets_[number].made;
  }
  for (const auto& [number, place] : repeated_) {
    const OutputTarget& first = targets_[number];
    const ValueRef result = first.provided.is_present() ? first.provided : ref_to(first.made);
    RETURN_IF_ERROR(give_again(result, session_.outputs()[number].name, call_.targets[place]));
  }
  return Status::ok();
}

Status SessionRun::run_once(bool has_own_profile) {
  const bool is_own = has_own_profile && call_.options != nullptr && call_.options->profiling;
  const Profiler* const profiler = session_.facts_.profiler.get();
  const bool is_profiled = is_own || (profiler != nullptr && profiler->is_on());
  return is_profiled ? run_profiled(is_own) : execute(call_.observer);
}

Status SessionRun::execute(const StepObserver* observer, const StepBegins* step_begins) {
  const RunOptions* const options = call_.options;
  if (options != nullptr && !options->tag.empty()) {
    const Logger logger = options->log_severity >= 0
                              ? session_.logger_.with(static_cast<Severity>(options->log_severity))
                              : session_.logger_;
    ORTC_LOG(logger, kInfo, "run", "running with tag: ", options->tag);
  }
  RunRequest request;
  request.terminate = options != nullptr ? &options->terminate : nullptr;
  request.observer = observer;
  request.step_begins = step_begins;
  request.provider = session_.providers_.rest.factory->name();
  request.facts.terminate = request.terminate;
  if (options != nullptr) {
    request.facts.tag = options->tag;
    request.facts.config = &options->config;
    request.facts.log_severity = options->log_severity;
    request.facts.log_verbosity = options->log_verbosity;
  }
  request.facts.pool = session_.pool_.get();
  if (options != nullptr) request.stream = options->stream;
  if (places_.has_value()) request.places = &*places_;
  if (session_.watchers_.empty()) return session_.runner_->run(refs_, targets_, request);
  WatchedRun watched(session_.watchers_, request.facts);
  RETURN_IF_ERROR(watched.begin());
  RETURN_IF_ERROR(session_.runner_->run(refs_, targets_, request));
  return watched.end();
}

}  // namespace ortc
