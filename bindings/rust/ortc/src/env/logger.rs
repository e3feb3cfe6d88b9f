// SPDX-License-Identifier: MIT
//! Log lines: closures that receive them, and the library's own place for them.

use std::marker::PhantomData;
use std::os::raw::{c_char, c_int, c_void};

use ortc_sys as sys;

use crate::callback::quietly;
use crate::error::Result;
use crate::text::{c_text, shown};
use crate::LoggingLevel;

/// One line of the log.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LogRecord<'a> {
    /// How bad it is.
    pub level: LoggingLevel,
    /// The stage of the library, as "context" or "partition".
    pub category: &'a str,
    /// The log id of the environment, the session or the run.
    pub log_id: &'a str,
    /// File and line inside the library.
    pub location: &'a str,
    /// The line, without line end.
    pub message: &'a str,
}

pub(crate) type LogFn = Box<dyn Fn(&LogRecord<'_>) + Send + Sync>;

/// Hands a line to the closure behind `state`.
///
/// # Safety
/// `state` is a live [`LogFn`]; the texts live for the call.
pub(crate) unsafe extern "C" fn log_line(
    state: *mut c_void,
    level: sys::OrtLoggingLevel,
    category: *const c_char,
    log_id: *const c_char,
    location: *const c_char,
    message: *const c_char,
) {
    quietly(|| {
        // SAFETY: as the caller promises.
        let (logger, category, log_id, location, message) = unsafe {
            let logger = &*(state as *const LogFn);
            (logger, shown(category), shown(log_id), shown(location), shown(message))
        };
        logger(&LogRecord {
            level: LoggingLevel::from_raw(level),
            category: &category,
            log_id: &log_id,
            location: &location,
            message: &message,
        });
    });
}

/// A place for log lines that the library hands to native code of the program, as a custom
/// operator.
#[derive(Debug)]
pub struct Logger<'a> {
    logger: *const sys::OrtLogger,
    owner: PhantomData<&'a ()>,
}

impl Logger<'_> {
    /// The logger behind a pointer of C.
    ///
    /// # Safety
    /// `logger` is null, which makes all methods fail, or lives as long as the result.
    pub unsafe fn from_raw(logger: *const sys::OrtLogger) -> Self {
        Logger { logger, owner: PhantomData }
    }

    /// Writes a line.
    #[doc(alias = "OrtLogger_LogMessage")]
    pub fn log(&self, level: LoggingLevel, message: &str, file: &str, line: u32) -> Result<()> {
        let (message, file) = (c_text(message)?, c_text(file)?);
        let line = line as c_int;
        let function = c_text("")?;
        // SAFETY: texts are borrowed for the call.
        unsafe {
            call!(OrtLogger_LogMessage(
                self.logger,
                level.to_raw(),
                message.as_ptr(),
                file.as_ptr(),
                line,
                function.as_ptr()
            ))
        }
    }

    /// The severity below which lines are dropped.
    #[doc(alias = "OrtLogger_GetLoggingSeverityLevel")]
    pub fn level(&self) -> Result<LoggingLevel> {
        // SAFETY: the logger lives, or is null.
        let level = unsafe { get!(OrtLogger_GetLoggingSeverityLevel(self.logger)) };
        level.map(LoggingLevel::from_raw)
    }
}
