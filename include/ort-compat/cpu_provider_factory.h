// SPDX-License-Identifier: MIT
// The function by which programs in C ask for the CPU provider, which every session has.
#pragma once

#include "onnxruntime_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(ORTC_ONNXRUNTIME_LIBRARY)
/// Says whether the session keeps memory in an arena.
ORT_EXPORT OrtStatus* ORT_API_CALL OrtSessionOptionsAppendExecutionProvider_CPU(
    OrtSessionOptions* options, int use_arena) NO_EXCEPTION;
#else
/// Says whether the session keeps memory in an arena.
static inline OrtStatus* OrtSessionOptionsAppendExecutionProvider_CPU(OrtSessionOptions* options,
                                                                      int use_arena) {
  return use_arena != 0 ? OrtEnableCpuMemArena(options) : OrtDisableCpuMemArena(options);
}
#endif

#ifdef __cplusplus
}
#endif
