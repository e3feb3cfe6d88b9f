// SPDX-License-Identifier: MIT
//! `custom_op.h`. Libraries of operators; those who write operators use C or C++.

use std::os::raw::c_char;

use crate::*;

extern "C" {
    /// Loads a library of custom operators.
    pub fn OrtRegisterCustomOpsLibrary_V2(
        options: *mut OrtSessionOptions,
        library_name: *const c_char,
    ) -> *mut OrtStatus;
    /// Calls a function of the program itself, as OrtRegisterCustomOpsLibrary_V2 does.
    pub fn OrtRegisterCustomOpsUsingFunction(
        options: *mut OrtSessionOptions,
        registration_func_name: *const c_char,
    ) -> *mut OrtStatus;
    /// Fails with FAIL: no operators come with this library.
    pub fn OrtEnableOrtCustomOps(options: *mut OrtSessionOptions) -> *mut OrtStatus;
}
