// SPDX-License-Identifier: MIT
//! `session_options.h`. What a session or a compiler is to do.

use std::os::raw::{c_char, c_int, c_void};

use crate::*;

extern "C" {
    /// Makes options with their defaults.
    pub fn OrtCreateSessionOptions(options: *mut *mut OrtSessionOptions) -> *mut OrtStatus;
    /// Makes a copy that is independent of the original.
    pub fn OrtCloneSessionOptions(
        in_options: *const OrtSessionOptions,
        out_options: *mut *mut OrtSessionOptions,
    ) -> *mut OrtStatus;
    /// Gives options back.
    pub fn OrtReleaseSessionOptions(options: *mut OrtSessionOptions);
    /// Adds an execution provider by its name.
    pub fn OrtSessionOptionsAppendExecutionProvider(
        options: *mut OrtSessionOptions,
        provider_name: *const c_char,
        provider_options_keys: *const *const c_char,
        provider_options_values: *const *const c_char,
        num_keys: usize,
    ) -> *mut OrtStatus;
    /// Adds an execution provider by devices from OrtGetEpDevices().
    pub fn OrtSessionOptionsAppendExecutionProvider_V2(
        session_options: *mut OrtSessionOptions,
        env: *mut OrtEnv,
        ep_devices: *const *const OrtEpDevice,
        num_ep_devices: usize,
        ep_option_keys: *const *const c_char,
        ep_option_vals: *const *const c_char,
        num_ep_options: usize,
    ) -> *mut OrtStatus;
    /// Lets the session choose execution providers from the devices that are there.
    pub fn OrtSessionOptionsSetEpSelectionPolicy(
        session_options: *mut OrtSessionOptions,
        policy: OrtExecutionProviderDevicePolicy,
    ) -> *mut OrtStatus;
    /// Lets a function of the program choose execution providers from the devices that are there.
    pub fn OrtSessionOptionsSetEpSelectionPolicyDelegate(
        session_options: *mut OrtSessionOptions,
        delegate: EpSelectionDelegate,
        delegate_state: *mut c_void,
    ) -> *mut OrtStatus;
    /// Sets a config entry, replacing one that is there.
    pub fn OrtAddSessionConfigEntry(
        options: *mut OrtSessionOptions,
        config_key: *const c_char,
        config_value: *const c_char,
    ) -> *mut OrtStatus;
    /// Says whether a config entry was set.
    pub fn OrtHasSessionConfigEntry(
        options: *const OrtSessionOptions,
        config_key: *const c_char,
        out: *mut c_int,
    ) -> *mut OrtStatus;
    /// Copies the value of a config entry, with its terminating zero.
    pub fn OrtGetSessionConfigEntry(
        options: *const OrtSessionOptions,
        config_key: *const c_char,
        config_value: *mut c_char,
        size: *mut usize,
    ) -> *mut OrtStatus;
    /// Chooses how far the graph is rewritten.
    pub fn OrtSetSessionGraphOptimizationLevel(
        options: *mut OrtSessionOptions,
        graph_optimization_level: GraphOptimizationLevel,
    ) -> *mut OrtStatus;
    /// Fixes the number of threads that work on one operator.
    pub fn OrtSetIntraOpNumThreads(
        options: *mut OrtSessionOptions,
        intra_op_num_threads: c_int,
    ) -> *mut OrtStatus;
    /// Fixes the number of operators that run at once under ORT_PARALLEL; without effect otherwise.
    pub fn OrtSetInterOpNumThreads(
        options: *mut OrtSessionOptions,
        inter_op_num_threads: c_int,
    ) -> *mut OrtStatus;
    /// Chooses whether independent operators may run at once.
    pub fn OrtSetSessionExecutionMode(
        options: *mut OrtSessionOptions,
        execution_mode: ExecutionMode,
    ) -> *mut OrtStatus;
    /// Lets a run reuse the memory plan of an earlier run with the same shapes.
    pub fn OrtEnableMemPattern(options: *mut OrtSessionOptions) -> *mut OrtStatus;
    /// Makes each run plan its memory again.
    pub fn OrtDisableMemPattern(options: *mut OrtSessionOptions) -> *mut OrtStatus;
    /// Keeps the memory of a run for the next one.
    pub fn OrtEnableCpuMemArena(options: *mut OrtSessionOptions) -> *mut OrtStatus;
    /// Gives the memory of a run back to the system when the run ends.
    pub fn OrtDisableCpuMemArena(options: *mut OrtSessionOptions) -> *mut OrtStatus;
    /// Gives a dimension a fixed size, found by its denotation, as "DATA_BATCH".
    pub fn OrtAddFreeDimensionOverride(
        options: *mut OrtSessionOptions,
        dim_denotation: *const c_char,
        dim_value: i64,
    ) -> *mut OrtStatus;
    /// Gives a dimension a fixed size, found by its symbolic name, as "batch".
    pub fn OrtAddFreeDimensionOverrideByName(
        options: *mut OrtSessionOptions,
        dim_name: *const c_char,
        dim_value: i64,
    ) -> *mut OrtStatus;
    /// Sets the log id of the session's lines.
    pub fn OrtSetSessionLogId(
        options: *mut OrtSessionOptions,
        logid: *const c_char,
    ) -> *mut OrtStatus;
    /// Sets how much detail lines of severity VERBOSE have; 0 is the least and the default.
    pub fn OrtSetSessionLogVerbosityLevel(
        options: *mut OrtSessionOptions,
        session_log_verbosity_level: c_int,
    ) -> *mut OrtStatus;
    /// Sets the severity below which lines of the session are dropped.
    pub fn OrtSetSessionLogSeverityLevel(
        options: *mut OrtSessionOptions,
        session_log_severity_level: c_int,
    ) -> *mut OrtStatus;
    /// Hands the session's log lines to a callback.
    pub fn OrtSetUserLoggingFunction(
        options: *mut OrtSessionOptions,
        user_logging_function: OrtLoggingFunction,
        user_logging_param: *mut c_void,
    ) -> *mut OrtStatus;
    /// Writes the optimised model as an ONNX file when the session is made, replacing one that is
    /// there.
    pub fn OrtSetOptimizedModelFilePath(
        options: *mut OrtSessionOptions,
        optimized_model_filepath: *const c_char,
    ) -> *mut OrtStatus;
    /// Makes a profile of the session; see OrtSessionEndProfiling().
    pub fn OrtEnableProfiling(
        options: *mut OrtSessionOptions,
        profile_file_prefix: *const c_char,
    ) -> *mut OrtStatus;
    /// Makes no profile.
    pub fn OrtDisableProfiling(options: *mut OrtSessionOptions) -> *mut OrtStatus;
    /// Gives a tensor in place of an initializer, for sessions that share it.
    pub fn OrtAddInitializer(
        options: *mut OrtSessionOptions,
        name: *const c_char,
        val: *const OrtValue,
    ) -> *mut OrtStatus;
    /// Gives tensors in place of initializers whose bytes the model has in other files; those files
    /// are not opened then.
    pub fn OrtAddExternalInitializers(
        options: *mut OrtSessionOptions,
        initializer_names: *const *const c_char,
        initializers: *const *const OrtValue,
        num_initializers: usize,
    ) -> *mut OrtStatus;
    /// Gives the contents of external data files; no such file is opened then.
    pub fn OrtAddExternalInitializersFromFilesInMemory(
        options: *mut OrtSessionOptions,
        external_initializer_file_names: *const *const c_char,
        external_initializer_file_buffer_array: *const *mut c_char,
        external_initializer_file_lengths: *const usize,
        num_external_initializer_files: usize,
    ) -> *mut OrtStatus;
    /// Has a function give the context binaries of compiled models, in place of files: from memory,
    /// an archive, a database, or decrypted.
    pub fn OrtSessionOptionsSetEpContextDataReadFunc(
        options: *mut OrtSessionOptions,
        read_func: OrtReadNamedBufferFunc,
        state: *mut c_void,
    ) -> *mut OrtStatus;
    /// Gives the source of a model that was compiled without weights, in place of the config key
    /// ep.context_source_model_path.
    pub fn OrtSessionOptionsSetWeightlessSourceModelBuffer(
        options: *mut OrtSessionOptions,
        source_model_data: *const c_void,
        source_model_data_length: usize,
    ) -> *mut OrtStatus;
    /// Makes the session use the threads of its environment, which must have been made with global
    /// thread pools.
    pub fn OrtDisablePerSessionThreads(options: *mut OrtSessionOptions) -> *mut OrtStatus;
    /// Lets a function of the program make the session's threads, when the session is made.
    pub fn OrtSessionOptionsSetCustomCreateThreadFn(
        options: *mut OrtSessionOptions,
        ort_custom_create_thread_fn: OrtCustomCreateThreadFn,
    ) -> *mut OrtStatus;
    /// Sets what the creating function gets as its first parameter.
    pub fn OrtSessionOptionsSetCustomThreadCreationOptions(
        options: *mut OrtSessionOptions,
        ort_custom_thread_creation_options: *mut c_void,
    ) -> *mut OrtStatus;
    /// Sets the function that joins the program's threads.
    pub fn OrtSessionOptionsSetCustomJoinThreadFn(
        options: *mut OrtSessionOptions,
        ort_custom_join_thread_fn: OrtCustomJoinThreadFn,
    ) -> *mut OrtStatus;
    /// Asks for results that do not change from run to run.
    pub fn OrtSetDeterministicCompute(
        options: *mut OrtSessionOptions,
        value: bool,
    ) -> *mut OrtStatus;
    /// Stops the making of sessions with these options and copies of them, now and until the flag
    /// is cleared.
    pub fn OrtSessionOptionsSetLoadCancellationFlag(
        options: *mut OrtSessionOptions,
        cancel: bool,
    ) -> *mut OrtStatus;
    /// Has a function hear how far the making of a session has come, and stop it.
    pub fn OrtSessionOptionsSetLoadProgress(
        options: *mut OrtSessionOptions,
        progress: OrtProgressFn,
        state: *mut c_void,
        release: OrtReleaseStateFn,
    ) -> *mut OrtStatus;
    /// Gives all config entries.
    pub fn OrtGetSessionOptionsConfigEntries(
        options: *const OrtSessionOptions,
        out: *mut *mut OrtKeyValuePairs,
    ) -> *mut OrtStatus;
    /// Says whether the memory plan is reused: 1 or 0.
    pub fn OrtGetMemPatternEnabled(
        options: *const OrtSessionOptions,
        out: *mut c_int,
    ) -> *mut OrtStatus;
    /// Tells the execution mode.
    pub fn OrtGetSessionExecutionMode(
        options: *const OrtSessionOptions,
        out: *mut ExecutionMode,
    ) -> *mut OrtStatus;
}
