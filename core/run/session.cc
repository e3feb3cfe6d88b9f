// SPDX-License-Identifier: MIT
// Running a session: names to slots, checks of types and shapes, then the executor.
#include "core/run/session.h"

#include <algorithm>

#include "core/base/json_writer.h"
#include "core/run/session_builder.h"

namespace ortc {
namespace {

std::string type_of(const TensorRef& ref) {
  if (ref.datum != nullptr) return describe(*ref.datum);
  return str_cat(dtype_name(ref.dtype), dims_to_string(ref.dims()));
}

// Whether a value that is no dense tensor is of the type; its tensors' shapes are the kernels'
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

Status Session::check_input(const Port& port, const TensorRef& value, Symbols& symbols) {
  const bool is_none = value.datum != nullptr && value.datum->is_none();
  if (!value.is_present() || (is_none && port.type.kind != TypeKind::kOptional)) {
    return invalid_argument("input '", port.name, "' has no value");
  }
  if (is_none) return Status::ok();
  const bool is_optional = port.type.kind == TypeKind::kOptional && port.type.element != nullptr;
  const Type& type = is_optional ? *port.type.element : port.type;
  if (type.is_tensor()) return check_tensor(port, type, value, symbols);
  if (value.datum != nullptr && is_of_type(type, *value.datum)) return Status::ok();
  return invalid_argument("input '", port.name, "': expected ", type_to_string(port.type),
                          ", found ", type_of(value));
}

Status Session::check_tensor(const Port& port, const Type& type, const TensorRef& value,
                             Symbols& symbols) {
  const auto mismatch = [&] {
    return invalid_argument("input '", port.name, "': expected ", type_to_string(port.type),
                            ", found ", type_of(value));
  };
  if (value.dtype != type.dtype) return mismatch();
  if (!type.has_shape()) return Status::ok();
  const Shape& shape = *type.shape;
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
  std::vector<TensorRef> inputs;
  inputs.reserve(input_values.size());
  for (const Tensor& value : input_values) inputs.push_back(ref_to(value));
  std::vector<OutputTarget> targets(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) targets[i].provided = ref_to(outputs[i]);
  RETURN_IF_ERROR(run_refs(input_names, inputs, output_names, targets, options, observer));
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
  std::vector<TensorRef> refs;
  refs.reserve(inputs.size());
  for (const Datum& value : inputs) refs.push_back(ref_to(value));
  std::vector<OutputTarget> targets(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].is_tensor()) targets[i].provided = ref_to(outputs[i]);
  }
  RETURN_IF_ERROR(run_refs(input_names, refs, output_names, targets, options, observer));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].is_tensor()) outputs[i] = std::move(targets[i].made);
  }
  return Status::ok();
}

Status Session::run_refs(std::span<const std::string_view> input_names,
                         std::span<const TensorRef> inputs,
                         std::span<const std::string_view> output_names,
                         std::span<OutputTarget> targets, const RunOptions* options,
                         const StepObserver* observer) const {
  if (draft_ != nullptr) return fail("the session was not finalized; it cannot run");
  if (compile_only_)
    return fail("the session was made to compile only (session.compile_only=1); it cannot run");
  if (output_names.empty())
    return invalid_argument("no outputs were asked for; the model has ", names_of(outputs_));
  std::vector<const TensorRef*> given(inputs_.size(), nullptr),
      overrides(overridable_.size(), nullptr);
  Symbols symbols;
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
    RETURN_IF_ERROR(check_input(port, inputs[i], symbols));
    place = &inputs[i];
  }
  std::vector<TensorRef> refs;
  refs.reserve(graph_inputs_.size());
  for (const GraphInput& input : graph_inputs_) {
    const TensorRef* value = input.is_overridable ? overrides[input.port] : given[input.port];
    if (value == nullptr && !input.is_overridable) {
      const Port& port = inputs_[input.port];
      return invalid_argument("input '", port.name, "' (", type_to_string(port.type),
                              ") is missing");
    }
    refs.push_back(value != nullptr ? *value : ref_to(input.otherwise));
  }
  std::vector<OutputTarget> all(outputs_.size());
  std::vector<size_t> wanted;
  for (size_t i = 0; i < output_names.size(); ++i) {
    const size_t number = find_port(outputs_, output_names[i]);
    if (number == SIZE_MAX) {
      return invalid_argument("the model has no output '", output_names[i], "'; it has ",
                              names_of(outputs_));
    }
    wanted.push_back(number);
    all[number].provided = targets[i].provided;
  }
  RunRequest request;
  request.terminate = options != nullptr ? &options->terminate : nullptr;
  request.observer = observer;
  RETURN_IF_ERROR(runner_->run(refs, all, request));
  for (size_t i = 0; i < wanted.size(); ++i) targets[i].made = all[wanted[i]].made;
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
