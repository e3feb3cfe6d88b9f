// SPDX-License-Identifier: MIT
// The sample library of a device with memory of its own, whose factory answers questions of models
// and devices besides, well or badly. How is said by faulty_answers_set() or, before the factory is
// there, by what stands behind "?" in the name that it is registered under.
#include <atomic>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>

#include "onnxruntime_c_api.h"

namespace {

const OrtApi* ort = nullptr;
std::mutex mutex;
std::string fault;

bool is(const char* name) {
  const std::lock_guard<std::mutex> lock(mutex);
  return fault == name;
}

OrtStatus* error(const char* text) { return ort->CreateStatus(ORT_NOT_FOUND, text); }

// A place that is not a function's.
template <typename Member>
void spoil(Member& member) {
  member = reinterpret_cast<Member>(uintptr_t{16});
}

// The last candidate whose first model is for this provider.
OrtStatus* select_best(OrtEpFactory*, const OrtHardwareDevice* device,
                       const OrtKeyValuePairs* const* candidates, size_t count,
                       const OrtSessionOptions* options, size_t* selected) {
  if (is("select_error")) return error("cannot choose");
  if (is("select_throws")) throw std::runtime_error("thrown in place of a choice");
  if (is("select_too_far")) *selected = count;
  if (is("select_too_far") || is("select_silence")) return nullptr;
  if (ort->HardwareDevice_Type(device) != OrtHardwareDeviceType_NPU) return error("which device?");
  *selected = SIZE_MAX;
  for (size_t i = 0; i < count; ++i) {
    const char* info = ort->GetKeyValue(candidates[i], "0.ep_compatibility_info");
    if (info != nullptr && std::strcmp(info, "mine") == 0) *selected = i;
  }
  int has_wish = 0;
  if (options == nullptr) return nullptr;
  OrtStatus* status = ort->HasSessionConfigEntry(options, "ep.wants_first", &has_wish);
  if (has_wish != 0) *selected = 0;
  return status;
}

// Devices that are not served.
OrtStatus* get_incompatibility(OrtEpFactory*, const OrtHardwareDevice* hardware,
                               OrtDeviceEpIncompatibilityDetails* details) {
  if (is("details_error")) return error("cannot tell");
  if (is("details_throw")) throw std::runtime_error("thrown in place of details");
  if (is("details_silence")) return nullptr;
  const OrtEpApi& api = *ort->GetEpApi();
  if (is("details_not_utf8")) {
    return api.DeviceEpIncompatibilityDetails_SetDetails(details, 1, 0, "\xff");
  }
  if (ort->HardwareDevice_Type(hardware) == OrtHardwareDeviceType_NPU) return nullptr;
  return api.DeviceEpIncompatibilityDetails_SetDetails(
      details, OrtDeviceEpIncompatibility_DRIVER_INCOMPATIBLE | OrtDeviceEpIncompatibility_UNKNOWN,
      -17, is("details_without_notes") ? nullptr : "the driver is of last year");
}

// What a function that fails has left behind is not to be touched.
template <typename T>
OrtStatus* leave_behind(T** out) {
  *out = reinterpret_cast<T*>(uintptr_t{16});
  return error("failed too late");
}

// Imports. The sample's importer, with functions in front of its functions.

OrtExternalResourceImporterImpl sample_importer{};

bool can_import_memory(const OrtExternalResourceImporterImpl* self,
                       OrtExternalMemoryHandleType type) {
  if (is("can_import_throws")) throw std::runtime_error("thrown in place of an answer");
  return sample_importer.CanImportMemory(self, type);
}

OrtStatus* import_memory(OrtExternalResourceImporterImpl* self,
                         const OrtExternalMemoryDescriptor* desc, OrtExternalMemoryHandle** out) {
  if (is("import_error")) return error("cannot import");
  if (is("import_throws")) throw std::runtime_error("thrown over memory");
  if (is("import_null")) return nullptr;
  if (is("import_late")) return leave_behind(out);
  OrtStatus* status = sample_importer.ImportMemory(self, desc, out);
  if (status == nullptr && is("handle_without_release")) (*out)->Release = nullptr;
  return status;
}

OrtStatus* create_tensor(OrtExternalResourceImporterImpl* self,
                         const OrtExternalMemoryHandle* handle,
                         const OrtExternalTensorDescriptor* desc, OrtValue** out) {
  if (is("tensor_error")) return error("cannot make a tensor");
  if (is("tensor_throws")) throw std::runtime_error("thrown over a tensor");
  if (is("tensor_null")) return nullptr;
  if (is("tensor_late")) return leave_behind(out);
  if (is("tensor_elsewhere") || is("tensor_on_the_host")) {
    static float numbers[2] = {3, 4};
    OrtMemoryInfo* memory = nullptr;
    OrtStatus* status =
        is("tensor_elsewhere")
            ? ort->CreateMemoryInfo_V2("Elsewhere", OrtMemoryInfoDeviceType_NPU, 0x7777, 0,
                                       OrtDeviceMemoryType_DEFAULT, 0, OrtDeviceAllocator, &memory)
            : ort->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory);
    if (status == nullptr) {
      status = ort->CreateTensorWithDataAsOrtValue(memory, numbers, sizeof numbers, desc->shape,
                                                   desc->rank, desc->element_type, out);
    }
    ort->ReleaseMemoryInfo(memory);
    return status;
  }
  OrtExternalTensorDescriptor wrong = *desc;
  if (is("tensor_of_another_shape")) --wrong.rank;
  if (is("tensor_of_another_type")) wrong.element_type = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32;
  return sample_importer.CreateTensorFromMemory(self, handle, &wrong, out);
}

OrtStatus* import_semaphore(OrtExternalResourceImporterImpl* self,
                            const OrtExternalSemaphoreDescriptor* desc,
                            OrtExternalSemaphoreHandle** out) {
  if (is("semaphore_null")) return nullptr;
  return sample_importer.ImportSemaphore(self, desc, out);
}

OrtStatus* wait_semaphore(OrtExternalResourceImporterImpl* self, OrtExternalSemaphoreHandle* handle,
                          OrtSyncStream* stream, uint64_t value) {
  if (is("wait_error")) return error("cannot wait");
  return sample_importer.WaitSemaphore(self, handle, stream, value);
}

decltype(OrtEpFactory::CreateExternalResourceImporterForDevice) sample_create_importer = nullptr;

OrtStatus* create_importer(OrtEpFactory* self, const OrtEpDevice* device,
                           OrtExternalResourceImporterImpl** out) {
  if (is("importer_error")) return error("no importer today");
  if (is("importer_throws")) throw std::runtime_error("thrown in place of an importer");
  if (is("importer_null")) return nullptr;
  if (is("importer_late")) return leave_behind(out);
  if (OrtStatus* status = sample_create_importer(self, device, out)) return status;
  sample_importer = **out;
  (*out)->CanImportMemory = can_import_memory;
  (*out)->ImportMemory = import_memory;
  (*out)->CreateTensorFromMemory = create_tensor;
  (*out)->ImportSemaphore = import_semaphore;
  (*out)->WaitSemaphore = wait_semaphore;
  if (is("importer_of_nothing")) {
    (*out)->CanImportMemory = nullptr;
    (*out)->ImportMemory = nullptr;
    (*out)->CreateTensorFromMemory = nullptr;
    (*out)->CanImportSemaphore = nullptr;
    (*out)->ImportSemaphore = nullptr;
    (*out)->WaitSemaphore = nullptr;
    (*out)->SignalSemaphore = nullptr;
  }
  static OrtExternalResourceImporterImpl old{};
  if (is("old_importer")) {
    sample_importer.Release(*out);
    old.ort_version_supported = 23;
    spoil(old.Release);
    *out = &old;
  }
  return nullptr;
}

// Graphics interfaces.

std::atomic<int> graphics_users{0};

OrtStatus* init_graphics(OrtEpFactory*, const OrtEpDevice* device,
                         const OrtGraphicsInteropConfig* config) {
  if (is("graphics_error")) return error("no graphics today");
  if (device == nullptr || config->graphics_api != ORT_GRAPHICS_API_VULKAN) return error("which?");
  ++graphics_users;
  return nullptr;
}

OrtStatus* deinit_graphics(OrtEpFactory*, const OrtEpDevice*) {
  --graphics_users;
  return nullptr;
}

void spoil_younger_than(uint32_t version, OrtEpFactory& factory) {
  factory.ort_version_supported = version;
  spoil(factory.SelectBestModelCandidate);
  if (version >= 25) return;
  spoil(factory.InitGraphicsInterop);
  spoil(factory.DeinitGraphicsInterop);
  if (version >= 24) return;
  spoil(factory.GetHardwareDeviceIncompatibilityDetails);
  spoil(factory.CreateExternalResourceImporterForDevice);
  spoil(factory.GetNumCustomOpDomains);
}

}  // namespace

#undef CreateEpFactories  // the sample's have other names here
#undef ReleaseEpFactory

extern "C" {

OrtStatus* SampleCreateEpFactories(const char*, const OrtApiBase*, const OrtLogger*, OrtEpFactory**,
                                   size_t, size_t*);
OrtStatus* SampleReleaseEpFactory(OrtEpFactory*);

ORT_EXPORT void faulty_answers_set(const char* name) {
  const std::lock_guard<std::mutex> lock(mutex);
  fault = name;
}

ORT_EXPORT OrtStatus* CreateEpFactories(const char* name, const OrtApiBase* base,
                                        const OrtLogger* logger, OrtEpFactory** factories,
                                        size_t max, size_t* count) {
  ort = base->GetApi(ORT_API_VERSION);
  std::string from = name;
  from.erase(0, from.find('?') == std::string::npos ? from.size() : from.find('?') + 1);
  faulty_answers_set(from.substr(0, from.find('.')).c_str());
  if (OrtStatus* status = SampleCreateEpFactories(name, base, logger, factories, max, count)) {
    return status;
  }
  OrtEpFactory& factory = *factories[0];
  factory.SelectBestModelCandidate = select_best;
  factory.GetHardwareDeviceIncompatibilityDetails = get_incompatibility;
  sample_create_importer = factory.CreateExternalResourceImporterForDevice;
  factory.CreateExternalResourceImporterForDevice = create_importer;
  factory.InitGraphicsInterop = is("no_graphics") ? nullptr : init_graphics;
  factory.DeinitGraphicsInterop = is("no_graphics") ? nullptr : deinit_graphics;
  // What is younger than the version is whatever was in the memory.
  if (is("version_27")) spoil_younger_than(27, factory);
  if (is("version_24")) spoil_younger_than(24, factory);
  if (is("version_23")) spoil_younger_than(23, factory);
  return nullptr;
}

ORT_EXPORT int faulty_answers_graphics_users() { return graphics_users; }

ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  return SampleReleaseEpFactory(factory);
}

}  // extern "C"
