// SPDX-License-Identifier: MIT
// Memory and semaphores that others made, such as a graphics interface, used by a device without
// a copy. The library of the device's execution provider (ep_plugin.h) imports them; what it makes
// keeps the library, so everything here may be given back in any order.
#pragma once

#include "ort_c/devices.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OrtExternalMemoryHandle OrtExternalMemoryHandle;
typedef struct OrtExternalSemaphoreHandle OrtExternalSemaphoreHandle;
typedef struct OrtExternalResourceImporter OrtExternalResourceImporter;

/// What a handle of memory is.
typedef enum OrtExternalMemoryHandleType {
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE = 0,
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP = 1,
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_WIN32 = 2,
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_OPAQUE_FD = 3,
} OrtExternalMemoryHandleType;

/// What a handle of a semaphore is.
typedef enum OrtExternalSemaphoreType {
  ORT_EXTERNAL_SEMAPHORE_D3D12_FENCE = 0,
  ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_WIN32 = 1,
  ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_OPAQUE_FD = 2,
} OrtExternalSemaphoreType;

/// A graphics interface.
typedef enum OrtGraphicsApi {
  ORT_GRAPHICS_API_NONE = 0,
  ORT_GRAPHICS_API_D3D12 = 1,
  ORT_GRAPHICS_API_VULKAN = 2,
} OrtGraphicsApi;

/// Memory to import. The program fills it in.
typedef struct OrtExternalMemoryDescriptor {
  uint32_t version;                         ///< ORTC_ORT_API_VERSION, or ORT_API_VERSION
  OrtExternalMemoryHandleType handle_type;  ///< what `native_handle` is
  void* native_handle;                      ///< the handle; a file descriptor as a number
  size_t size_bytes;                        ///< of the whole memory
  size_t offset_bytes;                      ///< where the part begins that is imported
} OrtExternalMemoryDescriptor;

/// A semaphore to import. The program fills it in.
typedef struct OrtExternalSemaphoreDescriptor {
  uint32_t version;               ///< ORTC_ORT_API_VERSION, or ORT_API_VERSION
  OrtExternalSemaphoreType type;  ///< what `native_handle` is
  void* native_handle;            ///< the handle; a file descriptor as a number
} OrtExternalSemaphoreDescriptor;

/// A tensor in imported memory. The program fills it in.
typedef struct OrtExternalTensorDescriptor {
  uint32_t version;                        ///< ORTC_ORT_API_VERSION, or ORT_API_VERSION
  ONNXTensorElementDataType element_type;  ///< not of strings
  const int64_t* shape;                    ///< `rank` dimensions; NULL for a scalar
  size_t rank;                             ///< how many dimensions
  size_t offset_bytes;                     ///< where it begins in what was imported
} OrtExternalTensorDescriptor;

/// How a graphics interface is shared. The program fills it in.
typedef struct OrtGraphicsInteropConfig {
  uint32_t version;                            ///< ORTC_ORT_API_VERSION, or ORT_API_VERSION
  OrtGraphicsApi graphics_api;                 ///< which one
  void* command_queue;                         ///< of the interface; may be NULL
  const OrtKeyValuePairs* additional_options;  ///< of the provider; NULL: none
} OrtGraphicsInteropConfig;

/// Imported memory. Programs may read the members.
struct OrtExternalMemoryHandle {
  uint32_t version;
  const OrtEpDevice* ep_device;
  OrtExternalMemoryDescriptor descriptor;
  void (*Release)(OrtExternalMemoryHandle* handle);
};

/// An imported semaphore. Programs may read the members.
struct OrtExternalSemaphoreHandle {
  uint32_t version;
  const OrtEpDevice* ep_device;
  OrtExternalSemaphoreDescriptor descriptor;
  void (*Release)(OrtExternalSemaphoreHandle* handle);
};

/// Makes what imports memory and semaphores for a device.
///
/// `ep_device`     A device from OrtGetEpDevices().
/// `out_importer`  A new object; give it back with OrtReleaseExternalResourceImporter(). NULL after
///                 a failure. One thread at a time may use it.
///
/// Fails with NOT_IMPLEMENTED, naming the provider, when it imports nothing for the device, with
/// INVALID_ARGUMENT, and as the library does. (ONNX Runtime's table gives NULL in place of
/// NOT_IMPLEMENTED.) Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateExternalResourceImporterForDevice(
    const OrtEpDevice* ep_device, OrtExternalResourceImporter** out_importer);

/// Gives an importer back. What it imported stays.
///
/// `input`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseExternalResourceImporter(OrtExternalResourceImporter* input);

/// Asks whether handles of memory of a type can be imported.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtCanImportMemory(const OrtExternalResourceImporter* importer,
                                       OrtExternalMemoryHandleType handle_type,
                                       bool* out_supported);

/// Imports memory.
///
/// `importer`    Borrowed.
/// `desc`        Borrowed for this call. Who owns its handle afterwards is the library's to say.
/// `out_handle`  A new object; give it back with OrtReleaseExternalMemoryHandle(). NULL after a
///               failure.
///
/// Fails with INVALID_ARGUMENT, with NOT_IMPLEMENTED when the library imports no memory, and as the
/// library does. Since 1.0.
ORTC_API OrtStatus* OrtImportMemory(OrtExternalResourceImporter* importer,
                                    const OrtExternalMemoryDescriptor* desc,
                                    OrtExternalMemoryHandle** out_handle);

/// Gives imported memory back. Tensors in it keep what they need.
///
/// `input`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseExternalMemoryHandle(OrtExternalMemoryHandle* input);

/// Makes a tensor in imported memory, without a copy.
///
/// `importer`     Borrowed. Of the provider that imported the memory.
/// `mem_handle`   Borrowed; the tensor keeps what it needs of it.
/// `tensor_desc`  Borrowed for this call. The tensor must fit into the memory.
/// `out_tensor`   A new value; give it back with OrtReleaseValue(). NULL after a failure.
///
/// Who reads and writes it when is the program's to order: with semaphores.
/// Fails with INVALID_ARGUMENT, with NOT_IMPLEMENTED when the library makes no tensors, with
/// EP_FAIL when it makes another one, and as the library does. Since 1.0.
ORTC_API OrtStatus* OrtCreateTensorFromMemory(OrtExternalResourceImporter* importer,
                                              const OrtExternalMemoryHandle* mem_handle,
                                              const OrtExternalTensorDescriptor* tensor_desc,
                                              OrtValue** out_tensor);

/// Asks whether handles of semaphores of a type can be imported.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtCanImportSemaphore(const OrtExternalResourceImporter* importer,
                                          OrtExternalSemaphoreType type, bool* out_supported);

/// Imports a semaphore.
///
/// `importer`    Borrowed.
/// `desc`        Borrowed for this call. Who owns its handle afterwards is the library's to say.
/// `out_handle`  A new object; give it back with OrtReleaseExternalSemaphoreHandle(). NULL after a
///               failure.
///
/// Fails with INVALID_ARGUMENT, with NOT_IMPLEMENTED when the library imports no semaphores, and as
/// the library does. Since 1.0.
ORTC_API OrtStatus* OrtImportSemaphore(OrtExternalResourceImporter* importer,
                                       const OrtExternalSemaphoreDescriptor* desc,
                                       OrtExternalSemaphoreHandle** out_handle);

/// Gives an imported semaphore back.
///
/// `input`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseExternalSemaphoreHandle(OrtExternalSemaphoreHandle* input);

/// Lets a stream wait until a semaphore has a value.
///
/// `importer`          Borrowed. Of the provider that imported the semaphore.
/// `semaphore_handle`  Borrowed; it must live until the stream has done the work.
/// `stream`            Of the same provider. What is added to it afterwards comes after the wait.
/// `value`             The value, or any greater one.
///
/// Fails with INVALID_ARGUMENT, with NOT_IMPLEMENTED when the library cannot wait, and as the
/// library does. Since 1.0.
ORTC_API OrtStatus* OrtWaitSemaphore(OrtExternalResourceImporter* importer,
                                     OrtExternalSemaphoreHandle* semaphore_handle,
                                     OrtSyncStream* stream, uint64_t value);

/// Lets a stream set a semaphore to a value when it has done what was added to it before.
///
/// `importer`          Borrowed. Of the provider that imported the semaphore.
/// `semaphore_handle`  Borrowed; it must live until the stream has done the work.
/// `stream`            Of the same provider.
/// `value`             The new value.
///
/// Fails with INVALID_ARGUMENT, with NOT_IMPLEMENTED when the library cannot signal, and as the
/// library does. Since 1.0.
ORTC_API OrtStatus* OrtSignalSemaphore(OrtExternalResourceImporter* importer,
                                       OrtExternalSemaphoreHandle* semaphore_handle,
                                       OrtSyncStream* stream, uint64_t value);

/// Tells a provider which graphics interface its streams for a device share from now on.
///
/// `ep_device`  A device from OrtGetEpDevices().
/// `config`     Borrowed for this call.
///
/// Fails with NOT_IMPLEMENTED, naming the provider, when it shares none, with INVALID_ARGUMENT, and
/// as the library does. Thread-safe where the library is. Since 1.0.
ORTC_API OrtStatus* OrtInitGraphicsInteropForEpDevice(const OrtEpDevice* ep_device,
                                                      const OrtGraphicsInteropConfig* config);

/// Ends what OrtInitGraphicsInteropForEpDevice() began.
///
/// Fails as that function does. Thread-safe where the library is. Since 1.0.
ORTC_API OrtStatus* OrtDeinitGraphicsInteropForEpDevice(const OrtEpDevice* ep_device);

#ifdef __cplusplus
}
#endif
