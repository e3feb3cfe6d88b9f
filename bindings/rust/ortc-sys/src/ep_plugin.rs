// SPDX-License-Identifier: MIT
//! `ep_plugin.h`. Libraries of execution providers.

use std::os::raw::c_char;

use crate::*;

extern "C" {
    /// Loads a library of execution providers and adds its providers and devices to the
    /// environment.
    pub fn OrtRegisterExecutionProviderLibrary(
        env: *mut OrtEnv,
        registration_name: *const c_char,
        path: *const c_char,
    ) -> *mut OrtStatus;
    /// Takes the providers and devices of a library away from the environment.
    pub fn OrtUnregisterExecutionProviderLibrary(
        env: *mut OrtEnv,
        registration_name: *const c_char,
    ) -> *mut OrtStatus;
}
