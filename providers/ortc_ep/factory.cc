// SPDX-License-Identifier: MIT
// What the library exports, and the factory that it makes: ortc's AOT provider for the processor.
#include <map>
#include <mutex>

#include "core/base/version.h"
#include "core/platform/target_list.h"
#include "providers/aot/aot_factory.h"
#include "providers/aot/aot_provider.h"
#include "providers/aot/target.h"
#include "providers/cpu/cpu_provider.h"
#include "providers/ortc_ep/ep.h"

namespace ortc::ort_ep {
namespace {

constexpr uint32_t kVendorId = 0x0C7C;       // of no vendor on a bus
constexpr uint32_t kDeviceIncompatible = 2;  // of the host's reasons
constexpr std::string_view kNameEnd = "ExecutionProvider";

// A library that is registered under the name of a provider is that provider: so a runtime that has
// an AotExecutionProvider itself can have this one as well.
std::string ep_name_of(const char* registration_name) {
  const std::string_view name = registration_name != nullptr ? registration_name : "";
  const bool is_provider = name.ends_with(kNameEnd) && name.size() > kNameEnd.size();
  return std::string(is_provider ? name : aot::kProviderName);
}

struct Factory : OrtEpFactory {
  Factory(const Host& host, std::string ep_name);

  // Sessions that ask for as many threads have the same ones.
  std::shared_ptr<Machine> machine(int thread_count) {
    const std::lock_guard lock(mutex_);
    auto& known = machines_[thread_count];
    auto machine = known.lock();
    if (machine == nullptr) known = machine = std::make_shared<Machine>(thread_count);
    return machine;
  }

  const Host host;
  std::shared_ptr<Shared> shared;

 private:
  std::mutex mutex_;
  std::map<int, std::weak_ptr<Machine>> machines_;
};

Factory& own(OrtEpFactory* factory) { return *static_cast<Factory*>(factory); }

const char* get_name(const OrtEpFactory* factory) noexcept {
  return static_cast<const Factory*>(factory)->shared->ep_name.c_str();
}
const char* get_vendor(const OrtEpFactory*) noexcept { return "ortc"; }
uint32_t get_vendor_id(const OrtEpFactory*) noexcept { return kVendorId; }
const char* get_version(const OrtEpFactory*) noexcept { return kLibraryVersion.data(); }

// A device for the first processor; the host copies what it is told.
OrtStatus* get_devices(OrtEpFactory* self, const OrtHardwareDevice* const* hardware, size_t count,
                       OrtEpDevice** devices, size_t max, size_t* made) noexcept {
  Factory& factory = own(self);
  const Host& host = factory.host;
  *made = 0;
  return at_border(host, [&]() -> Status {
    for (size_t i = 0; i < count && *made < max; ++i) {
      if (host.api->HardwareDevice_Type(hardware[i]) != OrtHardwareDeviceType_CPU) continue;
      OrtKeyValuePairs* metadata = nullptr;
      host.api->CreateKeyValuePairs(&metadata);
      host.api->AddKeyValuePair(metadata, "targets", target_list().c_str());
      const Status status = host.take(
          host.ep->CreateEpDevice(&factory, hardware[i], metadata, nullptr, &devices[*made]));
      host.api->ReleaseKeyValuePairs(metadata);
      RETURN_IF_ERROR(status);
      ++*made;
      break;
    }
    return Status::ok();
  });
}

OrtStatus* create_ep(OrtEpFactory* self, const OrtHardwareDevice* const*,
                     const OrtKeyValuePairs* const*, size_t, const OrtSessionOptions* options,
                     const OrtLogger* logger, OrtEp** ep) noexcept {
  Factory& factory = own(self);
  const Host& host = factory.host;
  *ep = nullptr;
  return at_border(host, [&]() -> Status {
    ASSIGN_OR_RETURN(EpSettings settings, read_settings(host, *options, *factory.shared));
    auto machine = factory.machine(settings.thread_count);
    *ep = new Ep(host, factory.shared, std::move(settings), std::move(machine),
                 logger_of(host, logger));
    return Status::ok();
  });
}

void release_ep(OrtEpFactory*, OrtEp* ep) noexcept { delete static_cast<Ep*>(ep); }

OrtStatus* validate(OrtEpFactory* self, const OrtHardwareDevice* const*, size_t, const char* info,
                    OrtCompiledModelCompatibility* verdict) noexcept {
  Factory& factory = own(self);
  return at_border(factory.host, [&]() -> Status {
    const Compatibility judged = factory.shared->aot->judge(info != nullptr ? info : "", nullptr);
    *verdict = static_cast<OrtCompiledModelCompatibility>(judged);
    return Status::ok();
  });
}

OrtStatus* tell_incompatibility(OrtEpFactory* self, const OrtHardwareDevice* hardware,
                                OrtDeviceEpIncompatibilityDetails* details) noexcept {
  const Host& host = own(self).host;
  if (host.api->HardwareDevice_Type(hardware) == OrtHardwareDeviceType_CPU) return nullptr;
  return host.ep->DeviceEpIncompatibilityDetails_SetDetails(
      details, kDeviceIncompatible, 0, "the provider works on the processor alone");
}

// Values lie in memory of the host: nothing to transfer.
OrtStatus* create_data_transfer(OrtEpFactory*, OrtDataTransferImpl** transfer) noexcept {
  *transfer = nullptr;
  return nullptr;
}
bool is_stream_aware(const OrtEpFactory*) noexcept { return false; }

Factory::Factory(const Host& with, std::string ep_name)
    : OrtEpFactory{}, host(with), shared(std::make_shared<Shared>()) {
  shared->ep_name = std::move(ep_name);
  shared->aot = aot::factory();
  shared->registry =
      std::make_shared<const ProviderRegistry>(Factories{shared->aot, cpu::factory()});
  ort_version_supported = host.version;
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
  GetHardwareDeviceIncompatibilityDetails = tell_incompatibility;
}

// A status of a host whose tables cannot be used: the first version of the interface makes it.
OrtStatus* refuse(const OrtApiBase& base, const Status& status) {
  const OrtApi* oldest = base.GetApi(1);
  if (oldest == nullptr) return nullptr;
  return oldest->CreateStatus(static_cast<OrtErrorCode>(status.code()), status.message().c_str());
}

}  // namespace
}  // namespace ortc::ort_ep

using namespace ortc;
using namespace ortc::ort_ep;

extern "C" {

ORT_EXPORT OrtStatus* CreateEpFactories(const char* registration_name, const OrtApiBase* base,
                                        const OrtLogger*, OrtEpFactory** factories, size_t max,
                                        size_t* count) {
  auto host = Host::open(*base);
  *count = 0;
  if (!host.is_ok()) return refuse(*base, host.status());
  return at_border(*host, [&]() -> Status {
    if (max < 1) return invalid_argument("there is no room for a factory");
    factories[0] = new Factory(*host, ep_name_of(registration_name));
    *count = 1;
    return Status::ok();
  });
}

ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  delete static_cast<Factory*>(factory);
  return nullptr;
}

}  // extern "C"
