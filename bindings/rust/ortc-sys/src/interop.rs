// SPDX-License-Identifier: MIT
//! `interop.h`. Memory and semaphores that somebody else made, used by a device without a copy.

use std::os::raw::c_void;

use crate::*;

/// Memory to import.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct OrtExternalMemoryDescriptor {
    /// Of the interface the program was written for.
    pub version: u32,
    /// What `native_handle` is.
    pub handle_type: OrtExternalMemoryHandleType,
    /// The handle; a file descriptor as a number.
    pub native_handle: *mut c_void,
    /// Of the whole memory.
    pub size_bytes: usize,
    /// Where the part begins that is imported.
    pub offset_bytes: usize,
}

/// A semaphore to import.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct OrtExternalSemaphoreDescriptor {
    /// Of the interface the program was written for.
    pub version: u32,
    /// What `native_handle` is. The member is called `type` in C.
    pub type_: OrtExternalSemaphoreType,
    /// The handle; a file descriptor as a number.
    pub native_handle: *mut c_void,
}

/// A tensor in imported memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct OrtExternalTensorDescriptor {
    /// Of the interface the program was written for.
    pub version: u32,
    /// Not of strings.
    pub element_type: ONNXTensorElementDataType,
    /// `rank` dimensions; null for a scalar.
    pub shape: *const i64,
    /// How many dimensions.
    pub rank: usize,
    /// Where it begins in what was imported.
    pub offset_bytes: usize,
}

/// How a graphics interface is shared.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct OrtGraphicsInteropConfig {
    /// Of the interface the program was written for.
    pub version: u32,
    /// Which one.
    pub graphics_api: OrtGraphicsApi,
    /// Of the interface; may be null.
    pub command_queue: *mut c_void,
    /// Of the provider; null: none.
    pub additional_options: *const OrtKeyValuePairs,
}

/// Imported memory. Programs may read the members.
#[repr(C)]
pub struct OrtExternalMemoryHandle {
    /// Of the interface.
    pub version: u32,
    /// The device it was imported for.
    pub ep_device: *const OrtEpDevice,
    /// What was imported.
    pub descriptor: OrtExternalMemoryDescriptor,
    /// For `OrtReleaseExternalMemoryHandle`.
    pub Release: Option<unsafe extern "C" fn(handle: *mut OrtExternalMemoryHandle)>,
}

/// An imported semaphore. Programs may read the members.
#[repr(C)]
pub struct OrtExternalSemaphoreHandle {
    /// Of the interface.
    pub version: u32,
    /// The device it was imported for.
    pub ep_device: *const OrtEpDevice,
    /// What was imported.
    pub descriptor: OrtExternalSemaphoreDescriptor,
    /// For `OrtReleaseExternalSemaphoreHandle`.
    pub Release: Option<unsafe extern "C" fn(handle: *mut OrtExternalSemaphoreHandle)>,
}

extern "C" {
    /// Makes what imports memory and semaphores for a device.
    pub fn OrtCreateExternalResourceImporterForDevice(
        ep_device: *const OrtEpDevice,
        out_importer: *mut *mut OrtExternalResourceImporter,
    ) -> *mut OrtStatus;
    /// Gives an importer back.
    pub fn OrtReleaseExternalResourceImporter(input: *mut OrtExternalResourceImporter);
    /// Asks whether handles of memory of a type can be imported.
    pub fn OrtCanImportMemory(
        importer: *const OrtExternalResourceImporter,
        handle_type: OrtExternalMemoryHandleType,
        out_supported: *mut bool,
    ) -> *mut OrtStatus;
    /// Imports memory.
    pub fn OrtImportMemory(
        importer: *mut OrtExternalResourceImporter,
        desc: *const OrtExternalMemoryDescriptor,
        out_handle: *mut *mut OrtExternalMemoryHandle,
    ) -> *mut OrtStatus;
    /// Gives imported memory back.
    pub fn OrtReleaseExternalMemoryHandle(input: *mut OrtExternalMemoryHandle);
    /// Makes a tensor in imported memory.
    pub fn OrtCreateTensorFromMemory(
        importer: *mut OrtExternalResourceImporter,
        mem_handle: *const OrtExternalMemoryHandle,
        tensor_desc: *const OrtExternalTensorDescriptor,
        out_tensor: *mut *mut OrtValue,
    ) -> *mut OrtStatus;
    /// Asks whether handles of semaphores of a type can be imported.
    pub fn OrtCanImportSemaphore(
        importer: *const OrtExternalResourceImporter,
        type_: OrtExternalSemaphoreType,
        out_supported: *mut bool,
    ) -> *mut OrtStatus;
    /// Imports a semaphore.
    pub fn OrtImportSemaphore(
        importer: *mut OrtExternalResourceImporter,
        desc: *const OrtExternalSemaphoreDescriptor,
        out_handle: *mut *mut OrtExternalSemaphoreHandle,
    ) -> *mut OrtStatus;
    /// Gives an imported semaphore back.
    pub fn OrtReleaseExternalSemaphoreHandle(input: *mut OrtExternalSemaphoreHandle);
    /// Lets a stream wait until a semaphore has a value.
    pub fn OrtWaitSemaphore(
        importer: *mut OrtExternalResourceImporter,
        semaphore_handle: *mut OrtExternalSemaphoreHandle,
        stream: *mut OrtSyncStream,
        value: u64,
    ) -> *mut OrtStatus;
    /// Lets a stream set a semaphore to a value.
    pub fn OrtSignalSemaphore(
        importer: *mut OrtExternalResourceImporter,
        semaphore_handle: *mut OrtExternalSemaphoreHandle,
        stream: *mut OrtSyncStream,
        value: u64,
    ) -> *mut OrtStatus;
    /// Tells a provider which graphics interface its streams for a device share.
    pub fn OrtInitGraphicsInteropForEpDevice(
        ep_device: *const OrtEpDevice,
        config: *const OrtGraphicsInteropConfig,
    ) -> *mut OrtStatus;
    /// Ends what `OrtInitGraphicsInteropForEpDevice` began.
    pub fn OrtDeinitGraphicsInteropForEpDevice(ep_device: *const OrtEpDevice) -> *mut OrtStatus;
}
