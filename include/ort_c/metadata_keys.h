// SPDX-License-Identifier: MIT
// Keys found in metadata: of an execution provider, a device, and a compiled model.
#pragma once

/// The release of the execution provider.
static const char* const kOrtEpDevice_EpMetadataKey_Version = "version";
/// The release of the driver under it.
static const char* const kOrtEpDevice_EpMetadataKey_OSDriverVersion = "os_driver_version";
/// The library it was loaded from.
static const char* const kOrtEpDevice_EpMetadataKey_LibraryPath = "library_path";
/// "none", "external_only" or "all".
static const char* const kOrtEpDevice_EpMetadataKey_WeightlessSupport = "weightless_support";
/// "1": the device compiles but never runs.
static const char* const kOrtHardwareDevice_MetadataKey_IsVirtual = "is_virtual";
/// Stands before the provider's name in a compiled model's metadata.
static const char* const kOrtModelMetadata_EpCompatibilityInfoPrefix = "ep_compatibility_info.";
