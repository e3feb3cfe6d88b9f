// SPDX-License-Identifier: MIT
//! `logger.h`. The callback that receives log lines.

use std::os::raw::{c_char, c_int};

use crate::*;

extern "C" {
    /// Writes a log line.
    pub fn OrtLogger_LogMessage(
        logger: *const OrtLogger,
        log_severity_level: OrtLoggingLevel,
        message: *const c_char,
        file_path: *const c_char,
        line_number: c_int,
        func_name: *const c_char,
    ) -> *mut OrtStatus;
    /// Tells the severity below which lines are dropped.
    pub fn OrtLogger_GetLoggingSeverityLevel(
        logger: *const OrtLogger,
        out: *mut OrtLoggingLevel,
    ) -> *mut OrtStatus;
}
