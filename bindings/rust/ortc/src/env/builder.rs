// SPDX-License-Identifier: MIT
//! Environments with a logger, threads or config entries of their own.

use std::os::raw::c_void;
use std::ptr::{null, null_mut};
use std::sync::{Arc, Mutex};

use ortc_sys as sys;

use super::{log_line, version, Env, Inner, LogFn, LogRecord, ThreadingOptions};
use crate::call::Owned;
use crate::callback::{resume, Slot};
use crate::error::{Error, Result};
use crate::key_values::KeyValuePairs;
use crate::text::c_text;
use crate::{ErrorCode, LoggingLevel};

/// The interface that this crate was written for.
const INTERFACE: u32 = 24;

/// What an environment is to be.
///
/// ```
/// use ortc::{Env, LoggingLevel};
///
/// let env = Env::builder()
///     .log_id("server")
///     .log_level(LoggingLevel::Info)
///     .logger(|record| println!("[{:?}] {}", record.level, record.message))
///     .build()?;
/// # Ok::<(), ortc::Error>(())
/// ```
#[must_use]
pub struct EnvBuilder {
    log_id: String,
    log_level: LoggingLevel,
    logger: Option<Box<LogFn>>,
    threads: Option<ThreadingOptions>,
    config: Vec<(String, String)>,
}

impl Default for EnvBuilder {
    fn default() -> Self {
        EnvBuilder {
            log_id: String::new(),
            log_level: LoggingLevel::Warning,
            logger: None,
            threads: None,
            config: Vec::new(),
        }
    }
}

impl EnvBuilder {
    /// A text that stands in all log lines.
    pub fn log_id(mut self, log_id: &str) -> Self {
        self.log_id = log_id.into();
        self
    }

    /// Lines milder than this are dropped.
    pub fn log_level(mut self, level: LoggingLevel) -> Self {
        self.log_level = level;
        self
    }

    /// Hands log lines to a closure in place of stderr. It may be called from several threads at
    /// once. A panic goes on when the call of the program that logged returns.
    pub fn logger(mut self, logger: impl Fn(&LogRecord<'_>) + Send + Sync + 'static) -> Self {
        self.logger = Some(Box::new(Box::new(logger)));
        self
    }

    /// Makes threads that sessions share: those whose options say
    /// [`use_env_threads`](crate::SessionOptions::use_env_threads).
    pub fn threads(mut self, threads: ThreadingOptions) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Sets a config entry: one of the `ENV_` keys of [`keys`](crate::keys).
    pub fn config(mut self, key: &str, value: &str) -> Self {
        self.config.push((key.into(), value.into()));
        self
    }

    /// Makes the environment.
    #[doc(alias = "OrtCreateEnv")]
    #[doc(alias = "OrtCreateEnvWithCustomLogger")]
    #[doc(alias = "OrtCreateEnvWithGlobalThreadPools")]
    #[doc(alias = "OrtCreateEnvWithCustomLoggerAndGlobalThreadPools")]
    #[doc(alias = "OrtCreateEnvWithOptions")]
    pub fn build(self) -> Result<Env> {
        check_version(&version())?;
        let slot = Slot::default();
        let id = c_text(&self.log_id)?;
        let level = self.log_level.to_raw();
        let config = KeyValuePairs::try_from(&self.config[..])?;
        let threads = self.threads.map(|threads| threads.create(&slot)).transpose()?;
        let logger: sys::OrtLoggingFunction = self.logger.as_ref().map(|_| log_line as _);
        let state = self
            .logger
            .as_ref()
            .map_or(null_mut(), |logger| &**logger as *const LogFn as *mut c_void);
        let pool = threads.as_ref().map_or(null(), |(pool, _)| pool.as_ptr());
        // SAFETY: texts, pool and entries are borrowed for the call; the environment keeps the
        // logger, whose place in memory does not change, and what makes the threads.
        let handle = unsafe {
            if !self.config.is_empty() {
                let options = sys::OrtEnvCreationOptions {
                    version: INTERFACE,
                    logging_severity_level: level,
                    log_id: id.as_ptr(),
                    custom_logging_function: logger,
                    custom_logging_param: state,
                    threading_options: pool,
                    config_entries: config.as_ptr(),
                };
                get!(OrtCreateEnvWithOptions(&options))
            } else if logger.is_some() && !pool.is_null() {
                get!(OrtCreateEnvWithCustomLoggerAndGlobalThreadPools(
                    logger,
                    state,
                    level,
                    id.as_ptr(),
                    pool
                ))
            } else if logger.is_some() {
                get!(OrtCreateEnvWithCustomLogger(logger, state, level, id.as_ptr()))
            } else if !pool.is_null() {
                get!(OrtCreateEnvWithGlobalThreadPools(level, id.as_ptr(), pool))
            } else {
                get!(OrtCreateEnv(level, id.as_ptr()))
            }
        };
        let env = slot.settle(handle).map(|handle| {
            Env(Arc::new(Inner {
                // SAFETY: new, and ours.
                handle: unsafe { Owned::new(handle) },
                _logger: self.logger,
                _threads: threads.and_then(|(_, spawner)| spawner),
                allocators: Mutex::default(),
                kept: Mutex::default(),
            }))
            .announce()
        });
        resume(env)
    }
}

/// Within one major number the library only grows: it must not be older than this crate.
fn check_version(library: &str) -> Result<()> {
    let own = env!("CARGO_PKG_VERSION");
    let numbers = |version: &str| {
        let mut parts = version.split('.').map(|part| part.parse::<u32>().ok());
        Some((parts.next()??, parts.next()??))
    };
    match (numbers(library), numbers(own)) {
        (Some((major, minor)), Some(needed)) if major == needed.0 && minor >= needed.1 => Ok(()),
        _ => {
            let message = format!("this crate is ortc {own}, and the library is {library}");
            Err(Error::new(ErrorCode::Fail, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_of_another_major_number_is_refused() {
        assert!(check_version(env!("CARGO_PKG_VERSION")).is_ok());
        assert!(check_version("1.99.0").is_ok());
        for other in ["0.9.0", "2.0.0", "", "one"] {
            let error = check_version(other).unwrap_err();
            assert!(error.message().contains(env!("CARGO_PKG_VERSION")), "{error}");
        }
    }
}
