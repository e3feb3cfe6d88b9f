// SPDX-License-Identifier: MIT
//! Closures that a compile calls, and the functions through which C calls them.

use std::io;
use std::os::raw::{c_char, c_void};
use std::sync::Mutex;

use ortc_sys as sys;

use super::ExternalInitializer;
use crate::callback::{lock, CallbackResult, Progress, Slot};
use crate::text::{array, shown};
use crate::value::Value;

pub(super) type ProgressFn<'a> = dyn FnMut(Progress<'_>) -> CallbackResult + Send + 'a;
pub(super) type Place = Option<ExternalInitializer>;
pub(super) type LocationFn<'a> =
    dyn FnMut(&str, &Value, Place) -> CallbackResult<Place> + Send + 'a;
pub(super) type DataFn<'a> = dyn FnMut(&str, &[u8]) -> CallbackResult + Send + 'a;

/// The closures of one compiler: what C gets as `state`. Each is behind a lock, because C may call
/// from several threads.
#[derive(Default)]
pub(super) struct Functions<'a> {
    pub(super) slot: Slot,
    pub(super) progress: Option<Mutex<Box<ProgressFn<'a>>>>,
    pub(super) location: Option<Mutex<Box<LocationFn<'a>>>>,
    pub(super) data: Option<Mutex<Box<DataFn<'a>>>>,
}

/// Where a compiled model is written: what C gets as `state` of the write function.
pub(super) struct Output<'w> {
    pub(super) slot: Slot,
    pub(super) writer: Mutex<Box<dyn io::Write + Send + 'w>>,
}

impl Output<'_> {
    pub(super) fn state(&self) -> *mut c_void {
        self as *const Self as *mut c_void
    }
}

/// # Safety
/// `state` is a live [`Functions`]; the texts live for the call.
pub(super) unsafe extern "C" fn progress(
    state: *mut c_void,
    stage: *const c_char,
    detail: *const c_char,
    fraction: f64,
) -> *mut sys::OrtStatus {
    // SAFETY: as the caller promises.
    let (state, stage, detail) =
        unsafe { (&*(state as *const Functions<'_>), shown(stage), shown(detail)) };
    state.slot.guard(|| match &state.progress {
        Some(progress) => (*lock(progress))(Progress { stage: &stage, detail: &detail, fraction }),
        None => Ok(()),
    })
}

/// # Safety
/// `state` is a live [`Functions`]; name, value and place live for the call; the new place is
/// written once.
pub(super) unsafe extern "C" fn location(
    state: *mut c_void,
    name: *const c_char,
    value: *const sys::OrtValue,
    place: *const sys::OrtExternalInitializerInfo,
    new_place: *mut *mut sys::OrtExternalInitializerInfo,
) -> *mut sys::OrtStatus {
    // SAFETY: as the caller promises.
    let (state, name, value, place) = unsafe {
        let state = &*(state as *const Functions<'_>);
        (state, shown(name), Value::borrow(value), ExternalInitializer::read(place))
    };
    state.slot.guard(|| {
        let location = match &state.location {
            Some(location) => location,
            None => return Ok(()),
        };
        if let Some(place) = (*lock(location))(&name, &value, place)? {
            // SAFETY: the library takes the object over.
            unsafe { *new_place = place.create()?.into_raw() };
        }
        Ok(())
    })
}

/// # Safety
/// `state` is a live [`Functions`]; name and bytes live for the call.
pub(super) unsafe extern "C" fn write_data(
    state: *mut c_void,
    file_name: *const c_char,
    buffer: *const c_void,
    size: usize,
) -> *mut sys::OrtStatus {
    // SAFETY: as the caller promises.
    let (state, name, bytes) = unsafe {
        let state = &*(state as *const Functions<'_>);
        (state, shown(file_name), array(buffer.cast::<u8>(), size))
    };
    state.slot.guard(|| match &state.data {
        Some(data) => (*lock(data))(&name, bytes),
        None => Ok(()),
    })
}

/// # Safety
/// `state` is a live [`Output`]; the bytes live for the call.
pub(super) unsafe extern "C" fn write(
    state: *mut c_void,
    buffer: *const c_void,
    size: usize,
) -> *mut sys::OrtStatus {
    // SAFETY: as the caller promises.
    let (state, bytes) =
        unsafe { (&*(state as *const Output<'_>), array(buffer.cast::<u8>(), size)) };
    state.slot.guard(|| {
        let mut writer = lock(&state.writer);
        writer.write_all(bytes)?;
        // No piece is known to be the last, and files are published after it: what a buffer keeps
        // back must fail here. Pieces are large.
        Ok(writer.flush()?)
    })
}
