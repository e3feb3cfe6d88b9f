// SPDX-License-Identifier: MIT
// What a session or a compiler shall do. Options are copied where they are used: changing or
// releasing them afterwards changes nothing there. One thread at a time may change an object.
#pragma once

#include "ort_c/config_keys.h"
#include "ort_c/devices.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Makes options with their defaults.
///
/// `options`  A new object; give it back with OrtReleaseSessionOptions(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateSessionOptions(OrtSessionOptions** options);

/// Makes a copy that is independent of the original.
///
/// `in_options`   Borrowed.
/// `out_options`  A new object; give it back with OrtReleaseSessionOptions(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCloneSessionOptions(const OrtSessionOptions* in_options,
                                           OrtSessionOptions** out_options);

/// Gives options back.
///
/// `options`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseSessionOptions(OrtSessionOptions* options);

// Execution providers. Those added first are asked first; the CPU provider is always there, last.

/// Adds an execution provider by its name.
///
/// `options`                  Changed.
/// `provider_name`            A name from OrtGetAvailableProviders() or its short form, as "AOT".
/// `provider_options_keys`    Copied. Names of provider options; NULL when `num_keys` is 0.
/// `provider_options_values`  Copied. Their values, in the same order.
/// `num_keys`                 How many.
///
/// Each option is kept as the config entry `ep.<provider name in lower case>.<key>`.
/// Fails with INVALID_ARGUMENT for a name that is not here or an option that the provider refuses.
/// Since 1.0.
ORTC_API OrtStatus* OrtSessionOptionsAppendExecutionProvider(
    OrtSessionOptions* options, const char* provider_name, const char* const* provider_options_keys,
    const char* const* provider_options_values, size_t num_keys);

/// Adds an execution provider by devices from OrtGetEpDevices().
///
/// `session_options`  Changed; keeps what it needs of `env`.
/// `env`              The environment that the devices came from.
/// `ep_devices`       Borrowed. One or more devices, all of the same execution provider.
/// `num_ep_devices`   How many, at least 1.
/// `ep_option_keys`   Copied. Names of provider options without prefix; NULL when there are none.
/// `ep_option_vals`   Copied. Their values, in the same order.
/// `num_ep_options`   How many.
///
/// Options given here go before those that a device suggests (OrtEpDevice_EpOptions()).
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtSessionOptionsAppendExecutionProvider_V2(
    OrtSessionOptions* session_options, OrtEnv* env, const OrtEpDevice* const* ep_devices,
    size_t num_ep_devices, const char* const* ep_option_keys, const char* const* ep_option_vals,
    size_t num_ep_options);

/// Lets the session choose execution providers from the devices that are there.
///
/// `session_options`  Changed.
/// `policy`           What to prefer. Providers added by name or device switch the choice off.
///
/// Fails with INVALID_ARGUMENT for an unknown policy. Since 1.0.
ORTC_API OrtStatus* OrtSessionOptionsSetEpSelectionPolicy(OrtSessionOptions* session_options,
                                                          OrtExecutionProviderDevicePolicy policy);

// Config entries: the keys of config_keys.h. A key is at most 1024 bytes long, a value 8192.

/// Sets a config entry, replacing one that is there.
///
/// `options`       Changed.
/// `config_key`    Copied. One of config_keys.h, or `ep.<provider>.<option>`.
/// `config_value`  Copied. May be empty.
///
/// Fails with INVALID_ARGUMENT: an unknown key (the message names the nearest one), a wrong value,
/// or one that is too long. Keys that are known but mean nothing here are accepted and logged once.
/// Since 1.0.
ORTC_API OrtStatus* OrtAddSessionConfigEntry(OrtSessionOptions* options, const char* config_key,
                                             const char* config_value);

/// Says whether a config entry was set.
///
/// `options`     Borrowed.
/// `config_key`  Borrowed for this call.
/// `out`         1 or 0.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtHasSessionConfigEntry(const OrtSessionOptions* options,
                                             const char* config_key, int* out);

/// Copies the value of a config entry, with its terminating zero.
///
/// `options`       Borrowed.
/// `config_key`    Borrowed for this call.
/// `config_value`  Filled. NULL asks for the size only.
/// `size`          In: the room at `config_value`. Out: the bytes needed, terminator included.
///
/// Fails with INVALID_ARGUMENT when the room is too small (`size` is set, nothing is copied), and
/// with FAIL when the entry was not set. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetSessionConfigEntry(const OrtSessionOptions* options,
                                             const char* config_key, char* config_value,
                                             size_t* size);

// Graph and execution.

/// Chooses how far the graph is rewritten. The default is ORT_ENABLE_ALL.
///
/// Fails with INVALID_ARGUMENT for an unknown level. Since 1.0.
ORTC_API OrtStatus* OrtSetSessionGraphOptimizationLevel(
    OrtSessionOptions* options, GraphOptimizationLevel graph_optimization_level);

/// Fixes the number of threads that work on one operator.
///
/// `intra_op_num_threads`  The calling thread counts. 0, the default, means one per physical core.
///
/// Results do not depend on it. Fails with INVALID_ARGUMENT for a negative number. Since 1.0.
ORTC_API OrtStatus* OrtSetIntraOpNumThreads(OrtSessionOptions* options, int intra_op_num_threads);

/// Fixes the number of operators that run at once under ORT_PARALLEL; without effect otherwise.
///
/// `inter_op_num_threads`  0, the default, lets the library choose.
///
/// Fails with INVALID_ARGUMENT for a negative number. Since 1.0.
ORTC_API OrtStatus* OrtSetInterOpNumThreads(OrtSessionOptions* options, int inter_op_num_threads);

/// Chooses whether independent operators may run at once. The default is ORT_SEQUENTIAL.
///
/// Fails with INVALID_ARGUMENT for an unknown mode. Since 1.0.
ORTC_API OrtStatus* OrtSetSessionExecutionMode(OrtSessionOptions* options,
                                               ExecutionMode execution_mode);

/// Lets a run reuse the memory plan of an earlier run with the same shapes. That is the default.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtEnableMemPattern(OrtSessionOptions* options);

/// Makes each run plan its memory anew.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtDisableMemPattern(OrtSessionOptions* options);

/// Keeps the memory of a run for the next one. That is the default.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtEnableCpuMemArena(OrtSessionOptions* options);

/// Gives the memory of a run back to the system when the run ends.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtDisableCpuMemArena(OrtSessionOptions* options);

/// Gives a dimension a fixed size, found by its denotation, as "DATA_BATCH".
///
/// `dim_denotation`  Copied. The denotation that the model gives to dimensions of its inputs.
/// `dim_value`       The size, at least 0.
///
/// Denotations that the model does not have are ignored. Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtAddFreeDimensionOverride(OrtSessionOptions* options,
                                                const char* dim_denotation, int64_t dim_value);

/// Gives a dimension a fixed size, found by its symbolic name, as "batch".
///
/// `dim_name`   Copied. The name that the model gives to dimensions of its inputs.
/// `dim_value`  The size, at least 0.
///
/// Names that the model does not have are ignored. Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtAddFreeDimensionOverrideByName(OrtSessionOptions* options,
                                                      const char* dim_name, int64_t dim_value);

// Logging. Without these a session logs as its environment does.

/// Sets the log id of the session's lines.
///
/// `logid`  Copied. Must not be NULL.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtSetSessionLogId(OrtSessionOptions* options, const char* logid);

/// Sets how much detail lines of severity VERBOSE have; 0 is the least and the default.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtSetSessionLogVerbosityLevel(OrtSessionOptions* options,
                                                   int session_log_verbosity_level);

/// Sets the severity below which lines of the session are dropped.
///
/// `session_log_severity_level`  A value of OrtLoggingLevel.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtSetSessionLogSeverityLevel(OrtSessionOptions* options,
                                                  int session_log_severity_level);

#ifdef __cplusplus
}
#endif
