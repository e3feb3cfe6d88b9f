// SPDX-License-Identifier: MIT
//! `devices.h`. What can run models here: hardware devices, and execution providers paired with the
//! devices they serve.

use std::os::raw::c_char;

use crate::*;

extern "C" {
    /// Lists every pair of an execution provider and a device that this environment knows.
    pub fn OrtGetEpDevices(
        env: *const OrtEnv,
        ep_devices: *mut *const *const OrtEpDevice,
        num_ep_devices: *mut usize,
    ) -> *mut OrtStatus;
    /// Tells the execution provider's name, as "AotExecutionProvider".
    pub fn OrtEpDevice_EpName(ep_device: *const OrtEpDevice) -> *const c_char;
    /// Tells who made the execution provider.
    pub fn OrtEpDevice_EpVendor(ep_device: *const OrtEpDevice) -> *const c_char;
    /// Shows what the execution provider says about itself; `version` is always there.
    pub fn OrtEpDevice_EpMetadata(ep_device: *const OrtEpDevice) -> *const OrtKeyValuePairs;
    /// Shows the provider options that suit this device; they apply when a session chooses it.
    pub fn OrtEpDevice_EpOptions(ep_device: *const OrtEpDevice) -> *const OrtKeyValuePairs;
    /// Shows the hardware of the pair.
    pub fn OrtEpDevice_Device(ep_device: *const OrtEpDevice) -> *const OrtHardwareDevice;
    /// Tells what kind of hardware it is.
    pub fn OrtHardwareDevice_Type(device: *const OrtHardwareDevice) -> OrtHardwareDeviceType;
    /// Tells the vendor's number, as on the PCI bus; 0 when there is none.
    pub fn OrtHardwareDevice_VendorId(device: *const OrtHardwareDevice) -> u32;
    /// Tells the vendor's name; empty when it is not known.
    pub fn OrtHardwareDevice_Vendor(device: *const OrtHardwareDevice) -> *const c_char;
    /// Tells the number of the device model; devices of one model share it.
    pub fn OrtHardwareDevice_DeviceId(device: *const OrtHardwareDevice) -> u32;
    /// Shows further facts; `is_virtual` is always there, as "0" or "1".
    pub fn OrtHardwareDevice_Metadata(device: *const OrtHardwareDevice) -> *const OrtKeyValuePairs;
    /// Describes a memory of a device; NULL when it is that of the processor.
    pub fn OrtEpDevice_MemoryInfo(
        ep_device: *const OrtEpDevice,
        memory_type: OrtDeviceMemoryType,
    ) -> *const OrtMemoryInfo;
    /// Counts the hardware devices.
    pub fn OrtGetNumHardwareDevices(env: *const OrtEnv, num_devices: *mut usize) -> *mut OrtStatus;
    /// Lists the hardware devices.
    pub fn OrtGetHardwareDevices(
        env: *const OrtEnv,
        devices: *mut *const OrtHardwareDevice,
        num_devices: usize,
    ) -> *mut OrtStatus;
    /// Asks an execution provider whether it serves hardware, and if not, why.
    pub fn OrtGetHardwareDeviceEpIncompatibilityDetails(
        env: *const OrtEnv,
        ep_name: *const c_char,
        hw: *const OrtHardwareDevice,
        details: *mut *mut OrtDeviceEpIncompatibilityDetails,
    ) -> *mut OrtStatus;
    /// Tells the reasons, as bits; 0 when the hardware is served.
    pub fn OrtDeviceEpIncompatibilityDetails_GetReasonsBitmask(
        details: *const OrtDeviceEpIncompatibilityDetails,
        reasons_bitmask: *mut u32,
    ) -> *mut OrtStatus;
    /// Tells the provider's own words, which live as long as the object; NULL when it has none.
    pub fn OrtDeviceEpIncompatibilityDetails_GetNotes(
        details: *const OrtDeviceEpIncompatibilityDetails,
        notes: *mut *const c_char,
    ) -> *mut OrtStatus;
    /// Tells the provider's own error code; 0 when it has none.
    pub fn OrtDeviceEpIncompatibilityDetails_GetErrorCode(
        details: *const OrtDeviceEpIncompatibilityDetails,
        error_code: *mut i32,
    ) -> *mut OrtStatus;
    /// Gives the object back.
    pub fn OrtReleaseDeviceEpIncompatibilityDetails(input: *mut OrtDeviceEpIncompatibilityDetails);
}
