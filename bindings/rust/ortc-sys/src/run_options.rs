// SPDX-License-Identifier: MIT
//! `run_options.h`. What one call of OrtRun() is to do.

use std::os::raw::{c_char, c_int};

use crate::*;

extern "C" {
    /// Makes run options with their defaults.
    pub fn OrtCreateRunOptions(out: *mut *mut OrtRunOptions) -> *mut OrtStatus;
    /// Gives run options back.
    pub fn OrtReleaseRunOptions(options: *mut OrtRunOptions);
    /// Stops every run that uses these options, now and until the flag is cleared.
    pub fn OrtRunOptionsSetTerminate(options: *mut OrtRunOptions) -> *mut OrtStatus;
    /// Clears the flag, so that the options can serve again.
    pub fn OrtRunOptionsUnsetTerminate(options: *mut OrtRunOptions) -> *mut OrtStatus;
    /// Sets a text that stands in the log lines of the run.
    pub fn OrtRunOptionsSetRunTag(
        options: *mut OrtRunOptions,
        run_tag: *const c_char,
    ) -> *mut OrtStatus;
    /// Tells the tag.
    pub fn OrtRunOptionsGetRunTag(
        options: *const OrtRunOptions,
        run_tag: *mut *const c_char,
    ) -> *mut OrtStatus;
    /// Sets the severity below which lines of the run are dropped.
    pub fn OrtRunOptionsSetRunLogSeverityLevel(
        options: *mut OrtRunOptions,
        log_severity_level: c_int,
    ) -> *mut OrtStatus;
    /// Tells the severity; -1 when it was not set and the session's applies.
    pub fn OrtRunOptionsGetRunLogSeverityLevel(
        options: *const OrtRunOptions,
        log_severity_level: *mut c_int,
    ) -> *mut OrtStatus;
    /// Sets how much detail lines of severity VERBOSE have; 0 is the least and the default.
    pub fn OrtRunOptionsSetRunLogVerbosityLevel(
        options: *mut OrtRunOptions,
        log_verbosity_level: c_int,
    ) -> *mut OrtStatus;
    /// Tells the detail of lines of severity VERBOSE.
    pub fn OrtRunOptionsGetRunLogVerbosityLevel(
        options: *const OrtRunOptions,
        log_verbosity_level: *mut c_int,
    ) -> *mut OrtStatus;
    /// Sets a config entry of the run, replacing one that is there.
    pub fn OrtAddRunConfigEntry(
        options: *mut OrtRunOptions,
        config_key: *const c_char,
        config_value: *const c_char,
    ) -> *mut OrtStatus;
    /// Looks a config entry of the run up.
    pub fn OrtGetRunConfigEntry(
        options: *const OrtRunOptions,
        config_key: *const c_char,
    ) -> *const c_char;
    /// Makes a profile of each run in a file of its own, written when the run ends.
    pub fn OrtRunOptionsEnableProfiling(
        options: *mut OrtRunOptions,
        profile_file_prefix: *const c_char,
    ) -> *mut OrtStatus;
    /// Makes no profiles of runs.
    pub fn OrtRunOptionsDisableProfiling(options: *mut OrtRunOptions) -> *mut OrtStatus;
    /// Lets a run use a stream of a device; see sync_stream.h.
    pub fn OrtRunOptionsSetSyncStream(options: *mut OrtRunOptions, sync_stream: *mut OrtSyncStream);
}
