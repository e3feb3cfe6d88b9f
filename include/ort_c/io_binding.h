// SPDX-License-Identifier: MIT
// IO binding: inputs and outputs of a session tied to values once, for any number of runs. Results
// go straight into bound values; a run of shapes seen before then allocates nothing.
#pragma once

#include "ort_c/allocator.h"
#include "ort_c/run_options.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OrtIoBinding OrtIoBinding;

/// Makes a binding without values.
///
/// `session`  Borrowed; the binding keeps what it needs of it.
/// `out`      A new object; give it back with OrtReleaseIoBinding(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateIoBinding(OrtSession* session, OrtIoBinding** out);

/// Gives a binding back. No run may be using it.
///
/// `input`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseIoBinding(OrtIoBinding* input);

/// Ties an input to a value, in place of an earlier one.
///
/// `binding_ptr`  Changed.
/// `name`         Copied. An input or an overridable initializer of the model.
/// `val_ptr`      Its content is shared, so the value itself may be released; memory of the caller
///                under it must live until the input is bound to something else or cleared.
///
/// Fails with INVALID_ARGUMENT, or FAIL for a name that the model does not have. One thread at a
/// time. Since 1.0.
ORTC_API OrtStatus* OrtBindInput(OrtIoBinding* binding_ptr, const char* name,
                                 const OrtValue* val_ptr);

/// Ties an output to a value that each run fills.
///
/// `binding_ptr`  Changed.
/// `name`         Copied. An output of the model; a wrong name is found by the run.
/// `val_ptr`      A tensor of the type and shape of the result; shared as in OrtBindInput().
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtBindOutput(OrtIoBinding* binding_ptr, const char* name,
                                  const OrtValue* val_ptr);

/// Asks for an output whose shape is not known before. Each run makes a new value for it.
///
/// `binding_ptr`   Changed.
/// `name`          Copied. An output of the model; a wrong name is found by the run.
/// `mem_info_ptr`  Borrowed. Where the result should be: memory of the CPU, or of a device that the
///                 session uses.
///
/// Fails with INVALID_ARGUMENT, or NOT_IMPLEMENTED for memory of another device. One thread at a
/// time. Since 1.0.
ORTC_API OrtStatus* OrtBindOutputToDevice(OrtIoBinding* binding_ptr, const char* name,
                                          const OrtMemoryInfo* mem_info_ptr);

/// Runs the model once with what is bound, and waits for the result.
///
/// `session`      Borrowed; the one the binding was made for.
/// `run_options`  Borrowed for this call. NULL means the defaults.
/// `binding_ptr`  Borrowed. After a failure the contents of bound outputs are undefined.
///
/// Fails as OrtRun() does. One binding serves one run at a time; several bindings of one session
/// may run at once. Since 1.0.
ORTC_API OrtStatus* OrtRunWithBinding(OrtSession* session, const OrtRunOptions* run_options,
                                      const OrtIoBinding* binding_ptr);

/// Lists the names of bound outputs, in the order in which they were bound.
///
/// `binding_ptr`  Borrowed.
/// `allocator`    Takes the memory of both arrays.
/// `buffer`       All names, one after the other and without terminators. NULL when there are none,
///                and after a failure.
/// `lengths`      The length of each name in bytes. NULL when there are none, and after a failure.
/// `count`        How many. Give both arrays back with OrtAllocatorFree().
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetBoundOutputNames(const OrtIoBinding* binding_ptr, OrtAllocator* allocator,
                                           char** buffer, size_t** lengths, size_t* count);

/// Gives the bound outputs, in the order in which they were bound.
///
/// `binding_ptr`   Borrowed.
/// `allocator`     Takes the memory of the array.
/// `output`        An array of new values that share the contents; give each back with
///                 OrtReleaseValue(), the array with OrtAllocatorFree(). An output bound to memory
///                 only has no content before the first run. NULL when there are none, and after a
///                 failure.
/// `output_count`  How many.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetBoundOutputValues(const OrtIoBinding* binding_ptr,
                                            OrtAllocator* allocator, OrtValue*** output,
                                            size_t* output_count);

/// Unties all inputs. One thread at a time; NULL is allowed. Since 1.0.
ORTC_API void OrtClearBoundInputs(OrtIoBinding* binding_ptr);

/// Unties all outputs. One thread at a time; NULL is allowed. Since 1.0.
ORTC_API void OrtClearBoundOutputs(OrtIoBinding* binding_ptr);

/// Waits until bound inputs are where the run needs them. On the CPU they always are.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtSynchronizeBoundInputs(OrtIoBinding* binding_ptr);

/// Waits until bound outputs are where they should be. On the CPU they always are.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtSynchronizeBoundOutputs(OrtIoBinding* binding_ptr);

#ifdef __cplusplus
}
#endif
