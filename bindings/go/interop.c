// SPDX-License-Identifier: MIT
// Descriptions of memory and semaphores to import: a handle of the system is a number in Go, where
// a pointer that points to nothing of C or Go may not lie in memory.
#include "capi.h"

OrtStatus* ortc_import_memory(OrtExternalResourceImporter* importer,
                              OrtExternalMemoryHandleType type, uintptr_t handle, size_t size,
                              size_t offset, OrtExternalMemoryHandle** out) {
  const OrtExternalMemoryDescriptor what = {ORTC_ORT_API_VERSION, type, (void*)handle, size,
                                            offset};
  return OrtImportMemory(importer, &what, out);
}

OrtStatus* ortc_import_semaphore(OrtExternalResourceImporter* importer,
                                 OrtExternalSemaphoreType type, uintptr_t handle,
                                 OrtExternalSemaphoreHandle** out) {
  const OrtExternalSemaphoreDescriptor what = {ORTC_ORT_API_VERSION, type, (void*)handle};
  return OrtImportSemaphore(importer, &what, out);
}

OrtStatus* ortc_tensor_in_memory(OrtExternalResourceImporter* importer,
                                 const OrtExternalMemoryHandle* memory,
                                 ONNXTensorElementDataType type, const int64_t* shape, size_t rank,
                                 size_t offset, OrtValue** out) {
  const OrtExternalTensorDescriptor what = {ORTC_ORT_API_VERSION, type, shape, rank, offset};
  return OrtCreateTensorFromMemory(importer, memory, &what, out);
}

OrtStatus* ortc_init_graphics(const OrtEpDevice* device, OrtGraphicsApi api, void* command_queue,
                              const OrtKeyValuePairs* options) {
  const OrtGraphicsInteropConfig config = {ORTC_ORT_API_VERSION, api, command_queue, options};
  return OrtInitGraphicsInteropForEpDevice(device, &config);
}
