// SPDX-License-Identifier: MIT
// The environment, threads that sessions share, log lines.
#pragma once

#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

#include "ort_c/cxx/devices.h"
#include "ort_c/cxx/value.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

/// Settings of threads that all sessions of an environment share.
struct ThreadingOptions : detail::Base<OrtThreadingOptions> {
  explicit ThreadingOptions(std::nullptr_t) {}
  explicit ThreadingOptions(OrtThreadingOptions* p) : Base(p) {}
  /// A thread per core, which spins for a short while after work.
  ThreadingOptions() { ThrowOnError(ORT_CXX_CALL(CreateThreadingOptions)(&p_)); }

  /// Threads that work on one operator, the caller's included; 0 means one per core.
  ThreadingOptions& SetGlobalIntraOpNumThreads(int count) {
    ThrowOnError(ORT_CXX_CALL(SetGlobalIntraOpNumThreads)(p_, count));
    return *this;
  }
  ThreadingOptions& SetGlobalInterOpNumThreads(int count) {
    ThrowOnError(ORT_CXX_CALL(SetGlobalInterOpNumThreads)(p_, count));
    return *this;
  }
  /// 1: idle threads wait awake for a short while; 0: they sleep at once.
  ThreadingOptions& SetGlobalSpinControl(int allow_spinning) {
    ThrowOnError(ORT_CXX_CALL(SetGlobalSpinControl)(p_, allow_spinning));
    return *this;
  }
  ThreadingOptions& SetGlobalDenormalAsZero() {
    ThrowOnError(ORT_CXX_CALL(SetGlobalDenormalAsZero)(p_));
    return *this;
  }
  /// Processors of each thread, as "1,2;3,4".
  ThreadingOptions& SetGlobalIntraOpThreadAffinity(const char* affinity) {
    ThrowOnError(ORT_CXX_CALL(SetGlobalIntraOpThreadAffinity)(p_, affinity));
    return *this;
  }
  // Functions of the program that make and join the threads; see threading.h.
  ThreadingOptions& SetGlobalCustomCreateThreadFn(OrtCustomCreateThreadFn create) {
    ThrowOnError(ORT_CXX_CALL(SetGlobalCustomCreateThreadFn)(p_, create));
    return *this;
  }
  ThreadingOptions& SetGlobalCustomThreadCreationOptions(void* options) {
    ThrowOnError(ORT_CXX_CALL(SetGlobalCustomThreadCreationOptions)(p_, options));
    return *this;
  }
  ThreadingOptions& SetGlobalCustomJoinThreadFn(OrtCustomJoinThreadFn join) {
    ThrowOnError(ORT_CXX_CALL(SetGlobalCustomJoinThreadFn)(p_, join));
    return *this;
  }
};

/// The first object of a program: log, execution providers and their devices, what sessions share.
/// Sessions keep what they need of it, so it may end before them. Its const methods may be called
/// from several threads.
struct Env : detail::Base<OrtEnv> {
  explicit Env(std::nullptr_t) {}
  explicit Env(OrtEnv* p) : Base(p) {}
  /// Logs to stderr; `logid` stands in the lines.
  Env(OrtLoggingLevel level = ORT_LOGGING_LEVEL_WARNING, const char* logid = "") {
    ThrowOnError(ORT_CXX_CALL(CreateEnv)(level, logid, &p_));
  }
  explicit Env(const char* logid) : Env(ORT_LOGGING_LEVEL_WARNING, logid) {}
  /// Hands log lines to a function, from any thread, until all that was made from it has ended.
  Env(OrtLoggingLevel level, const char* logid, OrtLoggingFunction log, void* log_param) {
    ThrowOnError(ORT_CXX_CALL(CreateEnvWithCustomLogger)(log, log_param, level, logid, &p_));
  }
  // With threads for sessions whose options say DisablePerSessionThreads().
  Env(const OrtThreadingOptions* threads, OrtLoggingLevel level = ORT_LOGGING_LEVEL_WARNING,
      const char* logid = "") {
    ThrowOnError(ORT_CXX_CALL(CreateEnvWithGlobalThreadPools)(level, logid, threads, &p_));
  }
  Env(const OrtThreadingOptions* threads, OrtLoggingFunction log, void* log_param,
      OrtLoggingLevel level = ORT_LOGGING_LEVEL_WARNING, const char* logid = "") {
    ThrowOnError(ORT_CXX_CALL(CreateEnvWithCustomLoggerAndGlobalThreadPools)(log, log_param, level,
                                                                             logid, threads, &p_));
  }
  /// From a description, which may hold configuration entries; see env.h.
  explicit Env(const OrtEnvCreationOptions* options) {
    ThrowOnError(ORT_CXX_CALL(CreateEnvWithOptions)(options, &p_));
  }
  /// Gives a status where the constructor throws.
  static Result<Env> TryCreate(OrtLoggingLevel level = ORT_LOGGING_LEVEL_WARNING,
                               const char* logid = "") {
    OrtEnv* env = nullptr;
    return detail::made<Env>(ORT_CXX_CALL(CreateEnv)(level, logid, &env), env);
  }

  // There is no telemetry; these do nothing.
  Env& EnableTelemetryEvents() {
    ThrowOnError(ORT_CXX_CALL(EnableTelemetryEvents)(p_));
    return *this;
  }
  Env& DisableTelemetryEvents() {
    ThrowOnError(ORT_CXX_CALL(DisableTelemetryEvents)(p_));
    return *this;
  }
  /// Takes note of the program's language. Nothing depends on it.
  Env& SetLanguageProjection(OrtLanguageProjection language) {
    ThrowOnError(ORT_CXX_CALL(SetLanguageProjection)(p_, language));
    return *this;
  }
  /// Of the environment, and of sessions made from now on.
  Env& UpdateEnvWithCustomLogLevel(OrtLoggingLevel level) {
    ThrowOnError(ORT_CXX_CALL(UpdateEnvWithCustomLogLevel)(p_, level));
    return *this;
  }

  /// Functions that are told about the work of sessions' own threads, for sessions made from now
  /// on; see threading.h.
  Env& SetPerSessionThreadPoolCallbacks(const OrtThreadPoolCallbacksConfig& config) {
    ThrowOnError(ORT_CXX_CALL(SetPerSessionThreadPoolCallbacks)(p_, &config));
    return *this;
  }

  /// Every pair of an execution provider and a device. They live as long as the environment.
  std::vector<ConstEpDevice> GetEpDevices() const {
    const OrtEpDevice* const* devices = nullptr;
    size_t count = 0;
    ThrowOnError(ORT_CXX_CALL(GetEpDevices)(p_, &devices, &count));
    std::vector<ConstEpDevice> result;
    result.reserve(count);
    for (size_t i = 0; i < count; ++i) result.emplace_back(devices[i]);
    return result;
  }
  size_t GetNumHardwareDevices() const {
    size_t count = 0;
    ThrowOnError(ORT_CXX_CALL(GetNumHardwareDevices)(p_, &count));
    return count;
  }
  std::vector<ConstHardwareDevice> GetHardwareDevices() const {
    std::vector<const OrtHardwareDevice*> devices(GetNumHardwareDevices());
    ThrowOnError(ORT_CXX_CALL(GetHardwareDevices)(p_, devices.data(), devices.size()));
    std::vector<ConstHardwareDevice> result;
    result.reserve(devices.size());
    for (const OrtHardwareDevice* device : devices) result.emplace_back(device);
    return result;
  }
  /// Asks a provider, by its name or short form, whether it serves a device, and if not, why.
  DeviceEpIncompatibilityDetails GetHardwareDeviceEpIncompatibilityDetails(
      const char* ep_name, ConstHardwareDevice hw) const {
    OrtDeviceEpIncompatibilityDetails* details = nullptr;
    ThrowOnError(
        ORT_CXX_CALL(GetHardwareDeviceEpIncompatibilityDetails)(p_, ep_name, hw, &details));
    return DeviceEpIncompatibilityDetails(details);
  }
  /// Loads a library of execution providers; a name that ends in ".virtual" lets it make devices
  /// that only compile.
  Env& RegisterExecutionProviderLibrary(const char* registration_name, const detail::Path& path) {
    ThrowOnError(GetApi().RegisterExecutionProviderLibrary(p_, registration_name, path.c_str()));
    return *this;
  }
  Env& UnregisterExecutionProviderLibrary(const char* registration_name) {
    ThrowOnError(GetApi().UnregisterExecutionProviderLibrary(p_, registration_name));
    return *this;
  }

  // Allocators that sessions share when `session.use_env_allocators` is "1".

  Env& CreateAndRegisterAllocator(const OrtMemoryInfo* mem_info, const OrtArenaCfg* arena_cfg) {
    ThrowOnError(ORT_CXX_CALL(CreateAndRegisterAllocator)(p_, mem_info, arena_cfg));
    return *this;
  }
  Env& CreateAndRegisterAllocatorV2(const std::string& provider_type, const OrtMemoryInfo* mem_info,
                                    const std::unordered_map<std::string, std::string>& options,
                                    const OrtArenaCfg* arena_cfg) {
    const detail::KeysAndValues pairs(options);
    ThrowOnError(ORT_CXX_CALL(CreateAndRegisterAllocatorV2)(
        p_, provider_type.c_str(), mem_info, arena_cfg, pairs.keys.data(), pairs.values.data(),
        pairs.keys.size()));
    return *this;
  }
  /// `allocator`  The program's; must live until the environment, its sessions and their values are
  ///              gone: sessions that use it keep it when it is unregistered.
  Env& RegisterAllocator(OrtAllocator* allocator) {
    ThrowOnError(ORT_CXX_CALL(RegisterAllocator)(p_, allocator));
    return *this;
  }
  Env& UnregisterAllocator(const OrtMemoryInfo* mem_info) {
    ThrowOnError(ORT_CXX_CALL(UnregisterAllocator)(p_, mem_info));
    return *this;
  }
  /// Borrowed from the environment, until ReleaseSharedAllocator().
  UnownedAllocator CreateSharedAllocator(const OrtEpDevice* ep_device, OrtDeviceMemoryType mem_type,
                                         OrtAllocatorType allocator_type,
                                         const OrtKeyValuePairs* allocator_options) {
    OrtAllocator* allocator = nullptr;
    ThrowOnError(ORT_CXX_CALL(CreateSharedAllocator)(p_, ep_device, mem_type, allocator_type,
                                                     allocator_options, &allocator));
    return UnownedAllocator(allocator);
  }
  /// Holds nullptr when there is none for that memory.
  UnownedAllocator GetSharedAllocator(const OrtMemoryInfo* mem_info) {
    OrtAllocator* allocator = nullptr;
    ThrowOnError(ORT_CXX_CALL(GetSharedAllocator)(p_, mem_info, &allocator));
    return UnownedAllocator(allocator);
  }
  void ReleaseSharedAllocator(const OrtEpDevice* ep_device, OrtDeviceMemoryType mem_type) {
    ThrowOnError(ORT_CXX_CALL(ReleaseSharedAllocator)(p_, ep_device, mem_type));
  }

  /// Copies tensors into tensors of the same type and shape, one by one.
  Status CopyTensors(const std::vector<Value>& from, const std::vector<Value>& to,
                     OrtSyncStream* stream) const {
    if (from.size() != to.size()) {
      const std::string text = "CopyTensors: " + std::to_string(from.size()) + " tensors into " +
                               std::to_string(to.size());
      return Status(text.c_str(), ORT_INVALID_ARGUMENT);
    }
    return Status(ORT_CXX_CALL(CopyTensors)(p_, detail::c_array(from.data()),
                                            detail::c_array(to.data()), stream, from.size()));
  }
};

/// Where code that the library calls writes its log lines. Borrowed.
class Logger {
 public:
  Logger() = default;
  explicit Logger(std::nullptr_t) {}
  explicit Logger(const OrtLogger* logger) : logger_(logger) {}

  OrtLoggingLevel GetLoggingSeverityLevel() const {
    OrtLoggingLevel level = ORT_LOGGING_LEVEL_VERBOSE;
    ThrowOnError(ORT_CXX_CALL(Logger_GetLoggingSeverityLevel)(logger_, &level));
    return level;
  }
  Status LogMessage(OrtLoggingLevel level, const char* file_path, int line_number,
                    const char* func_name, const char* message) const {
    return Status(ORT_CXX_CALL(Logger_LogMessage)(logger_, level, message, file_path, line_number,
                                                  func_name));
  }
  /// The same with a format and arguments, as printf() takes them.
  template <typename... Args>
  Status LogFormattedMessage(OrtLoggingLevel level, const char* file_path, int line_number,
                             const char* func_name, const char* format, Args... args) const {
    const int size = std::snprintf(nullptr, 0, format, args...);
    if (size < 0) return Status("a log line's format is wrong", ORT_INVALID_ARGUMENT);
    std::string text(static_cast<size_t>(size) + 1, '\0');
    std::snprintf(text.data(), text.size(), format, args...);
    return LogMessage(level, file_path, line_number, func_name, text.c_str());
  }
  /// Whether lines of a level are not dropped; no when there is no logger.
  bool Wants(OrtLoggingLevel level) const noexcept {
    OrtLoggingLevel mildest = ORT_LOGGING_LEVEL_FATAL;
    return logger_ != nullptr &&
           Status(ORT_CXX_CALL(Logger_GetLoggingSeverityLevel)(logger_, &mildest)).IsOK() &&
           level >= mildest;
  }

 private:
  const OrtLogger* logger_ = nullptr;
};

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
