// SPDX-License-Identifier: MIT
// What can run models here: hardware devices, and execution providers paired with the devices they
// serve. All pointers are borrowed from the environment and end with it. A device whose provider
// library (ep_plugin.h) was unregistered can still be asked what it was, but not used.
#pragma once

#include "ort_c/key_values.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Lists every pair of an execution provider and a device that this environment knows.
///
/// Hand a choice of them to OrtSessionOptionsAppendExecutionProvider_V2().
///
/// `env`             Borrowed.
/// `ep_devices`      An array that lives as long as the environment. NULL after a failure. It does
///                   not change: ask again after a library was registered or unregistered.
/// `num_ep_devices`  How many there are. 0 after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetEpDevices(const OrtEnv* env, const OrtEpDevice* const** ep_devices,
                                    size_t* num_ep_devices);

/// Tells the execution provider's name, as "AotExecutionProvider".
///
/// The text lives as long as the device; NULL when `ep_device` is NULL. Thread-safe. Since 1.0.
ORTC_API const char* OrtEpDevice_EpName(const OrtEpDevice* ep_device);

/// Tells who made the execution provider.
///
/// The text lives as long as the device; NULL when `ep_device` is NULL. Thread-safe. Since 1.0.
ORTC_API const char* OrtEpDevice_EpVendor(const OrtEpDevice* ep_device);

/// Shows what the execution provider says about itself; `version` is always there.
///
/// The list lives as long as the device; NULL when `ep_device` is NULL. Thread-safe. Since 1.0.
ORTC_API const OrtKeyValuePairs* OrtEpDevice_EpMetadata(const OrtEpDevice* ep_device);

/// Shows the provider options that suit this device; they apply when a session chooses it.
///
/// The list lives as long as the device; NULL when `ep_device` is NULL. Thread-safe. Since 1.0.
ORTC_API const OrtKeyValuePairs* OrtEpDevice_EpOptions(const OrtEpDevice* ep_device);

/// Shows the hardware of the pair.
///
/// The result lives as long as the device; NULL when `ep_device` is NULL. Thread-safe. Since 1.0.
ORTC_API const OrtHardwareDevice* OrtEpDevice_Device(const OrtEpDevice* ep_device);

/// Tells what kind of hardware it is. NULL counts as a CPU.
///
/// Thread-safe. Since 1.0.
ORTC_API OrtHardwareDeviceType OrtHardwareDevice_Type(const OrtHardwareDevice* device);

/// Tells the vendor's number, as on the PCI bus; 0 when there is none.
///
/// Thread-safe. Since 1.0.
ORTC_API uint32_t OrtHardwareDevice_VendorId(const OrtHardwareDevice* device);

/// Tells the vendor's name; empty when it is not known.
///
/// The text lives as long as the device; NULL when `device` is NULL. Thread-safe. Since 1.0.
ORTC_API const char* OrtHardwareDevice_Vendor(const OrtHardwareDevice* device);

/// Tells the number of the device model; devices of one model share it. 0 when there is none.
///
/// Thread-safe. Since 1.0.
ORTC_API uint32_t OrtHardwareDevice_DeviceId(const OrtHardwareDevice* device);

/// Shows further facts; `is_virtual` is always there, as "0" or "1".
///
/// The list lives as long as the device; NULL when `device` is NULL. Thread-safe. Since 1.0.
ORTC_API const OrtKeyValuePairs* OrtHardwareDevice_Metadata(const OrtHardwareDevice* device);

/// Describes a memory of a device; NULL when it is that of the processor. Thread-safe. Since 1.0.
ORTC_API const OrtMemoryInfo* OrtEpDevice_MemoryInfo(const OrtEpDevice* ep_device,
                                                     OrtDeviceMemoryType memory_type);

/// Counts the hardware devices.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetNumHardwareDevices(const OrtEnv* env, size_t* num_devices);

/// Lists the hardware devices.
///
/// `devices`      Filled with borrowed devices, which live as long as `env`.
/// `num_devices`  Room in the array, at least OrtGetNumHardwareDevices().
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetHardwareDevices(const OrtEnv* env, const OrtHardwareDevice** devices,
                                          size_t num_devices);

// Why an execution provider does not serve hardware.

typedef struct OrtDeviceEpIncompatibilityDetails OrtDeviceEpIncompatibilityDetails;

/// Asks an execution provider whether it serves hardware, and if not, why.
///
/// `env`      Borrowed.
/// `ep_name`  A provider of `env`, by its name or short form.
/// `hw`       Borrowed. The provider need not have offered a device for it.
/// `details`  A new object; give it back with OrtReleaseDeviceEpIncompatibilityDetails(). NULL
///            after a failure.
///
/// A library that cannot say is believed to serve it. A virtual device of the AOT provider is
/// served when what is compiled for it runs here.
/// Fails with INVALID_ARGUMENT when there is no such provider, and as the provider does.
/// Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetHardwareDeviceEpIncompatibilityDetails(
    const OrtEnv* env, const char* ep_name, const OrtHardwareDevice* hw,
    OrtDeviceEpIncompatibilityDetails** details);

/// Tells the reasons, as bits; 0 when the hardware is served.
///
/// `reasons_bitmask`  1: the driver is too old or another one, 2: the hardware itself, 4: something
///                    that the provider needs is not there, 0x80000000: a reason that has no bit.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtDeviceEpIncompatibilityDetails_GetReasonsBitmask(
    const OrtDeviceEpIncompatibilityDetails* details, uint32_t* reasons_bitmask);

/// Tells the provider's own words, which live as long as the object; NULL when it has none.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtDeviceEpIncompatibilityDetails_GetNotes(
    const OrtDeviceEpIncompatibilityDetails* details, const char** notes);

/// Tells the provider's own error code; 0 when it has none.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtDeviceEpIncompatibilityDetails_GetErrorCode(
    const OrtDeviceEpIncompatibilityDetails* details, int32_t* error_code);

/// Gives the object back.
///
/// `input`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseDeviceEpIncompatibilityDetails(OrtDeviceEpIncompatibilityDetails* input);

#ifdef __cplusplus
}
#endif
