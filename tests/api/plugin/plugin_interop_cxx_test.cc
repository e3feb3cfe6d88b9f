// SPDX-License-Identifier: MIT
// ort_c/cxx/interop.h: memory and semaphores of the program on a device, from C++.
#include "ort_c/ort_cxx.h"
#include "tests/api/cxx/cxx_testing.h"
#include "tests/api/plugin/interop_testing.h"

using namespace ortc::test;

namespace {

constexpr auto kFloat = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;

// An environment with the sample library, and its device.
struct Machine {
  Machine() {
    env.RegisterExecutionProviderLibrary("device.virtual", ORTC_DEVICE_LIBRARY);
    for (const Ort::ConstEpDevice& one : env.GetEpDevices()) {
      (std::string(one.EpName()) == kDeviceEp ? device : other) = one;
    }
  }
  Ort::Session open(const std::string& model) {
    Ort::SessionOptions options;
    options.AppendExecutionProvider_V2(env, {device}, Ort::KeyValuePairs());
    return Ort::Session(env, model.data(), model.size(), options);
  }
  Ort::Env env{ORT_LOGGING_LEVEL_FATAL};
  Ort::ConstEpDevice device, other;
};

OrtExternalSemaphoreDescriptor semaphore_of(const Counter& counter) {
  return {ORTC_ORT_API_VERSION, kFileSemaphore, as_handle(counter.number)};
}

}  // namespace

TEST(plugin_interop_cxx, a_session_reads_and_writes_memory_of_the_program) {
  Machine machine;
  const File file;
  Ort::Session session = machine.open(dense_model());
  Ort::Value x{nullptr}, y{nullptr};
  {
    Ort::ExternalResourceImporter importer(machine.device);
    CHECK(importer.CanImportMemory(kFileMemory));
    CHECK(!importer.CanImportMemory(ORT_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP));
    const Ort::ExternalMemoryHandle memory = importer.ImportMemory(memory_of_file(file, 256));
    x = importer.CreateTensorFromMemory(memory, kFloat, {1, 2});
    y = importer.CreateTensorFromMemory(memory, pair_at(64));
  }
  std::copy(kDenseX.begin(), kDenseX.end(), file.floats + 64);
  Ort::IoBinding binding(session);
  binding.BindInput("x", x);
  binding.BindOutput("y", y);
  session.Run(Ort::RunOptions(), binding);
  CHECK_EQ(file.floats[80], kDenseY[0]);
  CHECK_EQ(file.floats[81], kDenseY[1]);
}

TEST(plugin_interop_cxx, a_stream_waits_for_a_semaphore_and_sets_one) {
  Machine machine;
  const Counter ready, done;
  Ort::ExternalResourceImporter importer(machine.device);
  CHECK(importer.CanImportSemaphore(kFileSemaphore));
  CHECK(!importer.CanImportSemaphore(ORT_EXTERNAL_SEMAPHORE_D3D12_FENCE));
  const Ort::ExternalSemaphoreHandle begin = importer.ImportSemaphore(semaphore_of(ready));
  const Ort::ExternalSemaphoreHandle end = importer.ImportSemaphore(semaphore_of(done));
  Ort::Session session = machine.open(dense_model());
  const Ort::SyncStream stream = machine.device.CreateSyncStream();
  importer.WaitSemaphore(begin, stream, 3);
  importer.SignalSemaphore(end, stream, 5);
  ready.add(3);
  const File file;
  const Ort::ExternalMemoryHandle memory = importer.ImportMemory(memory_of_file(file));
  const Ort::Value x = importer.CreateTensorFromMemory(memory, kFloat, {1, 2});
  std::copy(kDenseX.begin(), kDenseX.end(), file.floats);
  Ort::RunOptions options;
  options.SetSyncStream(stream);
  const char* inputs[] = {"x"};
  const char* outputs[] = {"y"};
  const auto found = session.Run(options, inputs, &x, 1, outputs, 1);
  CHECK_EQ(found[0].GetTensorData<float>()[0], kDenseY[0]);
  CHECK_EQ(done.take(), 5u);
}

TEST(plugin_interop_cxx, what_does_not_fit_or_is_not_there_throws) {
  Machine machine;
  const File file;
  Ort::ExternalResourceImporter importer(machine.device);
  CHECK_THROWS(importer.ImportMemory(memory_of_file(file, kBytes + 1)), ORT_INVALID_ARGUMENT,
               "'offset_bytes' is 4097");
  const Ort::ExternalMemoryHandle memory = importer.ImportMemory(memory_of_file(file));
  CHECK_THROWS(importer.CreateTensorFromMemory(memory, kFloat, {2}, kBytes - 4),
               ORT_INVALID_ARGUMENT, "takes 8 bytes");
  CHECK_THROWS(importer.ImportSemaphore({ORTC_ORT_API_VERSION, kFileSemaphore, as_handle(-1)}),
               ORT_INVALID_ARGUMENT, "not an open file");
  CHECK_THROWS(Ort::ExternalResourceImporter(machine.other), ORT_NOT_IMPLEMENTED,
               std::string(machine.other.EpName()) + " imports no memory");
  const OrtGraphicsInteropConfig config{ORTC_ORT_API_VERSION, ORT_GRAPHICS_API_VULKAN, nullptr,
                                        nullptr};
  CHECK_THROWS(Ort::InitGraphicsInteropForEpDevice(machine.device, config), ORT_NOT_IMPLEMENTED,
               "InitGraphicsInterop");
  CHECK_THROWS(Ort::DeinitGraphicsInteropForEpDevice(machine.other), ORT_NOT_IMPLEMENTED,
               machine.other.EpName());
  CHECK_THROWS(Ort::ExternalResourceImporter{nullptr}.CanImportMemory(kFileMemory),
               ORT_INVALID_ARGUMENT, "importer");
}
