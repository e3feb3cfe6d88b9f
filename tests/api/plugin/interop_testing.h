// SPDX-License-Identifier: MIT
// What the tests of imported memory share: files and counters of the program, and their imports.
#pragma once

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/api/plugin/device_testing.h"

namespace ortc::test {

struct ImporterEnd {
  void operator()(OrtExternalResourceImporter* importer) const {
    OrtReleaseExternalResourceImporter(importer);
  }
};
struct MemoryEnd {
  void operator()(OrtExternalMemoryHandle* memory) const { OrtReleaseExternalMemoryHandle(memory); }
};
struct SemaphoreEnd {
  void operator()(OrtExternalSemaphoreHandle* semaphore) const {
    OrtReleaseExternalSemaphoreHandle(semaphore);
  }
};
using OwnImporter = std::unique_ptr<OrtExternalResourceImporter, ImporterEnd>;
using Memory = std::unique_ptr<OrtExternalMemoryHandle, MemoryEnd>;
using Semaphore = std::unique_ptr<OrtExternalSemaphoreHandle, SemaphoreEnd>;

inline constexpr size_t kBytes = 4096;
inline constexpr auto kFileMemory = ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_OPAQUE_FD;
inline constexpr auto kFileSemaphore = ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_OPAQUE_FD;

inline void* as_handle(int file) { return reinterpret_cast<void*>(static_cast<intptr_t>(file)); }

// Memory of the program, which sees it as numbers.
struct File {
  File() : number(memfd_create("test", MFD_CLOEXEC)) {
    CHECK(number >= 0);
    CHECK_EQ(ftruncate(number, kBytes), 0);
    void* const view = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, number, 0);
    CHECK(view != MAP_FAILED);
    floats = static_cast<float*>(view);
  }
  ~File() {
    munmap(floats, kBytes);
    close(number);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int number;
  float* floats = nullptr;
};

struct Counter {
  Counter() : number(eventfd(0, EFD_CLOEXEC)) { CHECK(number >= 0); }
  ~Counter() { close(number); }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  void add(uint64_t value) const { CHECK_EQ(write(number, &value, 8), 8); }
  uint64_t take() const {
    uint64_t value = 0;
    CHECK_EQ(read(number, &value, 8), 8);
    return value;
  }
  int number;
};

inline OrtExternalMemoryDescriptor memory_of_file(const File& file, size_t offset = 0) {
  return {ORTC_ORT_API_VERSION, kFileMemory, as_handle(file.number), kBytes, offset};
}

inline constexpr int64_t kShape[] = {1, 2};

inline OrtExternalTensorDescriptor pair_at(size_t offset) {
  return {ORTC_ORT_API_VERSION, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, kShape, 2, offset};
}

inline OwnImporter importer_of(const Env& env) {
  OrtExternalResourceImporter* made = nullptr;
  CHECK(Outcome(OrtCreateExternalResourceImporterForDevice(device_of(env), &made)).is_ok());
  return OwnImporter(made);
}

inline Outcome import_memory(const OwnImporter& importer, const OrtExternalMemoryDescriptor& from,
                             Memory* memory) {
  OrtExternalMemoryHandle* made = nullptr;
  Outcome outcome(OrtImportMemory(importer.get(), &from, &made));
  memory->reset(made);
  return outcome;
}

inline Memory import_file(const OwnImporter& importer, const File& file, size_t offset = 0) {
  Memory memory;
  CHECK(import_memory(importer, memory_of_file(file, offset), &memory).is_ok());
  return memory;
}

inline Outcome make_tensor(const OwnImporter& importer, const Memory& memory,
                           const OrtExternalTensorDescriptor& what, OwnValue* value) {
  OrtValue* made = nullptr;
  Outcome outcome(OrtCreateTensorFromMemory(importer.get(), memory.get(), &what, &made));
  value->reset(made);
  return outcome;
}

inline Semaphore import_counter(const OwnImporter& importer, const Counter& counter) {
  const OrtExternalSemaphoreDescriptor from = {ORTC_ORT_API_VERSION, kFileSemaphore,
                                               as_handle(counter.number)};
  OrtExternalSemaphoreHandle* made = nullptr;
  CHECK(Outcome(OrtImportSemaphore(importer.get(), &from, &made)).is_ok());
  return Semaphore(made);
}

inline Stream new_stream(const Env& env) {
  OrtSyncStream* made = nullptr;
  CHECK(Outcome(OrtCreateSyncStreamForEpDevice(device_of(env), nullptr, &made)).is_ok());
  return Stream(made);
}

}  // namespace ortc::test
