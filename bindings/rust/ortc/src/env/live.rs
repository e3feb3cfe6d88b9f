// SPDX-License-Identifier: MIT
//! The environments that live. The library shows devices to closures without their environment.

use std::ptr::null;
use std::sync::{Arc, Mutex, Weak};

use ortc_sys as sys;

use super::{Env, Inner};
use crate::callback::lock;
use crate::error::Result;
use crate::text::array;

static LIVE: Mutex<Vec<Weak<Inner>>> = Mutex::new(Vec::new());

impl Env {
    /// Makes a new environment one that [`of_device`](Self::of_device) finds.
    pub(super) fn announce(self) -> Self {
        let mut live = lock(&LIVE);
        live.retain(|env| env.strong_count() != 0);
        live.push(Arc::downgrade(&self.0));
        drop(live);
        self
    }

    /// The environment that has a device.
    pub(crate) fn of_device(device: *const sys::OrtEpDevice) -> Result<Option<Env>> {
        // Without the lock: any of these may end here.
        let live: Vec<Env> = lock(&LIVE).iter().filter_map(Weak::upgrade).map(Env).collect();
        for env in live {
            let (mut devices, mut count) = (null(), 0);
            // SAFETY: an array of `count` devices that lives as long as the environment.
            let devices: &[*const sys::OrtEpDevice] = unsafe {
                call!(OrtGetEpDevices(env.as_ptr(), &mut devices, &mut count))?;
                array(devices, count)
            };
            if devices.contains(&device) {
                return Ok(Some(env));
            }
        }
        Ok(None)
    }
}
