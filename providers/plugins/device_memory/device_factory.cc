// SPDX-License-Identifier: MIT
// What the library exports, and the factory that it makes: one virtual device with memory of its
// own, offered when the environment allows virtual devices. Registered under a name with ".pair" in
// it, the library makes two, whose devices copy from each other.
#include <algorithm>
#include <cstring>
#include <memory>

#include "device_allocator.h"
#include "device_ep.h"
#include "device_importer.h"
#include "device_stream.h"
#include "device_transfer.h"

namespace device_memory {
namespace {

constexpr char kVendor[] = "ortc samples";
constexpr uint32_t kVendorId = 0xBE57;
constexpr uint32_t kDeviceId = 2;

struct Factory : OrtEpFactory {
  Factory(const Tables& with, bool works_ahead, Part part);
  ~Factory() {
    if (hardware != nullptr) tables.ep.ReleaseHardwareDevice(hardware);
    tables.ort.ReleaseMemoryInfo(constants);
    tables.ort.ReleaseMemoryInfo(memory);
  }
  Factory(const Factory&) = delete;
  Factory& operator=(const Factory&) = delete;

  const Tables tables;
  const bool works_ahead;
  const Part part;
  Factory* other = nullptr;  // of a pair
  Device device;
  OrtMemoryInfo* memory = nullptr;
  OrtMemoryInfo* constants = nullptr;  // the same, for what is only read
  OrtHardwareDevice* hardware = nullptr;
};

Factory& own(OrtEpFactory* factory) { return *static_cast<Factory*>(factory); }
const Factory& own(const OrtEpFactory* factory) { return *static_cast<const Factory*>(factory); }

// The factories of the library, for device_memory_count().
Factory* the_factories[2] = {};

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

uint32_t number_of(Part part) { return part == Part::kSecond ? 1 : 0; }

const char* get_name(const OrtEpFactory* self) noexcept {
  return kEpNames[number_of(own(self).part)];
}
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
    if (factory.hardware == nullptr) {
      const Pairs metadata(tables);
      tables.ort.AddKeyValuePair(metadata.list, "is_virtual", "1");
      check(tables.ep.CreateHardwareDevice(OrtHardwareDeviceType_NPU, kVendorId,
                                           kDeviceId + number_of(factory.part), kVendor,
                                           metadata.list, &factory.hardware));
    }
    check(tables.ep.CreateEpDevice(&factory, factory.hardware, nullptr, nullptr, &ep_devices[0]));
    *count = 1;
    check(tables.ep.EpDevice_AddAllocatorInfo(ep_devices[0], factory.memory));
    check(tables.ep.EpDevice_AddAllocatorInfo(ep_devices[0], factory.constants));
  });
}

OrtStatus* create_ep(OrtEpFactory* self, const OrtHardwareDevice* const*,
                     const OrtKeyValuePairs* const*, size_t, const OrtSessionOptions*,
                     const OrtLogger*, OrtEp** ep) noexcept {
  Factory& factory = own(self);
  return at_border(factory.tables,
                   [&] { *ep = new Ep(factory.tables, factory.device, factory.part); });
}

void release_ep(OrtEpFactory*, OrtEp* ep) noexcept { delete static_cast<Ep*>(ep); }

OrtStatus* create_allocator(OrtEpFactory* self, const OrtMemoryInfo* memory,
                            const OrtKeyValuePairs*, OrtAllocator** allocator) noexcept {
  Factory& factory = own(self);
  return at_border(factory.tables, [&] {
    // The runtime hands back what EpDevice_AddAllocatorInfo was given.
    const bool is_for_constants = memory == factory.constants;
    if (!is_for_constants && memory != factory.memory) {
      throw std::runtime_error("memory that the factory has not told of");
    }
    *allocator =
        new Allocator(factory.tables, factory.device,
                      is_for_constants ? *factory.constants : *factory.memory, is_for_constants);
  });
}

void release_allocator(OrtEpFactory*, OrtAllocator* allocator) noexcept {
  delete static_cast<Allocator*>(allocator);
}

OrtStatus* create_data_transfer(OrtEpFactory* self, OrtDataTransferImpl** transfer) noexcept {
  Factory& factory = own(self);
  return at_border(factory.tables, [&] {
    const auto place_of = [&](Factory* one) {
      return one == nullptr
                 ? Place{}
                 : Place{&one->device, one->tables.ep.MemoryInfo_GetMemoryDevice(one->memory)};
    };
    *transfer = new Transfer(factory.tables, place_of(&factory), place_of(factory.other));
  });
}

bool is_stream_aware(const OrtEpFactory* self) noexcept { return own(self).works_ahead; }

OrtStatus* create_stream(OrtEpFactory* self, const OrtMemoryDevice*, const OrtKeyValuePairs*,
                         OrtSyncStreamImpl** stream) noexcept {
  Factory& factory = own(self);
  return at_border(factory.tables, [&] { *stream = new Stream(factory.tables, factory.device); });
}

OrtStatus* create_importer(OrtEpFactory* self, const OrtEpDevice* ep_device,
                           OrtExternalResourceImporterImpl** importer) noexcept {
  Factory& factory = own(self);
  return at_border(factory.tables, [&] {
    *importer = new Importer(factory.tables, factory.device, *factory.memory, *ep_device);
  });
}

Factory::Factory(const Tables& with, bool ahead, Part which)
    : OrtEpFactory{}, tables(with), works_ahead(ahead), part(which) {
  ort_version_supported = ORT_API_VERSION;
  GetName = get_name;
  GetVendor = get_vendor;
  GetVendorId = get_vendor_id;
  GetVersion = get_version;
  GetSupportedDevices = get_devices;
  CreateEp = create_ep;
  ReleaseEp = release_ep;
  CreateAllocator = create_allocator;
  ReleaseAllocator = release_allocator;
  CreateDataTransfer = create_data_transfer;
  IsStreamAware = is_stream_aware;
  CreateSyncStreamForDevice = create_stream;
  CreateExternalResourceImporterForDevice = create_importer;
  const auto make = [&](OrtAllocatorType type, OrtMemoryInfo** out) {
    check(tables.ort.CreateMemoryInfo_V2("DeviceMemory", OrtMemoryInfoDeviceType_NPU, kVendorId,
                                         number_of(part), OrtDeviceMemoryType_DEFAULT, 64, type,
                                         out));
  };
  make(OrtDeviceAllocator, &memory);
  make(OrtReadOnlyAllocator, &constants);
}

int count_of(const Counts& counts, const char* what) {
  const struct {
    const char* name;
    const std::atomic<int>& number;
  } kAll[] = {{"copies_in", counts.copies_in},
              {"copies_out", counts.copies_out},
              {"copies_within", counts.copies_within},
              {"copies_across", counts.copies_across},
              {"blocks", counts.blocks},
              {"constants", counts.constants},
              {"blocks_on_streams", counts.blocks_on_streams},
              {"blocks_alive", counts.blocks_alive},
              {"allocators_alive", counts.allocators_alive},
              {"streams", counts.streams},
              {"streams_alive", counts.streams_alive},
              {"notifications_alive", counts.notifications_alive},
              {"waits", counts.waits},
              {"waits_on_device", counts.waits_on_device},
              {"run_ends", counts.run_ends},
              {"importers_alive", counts.importers_alive},
              {"adopted_alive", counts.adopted_alive},
              {"semaphores_alive", counts.semaphores_alive}};
  for (const auto& one : kAll) {
    if (std::strcmp(one.name, what) == 0) return one.number;
  }
  return -1;
}

}  // namespace
}  // namespace device_memory

using namespace device_memory;

extern "C" {

ORT_EXPORT OrtStatus* CreateEpFactories(const char* registration_name, const OrtApiBase* base,
                                        const OrtLogger*, OrtEpFactory** factories, size_t max,
                                        size_t* count) {
  const OrtApi* ort = base->GetApi(ORT_API_VERSION);
  if (ort == nullptr) return nullptr;  // an older runtime: it says so
  const Tables tables{*ort, *ort->GetEpApi()};
  return at_border(tables, [&] {
    const bool works_now = std::strstr(registration_name, ".now") != nullptr;
    const bool is_pair = std::strstr(registration_name, ".pair") != nullptr;
    const size_t made = is_pair ? 2 : 1;
    if (max < made) throw std::runtime_error("there is no room for a factory");
    std::unique_ptr<Factory> owned[2];  // until all are there
    for (size_t i = 0; i < made; ++i) {
      const Part part = !is_pair ? Part::kAll : i == 0 ? Part::kFirst : Part::kSecond;
      owned[i] = std::make_unique<Factory>(tables, !works_now, part);
    }
    for (size_t i = 0; i < made; ++i) factories[i] = the_factories[i] = owned[i].release();
    if (is_pair) {
      the_factories[0]->other = the_factories[1];
      the_factories[1]->other = the_factories[0];
    }
    *count = made;
  });
}

ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  for (Factory*& one : the_factories) {
    if (factory == one) one = nullptr;
  }
  delete static_cast<Factory*>(factory);
  return nullptr;
}

// What the devices of the factories that were made last have done, by name; -1 for an unknown one,
// or without a factory.
ORT_EXPORT int device_memory_count(const char* what) {
  int sum = -1;
  for (const Factory* factory : the_factories) {
    const int count = factory != nullptr ? count_of(factory->device.counts, what) : -1;
    if (count >= 0) sum = std::max(sum, 0) + count;
  }
  return sum;
}

}  // extern "C"
