// SPDX-License-Identifier: MIT
// LoRA adapters: sets of tensors in a file of their own that a run feeds to inputs of the model, in
// ONNX Runtime's format (".onnx_adapter").
#pragma once

#include "ort_c/allocator.h"
#include "ort_c/run_options.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OrtLoraAdapter OrtLoraAdapter;

/// Reads an adapter from a file, which is mapped and stays open.
///
/// `adapter_file_path`  UTF-8.
/// `allocator`          May be NULL. Names memory of a device for the parameters; here they stay in
///                      memory of the CPU.
/// `out`                A new object; give it back with OrtReleaseLoraAdapter(). NULL after a
///                      failure.
///
/// Fails with INVALID_ARGUMENT, NO_SUCHFILE, or FAIL when the file is not an adapter. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtCreateLoraAdapter(const char* adapter_file_path, OrtAllocator* allocator,
                                         OrtLoraAdapter** out);

/// Reads an adapter from bytes.
///
/// `bytes`      Copied.
/// `num_bytes`  How many.
/// `allocator`  As for OrtCreateLoraAdapter().
/// `out`        A new object; give it back with OrtReleaseLoraAdapter(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT, or FAIL when the bytes are not an adapter. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateLoraAdapterFromArray(const void* bytes, size_t num_bytes,
                                                  OrtAllocator* allocator, OrtLoraAdapter** out);

/// Gives an adapter back. Run options keep what they need of it.
///
/// `input`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseLoraAdapter(OrtLoraAdapter* input);

/// Makes every run with these options feed the adapter's parameters to the inputs of their names,
/// also in place of values that the run gives.
///
/// `options`  Changed. Several adapters may be active at once.
/// `adapter`  Its parameters are shared.
///
/// Fails with INVALID_ARGUMENT; a run fails when the model has no input of a parameter's name, type
/// and shape. Since 1.0.
ORTC_API OrtStatus* OrtRunOptionsAddActiveLoraAdapter(OrtRunOptions* options,
                                                      const OrtLoraAdapter* adapter);

#ifdef __cplusplus
}
#endif
