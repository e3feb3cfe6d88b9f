// SPDX-License-Identifier: MIT
// Imported memory and semaphores: see the header.
#include "device_importer.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <memory>

#include "device_stream.h"

namespace device_memory {
namespace {

constexpr int kPatienceMs = 10000;

Importer& own(OrtExternalResourceImporterImpl* self) { return *static_cast<Importer*>(self); }

// A descriptor that is passed as a pointer.
int duplicate(void* handle) {
  const int copy = fcntl(static_cast<int>(reinterpret_cast<intptr_t>(handle)), F_DUPFD_CLOEXEC, 0);
  if (copy < 0) throw std::invalid_argument("the handle is not an open file descriptor");
  return copy;
}

struct Memory : OrtExternalMemoryHandle {
  Memory(const Importer& importer, const OrtExternalMemoryDescriptor& from)
      : OrtExternalMemoryHandle{}, device(importer.device) {
    const int file = duplicate(from.native_handle);
    address = device.adopt(file, from.size_bytes, from.offset_bytes);
    close(file);
    if (address == nullptr) throw std::invalid_argument("the memory cannot be mapped");
    version = ORT_API_VERSION;
    ep_device = &importer.ep_device;
    descriptor = from;
    Release = [](OrtExternalMemoryHandle* self) { delete static_cast<Memory*>(self); };
  }
  ~Memory() { device.disown(address); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  Device& device;
  std::byte* address = nullptr;  // where the imported part begins
};

// What a semaphore counts. Work that the device does later keeps it.
struct Counter {
  Counter(Device& of, int descriptor) : device(of), file(descriptor) {
    ++device.counts.semaphores_alive;
  }
  ~Counter() {
    close(file);
    --device.counts.semaphores_alive;
  }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  void wait(uint64_t value) {
    while (waited < value) {
      pollfd ready{file, POLLIN, 0};
      uint64_t more = 0;
      if (poll(&ready, 1, kPatienceMs) <= 0 || read(file, &more, sizeof more) != sizeof more) {
        throw std::runtime_error("the semaphore was not signalled in time");
      }
      waited += more;
    }
  }
  void signal(uint64_t value) {
    if (value <= signalled) throw std::runtime_error("a semaphore's value only grows");
    const uint64_t more = value - signalled;
    if (write(file, &more, sizeof more) != sizeof more) {
      throw std::runtime_error("the semaphore takes no more");
    }
    signalled = value;
  }

  Device& device;
  const int file;
  uint64_t waited = 0, signalled = 0;  // by this handle
};

struct Semaphore : OrtExternalSemaphoreHandle {
  Semaphore(const Importer& importer, const OrtExternalSemaphoreDescriptor& from)
      : OrtExternalSemaphoreHandle{},
        counter(std::make_shared<Counter>(importer.device, duplicate(from.native_handle))) {
    version = ORT_API_VERSION;
    ep_device = &importer.ep_device;
    descriptor = from;
    Release = [](OrtExternalSemaphoreHandle* self) { delete static_cast<Semaphore*>(self); };
  }

  const std::shared_ptr<Counter> counter;
};

OrtStatus* import_memory(OrtExternalResourceImporterImpl* self,
                         const OrtExternalMemoryDescriptor* desc,
                         OrtExternalMemoryHandle** out) noexcept {
  return at_border(own(self).tables, [&] {
    if (desc->handle_type != ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_OPAQUE_FD) {
      throw std::invalid_argument("memory is imported from file descriptors only");
    }
    *out = new Memory(own(self), *desc);
  });
}

OrtStatus* create_tensor(OrtExternalResourceImporterImpl* self,
                         const OrtExternalMemoryHandle* handle,
                         const OrtExternalTensorDescriptor* desc, OrtValue** out) noexcept {
  const Importer& importer = own(self);
  return at_border(importer.tables, [&] {
    const auto& memory = *static_cast<const Memory*>(handle);
    const size_t size = memory.descriptor.size_bytes - memory.descriptor.offset_bytes;
    check(importer.tables.ort.CreateTensorWithDataAsOrtValue(
        &importer.memory, memory.address + desc->offset_bytes, size - desc->offset_bytes,
        desc->shape, desc->rank, desc->element_type, out));
  });
}

OrtStatus* import_semaphore(OrtExternalResourceImporterImpl* self,
                            const OrtExternalSemaphoreDescriptor* desc,
                            OrtExternalSemaphoreHandle** out) noexcept {
  return at_border(own(self).tables, [&] {
    if (desc->type != ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_OPAQUE_FD) {
      throw std::invalid_argument("semaphores are imported from file descriptors only");
    }
    *out = new Semaphore(own(self), *desc);
  });
}

OrtStatus* wait_semaphore(OrtExternalResourceImporterImpl* self, OrtExternalSemaphoreHandle* handle,
                          OrtSyncStream* stream, uint64_t value) noexcept {
  return at_border(own(self).tables, [&] {
    const auto counter = static_cast<Semaphore*>(handle)->counter;
    do_in(stream_of(own(self).tables, stream), [counter, value] { counter->wait(value); });
  });
}

OrtStatus* signal_semaphore(OrtExternalResourceImporterImpl* self,
                            OrtExternalSemaphoreHandle* handle, OrtSyncStream* stream,
                            uint64_t value) noexcept {
  return at_border(own(self).tables, [&] {
    const auto counter = static_cast<Semaphore*>(handle)->counter;
    do_in(stream_of(own(self).tables, stream), [counter, value] { counter->signal(value); });
  });
}

}  // namespace

Importer::Importer(const Tables& with, Device& of, const OrtMemoryInfo& in, const OrtEpDevice& to)
    : OrtExternalResourceImporterImpl{}, tables(with), device(of), memory(in), ep_device(to) {
  ort_version_supported = ORT_API_VERSION;
  CanImportMemory = [](const OrtExternalResourceImporterImpl*,
                       OrtExternalMemoryHandleType type) noexcept {
    return type == ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_OPAQUE_FD;
  };
  ImportMemory = import_memory;
  ReleaseMemory = [](OrtExternalResourceImporterImpl*, OrtExternalMemoryHandle* handle) noexcept {
    delete static_cast<Memory*>(handle);
  };
  CreateTensorFromMemory = create_tensor;
  CanImportSemaphore = [](const OrtExternalResourceImporterImpl*,
                          OrtExternalSemaphoreType type) noexcept {
    return type == ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_OPAQUE_FD;
  };
  ImportSemaphore = import_semaphore;
  ReleaseSemaphore = [](OrtExternalResourceImporterImpl*,
                        OrtExternalSemaphoreHandle* handle) noexcept {
    delete static_cast<Semaphore*>(handle);
  };
  WaitSemaphore = wait_semaphore;
  SignalSemaphore = signal_semaphore;
  Release = [](OrtExternalResourceImporterImpl* self) noexcept { delete &own(self); };
  ++device.counts.importers_alive;
}

}  // namespace device_memory
