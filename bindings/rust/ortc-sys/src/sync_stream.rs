// SPDX-License-Identifier: MIT
//! `sync_stream.h`. Copies between memories, and the streams of devices on which they may run.

use std::os::raw::c_void;

use crate::*;

extern "C" {
    /// Makes a stream of a device.
    pub fn OrtCreateSyncStreamForEpDevice(
        ep_device: *const OrtEpDevice,
        stream_options: *const OrtKeyValuePairs,
        stream: *mut *mut OrtSyncStream,
    ) -> *mut OrtStatus;
    /// Gives the device's own handle of a stream; NULL when there is none.
    pub fn OrtSyncStream_GetHandle(stream: *mut OrtSyncStream) -> *mut c_void;
    /// Gives a stream back.
    pub fn OrtReleaseSyncStream(input: *mut OrtSyncStream);
    /// Copies the elements of tensors into others of the same type and shape.
    pub fn OrtCopyTensors(
        env: *const OrtEnv,
        src_tensors: *const *const OrtValue,
        dst_tensors: *const *mut OrtValue,
        stream: *mut OrtSyncStream,
        num_tensors: usize,
    ) -> *mut OrtStatus;
}
