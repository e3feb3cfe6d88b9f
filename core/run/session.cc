// SPDX-License-Identifier: MIT
// Running a session: names to slots, checks of types and shapes, then the executor.
#include "core/run/session.h"

#include <algorithm>

#include "core/base/json_writer.h"
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

Status Session::check_input(const Port& port, const Tensor& value,
                            std::vector<std::pair<std::string, int64_t>>& symbols) const {
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
    const auto it = std::find_if(symbols.begin(), symbols.end(), [&](const auto& symbol) {
      return symbol.first == shape[i].symbol;
    });
    if (it == symbols.end()) {
      symbols.emplace_back(shape[i].symbol, found);
    } else if (it->second != found) {
      return invalid_argument("input '", port.name, "': dimension '", shape[i].symbol, "' is ",
                              found, ", but another input has ", it->second);
    }
  }
  return Status::ok();
}

Status Session::run(std::span<const std::string_view> input_names,
                    std::span<const Tensor> input_values,
                    std::span<const std::string_view> output_names, std::span<Tensor> outputs,
                    const RunOptions* options, const StepObserver* observer) const {
  if (draft_ != nullptr) return fail("the session was not finalized; it cannot run");
  if (compile_only_)
    return fail("the session was made to compile only (session.compile_only=1); it cannot run");
  if (output_names.empty())
    return invalid_argument("no outputs were asked for; the model has ", names_of(outputs_));
  std::vector<const Tensor*> given(inputs_.size(), nullptr),
      overrides(overridable_.size(), nullptr);
  std::vector<std::pair<std::string, int64_t>> symbols;
  for (size_t i = 0; i < input_names.size(); ++i) {
    size_t number = find_port(inputs_, input_names[i]);
    const bool is_input = number != SIZE_MAX;
    if (!is_input) number = find_port(overridable_, input_names[i]);
    if (number == SIZE_MAX) {
      return invalid_argument("the model has no input '", input_names[i], "'; it has ",
                              names_of(inputs_));
    }
    const Port& port = is_input ? inputs_[number] : overridable_[number];
    auto& place = is_input ? given[number] : overrides[number];
    if (place != nullptr) return invalid_argument("input '", port.name, "' was given twice");
    RETURN_IF_ERROR(check_input(port, input_values[i], symbols));
    place = &input_values[i];
  }
  std::vector<TensorRef> refs;
  refs.reserve(graph_inputs_.size());
  for (const GraphInput& input : graph_inputs_) {
    const Tensor* value = input.is_overridable ? overrides[input.port] : given[input.port];
    if (value == nullptr && !input.is_overridable) {
      const Port& port = inputs_[input.port];
      return invalid_argument("input '", port.name, "' (", type_to_string(port.type),
                              ") is missing");
    }
    refs.push_back(ref_of(value != nullptr ? *value : input.otherwise));
  }
  std::vector<OutputTarget> targets(outputs_.size());
  std::vector<size_t> wanted;
  for (size_t i = 0; i < output_names.size(); ++i) {
    const size_t number = find_port(outputs_, output_names[i]);
    if (number == SIZE_MAX) {
      return invalid_argument("the model has no output '", output_names[i], "'; it has ",
                              names_of(outputs_));
    }
    wanted.push_back(number);
    if (outputs[i].is_defined()) targets[number].provided = ref_of(outputs[i]);
  }
  RunRequest request;
  request.terminate = options != nullptr ? &options->terminate : nullptr;
  request.observer = observer;
  RETURN_IF_ERROR(runner_->run(refs, targets, request));
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!outputs[i].is_defined()) outputs[i] = targets[wanted[i]].made;
  }
  return Status::ok();
}

std::string Session::report_json() const {
  JsonWriter json;
  json.begin_object().field("schema", "ortc.session/1");
  json.field("model", model_->path);
  report_.write(json);
  json.key("memory").begin_object();
  json.field("arena_bytes", arenas_ != nullptr ? arenas_->held_bytes() : uint64_t{0});
  json.field("weight_bytes", report_.weight_bytes);
  json.end_object();
  json.field("threads", pool_ != nullptr ? pool_->thread_count() : 0);
  json.end_object();
  return json.text();
}

}  // namespace ortc
