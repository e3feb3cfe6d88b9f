// SPDX-License-Identifier: MIT
// What a session or a compiler is to do. Options are copied where they are used: changing or
// releasing them afterwards changes nothing there. One thread at a time may change an object.
#pragma once

#include "ort_c/allocator.h"
#include "ort_c/config_keys.h"
#include "ort_c/devices.h"
#include "ort_c/logger.h"
#include "ort_c/threading.h"
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
/// But for DEFAULT, which chooses none, the order is: the first registered library with a device of
/// the kind, the AOT provider, the CPU. Devices that are not there are never chosen.
/// Fails with INVALID_ARGUMENT for an unknown policy. Since 1.0.
ORTC_API OrtStatus* OrtSessionOptionsSetEpSelectionPolicy(OrtSessionOptions* session_options,
                                                          OrtExecutionProviderDevicePolicy policy);

/// Chooses devices for a session that is being made.
///
/// `ep_devices`        All devices of the environment: NPUs, GPUs (discrete ones first), CPUs; of
///                     each kind first those whose provider is of the hardware's own vendor. The
///                     last one is the CPU provider's.
/// `num_devices`       How many.
/// `model_metadata`    What the model says of itself: `producer_name`, `producer_version`,
///                     `domain`, `model_version`, `doc_string`, `graph_name`,
///                     `graph_description`, and its metadata. Lives for this call.
/// `runtime_metadata`  Empty. Lives for this call.
/// `selected`          To be filled with devices of `ep_devices`, those that are asked first in
///                     front. Devices of one provider go to it together, at the place of the first.
/// `max_selected`      Room at `selected`: 8.
/// `num_selected`      To be set to how many were chosen, 1 or more.
/// `state`             The pointer given together with the function.
///
/// NULL is success; any other result refuses the session, and is taken over. Called by the thread
/// that makes the session, never while the library holds a lock.
typedef OrtStatus* (*EpSelectionDelegate)(const OrtEpDevice** ep_devices, size_t num_devices,
                                          const OrtKeyValuePairs* model_metadata,
                                          const OrtKeyValuePairs* runtime_metadata,
                                          const OrtEpDevice** selected, size_t max_selected,
                                          size_t* num_selected, void* state);

/// Lets a function of the program choose execution providers from the devices that are there.
///
/// `session_options`  Changed. A policy that was set before does not count any more.
/// `delegate`         Called for each session and each compile that is made with the options or a
///                    copy of them. NULL: none, and the policy DEFAULT.
/// `delegate_state`   Given to `delegate`, unchanged. The program keeps it as long as options with
///                    it are used.
///
/// Providers added by name or device switch the choice off. Options that a chosen device suggests
/// apply where the program set no others. Making the session fails with FAIL and the function's own
/// words when it fails, and with FAIL when it chooses nothing, too many, or what it was not given.
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtSessionOptionsSetEpSelectionPolicyDelegate(
    OrtSessionOptions* session_options, EpSelectionDelegate delegate, void* delegate_state);

// Config entries: the keys of config_keys.h. A key is at most 1024 bytes long, a value 8192.

/// Sets a config entry, replacing one that is there.
///
/// `options`       Changed.
/// `config_key`    Copied. One of config_keys.h, or `ep.<provider>.<option>`.
/// `config_value`  Copied. May be empty.
///
/// Fails with INVALID_ARGUMENT: an unknown key or word (the message names the nearest one), a wrong
/// value, or one that is too long. Keys that are known but mean nothing here are accepted, and
/// logged once. Options of an execution provider that this library does not bring are judged when
/// the session is made. Since 1.0.
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
/// Results do not depend on it. Fails with INVALID_ARGUMENT for a negative number, or more than
/// 1024. Since 1.0.
ORTC_API OrtStatus* OrtSetIntraOpNumThreads(OrtSessionOptions* options, int intra_op_num_threads);

/// Fixes the number of operators that run at once under ORT_PARALLEL; without effect otherwise.
///
/// `inter_op_num_threads`  0, the default, lets the library choose.
///
/// Fails with INVALID_ARGUMENT for a negative number, or more than 1024. Since 1.0.
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

/// Makes each run plan its memory again.
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

/// Hands the session's log lines to a callback.
///
/// `user_logging_function`  Callable until the session is released; see OrtLoggingFunction for
///                          threads.
/// `user_logging_param`     Passed to each call as it is; stays the caller's.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtSetUserLoggingFunction(OrtSessionOptions* options,
                                              OrtLoggingFunction user_logging_function,
                                              void* user_logging_param);

// Files that a session writes.

/// Writes the optimised model as an ONNX file when the session is made, replacing one that is
/// there.
///
/// `optimized_model_filepath`  Copied. Empty: nothing is written.
///
/// It is the graph as execution providers see it: rewritten up to the session's optimisation level,
/// before they take their parts, whichever they are. Making the session fails with FAIL when the
/// model holds compiled nodes or the session writes a compiled model (`ep.context_enable`), or with
/// NOT_IMPLEMENTED for the ORT format. Compiles (model_compiler.h) write none. Fails with
/// INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtSetOptimizedModelFilePath(OrtSessionOptions* options,
                                                 const char* optimized_model_filepath);

/// Makes a profile of the session; see OrtSessionEndProfiling().
///
/// `profile_file_prefix`  Copied. The file's name begins with it; date, time and ".json" follow.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtEnableProfiling(OrtSessionOptions* options, const char* profile_file_prefix);

/// Makes no profile. That is the default, and costs nothing.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtDisableProfiling(OrtSessionOptions* options);

// Weights from the program's memory.

/// Gives a tensor in place of an initializer, for sessions that share it.
///
/// `name`  Copied. Names that the model does not have are ignored.
/// `val`   A tensor over memory of the caller (OrtCreateTensorWithDataAsOrtValue()) of the
///         initializer's type and shape. The value may be released; its memory must live until all
///         sessions made with these options are released.
///
/// Fails with INVALID_ARGUMENT, also when the name was given already. Since 1.0.
ORTC_API OrtStatus* OrtAddInitializer(OrtSessionOptions* options, const char* name,
                                      const OrtValue* val);

/// Gives tensors in place of initializers whose bytes the model has in other files; those files
/// are not opened then.
///
/// `initializer_names`  Copied.
/// `initializers`       Tensors of the type and shape that the model says. Their memory must live
///                      until the session is made, which copies it.
/// `num_initializers`   How many.
///
/// Making a session fails with FAIL for names that are not initializers with external data, and for
/// other types and shapes. Fails with INVALID_ARGUMENT, also when a name was given already.
/// Since 1.0.
ORTC_API OrtStatus* OrtAddExternalInitializers(OrtSessionOptions* options,
                                               const char* const* initializer_names,
                                               const OrtValue* const* initializers,
                                               size_t num_initializers);

/// Gives the contents of external data files; no such file is opened then.
///
/// `external_initializer_file_names`         Copied. Names as the model has them.
/// `external_initializer_file_buffer_array`  Borrowed until the session is made, which copies what
///                                           it needs.
/// `external_initializer_file_lengths`       In bytes.
/// `num_external_initializer_files`          How many.
///
/// Making a session fails with FAIL for a file that is not among them. Fails with INVALID_ARGUMENT,
/// also when a name was given already. Since 1.0.
ORTC_API OrtStatus* OrtAddExternalInitializersFromFilesInMemory(
    OrtSessionOptions* options, const char* const* external_initializer_file_names,
    char* const* external_initializer_file_buffer_array,
    const size_t* external_initializer_file_lengths, size_t num_external_initializer_files);

// Compiled models.

/// Gives one context binary.
///
/// `state`      The pointer given together with the function.
/// `file_name`  What the EPContext node says: any text. Lives for this call.
/// `allocator`  Makes the block.
/// `buffer`     Receives a block of `allocator`, which the library takes over. NULL means no
///              bytes.
/// `size`       Receives their number.
///
/// NULL is success. Any other result ends the load with that code and text; the library takes the
/// object over, and a block that was given. May be called from any thread.
typedef OrtStatus* (*OrtReadNamedBufferFunc)(void* state, const char* file_name,
                                             OrtAllocator* allocator, void** buffer, size_t* size);

/// Has a function give the context binaries of compiled models, in place of files: from memory, an
/// archive, a database, or decrypted. Contexts that are embedded are not asked for.
///
/// What was written with the model is still told from what was not, and checked.
///
/// `read_func`  Must stay callable while sessions are made with these options or copies. NULL: they
///              are files.
/// `state`      Passed to each call. Stays the caller's.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtSessionOptionsSetEpContextDataReadFunc(OrtSessionOptions* options,
                                                              OrtReadNamedBufferFunc read_func,
                                                              void* state);

/// Gives the source of a model that was compiled without weights, in place of the config key
/// ep.context_source_model_path.
///
/// `source_model_data`         Borrowed until the session is made.
/// `source_model_data_length`  In bytes, at least 1.
///
/// Making a session fails with INVALID_GRAPH when it is another model's. Fails with
/// INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtSessionOptionsSetWeightlessSourceModelBuffer(
    OrtSessionOptions* options, const void* source_model_data, size_t source_model_data_length);

// Threads.

/// Makes the session use the threads of its environment, which must have been made with global
/// thread pools.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtDisablePerSessionThreads(OrtSessionOptions* options);

/// Lets a function of the program make the session's threads, when the session is made. A function
/// that joins them is needed as well.
///
/// `ort_custom_create_thread_fn`  Callable until the session is released. NULL means the system's
///                                threads.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtSessionOptionsSetCustomCreateThreadFn(
    OrtSessionOptions* options, OrtCustomCreateThreadFn ort_custom_create_thread_fn);

/// Sets what the creating function gets as its first parameter.
///
/// `ort_custom_thread_creation_options`  Passed on as it is; stays the caller's.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtSessionOptionsSetCustomThreadCreationOptions(
    OrtSessionOptions* options, void* ort_custom_thread_creation_options);

/// Sets the function that joins the program's threads.
///
/// `ort_custom_join_thread_fn`  Callable until the session is released.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtSessionOptionsSetCustomJoinThreadFn(
    OrtSessionOptions* options, OrtCustomJoinThreadFn ort_custom_join_thread_fn);

/// Asks for results that do not change from run to run. They never do.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtSetDeterministicCompute(OrtSessionOptions* options, bool value);

/// Stops the making of sessions with these options and copies of them, now and until the flag is
/// cleared. It ends soon, not at once, with MODEL_LOAD_CANCELED.
///
/// `cancel`  True to stop.
///
/// Fails with INVALID_ARGUMENT. Thread-safe, also while a session is made. Since 1.0.
ORTC_API OrtStatus* OrtSessionOptionsSetLoadCancellationFlag(OrtSessionOptions* options,
                                                             bool cancel);

/// Has a function hear how far the making of a session has come, and stop it.
///
/// With session.context_residency=prefetch it goes on hearing after the session was made, from a
/// thread of the session, until "done" or the end of the session.
///
/// `progress`  Copies of the options share it. NULL: none. Sessions that are made at the same
///             time call it at the same time.
/// `state`     Passed to each call. After success it belongs to the options and their copies; after
///             a failure it stays the caller's and `release` is not called.
/// `release`   Called once with `state`, when neither options nor sessions being made need it any
///             more. NULL when there is nothing to give back.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtSessionOptionsSetLoadProgress(OrtSessionOptions* options,
                                                     OrtProgressFn progress, void* state,
                                                     OrtReleaseStateFn release);

// Asking what was set.

/// Gives all config entries.
///
/// `out`  A new object; give it back with OrtReleaseKeyValuePairs(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetSessionOptionsConfigEntries(const OrtSessionOptions* options,
                                                      OrtKeyValuePairs** out);

/// Says whether the memory plan is reused: 1 or 0.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetMemPatternEnabled(const OrtSessionOptions* options, int* out);

/// Tells the execution mode.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetSessionExecutionMode(const OrtSessionOptions* options,
                                               ExecutionMode* out);

#ifdef __cplusplus
}
#endif
