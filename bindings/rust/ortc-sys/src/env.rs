// SPDX-License-Identifier: MIT
//! `env.h`. The environment: the first object of a program.

use std::os::raw::{c_char, c_int, c_void};

use crate::*;

extern "C" {
    /// Makes an environment that logs to stderr.
    pub fn OrtCreateEnv(
        log_severity_level: OrtLoggingLevel,
        logid: *const c_char,
        out: *mut *mut OrtEnv,
    ) -> *mut OrtStatus;
    /// Makes an environment that hands its log lines to a callback.
    pub fn OrtCreateEnvWithCustomLogger(
        logging_function: OrtLoggingFunction,
        logger_param: *mut c_void,
        log_severity_level: OrtLoggingLevel,
        logid: *const c_char,
        out: *mut *mut OrtEnv,
    ) -> *mut OrtStatus;
    /// Makes an environment with threads that sessions share: those whose options say
    /// OrtDisablePerSessionThreads().
    pub fn OrtCreateEnvWithGlobalThreadPools(
        log_severity_level: OrtLoggingLevel,
        logid: *const c_char,
        tp_options: *const OrtThreadingOptions,
        out: *mut *mut OrtEnv,
    ) -> *mut OrtStatus;
    /// Makes an environment that hands its log lines to a callback and has threads that sessions
    /// share.
    pub fn OrtCreateEnvWithCustomLoggerAndGlobalThreadPools(
        logging_function: OrtLoggingFunction,
        logger_param: *mut c_void,
        log_severity_level: OrtLoggingLevel,
        logid: *const c_char,
        tp_options: *const OrtThreadingOptions,
        out: *mut *mut OrtEnv,
    ) -> *mut OrtStatus;
    /// Makes an environment from a description.
    pub fn OrtCreateEnvWithOptions(
        options: *const OrtEnvCreationOptions,
        out: *mut *mut OrtEnv,
    ) -> *mut OrtStatus;
    /// Gives an environment back.
    pub fn OrtReleaseEnv(env: *mut OrtEnv);
    /// Tells the release of the library, as "1.0.0".
    pub fn OrtGetVersionString() -> *const c_char;
    /// Tells how the library was built, in one line for bug reports: release, compiler, build type.
    pub fn OrtGetBuildInfoString() -> *const c_char;
    /// Lists the execution providers in this library, the preferred ones first, the CPU provider
    /// last.
    pub fn OrtGetAvailableProviders(
        out_ptr: *mut *mut *mut c_char,
        provider_length: *mut c_int,
    ) -> *mut OrtStatus;
    /// Gives the result of OrtGetAvailableProviders() back.
    pub fn OrtReleaseAvailableProviders(
        ptr: *mut *mut c_char,
        providers_length: c_int,
    ) -> *mut OrtStatus;
    /// Changes the severity below which lines are dropped: of the environment, and of sessions made
    /// from now on.
    pub fn OrtUpdateEnvWithCustomLogLevel(
        ort_env: *mut OrtEnv,
        log_severity_level: OrtLoggingLevel,
    ) -> *mut OrtStatus;
    /// Takes note of the program's language.
    pub fn OrtSetLanguageProjection(
        ort_env: *const OrtEnv,
        projection: OrtLanguageProjection,
    ) -> *mut OrtStatus;
    /// Does nothing: this library sends no telemetry.
    pub fn OrtEnableTelemetryEvents(env: *const OrtEnv) -> *mut OrtStatus;
    /// Does nothing: this library sends no telemetry.
    pub fn OrtDisableTelemetryEvents(env: *const OrtEnv) -> *mut OrtStatus;
}
