// SPDX-License-Identifier: MIT
// Libraries whose importers fail: each failure arrives with its code and text, and everything goes
// back once.
#include "tests/api/plugin/faulty_answers.h"
#include "tests/api/plugin/interop_testing.h"

using namespace ortc;
using namespace ortc::test;

namespace {

int answers_count(const char* what) { return device_count(what, ORTC_ANSWERS_LIBRARY); }

Outcome create_importer(const Env& env, OwnImporter* importer) {
  OrtExternalResourceImporter* made = nullptr;
  Outcome outcome(OrtCreateExternalResourceImporterForDevice(device_of(env), &made));
  importer->reset(made);
  return outcome;
}

Outcome import_semaphore(const OwnImporter& importer, const Counter& counter,
                         Semaphore* semaphore) {
  const OrtExternalSemaphoreDescriptor from = {ORTC_ORT_API_VERSION, kFileSemaphore,
                                               as_handle(counter.number)};
  OrtExternalSemaphoreHandle* made = nullptr;
  Outcome outcome(OrtImportSemaphore(importer.get(), &from, &made));
  semaphore->reset(made);
  return outcome;
}

void check_no_imports_held() {
  for (const char* what : {"importers_alive", "adopted_alive", "semaphores_alive"}) {
    CHECK_EQ(answers_count(what), 0);
  }
}

}  // namespace

TEST(plugin_interop_faults, of_an_importer_refuse_it) {
  const Fault kFaults[] = {
      {"importer_error", ORT_NOT_FOUND, "CreateExternalResourceImporterForDevice: no importer"},
      {"importer_late", ORT_NOT_FOUND, "failed too late"},
      {"importer_throws", ORT_EP_FAIL, "it threw: thrown in place of an importer"},
      {"importer_null", ORT_NOT_IMPLEMENTED, "imports no memory and no semaphores"},
      {"old_importer", ORT_EP_FAIL, "gave one of version 23, expected 24 or more"},
      {"version_23", ORT_NOT_IMPLEMENTED, "imports no memory and no semaphores"}};
  for (const Fault& fault : kFaults) {
    const Env env = env_with_answers(fault.name);
    OwnImporter importer;
    CHECK(create_importer(env, &importer).has(fault.code, fault.text));
    check_no_imports_held();
  }
}

TEST(plugin_interop_faults, of_an_import_are_its_own_and_the_next_one_succeeds) {
  const Fault kFaults[] = {{"import_error", ORT_NOT_FOUND, "ImportMemory: cannot import"},
                           {"import_late", ORT_NOT_FOUND, "ImportMemory: failed too late"},
                           {"import_throws", ORT_EP_FAIL, "it threw: thrown over memory"},
                           {"import_null", ORT_EP_FAIL, "ImportMemory gave no handle"}};
  const Env env = env_with_answers("");
  const File file;
  for (const Fault& fault : kFaults) {
    const OwnImporter importer = importer_of(env);
    Memory memory;
    set_answers(fault.name);
    CHECK(import_memory(importer, memory_of_file(file), &memory).has(fault.code, fault.text));
    set_answers("");
    CHECK(import_memory(importer, memory_of_file(file), &memory).is_ok());
  }
  check_no_imports_held();
}

TEST(plugin_interop_faults, of_a_tensor_are_its_own_and_the_next_one_succeeds) {
  const Fault kFaults[] = {
      {"tensor_error", ORT_NOT_FOUND, "CreateTensorFromMemory: cannot make a tensor"},
      {"tensor_late", ORT_NOT_FOUND, "CreateTensorFromMemory: failed too late"},
      {"tensor_throws", ORT_EP_FAIL, "it threw: thrown over a tensor"},
      {"tensor_null", ORT_EP_FAIL, "CreateTensorFromMemory gave no tensor"},
      {"tensor_of_another_shape", ORT_EP_FAIL, "gave float32[1], expected float32[1,2]"},
      {"tensor_of_another_type", ORT_EP_FAIL, "gave int32[1,2], expected float32[1,2]"},
      {"tensor_elsewhere", ORT_EP_FAIL, "in memory 'Elsewhere', which is none of the device's"}};
  const Env env = env_with_answers("");
  const File file;
  {
    const OwnImporter importer = importer_of(env);
    const Memory memory = import_file(importer, file);
    for (const Fault& fault : kFaults) {
      OwnValue value;
      set_answers(fault.name);
      CHECK(make_tensor(importer, memory, pair_at(0), &value).has(fault.code, fault.text));
      set_answers("");
      CHECK(make_tensor(importer, memory, pair_at(0), &value).is_ok());
    }
  }
  check_no_imports_held();
}

TEST(plugin_interop, a_tensor_may_lie_in_plain_memory_of_the_processor) {
  const Env env = env_with_answers("");
  const File file;
  {
    const OwnImporter importer = importer_of(env);
    const Memory memory = import_file(importer, file);
    OwnValue value;
    set_answers("tensor_on_the_host");
    CHECK(make_tensor(importer, memory, pair_at(0), &value).is_ok());
    set_answers("");
    void* data = nullptr;
    CHECK(OrtGetTensorMutableData(value.get(), &data) == nullptr);
    CHECK_EQ(static_cast<const float*>(data)[1], 4.0f);
  }
  check_no_imports_held();
}

TEST(plugin_interop_faults, of_semaphores_arrive) {
  const Env env = env_with_answers("semaphore_null");
  const OwnImporter importer = importer_of(env);
  const Counter counter;
  Semaphore semaphore;
  CHECK(import_semaphore(importer, counter, &semaphore)
            .has(ORT_EP_FAIL, "ImportSemaphore gave no handle"));
  set_answers("wait_error");
  CHECK(import_semaphore(importer, counter, &semaphore).is_ok());
  const Stream stream = new_stream(env);
  CHECK(Outcome(OrtWaitSemaphore(importer.get(), semaphore.get(), stream.get(), 1))
            .has(ORT_NOT_FOUND, "WaitSemaphore: cannot wait"));
  set_answers("can_import_throws");
  bool can = true;
  CHECK(Outcome(OrtCanImportMemory(importer.get(), kFileMemory, &can))
            .has(ORT_EP_FAIL, "it threw: thrown in place of an answer"));
  CHECK(!can);
}

TEST(plugin_interop_faults, a_handle_that_cannot_release_itself_is_released_by_the_importer) {
  const Env env = env_with_answers("handle_without_release");
  const File file;
  { const Memory memory = import_file(importer_of(env), file); }
  check_no_imports_held();
}

TEST(plugin_interop_faults, functions_that_are_not_there_are_named) {
  const Env env = env_with_answers("importer_of_nothing");
  const OwnImporter importer = importer_of(env);
  const File file;
  const Counter counter;
  Memory memory;
  Semaphore semaphore;
  bool can = true;
  CHECK(Outcome(OrtCanImportMemory(importer.get(), kFileMemory, &can)).is_ok() && !can);
  CHECK(Outcome(OrtCanImportSemaphore(importer.get(), kFileSemaphore, &can)).is_ok() && !can);
  CHECK(import_memory(importer, memory_of_file(file), &memory)
            .has(ORT_NOT_IMPLEMENTED, "ImportMemory is not there"));
  CHECK(import_semaphore(importer, counter, &semaphore)
            .has(ORT_NOT_IMPLEMENTED, "ImportSemaphore is not there"));
}

TEST(plugin_interop_faults, graphics_begin_and_end_by_the_library) {
  const OrtGraphicsInteropConfig config = {ORTC_ORT_API_VERSION, ORT_GRAPHICS_API_VULKAN, nullptr,
                                           nullptr};
  {
    const Env env = env_with_answers("");
    CHECK(Outcome(OrtInitGraphicsInteropForEpDevice(device_of(env), &config)).is_ok());
    CHECK_EQ(answers_number("faulty_answers_graphics_users"), 1);
    CHECK(Outcome(OrtDeinitGraphicsInteropForEpDevice(device_of(env))).is_ok());
    CHECK_EQ(answers_number("faulty_answers_graphics_users"), 0);
    OrtGraphicsInteropConfig old = config;
    old.version = 0;
    CHECK(Outcome(OrtInitGraphicsInteropForEpDevice(device_of(env), &old))
              .has(ORT_INVALID_ARGUMENT, "'config' has version 0"));
  }
  const Fault kFaults[] = {{"graphics_error", ORT_NOT_FOUND, "InitGraphicsInterop: no graphics"},
                           {"no_graphics", ORT_NOT_IMPLEMENTED, "InitGraphicsInterop is not there"},
                           {"version_24", ORT_NOT_IMPLEMENTED, "InitGraphicsInterop is not there"}};
  for (const Fault& fault : kFaults) {
    const Env env = env_with_answers(fault.name);
    CHECK(Outcome(OrtInitGraphicsInteropForEpDevice(device_of(env), &config))
              .has(fault.code, fault.text));
  }
}
