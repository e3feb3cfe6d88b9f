// SPDX-License-Identifier: MIT
//! Copies between tensors, and the streams of devices on which they may run.

use std::os::raw::c_void;
use std::ptr::{null, null_mut};
use std::sync::{Arc, Mutex, PoisonError};

use ortc_sys as sys;

use crate::call::{Owned, Ref};
use crate::env::{Env, EpDevice};
use crate::error::{Error, Result};
use crate::key_values::KeyValuePairs;
use crate::value::{Value, ValueMut};
use crate::ErrorCode;

/// A stream of a device, which does what it is given one after the other. Processors have none.
#[derive(Debug)]
pub struct SyncStream {
    stream: *mut sys::OrtSyncStream,
    /// None for the processor's, and for one that is borrowed.
    owner: Option<Arc<Stream>>,
}

// SAFETY: a stream is not bound to a thread.
unsafe impl Send for SyncStream {}

pub(crate) type Semaphore = Arc<Owned<sys::OrtExternalSemaphoreHandle>>;

/// Owns a stream; options of runs that use it share that.
#[derive(Debug)]
pub(crate) struct Stream {
    stream: *mut sys::OrtSyncStream,
    /// What work in the stream looks at until it is done.
    semaphores: Mutex<Vec<Semaphore>>,
    _env: Env,
}

// SAFETY: a stream is not bound to a thread, and this is only dropped.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Drop for Stream {
    #[doc(alias = "OrtReleaseSyncStream")]
    fn drop(&mut self) {
        // SAFETY: this was the owner; what the stream's work needs ends afterwards.
        unsafe { sys::OrtReleaseSyncStream(self.stream) }
    }
}

impl SyncStream {
    /// A stream of a device with memory of its own. Fails for the devices of this library.
    #[doc(alias = "OrtCreateSyncStreamForEpDevice")]
    pub fn new(device: &EpDevice, options: Option<&KeyValuePairs>) -> Result<Self> {
        let options = options.map_or(null(), |options| options.as_ptr() as *const _);
        // SAFETY: the device lives, and the stream keeps its environment.
        unsafe {
            let stream = get!(OrtCreateSyncStreamForEpDevice(device.as_ptr(), options))?;
            let (semaphores, _env) = (Mutex::default(), device.env().clone());
            Ok(SyncStream { stream, owner: Some(Arc::new(Stream { stream, semaphores, _env })) })
        }
    }

    /// What stands for a stream of the processor: copies are done when the call returns.
    pub fn cpu() -> Self {
        SyncStream { stream: null_mut(), owner: None }
    }

    /// What keeps the stream; none for the processor's. A stream that a kernel is called on ends
    /// with the call, so nothing may keep it.
    pub(crate) fn owner(&self) -> Result<Option<&Arc<Stream>>> {
        if self.owner.is_none() && !self.stream.is_null() {
            let message = "the stream of a kernel's call ends with the call";
            return Err(Error::new(ErrorCode::InvalidArgument, message));
        }
        Ok(self.owner.as_ref())
    }

    /// Keeps a semaphore that work in the stream is going to look at.
    pub(crate) fn keep(&self, semaphore: &Semaphore) -> Result<()> {
        if let Some(owner) = self.owner()? {
            let mut kept = owner.semaphores.lock().unwrap_or_else(PoisonError::into_inner);
            if !kept.iter().any(|one| Arc::ptr_eq(one, semaphore)) {
                kept.push(semaphore.clone());
            }
        }
        Ok(())
    }

    /// The device's own handle of the stream; null when there is none.
    #[doc(alias = "OrtSyncStream_GetHandle")]
    pub fn handle(&self) -> *mut c_void {
        // SAFETY: the stream lives, or is null.
        unsafe { sys::OrtSyncStream_GetHandle(self.stream) }
    }

    /// # Safety
    /// `stream` lives as long as `'a`.
    pub(crate) unsafe fn borrow<'a>(stream: *mut sys::OrtSyncStream) -> Ref<'a, Self> {
        // SAFETY: as the caller promises; a `Ref` never gives it back.
        unsafe { Ref::new(SyncStream { stream, owner: None }) }
    }

    pub(crate) fn as_ptr(&self) -> *mut sys::OrtSyncStream {
        self.stream
    }
}

/// Copies the elements of tensors into others of the same types and shapes.
///
/// After a failure some targets may be filled already.
#[doc(alias = "OrtCopyTensors")]
pub fn copy_tensors(
    env: &Env,
    sources: &[&Value],
    targets: &mut [ValueMut<'_>],
    stream: &SyncStream,
) -> Result<()> {
    if sources.len() != targets.len() {
        let message = format!("{} sources and {} targets", sources.len(), targets.len());
        return Err(Error::new(ErrorCode::InvalidArgument, message));
    }
    let sources: Vec<_> = sources.iter().map(|value| value.as_ptr() as *const _).collect();
    let filled: Vec<_> = targets.iter().map(|value| value.as_ptr()).collect();
    // SAFETY: arrays of one length; the targets are borrowed for writing.
    let copied = unsafe {
        call!(OrtCopyTensors(
            env.as_ptr(),
            sources.as_ptr(),
            filled.as_ptr(),
            stream.as_ptr(),
            sources.len()
        ))
    };
    targets.iter_mut().for_each(ValueMut::settle);
    copied
}
