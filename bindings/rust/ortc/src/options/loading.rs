// SPDX-License-Identifier: MIT
//! Options for one load: closures get a state of their own each time, so that a failure of a
//! closure comes back to the call whose load it was.

use std::os::raw::{c_char, c_void};
use std::sync::Arc;

use ortc_sys as sys;

use super::device_choice::{choose, ChooseFn};
use super::SessionOptions;
use crate::call::Owned;
use crate::callback::{CallbackResult, Progress, Slot};
use crate::env::{create_thread, join_thread, log_line, Env, Kept, LogFn, SpawnFn, Spawner};
use crate::error::Result;
use crate::text::shown;

pub(crate) type ProgressFn = dyn Fn(Progress<'_>) -> CallbackResult + Send + Sync;
pub(crate) type ReadFn = dyn Fn(&str) -> CallbackResult<Vec<u8>> + Send + Sync;

/// The closures of session options.
#[derive(Clone, Default)]
pub(crate) struct Callbacks {
    pub(super) logger: Option<Arc<LogFn>>,
    pub(super) progress: Option<Arc<ProgressFn>>,
    pub(super) read: Option<Arc<ReadFn>>,
    pub(super) choose: Option<Arc<ChooseFn>>,
    pub(super) spawn: Option<Arc<SpawnFn>>,
}

impl Callbacks {
    fn is_empty(&self) -> bool {
        self.logger.is_none()
            && self.progress.is_none()
            && self.read.is_none()
            && self.choose.is_none()
            && self.spawn.is_none()
    }
}

/// What the library hands to the functions below.
pub(super) struct LoadState {
    pub(super) slot: Slot,
    logger: Option<Arc<LogFn>>,
    progress: Option<Arc<ProgressFn>>,
    read: Option<Arc<ReadFn>>,
    pub(super) choose: Option<Arc<ChooseFn>>,
    spawner: Option<Spawner>,
}

/// Options as one load or compile uses them. Keep [`kept`](Self::kept) as long as what is made.
pub(crate) struct Prepared<'a> {
    options: &'a SessionOptions,
    own: Option<(Owned<sys::OrtSessionOptions>, Arc<LoadState>)>,
}

impl<'a> Prepared<'a> {
    pub(super) fn new(options: &'a SessionOptions) -> Result<Self> {
        if options.callbacks.is_empty() {
            return Ok(Prepared { options, own: None });
        }
        let Callbacks { logger, progress, read, choose, spawn } = options.callbacks.clone();
        let slot = Slot::default();
        let spawner = spawn.map(|spawn| Spawner { spawn, slot: slot.clone() });
        let state = Arc::new(LoadState { slot, logger, progress, read, choose, spawner });
        let handle = options.clone_handle()?;
        // SAFETY: whoever uses the options keeps the state longer.
        unsafe { set_functions(handle.as_ptr(), &state) }?;
        Ok(Prepared { options, own: Some((handle, state)) })
    }

    pub(crate) fn as_ptr(&self) -> *const sys::OrtSessionOptions {
        match &self.own {
            Some((handle, _)) => handle.as_ptr(),
            None => self.options.as_ptr(),
        }
    }

    /// What a session made with the options needs until its end.
    pub(crate) fn kept(&self) -> Vec<Kept> {
        let mut kept = self.options.kept.clone();
        kept.extend_from_slice(&self.options.operators);
        kept.extend(self.options.group.iter().map(|group| group.clone() as Kept));
        if let Some((_, state)) = &self.own {
            kept.push(state.clone());
        }
        kept
    }

    /// A group may use the options after what was made with them: it keeps their closures and
    /// operators then, or the environment that it belongs to does.
    pub(crate) fn keep_for_group(&self, env: &Env) -> Result<()> {
        let mut kept = self.options.operators.clone();
        kept.extend(self.own.iter().map(|(_, state)| state.clone() as Kept));
        if kept.is_empty() {
            return Ok(());
        }
        match &self.options.group {
            Some(group) => kept.into_iter().for_each(|one| group.keep(one)),
            None if self.options.is_sharing()? => kept.into_iter().for_each(|one| env.keep(one)),
            None => {}
        }
        Ok(())
    }

    /// Gives failures of closures their place in the result.
    pub(crate) fn settle<T>(&self, result: Result<T>) -> Result<T> {
        match &self.own {
            Some((_, state)) => state.slot.settle(result),
            None => result,
        }
    }
}

/// # Safety
/// `state` lives as long as the options and what is made with them.
unsafe fn set_functions(
    options: *mut sys::OrtSessionOptions,
    state: &Arc<LoadState>,
) -> Result<()> {
    let pointer = Arc::as_ptr(state) as *mut c_void;
    // SAFETY: as the caller promises; the state of the progress function is counted by itself.
    unsafe {
        if let Some(logger) = &state.logger {
            let logger = Arc::as_ptr(logger) as *mut c_void;
            call!(OrtSetUserLoggingFunction(options, Some(log_line), logger))?;
        }
        if state.read.is_some() {
            call!(OrtSessionOptionsSetEpContextDataReadFunc(options, Some(read), pointer))?;
        }
        if state.choose.is_some() {
            call!(OrtSessionOptionsSetEpSelectionPolicyDelegate(options, Some(choose), pointer))?;
        }
        if let Some(spawner) = &state.spawner {
            let spawner = spawner as *const Spawner as *mut c_void;
            call!(OrtSessionOptionsSetCustomCreateThreadFn(options, Some(create_thread)))?;
            call!(OrtSessionOptionsSetCustomThreadCreationOptions(options, spawner))?;
            call!(OrtSessionOptionsSetCustomJoinThreadFn(options, Some(join_thread)))?;
        }
        if state.progress.is_some() {
            let counted = Arc::into_raw(state.clone()) as *mut c_void;
            let set = call!(OrtSessionOptionsSetLoadProgress(
                options,
                Some(progress),
                counted,
                Some(release)
            ));
            if set.is_err() {
                release(counted);
            }
            set?;
        }
        Ok(())
    }
}

/// # Safety
/// `state` is counted, and this count ends here.
unsafe extern "C" fn release(state: *mut c_void) {
    // SAFETY: as the caller promises.
    let state = unsafe { Arc::from_raw(state as *const LoadState) };
    crate::callback::quietly(|| drop(state));
}

/// # Safety
/// `state` is a live [`LoadState`]; the texts live for the call.
unsafe extern "C" fn progress(
    state: *mut c_void,
    stage: *const c_char,
    detail: *const c_char,
    fraction: f64,
) -> *mut sys::OrtStatus {
    // SAFETY: as the caller promises.
    let (state, stage, detail) =
        unsafe { (&*(state as *const LoadState), shown(stage), shown(detail)) };
    state.slot.guard(|| match &state.progress {
        Some(progress) => progress(Progress { stage: &stage, detail: &detail, fraction }),
        None => Ok(()),
    })
}

/// # Safety
/// `state` is a live [`LoadState`]; the name lives for the call, and the results are written once.
unsafe extern "C" fn read(
    state: *mut c_void,
    file_name: *const c_char,
    allocator: *mut sys::OrtAllocator,
    buffer: *mut *mut c_void,
    size: *mut usize,
) -> *mut sys::OrtStatus {
    // SAFETY: as the caller promises.
    let (state, name) = unsafe { (&*(state as *const LoadState), shown(file_name)) };
    state.slot.guard(|| {
        let bytes = match &state.read {
            Some(read) => read(&name)?,
            None => Vec::new(),
        };
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the block has as many bytes; the library takes it over.
        unsafe {
            let block: *mut c_void = get!(OrtAllocatorAlloc(allocator, bytes.len()))?;
            block.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            *buffer = block;
            *size = bytes.len();
        }
        Ok(())
    })
}
