// SPDX-License-Identifier: MIT
//! `status.h`. What a fallible call returns: NULL for success, else an object with a code and a
//! text.

use std::os::raw::c_char;

use crate::*;

extern "C" {
    /// Tells the code of a status.
    pub fn OrtGetErrorCode(status: *const OrtStatus) -> OrtErrorCode;
    /// Tells the text of a status: what was expected, what was found, and where.
    pub fn OrtGetErrorMessage(status: *const OrtStatus) -> *const c_char;
    /// Gives a status back.
    pub fn OrtReleaseStatus(status: *mut OrtStatus);
    /// Makes a status, for callbacks that have to report a failure.
    pub fn OrtCreateStatus(code: OrtErrorCode, msg: *const c_char) -> *mut OrtStatus;
}
