// SPDX-License-Identifier: MIT
// Memory and semaphores that others made, such as a graphics interface, used by a device without
// a copy; see ort_c/interop.h. Part of ort_cxx.h.
#pragma once

#include <vector>

#include "ort_c/cxx/devices.h"
#include "ort_c/cxx/value.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

/// Imported memory. Tensors in it keep what they need of it.
struct ExternalMemoryHandle : detail::Base<OrtExternalMemoryHandle> {
  explicit ExternalMemoryHandle(std::nullptr_t) {}
  explicit ExternalMemoryHandle(OrtExternalMemoryHandle* p) : Base(p) {}
};

/// An imported semaphore. It must live until the streams that wait for it, or set it, have done so.
struct ExternalSemaphoreHandle : detail::Base<OrtExternalSemaphoreHandle> {
  explicit ExternalSemaphoreHandle(std::nullptr_t) {}
  explicit ExternalSemaphoreHandle(OrtExternalSemaphoreHandle* p) : Base(p) {}
};

/// Imports memory and semaphores for a device. What it made stays after its end.
///
///   Ort::ExternalResourceImporter importer(device);
///   OrtExternalMemoryDescriptor file{ORTC_ORT_API_VERSION, kFileMemory, handle, 4096, 0};
///   Ort::ExternalMemoryHandle memory = importer.ImportMemory(file);
///   Ort::Value x = importer.CreateTensorFromMemory(memory, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
///                                                  {1, 2});
struct ExternalResourceImporter : detail::Base<OrtExternalResourceImporter> {
  explicit ExternalResourceImporter(std::nullptr_t) {}
  explicit ExternalResourceImporter(OrtExternalResourceImporter* p) : Base(p) {}
  /// Fails with NOT_IMPLEMENTED when the provider imports nothing for the device.
  explicit ExternalResourceImporter(const OrtEpDevice* device) {
    ThrowOnError(ORT_CXX_INTEROP_CALL(CreateExternalResourceImporterForDevice)(device, &p_));
    if (p_ == nullptr) detail::raise("the provider imports nothing", ORT_NOT_IMPLEMENTED);
  }

  bool CanImportMemory(OrtExternalMemoryHandleType type) const {
    bool can = false;
    ThrowOnError(ORT_CXX_INTEROP_CALL(CanImportMemory)(p_, type, &can));
    return can;
  }
  ExternalMemoryHandle ImportMemory(const OrtExternalMemoryDescriptor& what) {
    OrtExternalMemoryHandle* memory = nullptr;
    ThrowOnError(ORT_CXX_INTEROP_CALL(ImportMemory)(p_, &what, &memory));
    return ExternalMemoryHandle(memory);
  }
  Value CreateTensorFromMemory(const OrtExternalMemoryHandle* memory,
                               const OrtExternalTensorDescriptor& what) {
    OrtValue* value = nullptr;
    ThrowOnError(ORT_CXX_INTEROP_CALL(CreateTensorFromMemory)(p_, memory, &what, &value));
    return Value(value);
  }
  /// `offset_bytes`  From where the import begins.
  Value CreateTensorFromMemory(const OrtExternalMemoryHandle* memory,
                               ONNXTensorElementDataType type, const std::vector<int64_t>& shape,
                               size_t offset_bytes = 0) {
    return CreateTensorFromMemory(
        memory, {ORTC_ORT_API_VERSION, type, shape.data(), shape.size(), offset_bytes});
  }

  bool CanImportSemaphore(OrtExternalSemaphoreType type) const {
    bool can = false;
    ThrowOnError(ORT_CXX_INTEROP_CALL(CanImportSemaphore)(p_, type, &can));
    return can;
  }
  ExternalSemaphoreHandle ImportSemaphore(const OrtExternalSemaphoreDescriptor& what) {
    OrtExternalSemaphoreHandle* semaphore = nullptr;
    ThrowOnError(ORT_CXX_INTEROP_CALL(ImportSemaphore)(p_, &what, &semaphore));
    return ExternalSemaphoreHandle(semaphore);
  }
  /// What is added to the stream afterwards comes when the semaphore has the value, or more.
  void WaitSemaphore(OrtExternalSemaphoreHandle* semaphore, OrtSyncStream* stream, uint64_t value) {
    ThrowOnError(ORT_CXX_INTEROP_CALL(WaitSemaphore)(p_, semaphore, stream, value));
  }
  /// The stream sets the value when it has done what was added before.
  void SignalSemaphore(OrtExternalSemaphoreHandle* semaphore, OrtSyncStream* stream,
                       uint64_t value) {
    ThrowOnError(ORT_CXX_INTEROP_CALL(SignalSemaphore)(p_, semaphore, stream, value));
  }
};

/// Tells a provider which graphics interface its streams for a device share from now on.
inline void InitGraphicsInteropForEpDevice(const OrtEpDevice* device,
                                           const OrtGraphicsInteropConfig& config) {
  ThrowOnError(ORT_CXX_INTEROP_CALL(InitGraphicsInteropForEpDevice)(device, &config));
}
inline void DeinitGraphicsInteropForEpDevice(const OrtEpDevice* device) {
  ThrowOnError(ORT_CXX_INTEROP_CALL(DeinitGraphicsInteropForEpDevice)(device));
}

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
