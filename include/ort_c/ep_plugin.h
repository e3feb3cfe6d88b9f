// SPDX-License-Identifier: MIT
// Libraries of execution providers: shared libraries that export CreateEpFactories and
// ReleaseEpFactory, compiled for the tables and structs of ort_api.h. docs/add-a-provider.md tells
// how to make one.
#pragma once

#include "ort_c/devices.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Loads a library of execution providers and adds its providers and devices to the environment.
///
/// When any step fails, nothing was added and the library is unloaded again. Devices of the
/// providers stand in OrtGetEpDevices() then, after those that were there.
///
/// `env`                Changed.
/// `registration_name`  Copied. Any name that no other library of `env` has; the library's
///                      providers have names of their own. A name that ends in ".virtual" allows
///                      the library to offer virtual devices.
/// `path`               Copied. UTF-8. A relative path is looked for in the folder of this library,
///                      then in the current one.
///
/// Fails with INVALID_ARGUMENT, NO_SUCHFILE when there is no such file, FAIL when it cannot be
/// loaded, is not a library of providers, or when its name or a provider's is taken; or as the
/// library does. Thread-safe. May block on file reads. Since 1.0.
ORTC_API OrtStatus* OrtRegisterExecutionProviderLibrary(OrtEnv* env, const char* registration_name,
                                                        const char* path);

/// Takes the providers and devices of a library away from the environment.
///
/// Its devices are INVALID_ARGUMENT where one is to be used. Sessions and session options that use
/// the library keep it: it is unloaded when the last of them is released. So nothing need be
/// released before; but no function of the library may be on the stack of a thread that releases
/// the last of them.
///
/// `env`                Changed.
/// `registration_name`  That it was registered under.
///
/// Fails with INVALID_ARGUMENT, or FAIL when no library has that name. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtUnregisterExecutionProviderLibrary(OrtEnv* env,
                                                          const char* registration_name);

#ifdef __cplusplus
}
#endif
