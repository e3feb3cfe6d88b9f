// SPDX-License-Identifier: MIT
// What the library exports, and the factory that it makes: one virtual NPU, offered when the
// environment allows virtual devices.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>

#include "npu_ep.h"

namespace virtual_npu {
namespace {

constexpr char kVendor[] = "ortc samples";
constexpr uint32_t kVendorId = 0xBE57;
constexpr uint32_t kDeviceId = 1;

struct Factory : OrtEpFactory {
  explicit Factory(const Tables& with);
  ~Factory() {
    if (device != nullptr) tables.ep.ReleaseHardwareDevice(device);
  }
  Factory(const Factory&) = delete;
  Factory& operator=(const Factory&) = delete;

  Tables tables;
  Workspace workspace;
  OrtHardwareDevice* device = nullptr;  // its devices refer to it
};

Factory& own(OrtEpFactory* factory) { return *static_cast<Factory*>(factory); }

struct Pairs {
  explicit Pairs(const Tables& with) : tables(with) { tables.ort.CreateKeyValuePairs(&list); }
  ~Pairs() { tables.ort.ReleaseKeyValuePairs(list); }
  Pairs(const Pairs&) = delete;
  Pairs& operator=(const Pairs&) = delete;
  const Tables& tables;
  OrtKeyValuePairs* list = nullptr;
};

bool may_be_virtual(const Tables& tables) {
  OrtKeyValuePairs* entries = nullptr;
  check(tables.ep.GetEnvConfigEntries(&entries));
  const char* value = tables.ort.GetKeyValue(entries, "allow_virtual_devices");
  const bool is_allowed = value != nullptr && std::strcmp(value, "1") == 0;
  tables.ort.ReleaseKeyValuePairs(entries);
  return is_allowed;
}

const char* get_name(const OrtEpFactory*) noexcept { return kEpName; }
const char* get_vendor(const OrtEpFactory*) noexcept { return kVendor; }
uint32_t get_vendor_id(const OrtEpFactory*) noexcept { return kVendorId; }
const char* get_version(const OrtEpFactory*) noexcept { return "1.0.0"; }

OrtStatus* get_devices(OrtEpFactory* self, const OrtHardwareDevice* const*, size_t,
                       OrtEpDevice** ep_devices, size_t max, size_t* count) noexcept {
  Factory& factory = own(self);
  const Tables& tables = factory.tables;
  return at_border(tables, [&] {
    *count = 0;
    if (max == 0 || !may_be_virtual(tables)) return;
    if (factory.device == nullptr) {
      const Pairs metadata(tables);
      tables.ort.AddKeyValuePair(metadata.list, "is_virtual", "1");
      check(tables.ep.CreateHardwareDevice(OrtHardwareDeviceType_NPU, kVendorId, kDeviceId, kVendor,
                                           metadata.list, &factory.device));
    }
    check(tables.ep.CreateEpDevice(&factory, factory.device, nullptr, nullptr, &ep_devices[0]));
    *count = 1;
  });
}

OrtStatus* create_ep(OrtEpFactory* self, const OrtHardwareDevice* const*,
                     const OrtKeyValuePairs* const*, size_t, const OrtSessionOptions* options,
                     const OrtLogger*, OrtEp** ep) noexcept {
  Factory& factory = own(self);
  return at_border(factory.tables,
                   [&] { *ep = new Ep(factory.tables, factory.workspace, *options); });
}

void release_ep(OrtEpFactory*, OrtEp* ep) noexcept { delete static_cast<Ep*>(ep); }

// A text of this library with another version of programs cannot run; another text is not its own.
OrtStatus* validate(OrtEpFactory*, const OrtHardwareDevice* const*, size_t, const char* info,
                    OrtCompiledModelCompatibility* verdict) noexcept {
  const std::string text = info;
  *verdict = text == kCompatibility ? OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL
             : text.rfind("virtual_npu;", 0) == 0 ? OrtCompiledModelCompatibility_EP_UNSUPPORTED
                                                  : OrtCompiledModelCompatibility_EP_NOT_APPLICABLE;
  return nullptr;
}

// Values lie in memory of the host: nothing to transfer.
OrtStatus* create_data_transfer(OrtEpFactory*, OrtDataTransferImpl** transfer) noexcept {
  *transfer = nullptr;
  return nullptr;
}

bool is_stream_aware(const OrtEpFactory*) noexcept { return false; }

Factory::Factory(const Tables& with) : OrtEpFactory{}, tables(with) {
  ort_version_supported = with.version;
  GetName = get_name;
  GetVendor = get_vendor;
  GetVendorId = get_vendor_id;
  GetVersion = get_version;
  GetSupportedDevices = get_devices;
  CreateEp = create_ep;
  ReleaseEp = release_ep;
  ValidateCompiledModelCompatibilityInfo = validate;
  CreateDataTransfer = create_data_transfer;
  IsStreamAware = is_stream_aware;
}

// Runtime "1.31.0" has version 31 of the interface; 0 for what does not look so.
uint32_t version_of(const OrtApiBase& base) {
  unsigned version = 0;
  return std::sscanf(base.GetVersionString(), "1.%u.", &version) == 1 ? version : 0;
}

}  // namespace
}  // namespace virtual_npu

using namespace virtual_npu;

extern "C" {

ORT_EXPORT OrtStatus* CreateEpFactories(const char*, const OrtApiBase* base, const OrtLogger*,
                                        OrtEpFactory** factories, size_t max, size_t* count) {
  const uint32_t version = std::min<uint32_t>(version_of(*base), ORT_API_VERSION);
  const OrtApi* ort = base->GetApi(std::max(version, kOldestRuntime));
  if (ort == nullptr) return nullptr;  // an older runtime: it says so
  const Tables tables{*ort, *ort->GetEpApi(), *ort->GetModelEditorApi(), version};
  return at_border(tables, [&] {
    if (max < 1) throw std::runtime_error("there is no room for a factory");
    factories[0] = new Factory(tables);
    *count = 1;
  });
}

ORT_EXPORT int virtual_npu_binaries_read() { return binaries_read(); }

ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  delete static_cast<Factory*>(factory);
  return nullptr;
}

}  // extern "C"
