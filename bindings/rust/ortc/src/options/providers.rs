// SPDX-License-Identifier: MIT
//! Execution providers of session options. Those added first are asked first; the CPU provider is
//! always there, last.

use std::path::Path;
use std::sync::Arc;

use super::SessionOptions;
use crate::env::{device_pointers, EpDevice};
use crate::error::{Error, Result};
use crate::text::{c_path, c_text, CTexts};
use crate::{DevicePolicy, ErrorCode};

impl SessionOptions {
    /// Adds the operators of a shared library that exports `RegisterCustomOps`. It stays as long as
    /// these options and the sessions that are made with them.
    ///
    /// # Safety
    ///
    /// The library's code runs in this process: nothing holds it to Rust's rules.
    #[doc(alias = "OrtRegisterCustomOpsLibrary_V2")]
    pub unsafe fn register_operator_library(&mut self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path(path)?;
        // SAFETY: the text is copied; what the library does, the caller answers for.
        unsafe { call!(OrtRegisterCustomOpsLibrary_V2(self.as_ptr(), path.as_ptr())) }
    }

    /// Does the same with a C function of the program, found by its name.
    ///
    /// # Safety
    ///
    /// The function must be a `RegisterCustomOps` of ONNX Runtime's interface.
    #[doc(alias = "OrtRegisterCustomOpsUsingFunction")]
    pub unsafe fn register_operator_function(&mut self, name: &str) -> Result<()> {
        let name = c_text(name)?;
        // SAFETY: the text is copied; what the function is, the caller answers for.
        unsafe { call!(OrtRegisterCustomOpsUsingFunction(self.as_ptr(), name.as_ptr())) }
    }

    /// Fails: no operators come with the library beside those that it has anyway.
    #[doc(alias = "OrtEnableOrtCustomOps")]
    pub fn enable_ort_custom_ops(&mut self) -> Result<()> {
        // SAFETY: the options live.
        unsafe { call!(OrtEnableOrtCustomOps(self.as_ptr())) }
    }

    /// Adds an execution provider by its name, or its short form, as "AOT".
    #[doc(alias = "OrtSessionOptionsAppendExecutionProvider")]
    pub fn add_provider(&mut self, name: &str, options: &[(&str, &str)]) -> Result<()> {
        let name = c_text(name)?;
        let keys = CTexts::new(options.iter().map(|(key, _)| key))?;
        let values = CTexts::new(options.iter().map(|(_, value)| value))?;
        // SAFETY: texts are copied.
        unsafe {
            call!(OrtSessionOptionsAppendExecutionProvider(
                self.as_ptr(),
                name.as_ptr(),
                keys.as_ptr(),
                values.as_ptr(),
                keys.len()
            ))
        }
    }

    /// Adds an execution provider by devices, all of the same one. Names of options have no prefix;
    /// what is given here goes before what a device suggests.
    #[doc(alias = "OrtSessionOptionsAppendExecutionProvider_V2")]
    pub fn add_provider_for_devices(
        &mut self,
        devices: &[EpDevice],
        options: &[(&str, &str)],
    ) -> Result<()> {
        let env = match devices.first() {
            Some(device) => device.env().clone(),
            None => return Err(Error::new(ErrorCode::InvalidArgument, "no devices")),
        };
        if devices.iter().any(|device| device.env().as_ptr() != env.as_ptr()) {
            let message = "the devices are of different environments";
            return Err(Error::new(ErrorCode::InvalidArgument, message));
        }
        let keys = CTexts::new(options.iter().map(|(key, _)| key))?;
        let values = CTexts::new(options.iter().map(|(_, value)| value))?;
        let pointers = device_pointers(devices);
        // SAFETY: the devices live as long as their environment, which the options keep.
        unsafe {
            call!(OrtSessionOptionsAppendExecutionProvider_V2(
                self.as_ptr(),
                env.as_ptr(),
                pointers.as_ptr(),
                pointers.len(),
                keys.as_ptr(),
                values.as_ptr(),
                keys.len()
            ))?;
        }
        self.kept.push(Arc::new(env));
        Ok(())
    }

    /// Lets the session choose execution providers from the devices that are there. Providers that
    /// were added by name or device switch the choice off. Takes the place of a
    /// [`set_device_chooser`](Self::set_device_chooser).
    #[doc(alias = "OrtSessionOptionsSetEpSelectionPolicy")]
    pub fn set_provider_policy(&mut self, policy: DevicePolicy) -> Result<()> {
        // SAFETY: the options live.
        unsafe { call!(OrtSessionOptionsSetEpSelectionPolicy(self.as_ptr(), policy.to_raw())) }?;
        self.callbacks.choose = None;
        Ok(())
    }
}
