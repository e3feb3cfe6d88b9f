// SPDX-License-Identifier: MIT
//! `threading.h`. Threads: settings of a pool that all sessions of an environment share, and
//! functions of the program that make threads in place of the system's.

use std::os::raw::{c_char, c_int, c_void};

use crate::*;

extern "C" {
    /// Makes settings with their defaults: a thread per core, which spins for a short while after
    /// work.
    pub fn OrtCreateThreadingOptions(out: *mut *mut OrtThreadingOptions) -> *mut OrtStatus;
    /// Gives settings back.
    pub fn OrtReleaseThreadingOptions(input: *mut OrtThreadingOptions);
    /// Fixes the number of threads that work on one operator.
    pub fn OrtSetGlobalIntraOpNumThreads(
        tp_options: *mut OrtThreadingOptions,
        intra_op_num_threads: c_int,
    ) -> *mut OrtStatus;
    /// Fixes the number of operators that run at once.
    pub fn OrtSetGlobalInterOpNumThreads(
        tp_options: *mut OrtThreadingOptions,
        inter_op_num_threads: c_int,
    ) -> *mut OrtStatus;
    /// Says whether idle threads wait awake for a short while.
    pub fn OrtSetGlobalSpinControl(
        tp_options: *mut OrtThreadingOptions,
        allow_spinning: c_int,
    ) -> *mut OrtStatus;
    /// Asks for denormal numbers to count as zero.
    pub fn OrtSetGlobalDenormalAsZero(tp_options: *mut OrtThreadingOptions) -> *mut OrtStatus;
    /// Asks for threads to stay on processors.
    pub fn OrtSetGlobalIntraOpThreadAffinity(
        tp_options: *mut OrtThreadingOptions,
        affinity_string: *const c_char,
    ) -> *mut OrtStatus;
    /// Lets a function of the program make the threads.
    pub fn OrtSetGlobalCustomCreateThreadFn(
        tp_options: *mut OrtThreadingOptions,
        ort_custom_create_thread_fn: OrtCustomCreateThreadFn,
    ) -> *mut OrtStatus;
    /// Sets what the creating function gets as its first parameter.
    pub fn OrtSetGlobalCustomThreadCreationOptions(
        tp_options: *mut OrtThreadingOptions,
        ort_custom_thread_creation_options: *mut c_void,
    ) -> *mut OrtStatus;
    /// Sets the function that joins the program's threads.
    pub fn OrtSetGlobalCustomJoinThreadFn(
        tp_options: *mut OrtThreadingOptions,
        ort_custom_join_thread_fn: OrtCustomJoinThreadFn,
    ) -> *mut OrtStatus;
    /// Has functions told about the work of sessions' own thread pools.
    pub fn OrtSetPerSessionThreadPoolCallbacks(
        env: *mut OrtEnv,
        config: *const OrtThreadPoolCallbacksConfig,
    ) -> *mut OrtStatus;
}
