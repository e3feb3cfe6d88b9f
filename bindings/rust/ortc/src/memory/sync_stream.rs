// SPDX-License-Identifier: MIT
//! Copies between tensors, and the streams of devices on which they may run.

use std::os::raw::c_void;
use std::ptr::{null, null_mut};

use ortc_sys as sys;

use crate::call::Ref;
use crate::env::{Env, EpDevice};
use crate::error::{Error, Result};
use crate::key_values::KeyValuePairs;
use crate::value::{Value, ValueMut};
use crate::ErrorCode;

/// A stream of a device. Devices of this library are processors: they have none.
#[derive(Debug)]
pub struct SyncStream {
    stream: *mut sys::OrtSyncStream,
    _env: Option<Env>,
}

// SAFETY: a stream is not bound to a thread.
unsafe impl Send for SyncStream {}

impl SyncStream {
    /// A stream of a device with memory of its own. Fails for the devices of this library.
    #[doc(alias = "OrtCreateSyncStreamForEpDevice")]
    pub fn new(device: &EpDevice, options: Option<&KeyValuePairs>) -> Result<Self> {
        let options = options.map_or(null(), |options| options.as_ptr() as *const _);
        // SAFETY: the device lives, and the stream keeps its environment.
        unsafe {
            let stream = get!(OrtCreateSyncStreamForEpDevice(device.as_ptr(), options))?;
            Ok(SyncStream { stream, _env: Some(device.env().clone()) })
        }
    }

    /// What stands for a stream of the processor: copies are done when the call returns.
    pub fn cpu() -> Self {
        SyncStream { stream: null_mut(), _env: None }
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
        unsafe { Ref::new(SyncStream { stream, _env: None }) }
    }

    pub(crate) fn as_ptr(&self) -> *mut sys::OrtSyncStream {
        self.stream
    }
}

impl Drop for SyncStream {
    #[doc(alias = "OrtReleaseSyncStream")]
    fn drop(&mut self) {
        // SAFETY: this was the owner; null is allowed.
        unsafe { sys::OrtReleaseSyncStream(self.stream) }
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
