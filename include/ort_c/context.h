// SPDX-License-Identifier: MIT
// Compiled models seen from outside: will one run here, and what is in it? Nothing here makes a
// session or runs anything.
#pragma once

#include "ort_c/allocator.h"
#include "ort_c/devices.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Reads from a model file what it was compiled for.
///
/// Only the metadata are read; weights are skipped.
///
/// `model_path`          UTF-8.
/// `ep_type`             The execution provider, as "AotExecutionProvider".
/// `allocator`           Takes the memory of the text.
/// `compatibility_info`  A new text; give it back with OrtAllocatorFree(). NULL when the model has
///                       none for this provider, which is not a failure, and after a failure.
///
/// Fails with INVALID_ARGUMENT, NO_SUCHFILE or INVALID_GRAPH (no ONNX model). Thread-safe. Reads a
/// file. Since 1.0.
ORTC_API OrtStatus* OrtGetCompatibilityInfoFromModel(const char* model_path, const char* ep_type,
                                                     OrtAllocator* allocator,
                                                     char** compatibility_info);

/// Reads from the bytes of a model what it was compiled for.
///
/// `model_data`         Borrowed for this call.
/// `model_data_length`  In bytes, 1 to 2^31 - 1.
/// Other parameters as for OrtGetCompatibilityInfoFromModel().
///
/// Fails with INVALID_ARGUMENT or INVALID_GRAPH. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetCompatibilityInfoFromModelBytes(const void* model_data,
                                                          size_t model_data_length,
                                                          const char* ep_type,
                                                          OrtAllocator* allocator,
                                                          char** compatibility_info);

/// Says how well a compiled model fits devices.
///
/// `ep_devices`          Borrowed. One or more devices, all of the same execution provider.
/// `num_ep_devices`      How many, at least 1.
/// `compatibility_info`  Borrowed for this call. A text from OrtGetCompatibilityInfoFromModel().
/// `out_status`          The answer; EP_NOT_APPLICABLE when the provider cannot tell.
///
/// Fails with INVALID_ARGUMENT, or what the provider says. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetModelCompatibilityForEpDevices(const OrtEpDevice* const* ep_devices,
                                                         size_t num_ep_devices,
                                                         const char* compatibility_info,
                                                         OrtCompiledModelCompatibility* out_status);

// Inspection: ortc's own.

/// Bits for OrtInspectFile().
typedef enum OrtInspectFlags {
  OrtInspectFlags_NONE = 0,
  OrtInspectFlags_DETAILS = 1,      // list each node and tensor, not only their numbers
  OrtInspectFlags_VERIFY_DATA = 2,  // read all context data and compare their checksums
} OrtInspectFlags;

/// Describes a file, without running or changing anything: an ONNX model, compiled or not, or a
/// context binary. Files that the model refers to are named and, where needed, opened.
///
/// `path`   UTF-8.
/// `flags`  Bits of OrtInspectFlags.
/// `out`    A new object; give it back with OrtReleaseInspection(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT (an unknown flag as well), NO_SUCHFILE, INVALID_PROTOBUF (neither a
/// model nor a context binary) or INVALID_GRAPH (a damaged context binary). Faults of files that
/// the model refers to stand in the result instead. Thread-safe. Reads files. Since 1.0.
ORTC_API OrtStatus* OrtInspectFile(const char* path, uint32_t flags, OrtInspection** out);

/// Shows the description as a JSON object. Its member `kind` is "onnx_model" or "context_binary".
///
/// Members may be added in later releases; none changes its meaning. Sizes end in `_bytes`.
///
/// `inspection`  Borrowed.
/// `out`         Borrowed; lives as long as `inspection`. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtInspection_GetJson(const OrtInspection* inspection, const char** out);

/// Gives a description back.
///
/// `inspection`  Ends here, and with it what was borrowed from it. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseInspection(OrtInspection* inspection);

#ifdef __cplusplus
}
#endif
