// SPDX-License-Identifier: MIT
//! What a session or a compiler is to do: closures, threads, cancelling. Config entries, providers
//! and weights have files of their own.

use std::fmt;
use std::io;
use std::os::raw::c_int;
use std::sync::Arc;
use std::thread::JoinHandle;

use ortc_sys as sys;

use super::loading::{Callbacks, Prepared};
use crate::call::Owned;
use crate::callback::{CallbackResult, Progress, ProgressAnswer};
use crate::cancel::{CancelToken, Hook};
use crate::compile::{KeptByGroup, SharingGroup};
use crate::env::{Kept, LogRecord, ThreadWork};
use crate::error::Result;
use crate::text::{c_path, c_text};
use crate::{ExecutionMode, GraphOptimizationLevel, LoggingLevel};

/// What a session or a compiler is to do.
///
/// Options are copied where they are used: changes afterwards change nothing there. Config entries
/// are the keys of [`keys`](crate::keys).
///
/// ```
/// use ortc::{keys, SessionOptions};
///
/// let mut options = SessionOptions::new()?;
/// options.set_intra_op_threads(2)?;
/// options.set(keys::SESSION_OPTION_EP_CONTEXT_EMBED_MODE, "1")?;
/// let error = options.set("session.inter_op_treads", "1").unwrap_err();
/// assert!(error.message().contains("session.inter_op_num_threads"));
/// # Ok::<(), ortc::Error>(())
/// ```
pub struct SessionOptions {
    // First: hooks end before the object whose flag they set.
    hooks: Vec<Hook>,
    handle: Owned<sys::OrtSessionOptions>,
    pub(super) callbacks: Callbacks,
    /// What the options refer to: devices' environments, values, buffers.
    pub(super) kept: Vec<Kept>,
    /// Operators of the program.
    pub(super) operators: Vec<Kept>,
    pub(super) group: Option<Arc<KeptByGroup>>,
}

impl SessionOptions {
    /// Options with their defaults.
    #[doc(alias = "OrtCreateSessionOptions")]
    pub fn new() -> Result<Self> {
        // SAFETY: a new object.
        let handle = unsafe { Owned::new(get!(OrtCreateSessionOptions())?) };
        Ok(SessionOptions {
            hooks: Vec::new(),
            handle,
            callbacks: Callbacks::default(),
            kept: Vec::new(),
            operators: Vec::new(),
            group: None,
        })
    }

    /// A copy that is independent of this one; closures, tokens and values are shared.
    #[doc(alias = "OrtCloneSessionOptions")]
    pub fn try_clone(&self) -> Result<Self> {
        let mut clone = SessionOptions {
            hooks: Vec::new(),
            handle: self.clone_handle()?,
            callbacks: self.callbacks.clone(),
            kept: self.kept.clone(),
            operators: self.operators.clone(),
            group: self.group.clone(),
        };
        self.hooks.iter().for_each(|hook| clone.attach(hook.token()));
        Ok(clone)
    }

    pub(super) fn clone_handle(&self) -> Result<Owned<sys::OrtSessionOptions>> {
        // SAFETY: a new object.
        unsafe { Ok(Owned::new(get!(OrtCloneSessionOptions(self.as_ptr()))?)) }
    }

    /// Chooses how far the graph is rewritten. The default is `EnableAll`.
    #[doc(alias = "OrtSetSessionGraphOptimizationLevel")]
    pub fn set_graph_optimization_level(&mut self, level: GraphOptimizationLevel) -> Result<()> {
        // SAFETY: the options live.
        unsafe { call!(OrtSetSessionGraphOptimizationLevel(self.as_ptr(), level.to_raw())) }
    }

    /// Chooses whether independent operators may run at once. The default is `Sequential`.
    #[doc(alias = "OrtSetSessionExecutionMode")]
    pub fn set_execution_mode(&mut self, mode: ExecutionMode) -> Result<()> {
        // SAFETY: the options live.
        unsafe { call!(OrtSetSessionExecutionMode(self.as_ptr(), mode.to_raw())) }
    }

    /// Tells the execution mode.
    #[doc(alias = "OrtGetSessionExecutionMode")]
    pub fn execution_mode(&self) -> Result<ExecutionMode> {
        // SAFETY: the options live.
        unsafe { get!(OrtGetSessionExecutionMode(self.as_ptr())) }.map(ExecutionMode::from_raw)
    }

    /// How many threads work on one operator, that of the caller included; 0, the default: one per
    /// physical core.
    #[doc(alias = "OrtSetIntraOpNumThreads")]
    pub fn set_intra_op_threads(&mut self, count: i32) -> Result<()> {
        // SAFETY: the options live.
        unsafe { call!(OrtSetIntraOpNumThreads(self.as_ptr(), count)) }
    }

    /// How many operators run at once under [`ExecutionMode::Parallel`]; 0: the library chooses.
    #[doc(alias = "OrtSetInterOpNumThreads")]
    pub fn set_inter_op_threads(&mut self, count: i32) -> Result<()> {
        // SAFETY: the options live.
        unsafe { call!(OrtSetInterOpNumThreads(self.as_ptr(), count)) }
    }

    /// Whether a run may reuse the memory plan of an earlier run with the same shapes; it may by
    /// default.
    #[doc(alias = "OrtEnableMemPattern")]
    #[doc(alias = "OrtDisableMemPattern")]
    pub fn set_memory_pattern(&mut self, enabled: bool) -> Result<()> {
        // SAFETY: the options live.
        unsafe {
            if enabled {
                call!(OrtEnableMemPattern(self.as_ptr()))
            } else {
                call!(OrtDisableMemPattern(self.as_ptr()))
            }
        }
    }

    /// Tells whether the memory plan is reused.
    #[doc(alias = "OrtGetMemPatternEnabled")]
    pub fn memory_pattern(&self) -> Result<bool> {
        // SAFETY: the options live.
        unsafe { get!(OrtGetMemPatternEnabled(self.as_ptr())) }.map(|is: c_int| is != 0)
    }

    /// Whether the memory of a run is kept for the next one; it is by default.
    #[doc(alias = "OrtEnableCpuMemArena")]
    #[doc(alias = "OrtDisableCpuMemArena")]
    pub fn set_memory_arena(&mut self, enabled: bool) -> Result<()> {
        // SAFETY: the options live.
        unsafe {
            if enabled {
                call!(OrtEnableCpuMemArena(self.as_ptr()))
            } else {
                call!(OrtDisableCpuMemArena(self.as_ptr()))
            }
        }
    }

    /// Asks for results that do not change from run to run. They never do.
    #[doc(alias = "OrtSetDeterministicCompute")]
    pub fn set_deterministic(&mut self, deterministic: bool) -> Result<()> {
        // SAFETY: the options live.
        unsafe { call!(OrtSetDeterministicCompute(self.as_ptr(), deterministic)) }
    }

    /// Gives a dimension a fixed size, found by its symbolic name, as "batch".
    #[doc(alias = "OrtAddFreeDimensionOverrideByName")]
    pub fn fix_dimension(&mut self, name: &str, size: i64) -> Result<()> {
        let name = c_text(name)?;
        // SAFETY: the name is copied.
        unsafe { call!(OrtAddFreeDimensionOverrideByName(self.as_ptr(), name.as_ptr(), size)) }
    }

    /// Gives a dimension a fixed size, found by its denotation, as "DATA_BATCH".
    #[doc(alias = "OrtAddFreeDimensionOverride")]
    pub fn fix_dimension_by_denotation(&mut self, denotation: &str, size: i64) -> Result<()> {
        let denotation = c_text(denotation)?;
        // SAFETY: the denotation is copied.
        unsafe { call!(OrtAddFreeDimensionOverride(self.as_ptr(), denotation.as_ptr(), size)) }
    }

    /// Sets the log id of the session's lines.
    #[doc(alias = "OrtSetSessionLogId")]
    pub fn set_log_id(&mut self, log_id: &str) -> Result<()> {
        let log_id = c_text(log_id)?;
        // SAFETY: the id is copied.
        unsafe { call!(OrtSetSessionLogId(self.as_ptr(), log_id.as_ptr())) }
    }

    /// Sets the severity below which lines of the session are dropped.
    #[doc(alias = "OrtSetSessionLogSeverityLevel")]
    pub fn set_log_level(&mut self, level: LoggingLevel) -> Result<()> {
        // SAFETY: the options live.
        unsafe { call!(OrtSetSessionLogSeverityLevel(self.as_ptr(), level.to_raw())) }
    }

    /// Sets how much detail lines of severity `Verbose` have; 0 is the least and the default.
    #[doc(alias = "OrtSetSessionLogVerbosityLevel")]
    pub fn set_log_verbosity(&mut self, verbosity: i32) -> Result<()> {
        // SAFETY: the options live.
        unsafe { call!(OrtSetSessionLogVerbosityLevel(self.as_ptr(), verbosity)) }
    }

    /// Hands the session's log lines to a closure; see [`EnvBuilder::logger`] for threads.
    ///
    /// [`EnvBuilder::logger`]: crate::EnvBuilder::logger
    #[doc(alias = "OrtSetUserLoggingFunction")]
    pub fn set_logger(&mut self, logger: impl Fn(&LogRecord<'_>) + Send + Sync + 'static) {
        self.callbacks.logger = Some(Arc::new(Box::new(logger)));
    }

    /// Writes the optimised model as an ONNX file when the session is made.
    #[doc(alias = "OrtSetOptimizedModelFilePath")]
    pub fn set_optimized_model_path(&mut self, path: impl AsRef<std::path::Path>) -> Result<()> {
        let path = c_path(path)?;
        // SAFETY: the path is copied.
        unsafe { call!(OrtSetOptimizedModelFilePath(self.as_ptr(), path.as_ptr())) }
    }

    /// Makes a profile of the session, in a file whose name begins so; `None`: no profile.
    /// [`Session::end_profiling`](crate::Session::end_profiling) writes it.
    #[doc(alias = "OrtEnableProfiling")]
    #[doc(alias = "OrtDisableProfiling")]
    pub fn set_profiling(&mut self, prefix: Option<&std::path::Path>) -> Result<()> {
        // SAFETY: the path is copied.
        unsafe {
            match prefix {
                Some(prefix) => {
                    call!(OrtEnableProfiling(self.as_ptr(), c_path(prefix)?.as_ptr()))
                }
                None => call!(OrtDisableProfiling(self.as_ptr())),
            }
        }
    }

    /// Makes the session use the threads of its environment
    /// ([`EnvBuilder::threads`](crate::EnvBuilder::threads)).
    #[doc(alias = "OrtDisablePerSessionThreads")]
    pub fn use_env_threads(&mut self) -> Result<()> {
        // SAFETY: the options live.
        unsafe { call!(OrtDisablePerSessionThreads(self.as_ptr())) }
    }

    /// Has a closure make the session's threads. Each must call [`ThreadWork::run`].
    #[doc(alias = "OrtSessionOptionsSetCustomCreateThreadFn")]
    pub fn set_spawner<F>(&mut self, spawn: F)
    where
        F: Fn(ThreadWork) -> io::Result<JoinHandle<()>> + Send + Sync + 'static,
    {
        self.callbacks.spawn = Some(Arc::new(spawn));
    }

    /// Has a closure hear how far the making of a session has come; its answer may stop that. With
    /// `session.context_residency=prefetch` it goes on hearing after the session was made, from a
    /// thread of the session.
    #[doc(alias = "OrtSessionOptionsSetLoadProgress")]
    pub fn on_progress<F, R>(&mut self, progress: F)
    where
        F: Fn(Progress<'_>) -> R + Send + Sync + 'static,
        R: ProgressAnswer,
    {
        self.callbacks.progress = Some(Arc::new(move |step| progress(step).into_result()));
    }

    /// Has a closure give the context binaries of compiled models by their names, in place of
    /// files: from memory, an archive, a database, or decrypted.
    #[doc(alias = "OrtSessionOptionsSetEpContextDataReadFunc")]
    pub fn set_context_data_reader<F>(&mut self, read: F)
    where
        F: Fn(&str) -> CallbackResult<Vec<u8>> + Send + Sync + 'static,
    {
        self.callbacks.read = Some(Arc::new(read));
    }

    /// Stops the making of sessions with these options, and of compiles, when the token is
    /// cancelled.
    #[doc(alias = "OrtSessionOptionsSetLoadCancellationFlag")]
    pub fn cancel_with(&mut self, token: &CancelToken) {
        self.attach(token);
    }

    fn attach(&mut self, token: &CancelToken) {
        struct Flag(*mut sys::OrtSessionOptions);
        // SAFETY: the flag may be set at any time, from any thread.
        unsafe impl Send for Flag {}
        let flag = Flag(self.as_ptr());
        self.hooks.push(token.attach(move || {
            let flag = &flag; // the whole, which may be sent
                              // SAFETY: the options live: their hooks end first. It cannot fail.
            let _ = unsafe { call!(OrtSessionOptionsSetLoadCancellationFlag(flag.0, true)) };
        }));
    }

    /// Makes sessions and compiles with these options members of a group, when they write a
    /// compiled model; `None`: of none any more.
    #[doc(alias = "OrtSessionOptionsSetSharingGroup")]
    pub fn set_sharing_group(&mut self, group: Option<&SharingGroup>) -> Result<()> {
        let pointer = group.map_or(std::ptr::null_mut(), SharingGroup::as_ptr);
        // SAFETY: the options keep what they need of the group.
        unsafe { call!(OrtSessionOptionsSetSharingGroup(self.as_ptr(), pointer)) }?;
        self.group = group.map(SharingGroup::kept);
        Ok(())
    }

    /// Whether what is made with the options is a member of a group, which may outlive it.
    pub(crate) fn is_sharing(&self) -> Result<bool> {
        let share = self.get(crate::keys::SESSION_OPTION_SHARE_EP_CONTEXTS)?;
        Ok(self.group.is_some() || share.map_or(false, |value| value != "0"))
    }

    pub(crate) fn keep_operators(&mut self, operators: Kept) {
        self.operators.push(operators);
    }

    pub(crate) fn as_ptr(&self) -> *mut sys::OrtSessionOptions {
        self.handle.as_ptr()
    }

    /// The options for one load or compile.
    pub(crate) fn prepare(&self) -> Result<Prepared<'_>> {
        Prepared::new(self)
    }
}

impl fmt::Debug for SessionOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionOptions").field("entries", &self.entries()).finish()
    }
}
