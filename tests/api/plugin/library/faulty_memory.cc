// SPDX-License-Identifier: MIT
// The sample library of a device with memory of its own, with functions in front of its functions
// that fail. Which one is said by what stands behind "?" in the name it is registered under, or,
// while sessions live, by faulty_memory_set().
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "onnxruntime_c_api.h"

namespace {

const OrtApi* ort = nullptr;
std::mutex mutex;
std::string fault;
// How often the runtime gave an object back that a fault made.
std::atomic<int> released{0};
// How many allocators are being made until the fault is another one.
std::atomic<int> waiting{0};

bool is(const char* name) {
  const std::lock_guard<std::mutex> lock(mutex);
  return fault == name;
}

OrtStatus* error(const char* text) { return ort->CreateStatus(ORT_NOT_FOUND, text); }

// The sample's own.
OrtEpFactory sample_factory{};
decltype(OrtAllocator::Alloc) sample_alloc = nullptr;
OrtDataTransferImpl sample_transfer{};
OrtSyncStreamImpl sample_stream{};
OrtSyncNotificationImpl sample_notification{};

OrtStatus* get_devices(OrtEpFactory* self, const OrtHardwareDevice* const* hardware, size_t count,
                       OrtEpDevice** devices, size_t max, size_t* made) {
  OrtStatus* status = sample_factory.GetSupportedDevices(self, hardware, count, devices, max, made);
  if (status != nullptr || !is("memory_of_an_fpga")) return status;
  OrtMemoryInfo* memory = nullptr;
  status = ort->CreateMemoryInfo_V2("Fpga", OrtMemoryInfoDeviceType_FPGA, 1, 0,
                                    OrtDeviceMemoryType_DEFAULT, 0, OrtDeviceAllocator, &memory);
  if (status == nullptr) {
    status = ort->GetEpApi()->EpDevice_AddAllocatorInfo(devices[0], memory);
    ort->ReleaseMemoryInfo(memory);
  }
  return status;
}

// Allocators.

void* alloc(OrtAllocator* self, size_t bytes) {
  if (is("alloc_null")) return nullptr;
  if (is("alloc_throws")) throw std::runtime_error("thrown in place of memory");
  return sample_alloc(self, bytes);
}

decltype(OrtAllocator::AllocOnStream) sample_alloc_on_stream = nullptr;

void* alloc_on_stream(OrtAllocator* self, size_t bytes, OrtSyncStream* stream) {
  if (is("alloc_on_stream_null")) return nullptr;
  if (is("alloc_on_stream_throws")) throw std::runtime_error("thrown in place of memory");
  if (is("stream_released")) ort->ReleaseSyncStream(stream);
  return sample_alloc_on_stream(self, bytes, stream);
}

// What a function that fails has left behind is not to be touched.
template <typename T>
OrtStatus* leave_behind(T** out) {
  *out = reinterpret_cast<T*>(uintptr_t{16});
  return error("failed too late");
}

void wait_while_slow() {
  ++waiting;
  while (is("allocator_slow")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  --waiting;
}

OrtStatus* create_allocator(OrtEpFactory* self, const OrtMemoryInfo* memory,
                            const OrtKeyValuePairs* options, OrtAllocator** out) {
  if (is("allocator_error")) return error("no allocator today");
  if (is("allocator_throws")) throw std::runtime_error("thrown in place of an allocator");
  if (is("allocator_null")) return nullptr;
  if (is("allocator_late")) return leave_behind(out);
  wait_while_slow();
  if (OrtStatus* status = sample_factory.CreateAllocator(self, memory, options, out)) return status;
  sample_alloc = (*out)->Alloc;
  (*out)->Alloc = is("allocator_without_alloc") ? nullptr : alloc;
  if (is("allocator_without_info")) (*out)->Info = nullptr;
  if ((*out)->AllocOnStream != nullptr) {
    sample_alloc_on_stream = (*out)->AllocOnStream;
    (*out)->AllocOnStream = is("allocator_without_streams") ? nullptr : alloc_on_stream;
  }
  if (is("allocator_22")) {  // what is younger is whatever was in the memory
    (*out)->version = 22;
    (*out)->AllocOnStream = reinterpret_cast<decltype(sample_alloc_on_stream)>(uintptr_t{16});
  }
  if (is("allocator_of_nothing")) {
    (*out)->Info = [](const OrtAllocator*) -> const OrtMemoryInfo* { return nullptr; };
  }
  return nullptr;
}

void release_allocator(OrtEpFactory* self, OrtAllocator* allocator) {
  ++released;
  sample_factory.ReleaseAllocator(self, allocator);
}

// Data transfer.

bool can_copy(const OrtDataTransferImpl* self, const OrtMemoryDevice* from,
              const OrtMemoryDevice* to) {
  if (is("can_copy_throws")) throw std::runtime_error("thrown in place of an answer");
  return !is("can_copy_nothing") && sample_transfer.CanCopy(self, from, to);
}

OrtStatus* copy_tensors(OrtDataTransferImpl* self, const OrtValue** from, OrtValue** to,
                        OrtSyncStream** streams, size_t count) {
  if (is("copy_error")) return error("cannot copy");
  if (is("copy_throws")) throw std::runtime_error("thrown over a copy");
  return sample_transfer.CopyTensors(self, from, to, streams, count);
}

OrtStatus* create_transfer(OrtEpFactory* self, OrtDataTransferImpl** out) {
  if (is("transfer_error")) return error("no transfer today");
  if (is("transfer_null")) return nullptr;
  if (is("transfer_late")) return leave_behind(out);
  if (OrtStatus* status = sample_factory.CreateDataTransfer(self, out)) return status;
  sample_transfer = **out;
  (*out)->CanCopy = can_copy;
  (*out)->CopyTensors = is("transfer_without_copy") ? nullptr : copy_tensors;
  return nullptr;
}

// Streams.

OrtStatus* wait_on_host(OrtSyncNotificationImpl* self) {
  OrtStatus* status = sample_notification.WaitOnHost(self);
  if (status == nullptr && is("wait_error")) return error("the device was lost");
  return status;
}

OrtStatus* create_notification(OrtSyncStreamImpl* self, OrtSyncNotificationImpl** out) {
  if (is("notification_error")) return error("no notification");
  if (is("notification_null")) return nullptr;
  if (is("notification_late")) return leave_behind(out);
  if (OrtStatus* status = sample_stream.CreateNotification(self, out)) return status;
  sample_notification = **out;
  (*out)->WaitOnHost = wait_on_host;
  return nullptr;
}

OrtStatus* flush(OrtSyncStreamImpl* self) {
  if (is("flush_throws")) throw std::runtime_error("thrown in place of a flush");
  return is("flush_error") ? error("cannot flush") : sample_stream.Flush(self);
}

OrtStatus* run_end(OrtSyncStreamImpl* self) {
  OrtStatus* status = sample_stream.OnSessionRunEnd(self);
  return status == nullptr && is("run_end_error") ? error("the run cannot end") : status;
}

OrtStatus* create_stream(OrtEpFactory* self, const OrtMemoryDevice* memory,
                         const OrtKeyValuePairs* options, OrtSyncStreamImpl** out) {
  if (is("stream_error")) return error("no stream today");
  if (is("stream_null")) return nullptr;
  if (is("stream_late")) return leave_behind(out);
  if (OrtStatus* status = sample_factory.CreateSyncStreamForDevice(self, memory, options, out)) {
    return status;
  }
  sample_stream = **out;
  (*out)->CreateNotification = create_notification;
  (*out)->Flush = is("stream_without_flush") ? nullptr : flush;
  (*out)->OnSessionRunEnd = run_end;
  return nullptr;
}

// A provider that says it captures, and has at once.

OrtStatus* create_ep(OrtEpFactory* self, const OrtHardwareDevice* const* hardware,
                     const OrtKeyValuePairs* const* metadata, size_t count,
                     const OrtSessionOptions* options, const OrtLogger* logger, OrtEp** out) {
  OrtStatus* status =
      sample_factory.CreateEp(self, hardware, metadata, count, options, logger, out);
  if (status != nullptr || !is("captures")) return status;
  (*out)->IsGraphCaptureEnabled = [](const OrtEp*) { return true; };
  (*out)->IsGraphCaptured = [](const OrtEp*, int) { return true; };
  (*out)->ReplayGraph = [](OrtEp*, int) { return error("there is nothing to replay"); };
  return nullptr;
}

}  // namespace

#undef CreateEpFactories  // the sample's have other names here
#undef ReleaseEpFactory

extern "C" {

OrtStatus* SampleCreateEpFactories(const char*, const OrtApiBase*, const OrtLogger*, OrtEpFactory**,
                                   size_t, size_t*);
OrtStatus* SampleReleaseEpFactory(OrtEpFactory*);

ORT_EXPORT void faulty_memory_set(const char* name) {
  const std::lock_guard<std::mutex> lock(mutex);
  fault = name;
}

ORT_EXPORT int faulty_memory_released() { return released; }
ORT_EXPORT int faulty_memory_waiting() { return waiting; }

ORT_EXPORT OrtStatus* CreateEpFactories(const char* name, const OrtApiBase* base,
                                        const OrtLogger* logger, OrtEpFactory** factories,
                                        size_t max, size_t* count) {
  ort = base->GetApi(ORT_API_VERSION);
  std::string from = name;
  from.erase(0, from.find('?') == std::string::npos ? from.size() : from.find('?') + 1);
  faulty_memory_set(from.substr(0, from.find('.')).c_str());
  if (OrtStatus* status = SampleCreateEpFactories(name, base, logger, factories, max, count)) {
    return status;
  }
  sample_factory = *factories[0];
  factories[0]->GetSupportedDevices = get_devices;
  factories[0]->CreateEp = create_ep;
  factories[0]->CreateAllocator = is("no_create_allocator") ? nullptr : create_allocator;
  factories[0]->ReleaseAllocator = is("no_release_allocator") ? nullptr : release_allocator;
  factories[0]->CreateDataTransfer = is("no_create_transfer") ? nullptr : create_transfer;
  factories[0]->CreateSyncStreamForDevice = create_stream;
  return nullptr;
}

ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  return SampleReleaseEpFactory(factory);
}

}  // extern "C"
