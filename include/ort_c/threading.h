// SPDX-License-Identifier: MIT
// Threads: settings of a pool that all sessions of an environment share, and functions of the
// program that make threads in place of the system's.
#pragma once

#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OrtThreadingOptions OrtThreadingOptions;
typedef struct OrtThreadPoolCallbacksConfig OrtThreadPoolCallbacksConfig;

/// What a thread is to do: called once, with the parameter that came with it.
typedef void (*OrtThreadWorkerFn)(void* ort_worker_fn_param);
/// A thread of the program; anything but NULL.
typedef const struct OrtCustomHandleType* OrtCustomThreadHandle;
/// Makes a thread that calls `ort_thread_worker_fn(ort_worker_fn_param)` and then ends. Gives NULL
/// when there is none to be had.
typedef OrtCustomThreadHandle (*OrtCustomCreateThreadFn)(void* ort_custom_thread_creation_options,
                                                         OrtThreadWorkerFn ort_thread_worker_fn,
                                                         void* ort_worker_fn_param);
/// Waits until the thread has ended and gives it back.
typedef void (*OrtCustomJoinThreadFn)(OrtCustomThreadHandle ort_custom_thread_handle);

/// Makes settings with their defaults: a thread per core, which spins for a short while after work.
///
/// `out`  A new object; give it back with OrtReleaseThreadingOptions(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateThreadingOptions(OrtThreadingOptions** out);

/// Gives settings back. Environments made with them are not touched.
///
/// `input`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseThreadingOptions(OrtThreadingOptions* input);

/// Fixes the number of threads that work on one operator.
///
/// `intra_op_num_threads`  The thread that calls OrtRun() counts. 0, the default, means one per
///                         core.
///
/// Fails with INVALID_ARGUMENT for a negative number, or more than 1024. Since 1.0.
ORTC_API OrtStatus* OrtSetGlobalIntraOpNumThreads(OrtThreadingOptions* tp_options,
                                                  int intra_op_num_threads);

/// Fixes the number of operators that run at once. Accepted; operators run one after the other.
///
/// Fails with INVALID_ARGUMENT for a negative number, or more than 1024. Since 1.0.
ORTC_API OrtStatus* OrtSetGlobalInterOpNumThreads(OrtThreadingOptions* tp_options,
                                                  int inter_op_num_threads);

/// Says whether idle threads wait awake for a short while.
///
/// `allow_spinning`  1, the default, or 0: they sleep at once.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtSetGlobalSpinControl(OrtThreadingOptions* tp_options, int allow_spinning);

/// Asks for denormal numbers to count as zero: operands and results, in runs of the sessions that
/// use these threads, on the calling thread too, whose own mode is back when the run has ended.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtSetGlobalDenormalAsZero(OrtThreadingOptions* tp_options);

/// Asks for threads to stay on processors. Where the system refuses, the threads run as it places
/// them, and that is logged.
///
/// `affinity_string`  A group for each thread but the caller's, of processors counted from 1:
///                    "1,2;3-6" are groups for two; 1 to 4096 bytes.
///
/// Fails with INVALID_ARGUMENT for a malformed text; creating the environment does for a number of
/// groups that is not that of the threads without the caller's. Since 1.0.
ORTC_API OrtStatus* OrtSetGlobalIntraOpThreadAffinity(OrtThreadingOptions* tp_options,
                                                      const char* affinity_string);

/// Lets a function of the program make the threads. A function that joins them is needed as well.
///
/// `ort_custom_create_thread_fn`  Callable until the environment and its sessions are released.
///                                NULL means the system's threads.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtSetGlobalCustomCreateThreadFn(
    OrtThreadingOptions* tp_options, OrtCustomCreateThreadFn ort_custom_create_thread_fn);

/// Sets what the creating function gets as its first parameter.
///
/// `ort_custom_thread_creation_options`  Passed on as it is; stays the caller's.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtSetGlobalCustomThreadCreationOptions(
    OrtThreadingOptions* tp_options, void* ort_custom_thread_creation_options);

/// Sets the function that joins the program's threads.
///
/// `ort_custom_join_thread_fn`  Callable until the environment and its sessions are released.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtSetGlobalCustomJoinThreadFn(OrtThreadingOptions* tp_options,
                                                   OrtCustomJoinThreadFn ort_custom_join_thread_fn);

/// Hears that a thread is about to hand work to another; gives what the other callbacks get of it.
typedef void* (*OrtThreadPoolWorkEnqueueFn)(void* user_context);
/// Hears that a thread begins with work that was handed to it.
typedef void (*OrtThreadPoolWorkStartFn)(void* user_context, void* enqueue_data);
/// Hears that it has ended, whether it failed or not. Comes once after each start, on its thread.
typedef void (*OrtThreadPoolWorkStopFn)(void* user_context, void* enqueue_data);
/// Hears that no thread needed to begin: the work had been done before one came.
typedef void (*OrtThreadPoolWorkAbandonFn)(void* user_context, void* enqueue_data);

/// What is told about the work of a thread pool. Each function may be NULL; none may throw.
struct OrtThreadPoolCallbacksConfig {
  uint32_t version;  // ORT_API_VERSION of the program: 25 or more
  OrtThreadPoolWorkEnqueueFn on_enqueue;
  OrtThreadPoolWorkStartFn on_start_work;
  OrtThreadPoolWorkStopFn on_stop_work;
  OrtThreadPoolWorkAbandonFn on_abandon;
  void* user_context;  // first parameter of each; several threads call with it at once
};

/// Has functions told about the work of sessions' own thread pools: about the shares of each
/// operator that is divided among threads, the one of the thread that runs the model included. Each
/// share is either started and stopped, or abandoned, before the operator ends.
///
/// `config`  Copied; for sessions that are made from now on, in place of those set before. What it
///           points at must be there until these sessions are released.
///
/// A pool of the environment (OrtCreateEnvWithGlobalThreadPools()) tells nothing.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSetPerSessionThreadPoolCallbacks(OrtEnv* env,
                                                        const OrtThreadPoolCallbacksConfig* config);

#ifdef __cplusplus
}
#endif
