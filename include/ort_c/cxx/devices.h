// SPDX-License-Identifier: MIT
// Pairs of an execution provider and a device, as Env::GetEpDevices() lists them.
#pragma once

#include <vector>

#include "ort_c/cxx/memory.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {
namespace detail {

template <typename T>
struct HardwareDeviceImpl : Base<T> {
  using Base<T>::Base;

  OrtHardwareDeviceType Type() const { return ORT_CXX_CALL(HardwareDevice_Type)(this->p_); }
  /// The vendor's number, as on the PCI bus; 0 when there is none.
  uint32_t VendorId() const { return ORT_CXX_CALL(HardwareDevice_VendorId)(this->p_); }
  /// The number of the device model; 0 when there is none.
  uint32_t DeviceId() const { return ORT_CXX_CALL(HardwareDevice_DeviceId)(this->p_); }
  /// Lives as long as the device.
  const char* Vendor() const { return ORT_CXX_CALL(HardwareDevice_Vendor)(this->p_); }
  /// `is_virtual` is always there, as "0" or "1".
  ConstKeyValuePairs Metadata() const {
    return ConstKeyValuePairs(ORT_CXX_CALL(HardwareDevice_Metadata)(this->p_));
  }
};

}  // namespace detail

/// A device of the machine. Lives as long as its environment.
using ConstHardwareDevice = detail::HardwareDeviceImpl<detail::Unowned<const OrtHardwareDevice>>;

/// Why a provider does not serve a device; see Env::GetHardwareDeviceEpIncompatibilityDetails().
struct DeviceEpIncompatibilityDetails : detail::Base<OrtDeviceEpIncompatibilityDetails> {
  explicit DeviceEpIncompatibilityDetails(std::nullptr_t) {}
  explicit DeviceEpIncompatibilityDetails(OrtDeviceEpIncompatibilityDetails* p) : Base(p) {}
  /// Bits, as in ort_c/devices.h; 0 when the device is served.
  uint32_t GetReasonsBitmask() const {
    uint32_t reasons = 0;
    ThrowOnError(ORT_CXX_CALL(DeviceEpIncompatibilityDetails_GetReasonsBitmask)(p_, &reasons));
    return reasons;
  }
  /// The provider's own words, which live as long as the object; NULL when it has none.
  const char* GetNotes() const {
    const char* notes = nullptr;
    ThrowOnError(ORT_CXX_CALL(DeviceEpIncompatibilityDetails_GetNotes)(p_, &notes));
    return notes;
  }
  /// The provider's own; 0 when it has none.
  int32_t GetErrorCode() const {
    int32_t code = 0;
    ThrowOnError(ORT_CXX_CALL(DeviceEpIncompatibilityDetails_GetErrorCode)(p_, &code));
    return code;
  }
};

/// A queue of work of a device. The devices of ortc itself have none.
struct SyncStream : detail::Base<OrtSyncStream> {
  explicit SyncStream(std::nullptr_t) {}
  explicit SyncStream(OrtSyncStream* p) : Base(p) {}
  /// The device's own handle; borrowed.
  void* GetHandle() const { return ORT_CXX_CALL(SyncStream_GetHandle)(p_); }
};

namespace detail {

template <typename T>
struct EpDeviceImpl : Base<T> {
  using Base<T>::Base;

  /// As "AotExecutionProvider"; lives as long as the device.
  const char* EpName() const { return ORT_CXX_CALL(EpDevice_EpName)(this->p_); }
  const char* EpVendor() const { return ORT_CXX_CALL(EpDevice_EpVendor)(this->p_); }
  /// What the provider says about itself; `version` is always there.
  ConstKeyValuePairs EpMetadata() const {
    return ConstKeyValuePairs(ORT_CXX_CALL(EpDevice_EpMetadata)(this->p_));
  }
  /// The provider options that suit the device.
  ConstKeyValuePairs EpOptions() const {
    return ConstKeyValuePairs(ORT_CXX_CALL(EpDevice_EpOptions)(this->p_));
  }
  ConstHardwareDevice Device() const {
    return ConstHardwareDevice(ORT_CXX_CALL(EpDevice_Device)(this->p_));
  }
  /// Holds nullptr when the memory is that of the processor.
  ConstMemoryInfo GetMemoryInfo(OrtDeviceMemoryType memory_type) const {
    return ConstMemoryInfo(ORT_CXX_CALL(EpDevice_MemoryInfo)(this->p_, memory_type));
  }
  /// Fails with INVALID_ARGUMENT for devices without streams.
  SyncStream CreateSyncStream(ConstKeyValuePairs stream_options = {}) const {
    OrtSyncStream* stream = nullptr;
    ThrowOnError(ORT_CXX_CALL(CreateSyncStreamForEpDevice)(this->p_, stream_options, &stream));
    return SyncStream(stream);
  }
};

}  // namespace detail

/// A provider and a device. Lives as long as its environment.
using ConstEpDevice = detail::EpDeviceImpl<detail::Unowned<const OrtEpDevice>>;

/// A pair that a provider library makes, for its OrtEpFactory.
struct EpDevice : detail::EpDeviceImpl<OrtEpDevice> {
  explicit EpDevice(std::nullptr_t) {}
  explicit EpDevice(OrtEpDevice* p) : EpDeviceImpl(p) {}
  EpDevice(OrtEpFactory& ep_factory, ConstHardwareDevice& hardware_device,
           ConstKeyValuePairs ep_metadata = {}, ConstKeyValuePairs ep_options = {}) {
    ThrowOnError(
        GetEpApi().CreateEpDevice(&ep_factory, hardware_device, ep_metadata, ep_options, &p_));
  }
};

/// The entries of the environment's configuration, for provider libraries.
inline KeyValuePairs GetEnvConfigEntries() {
  OrtKeyValuePairs* entries = nullptr;
  ThrowOnError(GetEpApi().GetEnvConfigEntries(&entries));
  return KeyValuePairs(entries);
}

/// How well a compiled model fits devices; reads nothing but the text.
///
/// `ep_devices`          Devices of one provider.
/// `compatibility_info`  What GetCompatibilityInfoFromModelAllocated() gave for that provider.
inline OrtCompiledModelCompatibility GetModelCompatibilityForEpDevices(
    const std::vector<ConstEpDevice>& ep_devices, const char* compatibility_info) {
  OrtCompiledModelCompatibility verdict = OrtCompiledModelCompatibility_EP_NOT_APPLICABLE;
  ThrowOnError(ORT_CXX_CALL(GetModelCompatibilityForEpDevices)(
      detail::c_array(ep_devices.data()), ep_devices.size(), compatibility_info, &verdict));
  return verdict;
}

/// What a compiled model in a file says to a provider about the library it was compiled for; NULL
/// when it says nothing.
///
/// `ep_type`    The provider's name.
/// `allocator`  Takes the memory of the text.
inline AllocatedStringPtr GetCompatibilityInfoFromModelAllocated(const detail::Path& model_path,
                                                                 const char* ep_type,
                                                                 OrtAllocator* allocator) {
  char* text = nullptr;
  ThrowOnError(
      ORT_CXX_CALL(GetCompatibilityInfoFromModel)(model_path.c_str(), ep_type, allocator, &text));
  return AllocatedStringPtr(text, {allocator});
}
/// The same for a model in memory.
inline AllocatedStringPtr GetCompatibilityInfoFromModelBytesAllocated(const void* model_data,
                                                                      size_t model_data_length,
                                                                      const char* ep_type,
                                                                      OrtAllocator* allocator) {
  char* text = nullptr;
  ThrowOnError(ORT_CXX_CALL(GetCompatibilityInfoFromModelBytes)(model_data, model_data_length,
                                                                ep_type, allocator, &text));
  return AllocatedStringPtr(text, {allocator});
}

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
