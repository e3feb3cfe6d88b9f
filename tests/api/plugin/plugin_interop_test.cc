// SPDX-License-Identifier: MIT
// Memory and semaphores of the program on a device: a file without a name, and eventfds.
#include <thread>

#include "tests/api/plugin/interop_testing.h"

using namespace ortc;
using namespace ortc::test;

TEST(plugin_interop, a_session_reads_and_writes_memory_of_the_program_without_a_copy) {
  const Env env = env_with_device();
  const OwnSession session = open_on_device(env, dense_model());
  const File file;
  const OwnImporter importer = importer_of(env);
  const Memory memory = import_file(importer, file, 256);
  OwnValue x, y;
  CHECK(make_tensor(importer, memory, pair_at(0), &x).is_ok());
  CHECK(make_tensor(importer, memory, pair_at(64), &y).is_ok());
  std::copy(kDenseX.begin(), kDenseX.end(), file.floats + 64);
  const int copies = device_count("copies_in") + device_count("copies_out");
  const OwnBinding binding = binding_of(session);
  CHECK(Outcome(OrtBindInput(binding.get(), "x", x.get())).is_ok());
  CHECK(Outcome(OrtBindOutput(binding.get(), "y", y.get())).is_ok());
  CHECK(Outcome(OrtRunWithBinding(session.get(), nullptr, binding.get())).is_ok());
  CHECK_EQ(file.floats[80], kDenseY[0]);
  CHECK_EQ(file.floats[81], kDenseY[1]);
  CHECK_EQ(device_count("copies_in") + device_count("copies_out"), copies);
}

TEST(plugin_interop, a_stream_waits_for_the_program_and_tells_it_when_it_has) {
  const Env env = env_with_device();
  const OwnSession session = open_on_device(env, dense_model());
  const OwnImporter importer = importer_of(env);
  const File file;
  const Counter ready, done;
  const Memory memory = import_file(importer, file);
  OwnValue x, y;
  CHECK(make_tensor(importer, memory, pair_at(0), &x).is_ok());
  Semaphore begin = import_counter(importer, ready), end = import_counter(importer, done);
  const Stream stream = new_stream(env);
  CHECK(Outcome(OrtWaitSemaphore(importer.get(), begin.get(), stream.get(), 3)).is_ok());
  CHECK(Outcome(OrtSignalSemaphore(importer.get(), end.get(), stream.get(), 5)).is_ok());
  begin.reset();  // the device has not looked at them yet
  end.reset();
  std::thread program([&] {
    ready.add(1);
    std::copy(kDenseX.begin(), kDenseX.end(), file.floats);
    ready.add(2);
  });
  OrtRunOptions* options = nullptr;
  CHECK(Outcome(OrtCreateRunOptions(&options)).is_ok());
  const OwnRunOptions own(options);
  OrtRunOptionsSetSyncStream(options, stream.get());
  CHECK(run(session, x, &y, options).is_ok());
  program.join();
  CHECK(numbers_of(y) == kDenseY);
  CHECK_EQ(done.take(), 5u);
}

TEST(plugin_interop, everything_may_be_given_back_in_any_order) {
  const File file;
  const Counter counter;
  OwnValue value;
  Memory memory;
  Semaphore semaphore;
  {
    const Env env = env_with_device("short.virtual");
    const OwnImporter importer = importer_of(env);
    memory = import_file(importer, file);
    semaphore = import_counter(importer, counter);
    CHECK(make_tensor(importer, memory, pair_at(8), &value).is_ok());
    CHECK(remove_library(env, "short.virtual").is_ok());
    OrtExternalResourceImporter* late = nullptr;
    const auto& device = *memory->ep_device;
    CHECK(Outcome(OrtCreateExternalResourceImporterForDevice(&device, &late))
              .has(ORT_INVALID_ARGUMENT, "whose library is not registered"));
  }
  CHECK_EQ(device_count("importers_alive"), 1);
  memory.reset();
  CHECK_EQ(device_count("adopted_alive"), 1);  // the tensor has it
  semaphore.reset();
  CHECK_EQ(device_count("semaphores_alive"), 0);
  value.reset();
  CHECK_EQ(device_count("adopted_alive"), -1);  // the library was unloaded
}

TEST(plugin_interop, an_importer_and_its_handles_know_their_device_when_the_environment_is_gone) {
  const File file;
  OwnImporter importer;
  Memory memory;
  {
    const Env env = env_with_device("kept.virtual");
    importer = importer_of(env);
    memory = import_file(importer, file);
  }
  OwnValue value;
  CHECK(make_tensor(importer, memory, pair_at(0), &value).is_ok());
  const OrtHardwareDevice* const hardware = OrtEpDevice_Device(memory->ep_device);
  CHECK_EQ(OrtHardwareDevice_Type(hardware), OrtHardwareDeviceType_NPU);
  memory.reset();
  value.reset();
}

TEST(plugin_interop, descriptors_that_do_not_fit_are_refused) {
  const Env env = env_with_device();
  const OwnImporter importer = importer_of(env);
  const File file;
  Memory memory;
  OrtExternalMemoryDescriptor from = memory_of_file(file);
  from.version = 23;
  CHECK(import_memory(importer, from, &memory).has(ORT_INVALID_ARGUMENT, "version 23"));
  from = memory_of_file(file, kBytes + 1);
  CHECK(import_memory(importer, from, &memory).has(ORT_INVALID_ARGUMENT, "'offset_bytes' is 4097"));
  from = memory_of_file(file);
  from.size_bytes = 2 * kBytes;
  CHECK(import_memory(importer, from, &memory).has(ORT_INVALID_ARGUMENT, "cannot be mapped"));
  from = memory_of_file(file);
  from.native_handle = as_handle(-1);
  CHECK(import_memory(importer, from, &memory).has(ORT_INVALID_ARGUMENT, "not an open file"));
  from = memory_of_file(file);
  from.handle_type = ORT_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP;
  CHECK(import_memory(importer, from, &memory).has(ORT_INVALID_ARGUMENT, "file descriptors only"));
  memory = import_file(importer, file, 64);
  OwnValue value;
  CHECK(make_tensor(importer, memory, pair_at(kBytes - 64 - 8), &value).is_ok());
  CHECK(make_tensor(importer, memory, pair_at(kBytes - 64 - 4), &value)
            .has(ORT_INVALID_ARGUMENT, "takes 8 bytes; the imported memory has 4032"));
  OrtExternalTensorDescriptor what = pair_at(0);
  what.element_type = ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;
  CHECK(make_tensor(importer, memory, what, &value).has(ORT_INVALID_ARGUMENT, "strings"));
  what = pair_at(0);
  what.version = 0;
  CHECK(make_tensor(importer, memory, what, &value).has(ORT_INVALID_ARGUMENT, "version 0"));
}

TEST(plugin_interop, what_was_imported_elsewhere_is_refused) {
  const Env env = env_with_device(), other = env_with_device("other.virtual");
  const OwnImporter importer = importer_of(env), another = importer_of(other);
  const File file;
  const Counter counter;
  const Memory memory = import_file(another, file);
  OwnValue value;
  CHECK(make_tensor(importer, memory, pair_at(0), &value)
            .has(ORT_INVALID_ARGUMENT, "the handle was imported by"));
  const Semaphore semaphore = import_counter(importer, counter);
  const Stream stream = new_stream(other);
  CHECK(Outcome(OrtWaitSemaphore(importer.get(), semaphore.get(), stream.get(), 1))
            .has(ORT_INVALID_ARGUMENT, "'stream' belongs to"));
  OrtExternalMemoryHandle own{};
  Memory mine(&own);
  CHECK(make_tensor(importer, mine, pair_at(0), &value)
            .has(ORT_INVALID_ARGUMENT, "not imported here"));
  (void)mine.release();
}

TEST(plugin_interop, says_what_can_be_imported) {
  const Env env = env_with_device();
  const OwnImporter importer = importer_of(env);
  bool can = false;
  CHECK(Outcome(OrtCanImportMemory(importer.get(), kFileMemory, &can)).is_ok() && can);
  CHECK(
      Outcome(OrtCanImportMemory(importer.get(), ORT_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP, &can))
          .is_ok());
  CHECK(!can);
  CHECK(Outcome(OrtCanImportSemaphore(importer.get(), kFileSemaphore, &can)).is_ok() && can);
  CHECK(Outcome(OrtCanImportSemaphore(importer.get(), ORT_EXTERNAL_SEMAPHORE_D3D12_FENCE, &can))
            .is_ok());
  CHECK(!can);
}

TEST(plugin_interop, a_provider_without_an_importer_is_named_and_null_through_the_table) {
  const Env env = quiet_env();
  CHECK(add_library(env, "test").is_ok());
  const OrtInteropApi& table = *OrtcGetApiBase()->GetApi(ORTC_ORT_API_VERSION)->GetInteropApi();
  for (const char* ep : {kTestEp, "AotExecutionProvider"}) {
    const OrtEpDevice* const device = devices_of(env, ep)[0];
    OrtExternalResourceImporter* importer = nullptr;
    CHECK(Outcome(OrtCreateExternalResourceImporterForDevice(device, &importer))
              .has(ORT_NOT_IMPLEMENTED, std::string(ep) + " imports no memory"));
    CHECK(Outcome(table.CreateExternalResourceImporterForDevice(device, &importer)).is_ok());
    CHECK(importer == nullptr);
    CHECK(Outcome(OrtDeinitGraphicsInteropForEpDevice(device)).has(ORT_NOT_IMPLEMENTED, ep));
  }
}
