// SPDX-License-Identifier: MIT
// ort_c/ort_cxx.h: owners, failures, options and environments. The other files of this program are
// in tests/api/cxx.
#include <atomic>
#include <filesystem>
#include <type_traits>
#include <utility>

#include "tests/api/cxx/cxx_testing.h"

using namespace ortc::test;

TEST(cxx_objects, only_move_and_hold_nothing_afterwards) {
  static_assert(!std::is_copy_constructible_v<Ort::Env>);
  static_assert(std::is_nothrow_move_constructible_v<Ort::Session>);
  static_assert(std::is_nothrow_move_assignable_v<Ort::Value>);
  static_assert(std::is_copy_constructible_v<Ort::ConstValue>);
  static_assert(sizeof(Ort::Session) == sizeof(void*));

  Ort::Value first = Ort::Value::CreateTensor<float>({2});
  OrtValue* const held = first;
  CHECK(held != nullptr);
  Ort::Value second = std::move(first);
  CHECK(first == nullptr);
  CHECK(second == held);
  first = std::move(second);
  CHECK(first == held && second == nullptr);
  Ort::Value& itself = first;
  first = std::move(itself);
  CHECK(first == held);
  OrtValue* const released = first.release();
  CHECK(released == held && first == nullptr);
  OrtReleaseValue(released);
}

TEST(cxx_objects, that_hold_nothing_refuse_calls) {
  Ort::Value value{nullptr};
  CHECK_THROWS(value.IsTensor(), ORT_INVALID_ARGUMENT, "");
  CHECK_THROWS(value.GetTensorMutableData<float>(), ORT_INVALID_ARGUMENT, "");
  CHECK_THROWS(value.GetTensorSpan<float>(), ORT_INVALID_ARGUMENT, "");
  CHECK_THROWS(value.GetStrings(), ORT_INVALID_ARGUMENT, "");
  Ort::Session session{nullptr};
  CHECK_THROWS(session.GetInputNames(), ORT_INVALID_ARGUMENT, "");
  CHECK_THROWS(session.run({}), ORT_INVALID_ARGUMENT, "");
  CHECK_THROWS(session.GetModelMetadata(), ORT_INVALID_ARGUMENT, "");
  Ort::SessionOptions options{nullptr};
  CHECK_THROWS(options.SetIntraOpNumThreads(1), ORT_INVALID_ARGUMENT, "");
  CHECK_THROWS(options.Clone(), ORT_INVALID_ARGUMENT, "");
  Ort::Env env{nullptr};
  CHECK_THROWS(env.GetEpDevices(), ORT_INVALID_ARGUMENT, "");
  CHECK_THROWS(Ort::Session(env, data("matmul.onnx"), options), ORT_INVALID_ARGUMENT, "");
  Ort::MemoryInfo info{nullptr};
  CHECK_THROWS(info.GetAllocatorName(), ORT_INVALID_ARGUMENT, "");
  Ort::KeyValuePairs pairs{nullptr};
  pairs.Add("a", "b");
  CHECK(pairs.GetValue("a") == nullptr);
  CHECK(pairs.GetKeyValuePairs().empty());
  CHECK(Ort::ConstEpDevice().EpName() == nullptr);
  Ort::ModelCompiler compiler{nullptr};
  CHECK_EQ(compiler.TryCompile().GetErrorCode(), ORT_INVALID_ARGUMENT);
  CHECK_THROWS(Ort::Graph{nullptr}.GetNodes(), ORT_INVALID_ARGUMENT, "");
}

TEST(cxx_failures, carry_code_and_text) {
  Ort::Env env;
  CHECK_THROWS(Ort::Session(env, data("absent.onnx"), Ort::SessionOptions{nullptr}),
               ORT_NO_SUCHFILE, "absent.onnx");
  try {
    Ort::Session(env, data("unknown_operator.onnx"), Ort::SessionOptions());
    CHECK(false);
  } catch (const std::exception& failure) {
    CHECK(has(failure.what(), "Mystery"));
  }
}

TEST(cxx_failures, come_as_values_from_the_forms_that_try) {
  Ort::Env env;
  auto session = Ort::Session::TryCreate(env, data("absent.onnx"), Ort::SessionOptions{nullptr});
  CHECK(!session);
  CHECK_EQ(session.GetStatus().GetErrorCode(), ORT_NO_SUCHFILE);
  CHECK(has(session.GetStatus().GetErrorMessage(), "absent.onnx"));
  CHECK_THROWS(session.value(), ORT_NO_SUCHFILE, "absent.onnx");

  auto good = Ort::Session::TryCreate(env, data("matmul.onnx"), Ort::SessionOptions{nullptr});
  CHECK(good.IsOK() && good.GetStatus().IsOK());
  CHECK_EQ(good->GetInputCount(), size_t{1});
  const Ort::Session taken = std::move(good).value();
  CHECK_EQ(taken.GetOutputCount(), size_t{1});

  auto other = Ort::Env::TryCreate(ORT_LOGGING_LEVEL_ERROR, nullptr);
  CHECK_EQ(other.GetStatus().GetErrorCode(), ORT_INVALID_ARGUMENT);
  Ort::SessionOptions options;
  CHECK(!options.TryAddConfigEntry("no.such_key", "1").IsOK());
  CHECK(options.TryAddConfigEntry(kOrtSessionOptionEpContextEnable, "1").IsOK());
}

TEST(cxx_failures, become_statuses_and_back) {
  const Ort::Status success;
  CHECK(success.IsOK() && success.GetErrorCode() == ORT_OK && success.GetErrorMessage().empty());
  Ort::ThrowOnError(success);
  Ort::ThrowOnError(nullptr);
  Ort::Status status("no luck", ORT_EP_FAIL);
  CHECK_THROWS(Ort::ThrowOnError(status), ORT_EP_FAIL, "no luck");
  const Ort::Status moved = std::move(status);
  CHECK_EQ(moved.GetErrorMessage(), std::string("no luck"));
  CHECK_EQ(Ort::Status(Ort::Exception("why", ORT_NOT_FOUND)).GetErrorCode(), ORT_NOT_FOUND);
  CHECK_EQ(Ort::Status(std::runtime_error("why")).GetErrorMessage(), std::string("why"));
}

TEST(cxx_texts, of_the_library_are_there) {
  CHECK_EQ(Ort::GetVersionString(), std::string(OrtGetVersionString()));
  CHECK(!Ort::GetBuildInfoString().empty());
  const std::vector<std::string> providers = Ort::GetAvailableProviders();
  CHECK(!providers.empty());
  CHECK_EQ(providers.back(), std::string("CPUExecutionProvider"));
  CHECK(Ort::GetApi().CreateEnv != nullptr);
  CHECK(Ort::GetCompileApi().CompileModel != nullptr);
  CHECK(Ort::GetModelEditorApi().CreateGraph != nullptr);
  CHECK(Ort::GetEpApi().CreateEpDevice != nullptr);
  CHECK(Ort::GetInteropApi().CanImportMemory != nullptr);
}

TEST(cxx_key_values, keep_order_and_replace) {
  Ort::KeyValuePairs pairs;
  pairs.Add("b", "1");
  pairs.Add("a", "2");
  pairs.Add("b", "3");
  std::vector<const char*> keys, values;
  pairs.GetConst().GetKeyValuePairs(keys, values);
  CHECK_EQ(keys.size(), size_t{2});
  CHECK_EQ(std::string(keys[0]) + keys[1] + values[0] + values[1], std::string("ba32"));
  pairs.Remove("b");
  CHECK(pairs.GetValue("b") == nullptr);
  CHECK_EQ(pairs.GetKeyValuePairs().at("a"), std::string("2"));
  const std::unordered_map<std::string, std::string> map{{"x", "y"}};
  CHECK_EQ(std::string(Ort::KeyValuePairs(map).GetValue("x")), std::string("y"));
}

TEST(cxx_env, hands_log_lines_to_a_function) {
  std::string heard;
  const auto log = [](void* param, OrtLoggingLevel, const char*, const char* id, const char*,
                      const char* message) {
    static_cast<std::string*>(param)->append(id).append(": ").append(message).append("\n");
  };
  Ort::Env env(ORT_LOGGING_LEVEL_VERBOSE, "cxx", log, &heard);
  Ort::Session(env, data("matmul.onnx"), Ort::SessionOptions());
  CHECK(has(heard, "cxx"));
  env.UpdateEnvWithCustomLogLevel(ORT_LOGGING_LEVEL_FATAL).DisableTelemetryEvents();
  heard.clear();
  Ort::Session(env, data("matmul.onnx"), Ort::SessionOptions());
  CHECK(heard.empty());
}

TEST(cxx_env, lists_devices) {
  const Ort::Env env("devices");
  const std::vector<Ort::ConstEpDevice> devices = env.GetEpDevices();
  CHECK(!devices.empty());
  for (const Ort::ConstEpDevice& device : devices) {
    CHECK(*device.EpName() != '\0' && device.EpVendor() != nullptr);
    CHECK(device.EpMetadata().GetValue("version") != nullptr);
    CHECK(device.EpOptions() != nullptr);
    CHECK(device.Device().Metadata().GetValue("is_virtual") != nullptr);
    CHECK_EQ(device.Device().Type(), OrtHardwareDeviceType_CPU);
    CHECK(device.Device().Vendor() != nullptr);
    (void)device.Device().VendorId();
    (void)device.Device().DeviceId();
    CHECK(device.GetMemoryInfo(OrtDeviceMemoryType_DEFAULT) == nullptr);
    CHECK_THROWS(device.CreateSyncStream(), ORT_INVALID_ARGUMENT, "streams");
  }
  CHECK_EQ(env.GetHardwareDevices().size(), env.GetNumHardwareDevices());
  CHECK_THROWS(Ort::Env().RegisterExecutionProviderLibrary("none", "/no/such/library.so"),
               ORT_NO_SUCHFILE, "library.so");
}

TEST(cxx_env, shares_threads_among_sessions) {
  Ort::ThreadingOptions threads;
  threads.SetGlobalIntraOpNumThreads(2).SetGlobalInterOpNumThreads(1).SetGlobalSpinControl(0);
  threads.SetGlobalDenormalAsZero().SetGlobalIntraOpThreadAffinity("1");
  CHECK_THROWS(threads.SetGlobalIntraOpNumThreads(-1), ORT_INVALID_ARGUMENT, "");
  Ort::Env env(threads, ORT_LOGGING_LEVEL_ERROR, "threads");
  Ort::SessionOptions options;
  options.DisablePerSessionThreads();
  CHECK_EQ(Ort::Session(env, data("matmul.onnx"), options).GetInputCount(), size_t{1});
  CHECK_THROWS(Ort::Session(Ort::Env(), data("matmul.onnx"), options), ORT_FAIL, "thread pools");
}

TEST(cxx_env, lets_functions_hear_of_the_work_of_threads) {
  std::atomic<int> balance{0}, enqueued{0};
  struct Heard {
    std::atomic<int>&balance, &enqueued;
  } heard{balance, enqueued};
  OrtThreadPoolCallbacksConfig config{};
  config.version = ORTC_ORT_API_VERSION;
  config.on_enqueue = [](void* context) -> void* {
    ++static_cast<Heard*>(context)->balance;
    ++static_cast<Heard*>(context)->enqueued;
    return nullptr;
  };
  config.on_stop_work =
      config.on_abandon = [](void* context, void*) { --static_cast<Heard*>(context)->balance; };
  config.user_context = &heard;
  Ort::Env env;
  env.SetPerSessionThreadPoolCallbacks(config);
  Ort::SessionOptions options;
  options.SetIntraOpNumThreads(3);
  Ort::Session session(env, data("layers.onnx"), options);
  std::vector<float> x(256 * 64, 1.0F);
  auto value = Ort::Value::CreateTensor<float>(x, {256, 64});
  const char* inputs[] = {"x"};
  const char* outputs[] = {"y"};
  CHECK_EQ(session.Run(Ort::RunOptions{nullptr}, inputs, &value, 1, outputs, 1).size(), size_t{1});
  CHECK(enqueued > 0);
  CHECK_EQ(balance.load(), 0);
  config.version = 0;
  CHECK_THROWS(env.SetPerSessionThreadPoolCallbacks(config), ORT_INVALID_ARGUMENT, "version");
}

TEST(cxx_env, is_made_from_a_description) {
  OrtEnvCreationOptions description{};
  description.version = 24;
  description.logging_severity_level = ORT_LOGGING_LEVEL_ERROR;
  description.log_id = "described";
  CHECK(Ort::Env(&description) != nullptr);
  description.version = 1;
  CHECK_THROWS(Ort::Env(&description), ORT_INVALID_ARGUMENT, "");
}

TEST(cxx_session_options, are_asked_and_cloned) {
  Ort::SessionOptions options;
  options.AddConfigEntry(kOrtSessionOptionEpContextEnable, "0")
      .SetIntraOpNumThreads(1)
      .SetInterOpNumThreads(1)
      .SetGraphOptimizationLevel(ORT_ENABLE_BASIC)
      .SetExecutionMode(ORT_SEQUENTIAL)
      .SetDeterministicCompute(true)
      .DisableMemPattern()
      .EnableMemPattern()
      .AppendExecutionProvider_CPU(0)
      .AppendExecutionProvider_CPU(1)
      .SetLogId("cxx")
      .SetLogSeverityLevel(ORT_LOGGING_LEVEL_ERROR)
      .SetLogVerbosityLevel(0)
      .SetLoadCancellationFlag(false)
      .DisableProfiling()
      .AddFreeDimensionOverrideByName("rows", 2)
      .AddFreeDimensionOverride("DATA_BATCH", 1);
  const Ort::SessionOptions clone = options.GetConst().Clone();
  CHECK(clone.HasConfigEntry(kOrtSessionOptionEpContextEnable));
  CHECK_EQ(clone.GetConfigEntry(kOrtSessionOptionEpContextEnable), std::string("0"));
  CHECK_EQ(clone.GetConfigEntryOrDefault("ep.context_file_path", "none"), std::string("none"));
  CHECK(clone.GetConfigEntries().GetValue(kOrtSessionOptionEpContextEnable) != nullptr);
  CHECK(clone.GetMemPatternEnabled());
  CHECK_EQ(clone.GetExecutionMode(), ORT_SEQUENTIAL);
  CHECK_THROWS(clone.GetConfigEntry("ep.context_file_path"), ORT_FAIL, "");
  CHECK_THROWS(options.AddConfigEntry("no.such_key", "1"), ORT_INVALID_ARGUMENT, "no.such_key");
  Ort::Env env;
  const Ort::TypeInfo type = Ort::Session(env, data("matmul.onnx"), clone).GetInputTypeInfo(0);
  CHECK(type.GetTensorTypeAndShapeInfo().GetShape() == (std::vector<int64_t>{2, 4}));
}

TEST(cxx_session_options, refuse_what_the_library_lacks) {
  Ort::SessionOptions options;
  CHECK_THROWS(options.AppendExecutionProvider_OpenVINO_V2({{"device_type", "CPU"}}),
               ORT_NOT_IMPLEMENTED, "OpenVINO");
  CHECK_THROWS(options.AppendExecutionProvider("QNN", {{"a", "b"}}), ORT_INVALID_ARGUMENT, "QNN");
  CHECK_THROWS(options.RegisterCustomOpsLibrary("/no/such.so"), ORT_FAIL, "/no/such.so");
  Ort::CustomOpConfigs configs;
  configs.AddConfig("op", "key", "value");
  CHECK_EQ(configs.GetFlattenedConfigs().at("op.key"), std::string("value"));
  CHECK_THROWS(options.AddExternalInitializers({"a", "b"}, {}), ORT_INVALID_ARGUMENT,
               "2 names, 0 values");
}

TEST(cxx_paths, are_texts_or_filesystem_paths) {
  const Ort::Env env;
  const std::filesystem::path path = data("matmul.onnx");
  const std::string text = path.string();
  CHECK_EQ(Ort::Session(env, path, Ort::SessionOptions()).GetInputCount(), size_t{1});
  CHECK_EQ(Ort::Session(env, text, Ort::SessionOptions()).GetInputCount(), size_t{1});
  CHECK_EQ(Ort::Session(env, text.c_str(), Ort::SessionOptions()).GetInputCount(), size_t{1});
}
