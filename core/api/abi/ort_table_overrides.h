// SPDX-License-Identifier: MIT
// Entries of ONNX Runtime's tables that are not the function OrtX: because the tables mean
// something else by them, or because programs outside the tables have no use for them. The names
// are those of the entries; the generator of the tables reads them here, one declaration of one
// form each.
#pragma once

#include <mutex>
#include <tuple>

#include "core/api/env/device_handles.h"
#include "core/api/env/env_handle.h"
#include "core/api/env/memory_info_handle.h"
#include "core/api/session/run_options_handle.h"
#include "core/api/session/session_options_handle.h"
#include "ort_c/interop.h"
#include "ort_c/ort_api.h"
#include "ort_c/ort_c.h"

namespace ortc::api::table {

// The way from table to table.

const OrtApi* GetApi(uint32_t version) noexcept;
const char* GetVersionString() noexcept;
const OrtEpApi* GetEpApi() noexcept;
const OrtModelEditorApi* GetModelEditorApi() noexcept;
const OrtCompileApi* GetCompileApi() noexcept;
const OrtInteropApi* GetInteropApi() noexcept;
const OrtModelPackageApi* GetModelPackageApi() noexcept;
const OrtTrainingApi* GetTrainingApi(uint32_t version) noexcept;
OrtExperimentalFnPtr GetExperimentalFunction(const char* name) noexcept;
OrtStatus* GetExecutionProviderApi(const char* provider_name, uint32_t version,
                                   const void** provider_api) noexcept;

// Sessions of such options bear what ONNX Runtime's bear: a library that cannot look at a graph
// gets no nodes of it.

OrtStatus* CreateSessionOptions(OrtSessionOptions** options) noexcept;

// Programs written for ONNX Runtime set keys of other releases and providers: what is unknown is
// kept and becomes a warning of the session.

OrtStatus* AddSessionConfigEntry(OrtSessionOptions* options, const char* config_key,
                                 const char* config_value) noexcept;
OrtStatus* AddRunConfigEntry(OrtRunOptions* options, const char* config_key,
                             const char* config_value) noexcept;

// Numbers that ONNX Runtime takes though they mean nothing: fewer than no threads are the default,
// levels beyond the last are the last, and dimensions below zero stay as the model has them. A
// profile that cannot be written is a warning.

OrtStatus* SetIntraOpNumThreads(OrtSessionOptions* options, int intra_op_num_threads) noexcept;
OrtStatus* SetInterOpNumThreads(OrtSessionOptions* options, int inter_op_num_threads) noexcept;
OrtStatus* AddFreeDimensionOverride(OrtSessionOptions* options, const char* dim_denotation,
                                    int64_t dim_value) noexcept;
OrtStatus* AddFreeDimensionOverrideByName(OrtSessionOptions* options, const char* dim_name,
                                          int64_t dim_value) noexcept;
OrtStatus* SetSessionLogSeverityLevel(OrtSessionOptions* options,
                                      int session_log_severity_level) noexcept;
OrtStatus* SetSessionLogVerbosityLevel(OrtSessionOptions* options,
                                       int session_log_verbosity_level) noexcept;
OrtStatus* RunOptionsSetRunLogSeverityLevel(OrtRunOptions* options,
                                            int log_severity_level) noexcept;
OrtStatus* RunOptionsSetRunLogVerbosityLevel(OrtRunOptions* options,
                                             int log_verbosity_level) noexcept;

// An entry that was not set is INVALID_ARGUMENT there.

OrtStatus* GetSessionConfigEntry(const OrtSessionOptions* options, const char* config_key,
                                 char* config_value, size_t* size) noexcept;

// Programs compare some of ONNX Runtime's sentences as a whole: these entries give them alone. The
// functions say, too, which input or dimension it was. Run also takes an input that is named
// several times: the last value counts.

OrtStatus* Run(OrtSession* session, const OrtRunOptions* run_options,
               const char* const* input_names, const OrtValue* const* inputs, size_t input_len,
               const char* const* output_names, size_t output_names_len,
               OrtValue** outputs) noexcept;
OrtStatus* SetDimensions(OrtTensorTypeAndShapeInfo* info, const int64_t* dim_values,
                         size_t dim_count) noexcept;

// Bindings of ONNX Runtime know all its providers by name and fail on any other: the list has those
// that ONNX Runtime has too. GetEpDevices tells of all.

OrtStatus* GetAvailableProviders(char*** out_ptr, int* provider_length) noexcept;

// The output that a kernel has made in this call, NULL before: here outputs are made when the
// kernel names their shape, in the program's memory too.

OrtStatus* KernelContext_GetPreallocatedOutput(const OrtKernelContext* context, size_t output_index,
                                               OrtValue** output) noexcept;

// A provider that imports nothing gives NULL, which is no failure.

OrtStatus* CreateExternalResourceImporterForDevice(
    const OrtEpDevice* ep_device, OrtExternalResourceImporter** out_importer) noexcept;

// Options that the CPU provider does not have are left out, as ONNX Runtime does; the session
// warns.

OrtStatus* SessionOptionsAppendExecutionProvider(OrtSessionOptions* options,
                                                 const char* provider_name,
                                                 const char* const* provider_options_keys,
                                                 const char* const* provider_options_values,
                                                 size_t num_keys) noexcept;
OrtStatus* SessionOptionsAppendExecutionProvider_V2(OrtSessionOptions* session_options, OrtEnv* env,
                                                    const OrtEpDevice* const* ep_devices,
                                                    size_t num_ep_devices,
                                                    const char* const* ep_option_keys,
                                                    const char* const* ep_option_vals,
                                                    size_t num_ep_options) noexcept;
OrtStatus* CreateAndRegisterAllocatorV2(OrtEnv* env, const char* provider_type,
                                        const OrtMemoryInfo* mem_info, const OrtArenaCfg* arena_cfg,
                                        const char* const* provider_options_keys,
                                        const char* const* provider_options_values,
                                        size_t num_keys) noexcept;

// Through the tables a process has one environment: each CreateEnv* gives the same, each ReleaseEnv
// takes one of them back, the last one ends it.

OrtStatus* CreateEnvWithOptions(const OrtEnvCreationOptions* options, OrtEnv** out) noexcept;
void ReleaseEnv(OrtEnv* input) noexcept;

// The environment of the process and how often it was given out.
class SharedEnv {
 public:
  // `create` makes the first one; later calls do not look at its arguments. It calls functions of
  // the program, so no lock is held: of several that are made at once the first to be there stays.
  template <typename Create>
  OrtStatus* join(OrtEnv** out, Create&& create) {
    if (out != nullptr && (*out = enter(nullptr)) != nullptr) return nullptr;
    OrtStatus* const status = create();
    if (status != nullptr || out == nullptr) return status;
    OrtEnv* const made = *out;
    *out = enter(made);
    if (*out != made) OrtReleaseEnv(made);
    return nullptr;
  }
  void leave(OrtEnv* env);
  // Those that it was made with; none when there is no environment.
  KeyValues entries();

 private:
  // One more has the environment: the one there is, else `made`. Null when there is neither.
  OrtEnv* enter(OrtEnv* made);

  std::mutex mutex_;
  OrtEnv* env_ = nullptr;
  size_t count_ = 0;
};

SharedEnv& shared_env();

// An entry CreateEnv*: `create` is the function of that name, the last argument receives the
// result.
template <typename... Arguments>
OrtStatus* join_env(OrtStatus* (*create)(Arguments...), Arguments... arguments) noexcept {
  OrtEnv** out = std::get<sizeof...(arguments) - 1>(std::tie(arguments...));
  return shared_env().join(out, [&] { return create(arguments...); });
}

}  // namespace ortc::api::table
