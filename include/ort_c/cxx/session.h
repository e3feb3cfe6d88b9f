// SPDX-License-Identifier: MIT
// Sessions: models ready to run.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ort_c/cxx/model_metadata.h"
#include "ort_c/cxx/run_options.h"
#include "ort_c/cxx/session_options.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

struct IoBinding;
struct Model;
struct ValueInfo;

/// A value and the name of the input it is for; both borrowed.
struct NamedInput {
  NamedInput(const char* input_name, const OrtValue* input) : name(input_name), value(input) {}
  NamedInput(const std::string& input_name, const OrtValue* input)
      : NamedInput(input_name.c_str(), input) {}
  NamedInput(std::string&& input_name, const OrtValue* input) = delete;  // it would end too soon

  const char* name;
  const OrtValue* value;
};

/// What a run gives: values, found by the names of the outputs.
class Outputs {
 public:
  Outputs(std::vector<std::string> names, std::vector<Value> values)
      : names_(std::move(names)), values_(std::move(values)) {}

  /// Fails with NOT_FOUND and the names that there are.
  Value& operator[](std::string_view name) {
    for (size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return values_[i];
    }
    std::string text = "there is no output '" + std::string(name) + "' among";
    for (const std::string& other : names_) text += " '" + other + "'";
    detail::raise(std::move(text), ORT_NOT_FOUND);
  }
  Value& operator[](size_t index) { return values_[index]; }
  size_t size() const { return values_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  std::vector<Value>::iterator begin() { return values_.begin(); }
  std::vector<Value>::iterator end() { return values_.end(); }

 private:
  std::vector<std::string> names_;
  std::vector<Value> values_;
};

/// A node that a part of the model consists of. Lives as long as the session.
struct ConstEpAssignedNode : detail::Base<detail::Unowned<const OrtEpAssignedNode>> {
  using Base::Base;
  std::string GetName() const { return text(ORT_CXX_CALL(EpAssignedNode_GetName)); }
  std::string GetDomain() const { return text(ORT_CXX_CALL(EpAssignedNode_GetDomain)); }
  std::string GetOperatorType() const { return text(ORT_CXX_CALL(EpAssignedNode_GetOperatorType)); }

 private:
  template <typename Getter>
  std::string text(Getter getter) const {
    const char* text = nullptr;
    ThrowOnError(getter(p_, &text));
    return detail::text_or_empty(text);
  }
};

/// A part of the model and the provider that runs it. Lives as long as the session.
struct ConstEpAssignedSubgraph : detail::Base<detail::Unowned<const OrtEpAssignedSubgraph>> {
  using Base::Base;
  std::string GetEpName() const {
    const char* name = nullptr;
    ThrowOnError(ORT_CXX_CALL(EpAssignedSubgraph_GetEpName)(p_, &name));
    return detail::text_or_empty(name);
  }
  std::vector<ConstEpAssignedNode> GetNodes() const {
    const OrtEpAssignedNode* const* nodes = nullptr;
    size_t count = 0;
    ThrowOnError(ORT_CXX_CALL(EpAssignedSubgraph_GetNodes)(p_, &nodes, &count));
    std::vector<ConstEpAssignedNode> result;
    result.reserve(count);
    for (size_t i = 0; i < count; ++i) result.emplace_back(nodes[i]);
    return result;
  }
};

namespace detail {

/// What can be asked of a session. Thread-safe.
template <typename T>
struct ConstSessionImpl : Base<T> {
  using Base<T>::Base;

  // Inputs that have an initializer count as overridable initializers.

  size_t GetInputCount() const { return count(ORT_CXX_CALL(SessionGetInputCount)); }
  size_t GetOutputCount() const { return count(ORT_CXX_CALL(SessionGetOutputCount)); }
  size_t GetOverridableInitializerCount() const {
    return count(ORT_CXX_CALL(SessionGetOverridableInitializerCount));
  }
  std::vector<std::string> GetInputNames() const {
    return names(GetInputCount(), ORT_CXX_CALL(SessionGetInputName));
  }
  std::vector<std::string> GetOutputNames() const {
    return names(GetOutputCount(), ORT_CXX_CALL(SessionGetOutputName));
  }
  std::vector<std::string> GetOverridableInitializerNames() const {
    return names(GetOverridableInitializerCount(),
                 ORT_CXX_CALL(SessionGetOverridableInitializerName));
  }
  AllocatedStringPtr GetInputNameAllocated(size_t index, OrtAllocator* allocator) const {
    return name(index, allocator, ORT_CXX_CALL(SessionGetInputName));
  }
  AllocatedStringPtr GetOutputNameAllocated(size_t index, OrtAllocator* allocator) const {
    return name(index, allocator, ORT_CXX_CALL(SessionGetOutputName));
  }
  AllocatedStringPtr GetOverridableInitializerNameAllocated(size_t index,
                                                            OrtAllocator* allocator) const {
    return name(index, allocator, ORT_CXX_CALL(SessionGetOverridableInitializerName));
  }
  TypeInfo GetInputTypeInfo(size_t index) const {
    return type(index, ORT_CXX_CALL(SessionGetInputTypeInfo));
  }
  TypeInfo GetOutputTypeInfo(size_t index) const {
    return type(index, ORT_CXX_CALL(SessionGetOutputTypeInfo));
  }
  TypeInfo GetOverridableInitializerTypeInfo(size_t index) const {
    return type(index, ORT_CXX_CALL(SessionGetOverridableInitializerTypeInfo));
  }
  /// Names with their types, for the model editor. Only tensors.
  std::vector<ValueInfo> GetInputs() const;
  std::vector<ValueInfo> GetOutputs() const;

  ModelMetadata GetModelMetadata() const {
    OrtModelMetadata* metadata = nullptr;
    ThrowOnError(ORT_CXX_CALL(SessionGetModelMetadata)(this->p_, &metadata));
    return ModelMetadata(metadata);
  }
  /// The version of an operator set that the model imports; "" is ONNX's own.
  int GetOpset(const std::string& domain) const {
    int opset = 0;
    ThrowOnError(ORT_CXX_EDITOR_CALL(SessionGetOpsetForDomain)(this->p_, domain.c_str(), &opset));
    return opset;
  }

  // Where values are; descriptions and devices live as long as the environment.

  std::vector<ConstMemoryInfo> GetMemoryInfoForInputs() const {
    return each<ConstMemoryInfo>(GetInputCount(), ORT_CXX_CALL(SessionGetMemoryInfoForInputs));
  }
  std::vector<ConstMemoryInfo> GetMemoryInfoForOutputs() const {
    return each<ConstMemoryInfo>(GetOutputCount(), ORT_CXX_CALL(SessionGetMemoryInfoForOutputs));
  }
  /// A device that is NULL belongs to an input that no node reads.
  std::vector<ConstEpDevice> GetEpDeviceForInputs() const {
    return each<ConstEpDevice>(GetInputCount(), ORT_CXX_CALL(SessionGetEpDeviceForInputs));
  }
  std::vector<ConstEpDevice> GetEpDeviceForOutputs() const {
    return each<ConstEpDevice>(GetOutputCount(), ORT_CXX_CALL(SessionGetEpDeviceForOutputs));
  }
  /// Which provider runs what; needs `session.record_ep_graph_assignment_info` = "1".
  std::vector<ConstEpAssignedSubgraph> GetEpGraphAssignmentInfo() const {
    const OrtEpAssignedSubgraph* const* parts = nullptr;
    size_t count = 0;
    ThrowOnError(ORT_CXX_CALL(Session_GetEpGraphAssignmentInfo)(this->p_, &parts, &count));
    std::vector<ConstEpAssignedSubgraph> result;
    result.reserve(count);
    for (size_t i = 0; i < count; ++i) result.emplace_back(parts[i]);
    return result;
  }

  /// In nanoseconds since 1970; 0 without a profile.
  uint64_t GetProfilingStartTimeNs() const {
    uint64_t time = 0;
    ThrowOnError(ORT_CXX_CALL(SessionGetProfilingStartTimeNs)(this->p_, &time));
    return time;
  }
#if !defined(ORT_CXX_TABLE)
  /// Where the load time went, nodes per provider, memory: a JSON object.
  std::string GetReportJson() const {
    OrtAllocator* allocator = default_allocator();
    char* text = nullptr;
    ThrowOnError(OrtSession_GetReportJson(this->p_, allocator, &text));
    return AllocatedStringPtr(text, {allocator}).get();
  }
  /// Where its memory is, and who else has it: a JSON object.
  std::string GetMemoryReportJson() const {
    OrtAllocator* allocator = default_allocator();
    char* text = nullptr;
    ThrowOnError(OrtSession_GetMemoryReportJson(this->p_, allocator, &text));
    return AllocatedStringPtr(text, {allocator}).get();
  }
#endif

 private:
  template <typename Getter>
  size_t count(Getter getter) const {
    size_t count = 0;
    ThrowOnError(getter(this->p_, &count));
    return count;
  }
  template <typename Getter>
  AllocatedStringPtr name(size_t index, OrtAllocator* allocator, Getter getter) const {
    char* text = nullptr;
    ThrowOnError(getter(this->p_, index, allocator, &text));
    return AllocatedStringPtr(text, {allocator});
  }
  template <typename Getter>
  std::vector<std::string> names(size_t count, Getter getter) const {
    OrtAllocator* allocator = default_allocator();
    std::vector<std::string> names;
    names.reserve(count);
    for (size_t i = 0; i < count; ++i) names.emplace_back(name(i, allocator, getter).get());
    return names;
  }
  template <typename Getter>
  TypeInfo type(size_t index, Getter getter) const {
    OrtTypeInfo* type = nullptr;
    ThrowOnError(getter(this->p_, index, &type));
    return TypeInfo(type);
  }
  template <typename Class, typename Getter>
  std::vector<Class> each(size_t count, Getter getter) const {
    std::vector<typename Class::contained_type*> pointers(count);
    ThrowOnError(getter(this->p_, pointers.data(), pointers.size()));
    std::vector<Class> result;
    result.reserve(count);
    for (auto* pointer : pointers) result.emplace_back(pointer);
    return result;
  }
};

/// Runs. Any number of threads may run one session at once.
template <typename T>
struct SessionImpl : ConstSessionImpl<T> {
  using ConstSessionImpl<T>::ConstSessionImpl;

  /// Runs the model once, and gives all outputs:
  ///
  ///   Ort::Outputs outputs = session.run({{"x", x}});
  ///   for (float v : outputs["y"].GetTensorSpan<float>()) ...
  Outputs run(std::initializer_list<NamedInput> inputs) const {
    return run(Span<const NamedInput>(inputs.begin(), inputs.size()));
  }
  Outputs run(Span<const NamedInput> inputs) const { return run(inputs, this->GetOutputNames()); }
  /// The same for some outputs, by their names.
  Outputs run(Span<const NamedInput> inputs, std::vector<std::string> output_names,
              const RunOptions& options = RunOptions(nullptr)) const {
    std::vector<const char*> names;
    std::vector<const OrtValue*> values;
    for (const NamedInput& input : inputs) {
      names.push_back(input.name);
      values.push_back(input.value);
    }
    std::vector<Value> results(output_names.size());
    ThrowOnError(ORT_CXX_CALL(Run)(this->p_, options, names.data(), values.data(), names.size(),
                                   pointers_to(output_names).data(), output_names.size(),
                                   c_array(results.data())));
    return Outputs(std::move(output_names), std::move(results));
  }

  /// Runs the model once, and gives the outputs that are named, in that order. Inputs are borrowed
  /// and not written; optional ones may be left out.
  std::vector<Value> Run(const RunOptions& options, const char* const* input_names,
                         const Value* inputs, size_t input_count, const char* const* output_names,
                         size_t output_count) const {
    return TryRun(options, input_names, inputs, input_count, output_names, output_count).value();
  }
  /// Gives a status where Run() throws.
  Result<std::vector<Value>> TryRun(const RunOptions& options, const char* const* input_names,
                                    const Value* inputs, size_t input_count,
                                    const char* const* output_names, size_t output_count) const {
    std::vector<Value> outputs(output_count);
    Status status(ORT_CXX_CALL(Run)(this->p_, options, input_names, c_array(inputs), input_count,
                                    output_names, output_count, c_array(outputs.data())));
    if (!status.IsOK()) return Result<std::vector<Value>>(std::move(status));
    return Result<std::vector<Value>>(std::move(outputs));
  }
  /// The same into values of the caller: those that hold nullptr get a new one.
  void Run(const RunOptions& options, const char* const* input_names, const Value* inputs,
           size_t input_count, const char* const* output_names, Value* outputs,
           size_t output_count) const {
    ThrowOnError(ORT_CXX_CALL(Run)(this->p_, options, input_names, c_array(inputs), input_count,
                                   output_names, output_count, c_array(outputs)));
  }
  /// Runs with what is bound.
  void Run(const RunOptions& options, const IoBinding& binding) const;

  /// Begins a run on a thread of the session and returns at once. Options, values and the array of
  /// outputs must live until the callback; it gets the array as one of C pointers that still
  /// belong to the caller's values, and must not throw.
  void RunAsync(const RunOptions& options, const char* const* input_names, const Value* inputs,
                size_t input_count, const char* const* output_names, Value* outputs,
                size_t output_count, RunAsyncCallbackFn callback, void* user_data) const {
    ThrowOnError(ORT_CXX_CALL(RunAsync)(this->p_, options, input_names, c_array(inputs),
                                        input_count, output_names, output_count, c_array(outputs),
                                        callback, user_data));
  }

  /// Ends the profile and writes its file; gives the file's name, "" when there was no profile.
  AllocatedStringPtr EndProfilingAllocated(OrtAllocator* allocator) const {
    char* name = nullptr;
    ThrowOnError(ORT_CXX_CALL(SessionEndProfiling)(this->p_, allocator, &name));
    return AllocatedStringPtr(name, {allocator});
  }
  /// Lets go of a graph that providers captured; nothing when none of the session has captured one.
  void ReleaseCapturedGraph(int graph_annotation_id) const {
    ThrowOnError(ORT_CXX_CALL(SessionReleaseCapturedGraph)(this->p_, graph_annotation_id));
  }

  /// Changes options of providers while the session lives.
  void SetEpDynamicOptions(const char* const* keys, const char* const* values, size_t count) const {
    ThrowOnError(ORT_CXX_CALL(SetEpDynamicOptions)(this->p_, keys, values, count));
  }

  /// Applies the changes and finishes a session of CreateModelEditorSession().
  void FinalizeModelEditorSession(const Model& changes, const SessionOptions& options,
                                  OrtPrepackedWeightsContainer* weights = nullptr);
};

}  // namespace detail

/// Sessions that something else owns.
using ConstSession = detail::ConstSessionImpl<detail::Unowned<const OrtSession>>;
using UnownedSession = detail::SessionImpl<detail::Unowned<OrtSession>>;

/// A model ready to run, a plain ONNX model or a compiled one alike. Options are copied, and
/// SessionOptions(nullptr) means the defaults.
struct Session : detail::SessionImpl<OrtSession> {
  explicit Session(std::nullptr_t) {}
  explicit Session(OrtSession* p) : SessionImpl(p) {}

  /// From a file. Files stay open until the session ends; they may be replaced meanwhile, but not
  /// written in place.
  Session(const Env& env, const detail::Path& model_path, const SessionOptions& options) {
    ThrowOnError(ORT_CXX_CALL(CreateSession)(env, model_path.c_str(), options, &p_));
  }
  /// From bytes, which are borrowed for this call. Contexts are looked for in the folder of the
  /// entry `ep.context_file_path`.
  Session(const Env& env, const void* model_data, size_t model_data_length,
          const SessionOptions& options) {
    ThrowOnError(
        ORT_CXX_CALL(CreateSessionFromArray)(env, model_data, model_data_length, options, &p_));
  }
  // With weights shared through a container.
  Session(const Env& env, const detail::Path& model_path, const SessionOptions& options,
          OrtPrepackedWeightsContainer* weights) {
    ThrowOnError(ORT_CXX_CALL(CreateSessionWithPrepackedWeightsContainer)(env, model_path.c_str(),
                                                                          options, weights, &p_));
  }
  Session(const Env& env, const void* model_data, size_t model_data_length,
          const SessionOptions& options, OrtPrepackedWeightsContainer* weights) {
    ThrowOnError(ORT_CXX_CALL(CreateSessionFromArrayWithPrepackedWeightsContainer)(
        env, model_data, model_data_length, options, weights, &p_));
  }
  /// From a model of the model editor.
  Session(const Env& env, const Model& model, const SessionOptions& options);

  // Give a status where the constructors throw.
  static Result<Session> TryCreate(const Env& env, const detail::Path& model_path,
                                   const SessionOptions& options) {
    OrtSession* session = nullptr;
    return detail::made<Session>(
        ORT_CXX_CALL(CreateSession)(env, model_path.c_str(), options, &session), session);
  }
  static Result<Session> TryCreate(const Env& env, const void* model_data, size_t model_data_length,
                                   const SessionOptions& options) {
    OrtSession* session = nullptr;
    return detail::made<Session>(
        ORT_CXX_CALL(CreateSessionFromArray)(env, model_data, model_data_length, options, &session),
        session);
  }

  // A session that can be changed before it is finished.
  static Session CreateModelEditorSession(const Env& env, const detail::Path& model_path,
                                          const SessionOptions& options) {
    OrtSession* session = nullptr;
    ThrowOnError(
        ORT_CXX_EDITOR_CALL(CreateModelEditorSession)(env, model_path.c_str(), options, &session));
    return Session(session);
  }
  static Session CreateModelEditorSession(const Env& env, const void* model_data,
                                          size_t model_data_length, const SessionOptions& options) {
    OrtSession* session = nullptr;
    ThrowOnError(ORT_CXX_EDITOR_CALL(CreateModelEditorSessionFromArray)(
        env, model_data, model_data_length, options, &session));
    return Session(session);
  }

  ConstSession GetConst() const { return ConstSession(p_); }
  UnownedSession GetUnowned() const { return UnownedSession(p_); }
};

inline Allocator::Allocator(const Session& session, const OrtMemoryInfo* mem_info) {
  ThrowOnError(ORT_CXX_CALL(CreateAllocator)(session, mem_info, &p_));
}

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
