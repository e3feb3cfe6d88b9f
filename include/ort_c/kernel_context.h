// SPDX-License-Identifier: MIT
// What a kernel sees of the call it computes: a kernel of a custom operator, or of a provider
// library. A context is valid during the call, on the thread that was called and on those on which
// OrtKernelContext_ParallelFor() calls back. All values are borrowed from it.
#pragma once

#include "ort_c/allocator.h"
#include "ort_c/logger.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OrtKernelContext OrtKernelContext;

/// Counts the inputs, those that the model leaves out included.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtKernelContext_GetInputCount(const OrtKernelContext* context, size_t* out);

/// Counts the outputs, those that the model leaves out included.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtKernelContext_GetOutputCount(const OrtKernelContext* context, size_t* out);

/// Gives an input.
///
/// `index`  Below the number of inputs.
/// `out`    Borrowed. NULL for an input that the model leaves out.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtKernelContext_GetInput(const OrtKernelContext* context, size_t index,
                                              const OrtValue** out);

/// Makes an output, a tensor of the type that the model declares. The kernel fills it.
///
/// `index`       Below the number of outputs.
/// `dim_values`  Borrowed. The shape; may be NULL when `dim_count` is 0.
/// `dim_count`   The rank.
/// `out`         Borrowed; the same value at each call for one shape. NULL for an output that
///               the model leaves out.
///
/// Fails with INVALID_ARGUMENT, also for a second shape, or INVALID_GRAPH when the model does not
/// tell the type. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtKernelContext_GetOutput(OrtKernelContext* context, size_t index,
                                               const int64_t* dim_values, size_t dim_count,
                                               OrtValue** out);

/// Gives the handle of the device's stream that the call works on; NULL when there is none.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtKernelContext_GetGPUComputeStream(const OrtKernelContext* context,
                                                         void** out);

/// Gives the logger of the session.
///
/// `logger`  Borrowed.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtKernelContext_GetLogger(const OrtKernelContext* context,
                                               const OrtLogger** logger);

/// Gives an allocator of a memory. What it allocates may outlive the call.
///
/// `mem_info`  Borrowed. Memory of the CPU, or of a device that the kernel's provider serves.
/// `out`       A new object; give it back with OrtReleaseAllocator(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT for a memory that no provider serves. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtKernelContext_GetAllocator(const OrtKernelContext* context,
                                                  const OrtMemoryInfo* mem_info,
                                                  OrtAllocator** out);

/// Gives a resource of the stream that the call works on, as a handle of a vendor's library.
///
/// Fails with INVALID_ARGUMENT: no stream of this library has any. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtKernelContext_GetResource(const OrtKernelContext* context,
                                                 int resource_version, int resource_id,
                                                 void** resource);

/// Calls a function for each number below `total`, on the threads of the session.
///
/// Returns when all calls have returned. A call of the function may divide a loop itself; that one
/// runs on its thread alone.
///
/// `fn`         Called with `usr_data` and a number.
/// `num_batch`  Into how many parts the numbers are divided; 0: the library chooses.
/// `usr_data`   Passed on.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtKernelContext_ParallelFor(const OrtKernelContext* context,
                                                 void (*fn)(void*, size_t), size_t total,
                                                 size_t num_batch, void* usr_data);

/// Gives memory that is the call's until it returns.
///
/// `mem_info`        Borrowed. As for OrtKernelContext_GetAllocator().
/// `count_or_bytes`  How many bytes. 0 may give NULL.
/// `out`             Borrowed. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT, or RUNTIME_EXCEPTION when memory is short. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtKernelContext_GetScratchBuffer(const OrtKernelContext* context,
                                                      const OrtMemoryInfo* mem_info,
                                                      size_t count_or_bytes, void** out);

/// Gives the stream that the call works on.
///
/// `out`  Borrowed. NULL when there is none.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtKernelContext_GetSyncStream(const OrtKernelContext* context,
                                                   OrtSyncStream** out);

#ifdef __cplusplus
}
#endif
