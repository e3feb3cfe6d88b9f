// SPDX-License-Identifier: MIT
// A model ready to run: made from a file or from bytes, a plain ONNX model or a compiled one alike.
// A session never changes after it was made; any number of threads may run it at once.
#pragma once

#include "ort_c/allocator.h"
#include "ort_c/run_options.h"
#include "ort_c/session_options.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Makes a session from a model file.
///
/// A compiled model is checked against this library and its providers, and its context binary is
/// mapped; nothing is optimised or copied then. Files stay open until the session is released; they
/// may be replaced or deleted meanwhile, but not written in place. With `ep.context_enable=1` a
/// compiled model is written as well.
///
/// `env`         Borrowed; may be released before the session.
/// `model_path`  UTF-8. External data and context binaries are looked for beside this file.
/// `options`     Borrowed for this call. NULL means the defaults.
/// `out`         A new object; give it back with OrtReleaseSession(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT, NO_SUCHFILE, INVALID_PROTOBUF (no ONNX model), INVALID_GRAPH (the
/// model or its context data break a rule), NOT_IMPLEMENTED (an operator or a context that no
/// chosen provider serves; the message names it), MODEL_REQUIRES_COMPILATION, or FAIL (external
/// data, an existing output file, a context for another target). Thread-safe. Reads files; may
/// compile. Since 1.0.
ORTC_API OrtStatus* OrtCreateSession(const OrtEnv* env, const char* model_path,
                                     const OrtSessionOptions* options, OrtSession** out);

/// Makes a session from the bytes of a model.
///
/// Context binaries are looked for in the folder of `ep.context_file_path`; external data in
/// `session.model_external_initializers_file_folder_path`, else in the current folder.
///
/// `env`                Borrowed; may be released before the session.
/// `model_data`         Borrowed for this call: what is needed later is copied.
/// `model_data_length`  In bytes, at least 1.
/// `options`            Borrowed for this call. NULL means the defaults.
/// `out`                A new object; give it back with OrtReleaseSession(). NULL after a failure.
///
/// Fails as OrtCreateSession() does. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateSessionFromArray(const OrtEnv* env, const void* model_data,
                                              size_t model_data_length,
                                              const OrtSessionOptions* options, OrtSession** out);

/// Gives a session back. No run may be under way. Values it made stay usable.
///
/// `session`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseSession(OrtSession* session);

/// Runs the model once and waits for the result.
///
/// `session`           Borrowed; not changed in any way that callers can see.
/// `run_options`       Borrowed for this call. NULL means the defaults.
/// `input_names`       Names of inputs, in any order. Initializers that are inputs may be left out,
///                     and inputs that no output of the model depends on.
/// `inputs`            Their values, borrowed for this call and never written.
/// `input_len`         How many of both.
/// `output_names`      Names of the outputs wanted, at least one. A name that stands several times
///                     gets as many values; those in memory of a device must be named once.
/// `output_names_len`  How many.
/// `outputs`           In: for each output NULL, or a value of the right type and shape to fill.
///                     Out: NULLs are replaced by new values; give them back with
///                     OrtReleaseValue(). After a failure the NULLs are NULL again, and contents of
///                     the caller's values are undefined.
///
/// Fails with INVALID_ARGUMENT (a name, type or shape does not fit; the message has both sides),
/// FAIL (stopped by OrtRunOptionsSetTerminate()), or what an operator says.
/// Thread-safe: any number of threads may run one session at once. Since 1.0.
ORTC_API OrtStatus* OrtRun(OrtSession* session, const OrtRunOptions* run_options,
                           const char* const* input_names, const OrtValue* const* inputs,
                           size_t input_len, const char* const* output_names,
                           size_t output_names_len, OrtValue** outputs);

// What the model takes and gives. Inputs that have an initializer count as overridable
// initializers; a run may give them or not.

/// Counts the inputs that a run must give.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSessionGetInputCount(const OrtSession* session, size_t* out);

/// Counts the outputs.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSessionGetOutputCount(const OrtSession* session, size_t* out);

/// Counts the inputs that have an initializer.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSessionGetOverridableInitializerCount(const OrtSession* session,
                                                             size_t* out);

/// Tells the name of an input.
///
/// `index`      Below the count.
/// `allocator`  Takes the memory of the text.
/// `value`      A new text; give it back with OrtAllocatorFree(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSessionGetInputName(const OrtSession* session, size_t index,
                                           OrtAllocator* allocator, char** value);

/// Tells the name of an output; parameters as for OrtSessionGetInputName().
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSessionGetOutputName(const OrtSession* session, size_t index,
                                            OrtAllocator* allocator, char** value);

/// Tells the name of an input with an initializer; parameters as for OrtSessionGetInputName().
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSessionGetOverridableInitializerName(const OrtSession* session, size_t index,
                                                            OrtAllocator* allocator, char** value);

/// Tells the type of an input.
///
/// `index`      Below the count.
/// `type_info`  A new object; give it back with OrtReleaseTypeInfo(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSessionGetInputTypeInfo(const OrtSession* session, size_t index,
                                               OrtTypeInfo** type_info);

/// Tells the type of an output; parameters as for OrtSessionGetInputTypeInfo().
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSessionGetOutputTypeInfo(const OrtSession* session, size_t index,
                                                OrtTypeInfo** type_info);

/// Tells the type of an input with an initializer; parameters as for OrtSessionGetInputTypeInfo().
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSessionGetOverridableInitializerTypeInfo(const OrtSession* session,
                                                                size_t index,
                                                                OrtTypeInfo** type_info);

/// Gives what the model says about itself.
///
/// `out`  A new object; give it back with OrtReleaseModelMetadata(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSessionGetModelMetadata(const OrtSession* session, OrtModelMetadata** out);

/// Reports on the session as a JSON object: where the load time went, nodes per execution provider,
/// and memory, mapped and private.
///
/// ortc's own. Members may be added in later releases; none changes its meaning. Times end in
/// `ms`, sizes in `bytes`. Memory is that of the moment of the call.
///
/// `allocator`  Takes the memory of the text.
/// `out`        A new text; give it back with OrtAllocatorFree(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSession_GetReportJson(const OrtSession* session, OrtAllocator* allocator,
                                             char** out);

/// Reports where the memory of a session is as a JSON object, by page, as the system sees it.
///
/// ortc's own; all in bytes. `mapped_bytes`: files, in whole. `resident_bytes`: what is in memory
/// of these, of the session's own memory and of its arena. Of the resident:
/// `shared_with_sessions_bytes`, that other sessions of this process use too;
/// `shared_with_processes_bytes`, pages of files that other processes have too; `private_bytes`,
/// memory of this process with no file behind it, the arena aside. `arena_bytes`: held for runs.
/// `weight_bytes`: what the session reads, wherever it lies; `locked_bytes` of it are locked.
/// `prefetch`, with session.context_residency=prefetch: `state` (running, done, stopped, failed),
/// `expected_bytes` and `done_bytes`. `files`: those that weights lie in, each with `path`,
/// `mapped_bytes` or `copied_bytes`, `resident_bytes`, `used_bytes` (by this session) and
/// `sessions` (of this process that use it). What execution providers of others hold is not known
/// here. Members may be added in later releases; none changes its meaning.
///
/// `allocator`  Takes the memory of the text.
/// `out`        A new text; give it back with OrtAllocatorFree(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT, FAIL (a session that was made to compile only, or not finished), or
/// NOT_IMPLEMENTED where the system does not tell (it does where Linux has /proc). Reads eight
/// bytes for each page of the files and weights, about 3 MB for 1.3 GB; it brings no page in.
/// Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSession_GetMemoryReportJson(const OrtSession* session,
                                                   OrtAllocator* allocator, char** out);

// Runs on other threads.

/// Hears that a run on another thread has ended. Comes from that thread, never while the library
/// holds a lock. It may release the session when no other run is under way.
///
/// `user_data`    As given.
/// `outputs`      The array that was given, filled; NULL after a failure.
/// `num_outputs`  How many; 0 after a failure.
/// `status`       NULL for success, else a new object; the callback releases it.
typedef void (*RunAsyncCallbackFn)(void* user_data, OrtValue** outputs, size_t num_outputs,
                                   OrtStatus* status);

/// Begins a run on a thread of the session's pool and returns at once.
///
/// All parameters are as for OrtRun(). Names are copied; run options, the memory under the values
/// and the array `output` must live until the callback is called.
///
/// `run_async_callback`  Called once when the run has ended, unless this function fails.
/// `user_data`           Passed to the callback; stays the caller's.
///
/// Fails with INVALID_ARGUMENT, also when the session has no thread of its own: then
/// OrtSetIntraOpNumThreads() must say 2 or more. What OrtRun() would say of names, types and shapes
/// comes through the callback. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtRunAsync(OrtSession* session, const OrtRunOptions* run_options,
                                const char* const* input_names, const OrtValue* const* input,
                                size_t input_len, const char* const* output_names,
                                size_t output_names_len, OrtValue** output,
                                RunAsyncCallbackFn run_async_callback, void* user_data);

/// Ends a graph that a provider has captured in a run, so that the next run captures it again.
///
/// Providers that capture graphs record what their device does in the first run, and do the same
/// again in the next: OrtRun() must be given the same values in the same places.
///
/// `session`              Changed.
/// `graph_annotation_id`  The number that runs have as their config entry "gpu_graph_id"; 0 for
///                        runs without.
///
/// Does nothing when no provider of the session captures graphs. Fails with INVALID_ARGUMENT, or as
/// the provider does. Thread-safe, as far as the provider is. Since 1.0.
ORTC_API OrtStatus* OrtSessionReleaseCapturedGraph(OrtSession* session, int graph_annotation_id);

// Profiles, for sessions made with OrtEnableProfiling().

/// Ends the profile and writes its file: a Chrome trace in JSON, with an event for every operator.
///
/// `allocator`  Takes the memory of the text.
/// `out`        The file's name; empty when there was no profile or it has ended already. Give it
///              back with OrtAllocatorFree(). NULL after a failure.
///
/// Without this call the file is written when the session is released. Fails with INVALID_ARGUMENT,
/// or FAIL when the file cannot be written. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSessionEndProfiling(OrtSession* session, OrtAllocator* allocator,
                                           char** out);

/// Tells when the profile began, in nanoseconds since 1970; the times in the file count from then.
/// 0 without a profile.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSessionGetProfilingStartTimeNs(const OrtSession* session, uint64_t* out);

// Where values are.

/// Tells in which memory a run wants each input.
///
/// `inputs_memory_info`  Filled with borrowed descriptions, which live as long as the library.
/// `num_inputs`          Room in the array, at least the number of inputs.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSessionGetMemoryInfoForInputs(const OrtSession* session,
                                                     const OrtMemoryInfo** inputs_memory_info,
                                                     size_t num_inputs);

/// Tells in which memory a run leaves each output; parameters as for
/// OrtSessionGetMemoryInfoForInputs().
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSessionGetMemoryInfoForOutputs(const OrtSession* session,
                                                      const OrtMemoryInfo** outputs_memory_info,
                                                      size_t num_outputs);

/// Tells on which device each input is read.
///
/// `inputs_ep_devices`  Filled with borrowed devices of the environment, which live as long as the
///                      session; NULL for an input that no node reads.
/// `num_inputs`         Room in the array, at least the number of inputs.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSessionGetEpDeviceForInputs(const OrtSession* session,
                                                   const OrtEpDevice** inputs_ep_devices,
                                                   size_t num_inputs);

/// Tells on which device each output is made; parameters as for OrtSessionGetEpDeviceForInputs().
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSessionGetEpDeviceForOutputs(const OrtSession* session,
                                                    const OrtEpDevice** outputs_ep_devices,
                                                    size_t num_outputs);

/// Changes options of execution providers while the session lives.
///
/// `sess`    Changed.
/// `keys`    Borrowed. Keys of config_keys.h that begin with `ep.dynamic.`.
/// `values`  Borrowed. Their values, in the same order.
/// `kv_len`  How many, at least 1.
///
/// The providers of this library have no such option that changes a result or a time: known keys
/// are checked and accepted. Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSetEpDynamicOptions(OrtSession* sess, const char* const* keys,
                                           const char* const* values, size_t kv_len);

#ifdef __cplusplus
}
#endif
