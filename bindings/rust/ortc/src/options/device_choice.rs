// SPDX-License-Identifier: MIT
//! Closures that choose the devices of a session.

use std::os::raw::c_void;
use std::sync::Arc;

use ortc_sys as sys;

use super::loading::LoadState;
use super::SessionOptions;
use crate::call::Ref;
use crate::callback::CallbackResult;
use crate::env::{Env, EpDevice};
use crate::error::Error;
use crate::key_values::KeyValuePairs;
use crate::text::array;
use crate::ErrorCode;

pub(crate) type ChooseFn = dyn Fn(&DeviceOffer<'_>) -> CallbackResult<Vec<EpDevice>> + Send + Sync;

/// What a closure that chooses devices may choose from.
#[derive(Debug)]
#[non_exhaustive]
pub struct DeviceOffer<'a> {
    /// All of the environment: NPUs, GPUs, processors; that of the CPU provider is the last.
    pub devices: Vec<EpDevice>,
    /// What the model says of itself, as `producer_name`; and its metadata.
    pub model: Ref<'a, KeyValuePairs>,
    /// Nothing so far.
    pub runtime: Ref<'a, KeyValuePairs>,
    /// How many devices may be chosen.
    pub most: usize,
}

impl SessionOptions {
    /// Has a closure choose execution providers from the devices that are there: one or more, those
    /// that are asked first in front. It is called for each session and each compile, by the thread
    /// that makes it; an error refuses that. Takes the place of a
    /// [policy](Self::set_provider_policy). Providers that were added by name or device switch the
    /// choice off.
    ///
    /// ```
    /// # let mut options = ortc::SessionOptions::new()?;
    /// options.set_device_chooser(|offer| {
    ///     let is_npu = |d: &&ortc::EpDevice| d.device().device_type() == ortc::HardwareDeviceType::Npu;
    ///     let chosen = offer.devices.iter().find(is_npu).or(offer.devices.last());
    ///     Ok(chosen.into_iter().cloned().collect())
    /// });
    /// # Ok::<(), ortc::Error>(())
    /// ```
    #[doc(alias = "OrtSessionOptionsSetEpSelectionPolicyDelegate")]
    pub fn set_device_chooser<F>(&mut self, choose: F)
    where
        F: Fn(&DeviceOffer<'_>) -> CallbackResult<Vec<EpDevice>> + Send + Sync + 'static,
    {
        self.callbacks.choose = Some(Arc::new(choose));
    }
}

/// # Safety
/// `state` is a live [`LoadState`]; devices and lists live for the call, and there is room for
/// `room` devices.
pub(super) unsafe extern "C" fn choose(
    devices: *mut *const sys::OrtEpDevice,
    device_count: usize,
    model: *const sys::OrtKeyValuePairs,
    runtime: *const sys::OrtKeyValuePairs,
    selected: *mut *const sys::OrtEpDevice,
    room: usize,
    count: *mut usize,
    state: *mut c_void,
) -> *mut sys::OrtStatus {
    // SAFETY: as the caller promises.
    let (state, devices) =
        unsafe { (&*(state as *const LoadState), array(devices as *const *const _, device_count)) };
    state.slot.guard(|| {
        let choose = state.choose.as_ref().expect("set together with this function");
        let env = Env::of_device(devices[0])?.expect("who makes a session keeps its environment");
        let offer = DeviceOffer {
            devices: devices.iter().map(|device| EpDevice::new(&env, *device)).collect(),
            // SAFETY: both lists live for the call.
            model: unsafe { KeyValuePairs::borrow(model) },
            // SAFETY: as above.
            runtime: unsafe { KeyValuePairs::borrow(runtime) },
            most: room,
        };
        let chosen = choose(&offer)?;
        if chosen.len() > room {
            let message = format!("{} devices were chosen, at most {room} may be", chosen.len());
            return Err(Error::new(ErrorCode::InvalidArgument, message).into());
        }
        for (place, device) in chosen.iter().enumerate() {
            // SAFETY: there is room for as many.
            unsafe { *selected.add(place) = device.as_ptr() };
        }
        // SAFETY: it is the library's.
        unsafe { *count = chosen.len() };
        Ok(())
    })
}
