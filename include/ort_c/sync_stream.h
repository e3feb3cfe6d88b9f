// SPDX-License-Identifier: MIT
// Copies between memories, and the streams of devices on which they may run. Devices with memory
// and streams of their own come with libraries of execution providers: see ep_plugin.h.
#pragma once

#include "ort_c/devices.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Makes a stream of a device.
///
/// `ep_device`       A device from OrtGetEpDevices() with memory of its own.
/// `stream_options`  Borrowed. NULL means the defaults.
/// `stream`          A new object; give it back with OrtReleaseSyncStream(). NULL after a failure.
///                   One thread at a time may use it.
///
/// Fails with INVALID_ARGUMENT when the device has no streams, and as the library fails.
/// Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateSyncStreamForEpDevice(const OrtEpDevice* ep_device,
                                                   const OrtKeyValuePairs* stream_options,
                                                   OrtSyncStream** stream);

/// Gives the device's own handle of a stream; NULL when there is none. Thread-safe. Since 1.0.
ORTC_API void* OrtSyncStream_GetHandle(OrtSyncStream* stream);

/// Gives a stream back.
///
/// `input`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseSyncStream(OrtSyncStream* input);

/// Copies the elements of tensors into others of the same type and shape.
///
/// `env`          Borrowed.
/// `src_tensors`  Borrowed.
/// `dst_tensors`  Filled. No memory may be a source and a target.
/// `stream`       Of the device; copies are done in its order, and memory of the host must stay
///                until then. NULL: they are done when the call returns.
/// `num_tensors`  How many, at least 1.
///
/// Fails with INVALID_ARGUMENT, also when no library copies between two memories, or only another
/// one than that of the stream, and as the library fails; then some targets may be filled already.
/// Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCopyTensors(const OrtEnv* env, const OrtValue* const* src_tensors,
                                   OrtValue* const* dst_tensors, OrtSyncStream* stream,
                                   size_t num_tensors);

#ifdef __cplusplus
}
#endif
