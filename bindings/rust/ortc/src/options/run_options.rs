// SPDX-License-Identifier: MIT
//! What a run is to do.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use ortc_sys as sys;

use super::LoraAdapter;
use crate::call::Owned;
use crate::cancel::{CancelToken, Hook};
use crate::error::Result;
use crate::memory::{Stream, SyncStream};
use crate::text::{c_path, c_text, optional_text, text};
use crate::LoggingLevel;

/// What a run is to do. One object may serve several runs, also at once.
///
/// ```
/// use ortc::{CancelToken, RunOptions};
///
/// let token = CancelToken::new();
/// let mut options = RunOptions::new()?;
/// options.set_tag("batch 7")?;
/// options.cancel_with(&token); // token.cancel() stops its runs
/// # Ok::<(), ortc::Error>(())
/// ```
pub struct RunOptions {
    // First: hooks end before the object whose flag they set.
    hooks: Vec<Hook>,
    handle: Owned<sys::OrtRunOptions>,
    terminated: AtomicBool,
    stream: Option<Arc<Stream>>,
}

impl RunOptions {
    /// Options with their defaults.
    #[doc(alias = "OrtCreateRunOptions")]
    pub fn new() -> Result<Self> {
        // SAFETY: a new object.
        let handle = unsafe { Owned::new(get!(OrtCreateRunOptions())?) };
        let terminated = AtomicBool::new(false);
        Ok(RunOptions { hooks: Vec::new(), handle, terminated, stream: None })
    }

    /// Stops every run that uses these options, now and until [`reset`](Self::reset). It ends soon,
    /// not at that moment.
    #[doc(alias = "OrtRunOptionsSetTerminate")]
    pub fn terminate(&self) -> Result<()> {
        self.terminated.store(true, Ordering::Relaxed);
        // SAFETY: allowed at any time.
        unsafe { call!(OrtRunOptionsSetTerminate(self.as_ptr())) }
    }

    /// Lets the options serve again after [`terminate`](Self::terminate). A token that was
    /// cancelled stays so.
    #[doc(alias = "OrtRunOptionsUnsetTerminate")]
    pub fn reset(&self) -> Result<()> {
        if self.hooks.iter().any(|hook| hook.token().is_cancelled()) {
            return Ok(());
        }
        self.terminated.store(false, Ordering::Relaxed);
        // SAFETY: allowed at any time.
        unsafe { call!(OrtRunOptionsUnsetTerminate(self.as_ptr())) }
    }

    /// Stops runs with these options when the token is cancelled.
    pub fn cancel_with(&mut self, token: &CancelToken) {
        struct Flag(*mut sys::OrtRunOptions);
        // SAFETY: the flag may be set at any time, from any thread.
        unsafe impl Send for Flag {}
        let flag = Flag(self.as_ptr());
        self.hooks.push(token.attach(move || {
            let flag = &flag; // the whole, which may be sent
                              // SAFETY: the options live: their hooks end first. It cannot fail.
            let _ = unsafe { call!(OrtRunOptionsSetTerminate(flag.0)) };
        }));
    }

    /// Whether runs with these options are to stop.
    pub fn is_terminated(&self) -> bool {
        self.terminated.load(Ordering::Relaxed)
            || self.hooks.iter().any(|hook| hook.token().is_cancelled())
    }

    /// Sets a text that stands in the log lines of the run.
    #[doc(alias = "OrtRunOptionsSetRunTag")]
    pub fn set_tag(&mut self, tag: &str) -> Result<()> {
        let tag = c_text(tag)?;
        // SAFETY: the text is copied.
        unsafe { call!(OrtRunOptionsSetRunTag(self.as_ptr(), tag.as_ptr())) }
    }

    /// Tells the tag.
    #[doc(alias = "OrtRunOptionsGetRunTag")]
    pub fn tag(&self) -> Result<String> {
        // SAFETY: the text lives until the tag is set again.
        unsafe { get!(OrtRunOptionsGetRunTag(self.as_ptr())).map(|tag| text(tag)) }
    }

    /// Sets the severity below which lines of the run are dropped.
    #[doc(alias = "OrtRunOptionsSetRunLogSeverityLevel")]
    pub fn set_log_level(&mut self, level: LoggingLevel) -> Result<()> {
        // SAFETY: the options live.
        unsafe { call!(OrtRunOptionsSetRunLogSeverityLevel(self.as_ptr(), level.to_raw())) }
    }

    /// Tells the severity; none when it was not set and the session's applies.
    #[doc(alias = "OrtRunOptionsGetRunLogSeverityLevel")]
    pub fn log_level(&self) -> Result<Option<LoggingLevel>> {
        // SAFETY: the options live.
        let level = unsafe { get!(OrtRunOptionsGetRunLogSeverityLevel(self.as_ptr())) }?;
        Ok((level >= 0).then(|| LoggingLevel::from_raw(level)))
    }

    /// Sets how much detail lines of severity `Verbose` have; 0 is the least and the default.
    #[doc(alias = "OrtRunOptionsSetRunLogVerbosityLevel")]
    pub fn set_log_verbosity(&mut self, verbosity: i32) -> Result<()> {
        // SAFETY: the options live.
        unsafe { call!(OrtRunOptionsSetRunLogVerbosityLevel(self.as_ptr(), verbosity)) }
    }

    /// Tells the detail of lines of severity `Verbose`.
    #[doc(alias = "OrtRunOptionsGetRunLogVerbosityLevel")]
    pub fn log_verbosity(&self) -> Result<i32> {
        // SAFETY: the options live.
        unsafe { get!(OrtRunOptionsGetRunLogVerbosityLevel(self.as_ptr())) }
    }

    /// Sets a config entry: one of the `RUN_` keys of [`keys`](crate::keys).
    #[doc(alias = "OrtAddRunConfigEntry")]
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let (key, value) = (c_text(key)?, c_text(value)?);
        // SAFETY: texts are copied.
        unsafe { call!(OrtAddRunConfigEntry(self.as_ptr(), key.as_ptr(), value.as_ptr())) }
    }

    /// The value of a config entry; none when it was not set.
    #[doc(alias = "OrtGetRunConfigEntry")]
    pub fn get(&self, key: &str) -> Option<String> {
        let key = c_text(key).ok()?;
        // SAFETY: the text lives until the entry is set again.
        unsafe { optional_text(sys::OrtGetRunConfigEntry(self.as_ptr(), key.as_ptr())) }
    }

    /// Makes a profile of each run, in a file whose name begins so; `None`: no profiles.
    #[doc(alias = "OrtRunOptionsEnableProfiling")]
    #[doc(alias = "OrtRunOptionsDisableProfiling")]
    pub fn set_profiling(&mut self, prefix: Option<&Path>) -> Result<()> {
        // SAFETY: the path is copied.
        unsafe {
            match prefix {
                Some(prefix) => {
                    call!(OrtRunOptionsEnableProfiling(self.as_ptr(), c_path(prefix)?.as_ptr()))
                }
                None => call!(OrtRunOptionsDisableProfiling(self.as_ptr())),
            }
        }
    }

    /// Feeds the parameters of an adapter to the inputs of their names, also in place of values
    /// that a run gives. Several adapters may be active at once.
    #[doc(alias = "OrtRunOptionsAddActiveLoraAdapter")]
    pub fn add_lora_adapter(&mut self, adapter: &LoraAdapter) -> Result<()> {
        // SAFETY: the options keep what they need of it.
        unsafe { call!(OrtRunOptionsAddActiveLoraAdapter(self.as_ptr(), adapter.as_ptr())) }
    }

    /// Has the work of runs on a device go to a stream, which the options keep;
    /// [`SyncStream::cpu`] takes it away again.
    ///
    /// Fails for the stream of a kernel's call.
    #[doc(alias = "OrtRunOptionsSetSyncStream")]
    pub fn set_sync_stream(&mut self, stream: &SyncStream) -> Result<()> {
        let kept = stream.owner()?.cloned();
        // SAFETY: the stream lives as long as the options, or until they get another one.
        unsafe { sys::OrtRunOptionsSetSyncStream(self.as_ptr(), stream.as_ptr()) };
        self.stream = kept;
        Ok(())
    }

    pub(crate) fn as_ptr(&self) -> *mut sys::OrtRunOptions {
        self.handle.as_ptr()
    }

    /// A failure of a run that was stopped says so.
    pub(crate) fn settle<T>(&self, result: Result<T>) -> Result<T> {
        result.map_err(|error| if self.is_terminated() { error.into_cancelled() } else { error })
    }
}

impl std::fmt::Debug for RunOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunOptions")
            .field("tag", &self.tag())
            .field("is_terminated", &self.is_terminated())
            .finish()
    }
}
