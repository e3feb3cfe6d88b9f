// SPDX-License-Identifier: MIT
// Options of a run, and adapters that change its weights.
#pragma once

#include <string>

#include "ort_c/cxx/text.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

/// Parameters that are fed to a model's inputs of their names, from a file of its own.
struct LoraAdapter : detail::Base<OrtLoraAdapter> {
  explicit LoraAdapter(std::nullptr_t) {}
  explicit LoraAdapter(OrtLoraAdapter* p) : Base(p) {}

  /// The file is mapped and stays open. `allocator` may be nullptr.
  static LoraAdapter CreateLoraAdapter(const detail::Path& adapter_path, OrtAllocator* allocator) {
    OrtLoraAdapter* adapter = nullptr;
    ThrowOnError(ORT_CXX_CALL(CreateLoraAdapter)(adapter_path.c_str(), allocator, &adapter));
    return LoraAdapter(adapter);
  }
  /// The bytes are copied.
  static LoraAdapter CreateLoraAdapterFromArray(const void* bytes, size_t num_bytes,
                                                OrtAllocator* allocator) {
    OrtLoraAdapter* adapter = nullptr;
    ThrowOnError(ORT_CXX_CALL(CreateLoraAdapterFromArray)(bytes, num_bytes, allocator, &adapter));
    return LoraAdapter(adapter);
  }
};

/// Options of runs. RunOptions{nullptr} means the defaults, without an object.
struct RunOptions : detail::Base<OrtRunOptions> {
  explicit RunOptions(std::nullptr_t) {}
  explicit RunOptions(OrtRunOptions* p) : Base(p) {}
  RunOptions() { ThrowOnError(ORT_CXX_CALL(CreateRunOptions)(&p_)); }

  RunOptions& SetRunLogVerbosityLevel(int level) {
    ThrowOnError(ORT_CXX_CALL(RunOptionsSetRunLogVerbosityLevel)(p_, level));
    return *this;
  }
  int GetRunLogVerbosityLevel() const {
    int level = 0;
    ThrowOnError(ORT_CXX_CALL(RunOptionsGetRunLogVerbosityLevel)(p_, &level));
    return level;
  }
  /// A value of OrtLoggingLevel.
  RunOptions& SetRunLogSeverityLevel(int level) {
    ThrowOnError(ORT_CXX_CALL(RunOptionsSetRunLogSeverityLevel)(p_, level));
    return *this;
  }
  /// -1 when it was not set.
  int GetRunLogSeverityLevel() const {
    int level = 0;
    ThrowOnError(ORT_CXX_CALL(RunOptionsGetRunLogSeverityLevel)(p_, &level));
    return level;
  }
  /// Stands in the log lines of the run.
  RunOptions& SetRunTag(const char* run_tag) {
    ThrowOnError(ORT_CXX_CALL(RunOptionsSetRunTag)(p_, run_tag));
    return *this;
  }
  /// Lives until the tag is set again.
  const char* GetRunTag() const {
    const char* tag = nullptr;
    ThrowOnError(ORT_CXX_CALL(RunOptionsGetRunTag)(p_, &tag));
    return tag;
  }
  /// A run key of config_keys.h and its value.
  RunOptions& AddConfigEntry(const char* key, const char* value) {
    ThrowOnError(ORT_CXX_CALL(AddRunConfigEntry)(p_, key, value));
    return *this;
  }
  /// NULL when it was not set; else it lives until it is set again.
  const char* GetConfigEntry(const char* key) const {
    return ORT_CXX_CALL(GetRunConfigEntry)(p_, key);
  }

  /// Stops every run that uses these options, soon, until UnsetTerminate(). Any thread may call it,
  /// also during runs.
  RunOptions& SetTerminate() {
    ThrowOnError(ORT_CXX_CALL(RunOptionsSetTerminate)(p_));
    return *this;
  }
  RunOptions& UnsetTerminate() {
    ThrowOnError(ORT_CXX_CALL(RunOptionsUnsetTerminate)(p_));
    return *this;
  }

  /// The options share the adapter's parameters; it may end before them.
  RunOptions& AddActiveLoraAdapter(const LoraAdapter& adapter) {
    ThrowOnError(ORT_CXX_CALL(RunOptionsAddActiveLoraAdapter)(p_, adapter));
    return *this;
  }
  /// A profile of each run in a file of its own, whose name begins with the prefix.
  RunOptions& EnableProfiling(const detail::Path& profile_file_prefix) {
    ThrowOnError(ORT_CXX_CALL(RunOptionsEnableProfiling)(p_, profile_file_prefix.c_str()));
    return *this;
  }
  RunOptions& DisableProfiling() {
    ThrowOnError(ORT_CXX_CALL(RunOptionsDisableProfiling)(p_));
    return *this;
  }
  RunOptions& SetSyncStream(OrtSyncStream* stream) {
    ORT_CXX_CALL(RunOptionsSetSyncStream)(p_, stream);
    return *this;
  }
};

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
