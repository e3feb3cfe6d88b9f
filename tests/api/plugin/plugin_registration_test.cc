// SPDX-License-Identifier: MIT
// Registering libraries of execution providers: all or nothing, and unloaded when nobody needs it.
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <set>
#include <thread>

#include "core/api/env/env_handle.h"
#include "tests/api/plugin/device_testing.h"

using namespace ortc;
using namespace ortc::test;

TEST(plugin_registration, adds_a_device_and_takes_it_away) {
  const Env env = quiet_env();
  CHECK(devices_of(env, kTestEp).empty());
  CHECK(add_library(env, "test").is_ok());
  const auto devices = devices_of(env, kTestEp);
  CHECK_EQ(devices.size(), 1u);
  CHECK_EQ(std::string(OrtEpDevice_EpVendor(devices[0])), "testers");
  const auto value = [&](const OrtKeyValuePairs* pairs, const char* key) {
    const char* text = OrtGetKeyValue(pairs, key);
    return std::string(text != nullptr ? text : "none");
  };
  const OrtKeyValuePairs* metadata = OrtEpDevice_EpMetadata(devices[0]);
  CHECK_EQ(value(metadata, "version"), "1.2.3");
  CHECK_EQ(value(metadata, "library_path"), ORTC_TEST_LIBRARY);
  CHECK(value(metadata, "library_build").size() > 8);
  CHECK_EQ(value(metadata, "colour"), "green");
  CHECK_EQ(value(OrtEpDevice_EpOptions(devices[0]), "speed"), "high");
  const OrtHardwareDevice* hardware = OrtEpDevice_Device(devices[0]);
  CHECK_EQ(OrtHardwareDevice_Type(hardware), OrtHardwareDeviceType_CPU);
  CHECK_EQ(value(OrtHardwareDevice_Metadata(hardware), "is_virtual"), "0");
  CHECK(remove_library(env, "test").is_ok());
  CHECK(devices_of(env, kTestEp).empty());
  CHECK(!is_library_loaded());
}

TEST(plugin_registration, leaves_a_device_that_says_what_it_was_and_is_refused) {
  const Env env = quiet_env();
  CHECK(add_library(env, "test").is_ok());
  const auto devices = devices_of(env, kTestEp);
  const OrtEpDevice* const* array = nullptr;
  size_t count = 0;
  CHECK(Outcome(OrtGetEpDevices(env.get(), &array, &count)).is_ok());
  CHECK(remove_library(env, "test").is_ok());
  CHECK(!is_library_loaded());
  CHECK_EQ(std::string(OrtEpDevice_EpName(devices[0])), kTestEp);
  CHECK_EQ(array[count - 1], devices[0]);
  OrtSessionOptions* made = nullptr;
  CHECK(Outcome(OrtCreateSessionOptions(&made)).is_ok());
  const Options options(made);
  CHECK(Outcome(OrtSessionOptionsAppendExecutionProvider_V2(made, env.get(), devices.data(), 1,
                                                            nullptr, nullptr, 0))
            .has(ORT_INVALID_ARGUMENT, "not a device of this environment"));
  OrtCompiledModelCompatibility verdict = OrtCompiledModelCompatibility_EP_NOT_APPLICABLE;
  CHECK(Outcome(OrtGetModelCompatibilityForEpDevices(devices.data(), 1, "info", &verdict))
            .has(ORT_INVALID_ARGUMENT, "library is not registered"));
  // The device of the library that comes back is another one.
  CHECK(add_library(env, "test").is_ok());
  CHECK(devices_of(env, kTestEp) != devices);
  CHECK_EQ(std::string(OrtEpDevice_EpName(devices[0])), kTestEp);
}

TEST(plugin_registration, gives_the_program_the_devices_that_the_library_made) {
  for (const char* name : {"test", "test?virtual_device.virtual"}) {
    const Env env = quiet_env();
    CHECK(add_library(env, name).is_ok());
    const auto made =
        function_of<const OrtEpDevice* (*)()>(ORTC_TEST_LIBRARY, "test_library_device");
    CHECK_EQ(devices_of(env, kTestEp).at(0), made());
    OwnSession session;
    CHECK(make_session(env, two_muls(), options_of(env, kTestEp), &session).is_ok());
    CHECK_EQ(library_number("test_library_knows_its_hardware"), 1);
  }
}

TEST(plugin_registration, takes_memory_that_a_library_tells_of_later) {
  const Env env = quiet_env();
  CHECK(add_library(env, "test").is_ok());
  const OrtEpDevice* device = devices_of(env, kTestEp).at(0);
  CHECK(OrtEpDevice_MemoryInfo(device, OrtDeviceMemoryType_HOST_ACCESSIBLE) == nullptr);
  OwnSession session;
  for (int round = 0; round < 2; ++round) {  // it says so for each session
    CHECK(make_session(env, two_muls(), options_of(env, kTestEp, "late_memory"), &session)
              .has(ORT_NOT_FOUND, "CreateAllocator: no allocator for it"));
  }
  const OrtMemoryInfo* memory = OrtEpDevice_MemoryInfo(device, OrtDeviceMemoryType_HOST_ACCESSIBLE);
  CHECK(memory != nullptr);
  OrtAllocator* allocator = nullptr;
  CHECK(Outcome(OrtGetSharedAllocator(env.get(), memory, &allocator))
            .has(ORT_NOT_FOUND, "no allocator for it"));
}

TEST(plugin_registration, looks_at_nothing_but_the_devices_that_are_counted) {
  const Env env = quiet_env();
  CHECK(add_library(env, "test?uncounted_device").is_ok());
  CHECK_EQ(devices_of(env, kTestEp).size(), 1u);
}

TEST(plugin_registration, tells_builds_apart_that_have_no_build_id) {
  std::string bytes = read_whole_file(ORTC_TEST_LIBRARY);
  const std::string note("\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU", 15);
  const size_t place = bytes.find(note);
  if (place != std::string::npos) bytes[place + 8] = '\x7f';  // a note of another kind
  std::set<std::string> builds;
  for (const char* name : {"one", "other", "one"}) {
    const std::string path = temp_dir() + "/" + name + "_build.so";
    if (access(path.c_str(), F_OK) != 0) write_whole_file(path, bytes);
    const Env env = quiet_env();
    CHECK(add_library(env, "test", path).is_ok());
    const auto* metadata = OrtEpDevice_EpMetadata(devices_of(env, kTestEp).at(0));
    builds.insert(OrtGetKeyValue(metadata, "library_build"));
  }
  CHECK_EQ(builds.size(), 2u);
  CHECK_EQ(builds.count(""), 0u);
}

// Version 22 has no GetVersion.
TEST(plugin_registration, lets_old_libraries_tell_their_version_with_their_devices) {
  const Env env = quiet_env();
  CHECK(add_library(env, "test?own_version_22").is_ok());
  const auto* metadata = OrtEpDevice_EpMetadata(devices_of(env, kTestEp).at(0));
  CHECK_EQ(std::string(OrtGetKeyValue(metadata, "version")), "7");
  CHECK_EQ(std::string(OrtGetKeyValue(metadata, "library_path")), ORTC_TEST_LIBRARY);
  CHECK(std::string(OrtGetKeyValue(metadata, "library_build")) != "some day");
}

TEST(plugin_registration, keeps_the_handles_of_other_devices) {
  const Env env = quiet_env();
  const auto before = devices_of(env, "CPUExecutionProvider");
  CHECK(add_library(env, "test").is_ok());
  CHECK(devices_of(env, "CPUExecutionProvider") == before);
  CHECK(remove_library(env, "test").is_ok());
  CHECK(devices_of(env, "CPUExecutionProvider") == before);
}

TEST(plugin_registration, refuses_a_name_twice_and_a_provider_twice) {
  const Env env = quiet_env();
  CHECK(add_library(env, "test").is_ok());
  CHECK(add_library(env, "test").has(ORT_FAIL, "registered as 'test' already"));
  CHECK(add_library(env, "test again").has(ORT_FAIL, "TestLibraryEp"));
  CHECK(add_library(env, "other?another_name").is_ok());
  CHECK_EQ(devices_of(env, kTestEp).size(), 1u);
  CHECK(remove_library(env, "test").is_ok());
  CHECK(remove_library(env, "test").has(ORT_FAIL, "no library is registered as 'test'"));
  CHECK(add_library(env, "test").is_ok());
}

TEST(plugin_registration, belongs_to_one_environment) {
  const Env env = quiet_env(), other = quiet_env();
  CHECK(add_library(env, "test").is_ok());
  CHECK(devices_of(other, kTestEp).empty());
  CHECK(add_library(other, "test").is_ok());
  CHECK(remove_library(env, "test").is_ok());
  CHECK(is_library_loaded());
  CHECK_EQ(devices_of(other, kTestEp).size(), 1u);
}

TEST(plugin_registration, says_what_is_wrong_with_a_path) {
  const Env env = quiet_env();
  CHECK(add_library(env, "", ORTC_TEST_LIBRARY).has(ORT_INVALID_ARGUMENT, "must not be empty"));
  CHECK(add_library(env, "a", "").has(ORT_INVALID_ARGUMENT, "must not be empty"));
  CHECK(add_library(env, "a", "/nowhere/at/all.so").has(ORT_NO_SUCHFILE, "/nowhere/at/all.so"));
  CHECK(add_library(env, "a", "nowhere.so").has(ORT_NO_SUCHFILE, "nowhere.so"));
  const std::string text = temp_dir() + "/text.so";
  std::ofstream(text) << "this is not a library";
  CHECK(add_library(env, "a", text).has(ORT_FAIL, "cannot be loaded"));
  CHECK(add_library(env, "a", "/lib/x86_64-linux-gnu/libm.so.6").code != ORT_OK);
  CHECK(add_library(env, "a", temp_dir()).code != ORT_OK);
  // The name is free after every failure.
  CHECK(add_library(env, "a").is_ok());
}

TEST(plugin_registration, takes_paths_beyond_ascii_and_relative_ones) {
  const Env env = quiet_env();
  const std::string folder = temp_dir() +
                             "/b\xc3\xbc"
                             "cher \xe6\x9b\xb8";
  CHECK_EQ(mkdir(folder.c_str(), 0700), 0);
  const std::string copy = folder + "/test.so";
  std::ifstream from(ORTC_TEST_LIBRARY, std::ios::binary);
  std::ofstream(copy, std::ios::binary) << from.rdbuf();
  CHECK(add_library(env, "far", copy).is_ok());
  CHECK(remove_library(env, "far").is_ok());
  CHECK_EQ(chdir(folder.c_str()), 0);
  CHECK(add_library(env, "near", "test.so").is_ok());
  CHECK_EQ(devices_of(env, kTestEp).size(), 1u);
  CHECK_EQ(chdir("/"), 0);
}

TEST(plugin_registration, leaves_nothing_when_a_step_fails) {
  const struct {
    const char* fault;
    int code;
    const char* text;
  } kFaults[] = {
      {"create_error", ORT_NOT_FOUND, "CreateEpFactories: no factories today"},
      {"create_throws", ORT_EP_FAIL, "thrown in place of factories"},
      {"no_factories", ORT_EP_FAIL, "made 0 factories"},
      {"null_factory", ORT_EP_FAIL, "1 factories, but gave 0"},
      {"many_factories", ORT_EP_FAIL, "made 5 factories"},
      {"same_factory_twice", ORT_EP_FAIL, "gave twice the same factory"},
      {"two_of_one_name", ORT_FAIL, "TestLibraryEp"},
      {"old_factory", ORT_FAIL, "version 3"},
      {"cpu_name", ORT_FAIL, "CPUExecutionProvider"},
      {"bad_name", ORT_EP_FAIL, "not UTF-8"},
      {"empty_name", ORT_EP_FAIL, "empty"},
      {"null_name", ORT_EP_FAIL, "GetName gave NULL"},
      {"null_vendor", ORT_EP_FAIL, "GetVendor gave NULL"},
      {"bad_version", ORT_EP_FAIL, "'first', expected a version"},
      {"no_get_devices", ORT_EP_FAIL, "GetSupportedDevices"},
      {"devices_error", ORT_NOT_FOUND, "GetSupportedDevices: no devices"},
      {"devices_throw", ORT_EP_FAIL, "thrown in place of devices"},
      {"many_devices", ORT_EP_FAIL, "9 devices"},
      {"null_device", ORT_EP_FAIL, "NULL for device 0"},
      {"same_device_twice", ORT_EP_FAIL, "twice"},
      {"released_device", ORT_EP_FAIL, "released as device 0"},
      {"devices_released", ORT_NOT_FOUND, "GetSupportedDevices: no second device"},
      {"virtual_device", ORT_FAIL, "'.virtual'"},
      {"own_version", ORT_INVALID_ARGUMENT, "'version'"},
  };
  const Env env = quiet_env();
  for (const auto& row : kFaults) {
    CHECK(add_library(env, std::string("test?") + row.fault).has(row.code, row.text));
    CHECK(!is_library_loaded());
    CHECK(devices_of(env, kTestEp).empty());
  }
  CHECK_EQ(devices_of(env, "CPUExecutionProvider").size(), 1u);
}

TEST(plugin_registration, loses_no_provider_when_one_of_them_cannot_go) {
  const Env env = env_with_device("device.pair.virtual");
  ProviderRegistry& registry = env.get()->shared->environment->providers();
  const auto second = registry.find("SecondDeviceMemoryExecutionProvider");
  CHECK(registry.remove(second->name()).is_ok());
  CHECK(remove_library(env, "device.pair.virtual").has(ORT_FAIL, std::string(second->name())));
  CHECK(registry.find(kDeviceEp) != nullptr);
  CHECK(registry.add(second).is_ok());
  CHECK(remove_library(env, "device.pair.virtual").is_ok());
  CHECK(registry.find(kDeviceEp) == nullptr);
}

TEST(plugin_registration, refuses_a_device_of_somebody_else) {
  const Env env = quiet_env();
  CHECK(add_library(env, "other?another_name").is_ok());
  void* library = dlopen(ORTC_TEST_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
  const auto give = reinterpret_cast<void (*)(OrtEpDevice*)>(dlsym(library, "test_library_give"));
  for (const char* owner : {"CPUExecutionProvider", "AnotherTestEp"}) {
    give(const_cast<OrtEpDevice*>(devices_of(env, owner).at(0)));
    CHECK(add_library(env, "test?foreign_device").has(ORT_EP_FAIL, owner));
  }
  dlclose(library);
  CHECK_EQ(devices_of(env, "CPUExecutionProvider").size(), 1u);
}

TEST(plugin_registration, takes_libraries_that_are_newer_and_those_without_devices) {
  const Env env = quiet_env();
  CHECK(add_library(env, "test?new_factory").is_ok());
  CHECK_EQ(devices_of(env, kTestEp).size(), 1u);
  CHECK(remove_library(env, "test?new_factory").is_ok());
  CHECK(add_library(env, "test?no_devices").is_ok());
  CHECK(devices_of(env, kTestEp).empty());
}

TEST(plugin_registration, allows_virtual_devices_by_the_name_or_by_the_environment) {
  const Env env = quiet_env();
  CHECK(add_library(env, "test?virtual_device.virtual").is_ok());
  const auto devices = devices_of(env, kTestEp);
  CHECK_EQ(devices.size(), 1u);
  const OrtHardwareDevice* hardware = OrtEpDevice_Device(devices[0]);
  CHECK_EQ(OrtHardwareDevice_Type(hardware), OrtHardwareDeviceType_GPU);
  CHECK_EQ(OrtHardwareDevice_VendorId(hardware), 5u);
  CHECK_EQ(std::string(OrtGetKeyValue(OrtHardwareDevice_Metadata(hardware), "is_virtual")), "1");
  // The permission is that library's alone.
  CHECK(add_library(env, "other?virtual_device").has(ORT_FAIL, "'.virtual'"));
  CHECK(remove_library(env, "test?virtual_device.virtual").is_ok());
  CHECK_EQ(OrtHardwareDevice_VendorId(hardware), 5u);  // although the library released it

  OrtKeyValuePairs* entries = nullptr;
  OrtCreateKeyValuePairs(&entries);
  OrtAddKeyValuePair(entries, "allow_virtual_devices", "1");
  OrtEnvCreationOptions description{};
  description.version = ORTC_ORT_API_VERSION;
  description.logging_severity_level = ORT_LOGGING_LEVEL_FATAL;
  description.log_id = "test";
  description.config_entries = entries;
  OrtEnv* made = nullptr;
  CHECK(Outcome(OrtCreateEnvWithOptions(&description, &made)).is_ok());
  const Env open(made);
  OrtReleaseKeyValuePairs(entries);
  CHECK(add_library(open, "test?virtual_device").is_ok());
}

TEST(plugin_registration, stays_loaded_while_options_or_a_session_use_it) {
  const Env env = quiet_env();
  CHECK(add_library(env, "test").is_ok());
  Options options = options_of(env, kTestEp);
  CHECK(remove_library(env, "test").is_ok());
  CHECK(is_library_loaded());
  OwnSession session;
  CHECK(make_session(env, two_muls(), options, &session).is_ok());
  options.reset();
  CHECK(is_library_loaded());
  std::vector<float> y;
  CHECK(run_floats(session.get(), {1, 2, 3, 4}, &y).is_ok());
  CHECK(y == (std::vector<float>{2, 8, 18, 32}));
  session.reset();
  CHECK(!is_library_loaded());
}

TEST(plugin_registration, refuses_devices_of_a_library_that_is_gone) {
  const Env env = quiet_env();
  CHECK(add_library(env, "test").is_ok());
  const auto devices = devices_of(env, kTestEp);
  CHECK(remove_library(env, "test").is_ok());
  OrtSessionOptions* options = nullptr;
  CHECK(Outcome(OrtCreateSessionOptions(&options)).is_ok());
  CHECK(Outcome(OrtSessionOptionsAppendExecutionProvider_V2(options, env.get(), devices.data(), 1,
                                                            nullptr, nullptr, 0))
            .has(ORT_INVALID_ARGUMENT, "not a device of this environment"));
  OrtReleaseSessionOptions(options);
}

TEST(plugin_registration, outlives_its_environment_with_a_session) {
  Env env = quiet_env();
  CHECK(add_library(env, "test").is_ok());
  OwnSession session;
  CHECK(make_session(env, two_muls(), options_of(env, kTestEp), &session).is_ok());
  env.reset();
  std::vector<float> y;
  CHECK(run_floats(session.get(), {1, 1, 1, 1}, &y).is_ok());
  session.reset();
  CHECK(!is_library_loaded());
}

TEST(plugin_registration, may_end_during_runs_on_other_threads) {
  const Env env = quiet_env();
  CHECK(add_library(env, "test").is_ok());
  OwnSession session;
  CHECK(make_session(env, two_muls(), options_of(env, kTestEp), &session).is_ok());
  std::atomic<bool> stop{false};
  std::atomic<int> failures{0}, runs{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      std::vector<float> y;
      while (!stop) {
        failures += run_floats(session.get(), {1, 2, 3, 4}, &y).code != ORT_OK;
        ++runs;
      }
    });
  }
  while (runs < 50) std::this_thread::yield();
  CHECK(remove_library(env, "test").is_ok());
  const int before = runs;
  while (runs < before + 50) std::this_thread::yield();
  stop = true;
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(failures.load(), 0);
}

TEST(plugin_registration, loses_nothing_in_a_thousand_rounds) {
  const Env env = quiet_env();
  for (int round = 0; round < 1000; ++round) {
    CHECK(add_library(env, "test").is_ok());
    CHECK(remove_library(env, "test").is_ok());
    CHECK(!is_library_loaded());
  }
  CHECK(add_library(env, "test").is_ok());
  CHECK_EQ(library_number("test_library_alive"), 1);
}

TEST(plugin_registration, may_come_from_several_threads) {
  const Env env = quiet_env();
  std::atomic<int> made{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        if (Outcome(OrtRegisterExecutionProviderLibrary(env.get(), "test", ORTC_TEST_LIBRARY))
                .code != ORT_OK) {
          continue;
        }
        ++made;
        CHECK(remove_library(env, "test").is_ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(made > 0);
  CHECK(!is_library_loaded());
}
