// SPDX-License-Identifier: MIT
// What ONNX Runtime's interface has for providers and graphics beside the tables of ort_api.h: ortc
// itself does without, sources written for ONNX Runtime name them.
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

typedef enum OrtGraphicsApi {
  ORT_GRAPHICS_API_NONE = 0,
  ORT_GRAPHICS_API_D3D12 = 1,
  ORT_GRAPHICS_API_VULKAN = 2,
} OrtGraphicsApi;

typedef enum OrtResourceCountKind {
  OrtResourceCountKind_None = 0,
  OrtResourceCountKind_TotalBytes = 1,
} OrtResourceCountKind;

typedef void* (*OrtThreadPoolWorkEnqueueFn)(void* user_context);
typedef void (*OrtThreadPoolWorkStartFn)(void* user_context, void* enqueue_data);
typedef void (*OrtThreadPoolWorkStopFn)(void* user_context, void* enqueue_data);
typedef void (*OrtThreadPoolWorkAbandonFn)(void* user_context, void* enqueue_data);

/// What hears of the work of a thread pool.
struct OrtThreadPoolCallbacksConfig {
  uint32_t version;
  OrtThreadPoolWorkEnqueueFn on_enqueue;
  OrtThreadPoolWorkStartFn on_start_work;
  OrtThreadPoolWorkStopFn on_stop_work;
  OrtThreadPoolWorkAbandonFn on_abandon;
  void* user_context;
};

/// Memory of a graphics interface.
struct OrtExternalMemoryDescriptor {
  uint32_t version;
  OrtExternalMemoryHandleType handle_type;
  void* native_handle;
  size_t size_bytes;
  size_t offset_bytes;
};

/// A semaphore of a graphics interface.
struct OrtExternalSemaphoreDescriptor {
  uint32_t version;
  OrtExternalSemaphoreType type;
  void* native_handle;
};

/// How a graphics interface is shared.
struct OrtGraphicsInteropConfig {
  uint32_t version;
  OrtGraphicsApi graphics_api;
  void* command_queue;
  const OrtKeyValuePairs* additional_options;
};

/// A tensor in imported memory.
struct OrtExternalTensorDescriptor {
  uint32_t version;
  ONNXTensorElementDataType element_type;
  const int64_t* shape;
  size_t rank;
  size_t offset_bytes;
};

/// Imported memory.
struct OrtExternalMemoryHandle {
  uint32_t version;
  const OrtEpDevice* ep_device;
  OrtExternalMemoryDescriptor descriptor;
  void (*Release)(OrtExternalMemoryHandle* handle);
};

/// An imported semaphore.
struct OrtExternalSemaphoreHandle {
  uint32_t version;
  const OrtEpDevice* ep_device;
  OrtExternalSemaphoreDescriptor descriptor;
  void (*Release)(OrtExternalSemaphoreHandle* handle);
};

/// What imports memory and semaphores.
struct OrtExternalResourceImporterImpl {
  uint32_t ort_version_supported;
  bool (*CanImportMemory)(const OrtExternalResourceImporterImpl* this_ptr,
      OrtExternalMemoryHandleType handle_type);
  OrtStatus* (*ImportMemory)(OrtExternalResourceImporterImpl* this_ptr,
      const OrtExternalMemoryDescriptor* desc, OrtExternalMemoryHandle** out_handle);
  void (*ReleaseMemory)(OrtExternalResourceImporterImpl* this_ptr, OrtExternalMemoryHandle* handle);
  OrtStatus* (*CreateTensorFromMemory)(OrtExternalResourceImporterImpl* this_ptr,
      const OrtExternalMemoryHandle* mem_handle, const OrtExternalTensorDescriptor* tensor_desc,
      OrtValue** out_tensor);
  bool (*CanImportSemaphore)(const OrtExternalResourceImporterImpl* this_ptr,
      OrtExternalSemaphoreType type);
  OrtStatus* (*ImportSemaphore)(OrtExternalResourceImporterImpl* this_ptr,
      const OrtExternalSemaphoreDescriptor* desc, OrtExternalSemaphoreHandle** out_handle);
  void (*ReleaseSemaphore)(OrtExternalResourceImporterImpl* this_ptr,
      OrtExternalSemaphoreHandle* handle);
  OrtStatus* (*WaitSemaphore)(OrtExternalResourceImporterImpl* this_ptr,
      OrtExternalSemaphoreHandle* handle, OrtSyncStream* stream, uint64_t value);
  OrtStatus* (*SignalSemaphore)(OrtExternalResourceImporterImpl* this_ptr,
      OrtExternalSemaphoreHandle* handle, OrtSyncStream* stream, uint64_t value);
  void (*Release)(OrtExternalResourceImporterImpl* this_ptr);
};

/// What hears of a session's profile.
struct OrtEpProfilerImpl {
  uint32_t ort_version_supported;
  void (*Release)(OrtEpProfilerImpl* this_ptr);
  OrtStatus* (*StartProfiling)(OrtEpProfilerImpl* this_ptr, int64_t ep_profiling_start_offset_ns);
  OrtStatus* (*StartEvent)(OrtEpProfilerImpl* this_ptr, uint64_t ort_event_correlation_id);
  OrtStatus* (*StopEvent)(OrtEpProfilerImpl* this_ptr, uint64_t ort_event_correlation_id,
      const OrtProfilingEvent* ort_event);
  OrtStatus* (*EndProfiling)(OrtEpProfilerImpl* this_ptr,
      OrtProfilingEventsContainer* events_container);
};

/// A kernel of a provider's own.
struct OrtKernelImpl {
  uint32_t ort_version_supported;
  uint32_t flags;
  OrtStatus* (*Compute)(OrtKernelImpl* this_ptr, OrtKernelContext* context);
  void (*Release)(OrtKernelImpl* this_ptr);
  OrtStatus* (*PrePackWeight)(OrtKernelImpl* this_ptr, const OrtValue* tensor, int input_index,
      OrtAllocator* allocator, OrtSharedPrePackedWeightCache* prepacked_weight_cache,
      bool* is_packed);
  OrtStatus* (*SetSharedPrePackedWeight)(OrtKernelImpl* this_ptr,
      const void* const* buffer_data_ptrs, const size_t* buffer_data_sizes, size_t num_buffers,
      int input_index);
};

/// What a provider gives a Loop kernel.
struct OrtLoopKernelHelper {
  uint32_t ort_version_supported;
  void (*Release)(OrtLoopKernelHelper* this_ptr);
  OrtStatus* (*ConcatOutput)(OrtLoopKernelHelper* this_ptr, void* stream_handle,
      const OrtValue* const* per_iteration_outputs, size_t num_per_iteration_outputs, void* output,
      size_t output_size_in_bytes);
};

/// What a provider gives a Scan kernel.
struct OrtScanKernelHelper {
  uint32_t ort_version_supported;
  void (*Release)(OrtScanKernelHelper* this_ptr);
  OrtStatus* (*Transpose)(OrtScanKernelHelper* this_ptr, const size_t* permutation,
      size_t num_permutation_elems, const OrtValue* input, OrtSyncStream* stream, OrtValue* output);
};

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
