// SPDX-License-Identifier: MIT
// Options of sessions: execution providers, config entries, threads, initializers.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ort_c/cxx/env.h"
#include "ort_c/cxx/progress.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

struct SessionOptions;

/// Operators of the program under one name. Options that it is added to keep what they need of it;
/// the operators themselves must outlive the sessions that know them.
struct CustomOpDomain : detail::Base<OrtCustomOpDomain> {
  CustomOpDomain() = default;
  explicit CustomOpDomain(std::nullptr_t) {}
  explicit CustomOpDomain(OrtCustomOpDomain* p) : Base(p) {}
  explicit CustomOpDomain(const char* domain) {
    ThrowOnError(ORT_CXX_CALL(CreateCustomOpDomain)(domain, &p_));
  }
  void Add(const OrtCustomOp* op) { ThrowOnError(ORT_CXX_CALL(CustomOpDomain_Add)(p_, op)); }
};

/// Config entries of custom operators: `custom_op.<operator>.<key>`.
struct CustomOpConfigs {
  CustomOpConfigs& AddConfig(const char* custom_op_name, const char* key, const char* value) {
    flat_[std::string(custom_op_name) + "." + key] = value;
    return *this;
  }
  const std::unordered_map<std::string, std::string>& GetFlattenedConfigs() const { return flat_; }

 private:
  std::unordered_map<std::string, std::string> flat_;
};

namespace detail {

/// What can be asked of options.
template <typename T>
struct ConstSessionOptionsImpl : Base<T> {
  using Base<T>::Base;

  SessionOptions Clone() const;

  bool HasConfigEntry(const char* key) const {
    int has = 0;
    ThrowOnError(ORT_CXX_CALL(HasSessionConfigEntry)(this->p_, key, &has));
    return has != 0;
  }
  /// Fails when the entry was not set.
  std::string GetConfigEntry(const char* key) const {
    size_t size = 0;
    ThrowOnError(ORT_CXX_CALL(GetSessionConfigEntry)(this->p_, key, nullptr, &size));
    std::string value(size, '\0');
    ThrowOnError(ORT_CXX_CALL(GetSessionConfigEntry)(this->p_, key, value.data(), &size));
    value.resize(size == 0 ? 0 : size - 1);
    return value;
  }
  std::string GetConfigEntryOrDefault(const char* key, const std::string& otherwise) const {
    return HasConfigEntry(key) ? GetConfigEntry(key) : otherwise;
  }
  /// All entries, copied.
  KeyValuePairs GetConfigEntries() const {
    OrtKeyValuePairs* entries = nullptr;
    ThrowOnError(ORT_CXX_CALL(GetSessionOptionsConfigEntries)(this->p_, &entries));
    return KeyValuePairs(entries);
  }
  bool GetMemPatternEnabled() const {
    int enabled = 0;
    ThrowOnError(ORT_CXX_CALL(GetMemPatternEnabled)(this->p_, &enabled));
    return enabled != 0;
  }
  ExecutionMode GetExecutionMode() const {
    ExecutionMode mode = ORT_SEQUENTIAL;
    ThrowOnError(ORT_CXX_CALL(GetSessionExecutionMode)(this->p_, &mode));
    return mode;
  }
};

/// What can be set. One thread at a time; sessions made before do not change.
template <typename T>
struct SessionOptionsImpl : ConstSessionOptionsImpl<T> {
  using ConstSessionOptionsImpl<T>::ConstSessionOptionsImpl;

  // Execution providers, in the order of preference. The CPU provider is always there and last.

  /// By name, as "AOT"; `provider_options` without prefix.
  SessionOptionsImpl& AppendExecutionProvider(
      const std::string& provider_name,
      const std::unordered_map<std::string, std::string>& provider_options = {}) {
    const KeysAndValues pairs(provider_options);
    return done(ORT_CXX_CALL(SessionOptionsAppendExecutionProvider)(
        this->p_, provider_name.c_str(), pairs.keys.data(), pairs.values.data(),
        pairs.keys.size()));
  }
  /// By devices, all of one provider; see Env::GetEpDevices().
  SessionOptionsImpl& AppendExecutionProvider_V2(Env& env,
                                                 const std::vector<ConstEpDevice>& ep_devices,
                                                 const KeyValuePairs& ep_options) {
    std::vector<const char*> keys, values;
    ep_options.GetKeyValuePairs(keys, values);
    return append(env, ep_devices, keys, values);
  }
  SessionOptionsImpl& AppendExecutionProvider_V2(
      Env& env, const std::vector<ConstEpDevice>& ep_devices,
      const std::unordered_map<std::string, std::string>& ep_options) {
    const KeysAndValues pairs(ep_options);
    return append(env, ep_devices, pairs.keys, pairs.values);
  }
  /// Lets the library choose.
  SessionOptionsImpl& SetEpSelectionPolicy(OrtExecutionProviderDevicePolicy policy) {
    return done(ORT_CXX_CALL(SessionOptionsSetEpSelectionPolicy)(this->p_, policy));
  }
  /// Lets a function of the program choose. Not implemented in ortc.
  SessionOptionsImpl& SetEpSelectionPolicy(EpSelectionDelegate delegate, void* state = nullptr) {
    return done(
        ORT_CXX_CALL(SessionOptionsSetEpSelectionPolicyDelegate)(this->p_, delegate, state));
  }
  /// The CPU provider is there anyway; says whether it takes memory from an arena.
  SessionOptionsImpl& AppendExecutionProvider_CPU(int use_arena) {
    return use_arena != 0 ? EnableCpuMemArena() : DisableCpuMemArena();
  }
  // Providers that ortc does not have: each call fails and says so.
#define ORT_CXX_VENDOR(Name, Options)                                                        \
  SessionOptionsImpl& AppendExecutionProvider_##Name(const Options& provider_options) {      \
    return done(                                                                             \
        GetApi().SessionOptionsAppendExecutionProvider_##Name(this->p_, &provider_options)); \
  }
  ORT_CXX_VENDOR(CUDA, OrtCUDAProviderOptions)
  ORT_CXX_VENDOR(CUDA_V2, OrtCUDAProviderOptionsV2)
  ORT_CXX_VENDOR(ROCM, OrtROCMProviderOptions)
  ORT_CXX_VENDOR(OpenVINO, OrtOpenVINOProviderOptions)
  ORT_CXX_VENDOR(TensorRT, OrtTensorRTProviderOptions)
  ORT_CXX_VENDOR(TensorRT_V2, OrtTensorRTProviderOptionsV2)
  ORT_CXX_VENDOR(MIGraphX, OrtMIGraphXProviderOptions)
  ORT_CXX_VENDOR(CANN, OrtCANNProviderOptions)
  ORT_CXX_VENDOR(Dnnl, OrtDnnlProviderOptions)
#undef ORT_CXX_VENDOR
#define ORT_CXX_VENDOR(Name)                                                       \
  SessionOptionsImpl& AppendExecutionProvider_##Name(                              \
      const std::unordered_map<std::string, std::string>& provider_options = {}) { \
    const KeysAndValues pairs(provider_options);                                   \
    return done(GetApi().SessionOptionsAppendExecutionProvider_##Name(             \
        this->p_, pairs.keys.data(), pairs.values.data(), pairs.keys.size()));     \
  }
  ORT_CXX_VENDOR(OpenVINO_V2)
  ORT_CXX_VENDOR(VitisAI)
#undef ORT_CXX_VENDOR

  // Config entries: the session keys of config_keys.h. An unknown key or a wrong value fails.

  SessionOptionsImpl& AddConfigEntry(const char* key, const char* value) {
    return done(ORT_CXX_CALL(AddSessionConfigEntry)(this->p_, key, value));
  }
  /// Gives a status where AddConfigEntry() throws.
  Status TryAddConfigEntry(const char* key, const char* value) {
    return Status(ORT_CXX_CALL(AddSessionConfigEntry)(this->p_, key, value));
  }

  // Graph and execution.

  SessionOptionsImpl& SetGraphOptimizationLevel(GraphOptimizationLevel level) {
    return done(ORT_CXX_CALL(SetSessionGraphOptimizationLevel)(this->p_, level));
  }
  /// Writes the optimised model to a file as well.
  SessionOptionsImpl& SetOptimizedModelFilePath(const Path& path) {
    return done(ORT_CXX_CALL(SetOptimizedModelFilePath)(this->p_, path.c_str()));
  }
  SessionOptionsImpl& SetExecutionMode(ExecutionMode mode) {
    return done(ORT_CXX_CALL(SetSessionExecutionMode)(this->p_, mode));
  }
  SessionOptionsImpl& SetDeterministicCompute(bool value) {
    return done(ORT_CXX_CALL(SetDeterministicCompute)(this->p_, value));
  }
  /// Threads that work on one operator, the caller's included; 0 means one per physical core.
  SessionOptionsImpl& SetIntraOpNumThreads(int count) {
    return done(ORT_CXX_CALL(SetIntraOpNumThreads)(this->p_, count));
  }
  SessionOptionsImpl& SetInterOpNumThreads(int count) {
    return done(ORT_CXX_CALL(SetInterOpNumThreads)(this->p_, count));
  }
  /// Uses the threads of the environment, which must have been made with ThreadingOptions.
  SessionOptionsImpl& DisablePerSessionThreads() {
    return done(ORT_CXX_CALL(DisablePerSessionThreads)(this->p_));
  }
  // Functions of the program that make and join the session's threads; see threading.h.
  SessionOptionsImpl& SetCustomCreateThreadFn(OrtCustomCreateThreadFn create) {
    return done(ORT_CXX_CALL(SessionOptionsSetCustomCreateThreadFn)(this->p_, create));
  }
  SessionOptionsImpl& SetCustomThreadCreationOptions(void* options) {
    return done(ORT_CXX_CALL(SessionOptionsSetCustomThreadCreationOptions)(this->p_, options));
  }
  SessionOptionsImpl& SetCustomJoinThreadFn(OrtCustomJoinThreadFn join) {
    return done(ORT_CXX_CALL(SessionOptionsSetCustomJoinThreadFn)(this->p_, join));
  }
  /// true stops sessions that are being made with these options; any thread may call it.
  SessionOptionsImpl& SetLoadCancellationFlag(bool value) {
    return done(ORT_CXX_CALL(SessionOptionsSetLoadCancellationFlag)(this->p_, value));
  }
#if !defined(ORT_CXX_TABLE)
  /// Has a function hear how far the making of a session has come; copies of the options share it.
  /// Sessions that are made at the same time call it at the same time. What it throws stops the
  /// load, and its text is that of the failure.
  SessionOptionsImpl& SetLoadProgress(ProgressFunction progress) {
    auto listener = std::make_unique<ProgressListener>();
    listener->hear = std::move(progress);
    ThrowOnError(OrtSessionOptionsSetLoadProgress(this->p_, ProgressListener::call_from_many,
                                                  listener.get(), ProgressListener::end));
    listener.release();  // the options' now
    return *this;
  }
#endif
  /// Fixes a dimension that the model leaves open, by its denotation or its name.
  SessionOptionsImpl& AddFreeDimensionOverride(const char* denotation, int64_t value) {
    return done(ORT_CXX_CALL(AddFreeDimensionOverride)(this->p_, denotation, value));
  }
  SessionOptionsImpl& AddFreeDimensionOverrideByName(const char* name, int64_t value) {
    return done(ORT_CXX_CALL(AddFreeDimensionOverrideByName)(this->p_, name, value));
  }

  // Memory.

  SessionOptionsImpl& EnableCpuMemArena() {
    return done(ORT_CXX_CALL(EnableCpuMemArena)(this->p_));
  }
  SessionOptionsImpl& DisableCpuMemArena() {
    return done(ORT_CXX_CALL(DisableCpuMemArena)(this->p_));
  }
  SessionOptionsImpl& EnableMemPattern() { return done(ORT_CXX_CALL(EnableMemPattern)(this->p_)); }
  SessionOptionsImpl& DisableMemPattern() {
    return done(ORT_CXX_CALL(DisableMemPattern)(this->p_));
  }

  // Log and profile.

  SessionOptionsImpl& SetLogId(const char* logid) {
    return done(ORT_CXX_CALL(SetSessionLogId)(this->p_, logid));
  }
  /// A value of OrtLoggingLevel.
  SessionOptionsImpl& SetLogSeverityLevel(int level) {
    return done(ORT_CXX_CALL(SetSessionLogSeverityLevel)(this->p_, level));
  }
  SessionOptionsImpl& SetLogVerbosityLevel(int level) {
    return done(ORT_CXX_CALL(SetSessionLogVerbosityLevel)(this->p_, level));
  }
  /// Callable, from any thread, until the session is released.
  SessionOptionsImpl& SetUserLoggingFunction(OrtLoggingFunction log, void* log_param) {
    return done(ORT_CXX_CALL(SetUserLoggingFunction)(this->p_, log, log_param));
  }
  SessionOptionsImpl& EnableProfiling(const Path& profile_file_prefix) {
    return done(ORT_CXX_CALL(EnableProfiling)(this->p_, profile_file_prefix.c_str()));
  }
  SessionOptionsImpl& DisableProfiling() { return done(ORT_CXX_CALL(DisableProfiling)(this->p_)); }

  // Initializers, in place of the model's. Memory under the values must live as session_options.h
  // says of each.

  SessionOptionsImpl& AddInitializer(const char* name, const OrtValue* value) {
    return done(ORT_CXX_CALL(AddInitializer)(this->p_, name, value));
  }
  SessionOptionsImpl& AddExternalInitializers(const std::vector<std::string>& names,
                                              const std::vector<Value>& values) {
    same_count("AddExternalInitializers", names.size(), values.size());
    return done(ORT_CXX_CALL(AddExternalInitializers)(this->p_, pointers_to(names).data(),
                                                      c_array(values.data()), names.size()));
  }
  SessionOptionsImpl& AddExternalInitializersFromFilesInMemory(
      const std::vector<std::string>& file_names, const std::vector<char*>& buffers,
      const std::vector<size_t>& lengths) {
    same_count("AddExternalInitializersFromFilesInMemory", file_names.size(), buffers.size());
    same_count("AddExternalInitializersFromFilesInMemory", file_names.size(), lengths.size());
    return done(ORT_CXX_CALL(AddExternalInitializersFromFilesInMemory)(
        this->p_, pointers_to(file_names).data(), buffers.data(), lengths.data(),
        file_names.size()));
  }

  // Compiled models.

  /// Has a function give context binaries in place of files; it must not throw, and stay callable
  /// while sessions are made with these options or copies.
  SessionOptionsImpl& SetEpContextDataReadFunc(OrtReadNamedBufferFunc read, void* state) {
    return done(ORT_CXX_CALL(SessionOptionsSetEpContextDataReadFunc)(this->p_, read, state));
  }
  /// They are files again.
  SessionOptionsImpl& ClearEpContextDataReadFunc() {
    return SetEpContextDataReadFunc(nullptr, nullptr);
  }
  /// The source of a model that was compiled without weights; borrowed until the session is made.
  SessionOptionsImpl& SetWeightlessSourceModelBuffer(const void* data, size_t size) {
    return done(ORT_CXX_CALL(SessionOptionsSetWeightlessSourceModelBuffer)(this->p_, data, size));
  }

  // Operators of the program.

  SessionOptionsImpl& Add(OrtCustomOpDomain* domain) {
    return done(ORT_CXX_CALL(AddCustomOpDomain)(this->p_, domain));
  }
  SessionOptionsImpl& EnableOrtCustomOps() {
    return done(ORT_CXX_CALL(EnableOrtCustomOps)(this->p_));
  }
  SessionOptionsImpl& RegisterCustomOpsLibrary(const Path& library,
                                               const CustomOpConfigs& configs = {}) {
    for (const auto& [key, value] : configs.GetFlattenedConfigs()) {
      AddConfigEntry(("custom_op." + key).c_str(), value.c_str());
    }
    return done(ORT_CXX_CALL(RegisterCustomOpsLibrary_V2)(this->p_, library.c_str()));
  }
  SessionOptionsImpl& RegisterCustomOpsUsingFunction(const char* function_name) {
    return done(ORT_CXX_CALL(RegisterCustomOpsUsingFunction)(this->p_, function_name));
  }

 private:
  SessionOptionsImpl& done(OrtStatus* status) {
    ThrowOnError(status);
    return *this;
  }
  SessionOptionsImpl& append(Env& env, const std::vector<ConstEpDevice>& ep_devices,
                             const std::vector<const char*>& keys,
                             const std::vector<const char*>& values) {
    return done(ORT_CXX_CALL(SessionOptionsAppendExecutionProvider_V2)(
        this->p_, env, c_array(ep_devices.data()), ep_devices.size(), keys.data(), values.data(),
        keys.size()));
  }
  static void same_count(const char* what, size_t names, size_t others) {
    if (names == others) return;
    raise(std::string(what) + ": " + std::to_string(names) + " names, " + std::to_string(others) +
              " values",
          ORT_INVALID_ARGUMENT);
  }
};

}  // namespace detail

/// Options that something else owns.
using UnownedSessionOptions = detail::SessionOptionsImpl<detail::Unowned<OrtSessionOptions>>;
using ConstSessionOptions =
    detail::ConstSessionOptionsImpl<detail::Unowned<const OrtSessionOptions>>;

/// Options of sessions; copied where they are used.
struct SessionOptions : detail::SessionOptionsImpl<OrtSessionOptions> {
  explicit SessionOptions(std::nullptr_t) {}
  explicit SessionOptions(OrtSessionOptions* p) : SessionOptionsImpl(p) {}
  SessionOptions() { ThrowOnError(ORT_CXX_CALL(CreateSessionOptions)(&p_)); }

  UnownedSessionOptions GetUnowned() const { return UnownedSessionOptions(p_); }
  ConstSessionOptions GetConst() const { return ConstSessionOptions(p_); }
};

namespace detail {

template <typename T>
SessionOptions ConstSessionOptionsImpl<T>::Clone() const {
  OrtSessionOptions* clone = nullptr;
  ThrowOnError(ORT_CXX_CALL(CloneSessionOptions)(this->p_, &clone));
  return SessionOptions(clone);
}

}  // namespace detail
}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
