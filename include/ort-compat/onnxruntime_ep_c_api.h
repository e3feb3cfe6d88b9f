// SPDX-License-Identifier: MIT
// What ONNX Runtime's interface has for providers and graphics besides the tables of ort_api.h:
// ortc itself does without, sources written for ONNX Runtime name them.
// Made by tools/generate_functions.py from core/api/abi/ort_tables.tsv, do not edit.
#pragma once

#include "onnxruntime_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// clang-format off

typedef enum OrtDeviceEpIncompatibilityReason {
  OrtDeviceEpIncompatibility_NONE = 0,
  OrtDeviceEpIncompatibility_DRIVER_INCOMPATIBLE = 1,
  OrtDeviceEpIncompatibility_DEVICE_INCOMPATIBLE = 2,
  OrtDeviceEpIncompatibility_MISSING_DEPENDENCY = 4,
  OrtDeviceEpIncompatibility_UNKNOWN = 2147483648,
} OrtDeviceEpIncompatibilityReason;

typedef enum OrtResourceCountKind {
  OrtResourceCountKind_None = 0,
  OrtResourceCountKind_TotalBytes = 1,
} OrtResourceCountKind;

typedef enum OrtEpContextDataCallbackSupportFlags {
  OrtEpContextDataCallbackSupportFlags_NONE = 0,
  OrtEpContextDataCallbackSupportFlags_READ = 1,
  OrtEpContextDataCallbackSupportFlags_WRITE = 2,
} OrtEpContextDataCallbackSupportFlags;


/// An amount of a resource.
struct OrtResourceCount {
  uint32_t kind;
  uint32_t reserved;
  union { uint64_t total_bytes; uint64_t reserved_words[6]; } value;
};

// clang-format on

#ifdef __cplusplus
}
#endif
