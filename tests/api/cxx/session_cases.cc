// SPDX-License-Identifier: MIT
// ort_c/cxx: sessions, runs, bindings, adapters.
#include <condition_variable>
#include <fstream>
#include <iterator>
#include <mutex>
#include <thread>

#include "tests/api/cxx/cxx_testing.h"

using namespace ortc::test;

namespace {

std::vector<char> bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::vector<char>(std::istreambuf_iterator<char>(file), {});
}

// matmul.onnx: y = x * weight, weight[i][j] = 3 i + j.
const std::vector<float> kSums{18, 22, 26};

struct Matmul {
  Ort::Env env;
  Ort::Session session{env, data("matmul.onnx"), Ort::SessionOptions()};
  std::vector<float> ones{1, 1, 1, 1};
  Ort::Value x = Ort::Value::CreateTensor<float>(ones, {1, 4});
};

std::vector<float> floats(const Ort::Value& value) {
  const Ort::Span<const float> span = value.GetTensorSpan<float>();
  return std::vector<float>(span.begin(), span.end());
}

}  // namespace

TEST(cxx_session, says_what_the_model_takes_and_gives) {
  const Ort::Env env;
  const Ort::Session session(env, data("described.onnx"), Ort::SessionOptions());
  Ort::AllocatorWithDefaultOptions allocator;
  CHECK(session.GetInputNames() == std::vector<std::string>{"x"});
  CHECK(session.GetOutputNames() == std::vector<std::string>{"y"});
  CHECK(session.GetOverridableInitializerNames() == std::vector<std::string>{"bias"});
  CHECK_EQ(std::string(session.GetInputNameAllocated(0, allocator).get()), std::string("x"));
  CHECK_EQ(std::string(session.GetOutputNameAllocated(0, allocator).get()), std::string("y"));
  CHECK_EQ(std::string(session.GetOverridableInitializerNameAllocated(0, allocator).get()),
           std::string("bias"));
  CHECK_THROWS(session.GetInputNameAllocated(1, allocator), ORT_INVALID_ARGUMENT, "");
  const Ort::TypeInfo type = session.GetConst().GetInputTypeInfo(0);
  CHECK(type.GetTensorTypeAndShapeInfo().GetShape() == std::vector<int64_t>{2});
  CHECK_EQ(session.GetOutputTypeInfo(0).GetONNXType(), ONNX_TYPE_TENSOR);
  CHECK_EQ(session.GetOverridableInitializerTypeInfo(0).GetONNXType(), ONNX_TYPE_TENSOR);
  CHECK_EQ(session.GetOpset(""), 17);
  CHECK_EQ(session.GetMemoryInfoForInputs().size(), size_t{1});
  CHECK_EQ(session.GetMemoryInfoForOutputs()[0].GetAllocatorName(), std::string("Cpu"));
  CHECK_EQ(session.GetEpDeviceForInputs().size(), size_t{1});
  CHECK_EQ(session.GetEpDeviceForOutputs().size(), size_t{1});
  CHECK_EQ(session.GetInputs()[0].GetName(), std::string("x"));
  CHECK_EQ(session.GetOutputs()[0].GetName(), std::string("y"));
  CHECK(has(session.GetReportJson(), "{"));
  CHECK(has(session.GetMemoryReportJson(), "\"schema\":\"ortc.memory/1\""));
}

TEST(cxx_session, shows_the_models_metadata) {
  const Ort::Env env;
  const Ort::Session session(env, data("described.onnx"), Ort::SessionOptions());
  Ort::AllocatorWithDefaultOptions allocator;
  const Ort::ModelMetadata metadata = session.GetModelMetadata();
  const auto text = [](const Ort::AllocatedStringPtr& pointer) {
    return std::string(pointer.get());
  };
  CHECK_EQ(text(metadata.GetProducerNameAllocated(allocator)), std::string("a maker"));
  CHECK_EQ(text(metadata.GetGraphNameAllocated(allocator)), std::string("the graph"));
  CHECK_EQ(text(metadata.GetDomainAllocated(allocator)), std::string("example.org"));
  CHECK_EQ(text(metadata.GetDescriptionAllocated(allocator)), std::string("a described model"));
  CHECK_EQ(text(metadata.GetGraphDescriptionAllocated(allocator)), std::string("adds a bias"));
  CHECK_EQ(metadata.GetVersion(), 7);
  CHECK_EQ(metadata.GetCustomMetadataMapKeysAllocated(allocator).size(), size_t{2});
  CHECK_EQ(text(metadata.LookupCustomMetadataMapAllocated("form", allocator)),
           std::string("round"));
  CHECK(metadata.LookupCustomMetadataMapAllocated("none", allocator) == nullptr);
}

TEST(cxx_session, runs_by_names) {
  const Matmul model;
  Ort::Outputs outputs = model.session.run({{"x", model.x}});
  CHECK_EQ(outputs.size(), size_t{1});
  CHECK(floats(outputs["y"]) == kSums && floats(outputs[0]) == kSums);
  CHECK(outputs.names() == std::vector<std::string>{"y"});
  for (const Ort::Value& value : outputs) CHECK(value.IsTensor());
  CHECK_THROWS(outputs["z"], ORT_NOT_FOUND, "'z' among 'y'");
  CHECK_THROWS(model.session.run({{"other", model.x}}), ORT_INVALID_ARGUMENT, "other");
  const std::string name = "x";
  const std::vector<Ort::NamedInput> inputs{{name, model.x}};
  CHECK(floats(model.session.run(inputs, {"y"})["y"]) == kSums);
  CHECK(floats(model.session.run(inputs)["y"]) == kSums);
}

TEST(cxx_session, runs_as_onnxruntimes_does) {
  Matmul model;
  const char* inputs[] = {"x"};
  const char* outputs[] = {"y"};
  const Ort::RunOptions options;
  const std::vector<Ort::Value> made = model.session.Run(options, inputs, &model.x, 1, outputs, 1);
  CHECK(floats(made[0]) == kSums);
  std::vector<float> room(3);
  Ort::Value given = Ort::Value::CreateTensor<float>(room, {1, 3});
  model.session.Run(Ort::RunOptions{nullptr}, inputs, &model.x, 1, outputs, &given, 1);
  CHECK(room == kSums);
  const char* wrong[] = {"z"};
  const auto failed = model.session.TryRun(options, inputs, &model.x, 1, wrong, 1);
  CHECK(!failed.IsOK());
  CHECK_EQ(failed.GetStatus().GetErrorCode(), ORT_INVALID_ARGUMENT);
  CHECK(floats(model.session.GetUnowned().Run(options, inputs, &model.x, 1, outputs, 1)[0]) ==
        kSums);
}

TEST(cxx_session, is_made_from_bytes) {
  const Ort::Env env;
  const std::vector<char> bytes = bytes_of(data("matmul.onnx"));
  const Ort::Session session(env, bytes.data(), bytes.size(), Ort::SessionOptions());
  CHECK_EQ(session.GetInputCount(), size_t{1});
  CHECK(!Ort::Session::TryCreate(env, bytes.data(), 3, Ort::SessionOptions()));
}

TEST(cxx_session, shares_weights_through_a_container) {
  const Ort::Env env;
  const std::vector<char> bytes = bytes_of(data("matmul.onnx"));
  const Ort::PrepackedWeightsContainer weights;
  const Ort::Session first(env, data("matmul.onnx"), Ort::SessionOptions(), weights);
  const Ort::Session second(env, bytes.data(), bytes.size(), Ort::SessionOptions(), weights);
  CHECK_EQ(first.GetInputCount() + second.GetInputCount(), size_t{2});
}

TEST(cxx_session, runs_from_many_threads_at_once) {
  const Matmul model;
  std::vector<std::thread> threads;
  std::vector<int> right(4);
  for (size_t i = 0; i < right.size(); ++i) {
    threads.emplace_back([&model, &right, i] {
      for (int run = 0; run < 25; ++run) {
        if (floats(model.session.run({{"x", model.x}})["y"]) == kSums) ++right[i];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int count : right) CHECK_EQ(count, 25);
}

TEST(cxx_session, runs_in_the_background) {
  struct Waiting {
    std::mutex lock;
    std::condition_variable changed;
    bool done = false;
    OrtErrorCode code = ORT_FAIL;
  } waiting;
  const auto end = [](void* user, OrtValue**, size_t, OrtStatus* status) {
    auto& waiting = *static_cast<Waiting*>(user);
    const std::lock_guard<std::mutex> hold(waiting.lock);
    waiting.code = Ort::Status(status).GetErrorCode();
    waiting.done = true;
    waiting.changed.notify_one();
  };
  const Ort::Env env;
  Ort::SessionOptions options;
  options.SetIntraOpNumThreads(2);
  const Ort::Session session(env, data("matmul.onnx"), options);
  std::vector<float> ones(4, 1);
  const Ort::Value x = Ort::Value::CreateTensor<float>(ones, {1, 4});
  const char* inputs[] = {"x"};
  const char* outputs[] = {"y"};
  Ort::Value y;
  const Ort::RunOptions run_options;
  session.RunAsync(run_options, inputs, &x, 1, outputs, &y, 1, end, &waiting);
  std::unique_lock<std::mutex> hold(waiting.lock);
  waiting.changed.wait(hold, [&waiting] { return waiting.done; });
  CHECK_EQ(waiting.code, ORT_OK);
  CHECK(floats(y) == kSums);
}

TEST(cxx_run_options, are_set_and_asked) {
  Ort::RunOptions options;
  options.SetRunTag("tag").SetRunLogSeverityLevel(3).SetRunLogVerbosityLevel(2);
  CHECK_EQ(std::string(options.GetRunTag()), std::string("tag"));
  CHECK_EQ(options.GetRunLogSeverityLevel(), 3);
  CHECK_EQ(options.GetRunLogVerbosityLevel(), 2);
  CHECK(options.GetConfigEntry("memory.enable_memory_arena_shrinkage") == nullptr);
  options.AddConfigEntry("memory.enable_memory_arena_shrinkage", "cpu:0").DisableProfiling();
  CHECK_EQ(std::string(options.GetConfigEntry("memory.enable_memory_arena_shrinkage")),
           std::string("cpu:0"));
  options.SetSyncStream(nullptr).SetTerminate();
  const Matmul model;
  const std::vector<Ort::NamedInput> inputs{{"x", model.x}};
  CHECK_THROWS(model.session.run(inputs, {"y"}, options), ORT_FAIL, "");
  options.UnsetTerminate();
  CHECK(floats(model.session.run(inputs, {"y"}, options)["y"]) == kSums);
}

TEST(cxx_run_options, make_adapters_active) {
  const Ort::Env env;
  const Ort::Session session(env, data("described.onnx"), Ort::SessionOptions());
  std::vector<float> numbers{1, 1};
  const Ort::Value x = Ort::Value::CreateTensor<float>(numbers, {2});
  const std::string file = data("bias.onnx_adapter");
  const std::vector<char> bytes = bytes_of(file);
  CHECK_THROWS(Ort::LoraAdapter::CreateLoraAdapterFromArray(bytes.data(), 4, nullptr), ORT_FAIL,
               "");
  for (const bool from_file : {true, false}) {
    Ort::RunOptions options;
    options.AddActiveLoraAdapter(from_file ? Ort::LoraAdapter::CreateLoraAdapter(file, nullptr)
                                           : Ort::LoraAdapter::CreateLoraAdapterFromArray(
                                                 bytes.data(), bytes.size(), nullptr));
    const std::vector<Ort::NamedInput> inputs{{"x", x}};
    CHECK(floats(session.run(inputs, {"y"}, options)["y"]) == (std::vector<float>{2, 3}));
  }
}

TEST(cxx_io_binding, serves_many_runs) {
  Matmul model;
  Ort::IoBinding binding(model.session);
  binding.BindInput("x", model.x);
  const Ort::MemoryInfo cpu = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  binding.BindOutput("y", cpu);
  binding.SynchronizeInputs();
  model.session.Run(Ort::RunOptions{nullptr}, binding);
  binding.SynchronizeOutputs();
  CHECK(binding.GetOutputNames() == std::vector<std::string>{"y"});
  CHECK(floats(binding.GetOutputValues()[0]) == kSums);
  std::vector<float> room(3);
  binding.ClearBoundOutputs();
  CHECK(binding.GetConst().GetOutputNames().empty());
  CHECK(binding.GetOutputValues().empty());
  binding.BindOutput("y", Ort::Value::CreateTensor<float>(room, {1, 3}));
  model.session.Run(Ort::RunOptions{nullptr}, binding);
  CHECK(room == kSums);
  binding.GetUnowned().ClearBoundInputs();
  CHECK_THROWS(model.session.Run(Ort::RunOptions{nullptr}, binding), ORT_INVALID_ARGUMENT, "");
}

TEST(cxx_session, writes_a_profile_and_names_its_file) {
  const Ort::Env env;
  Ort::SessionOptions options;
  options.EnableProfiling(temp_dir() + "/cxx_profile");
  const Ort::Session session(env, data("matmul.onnx"), options);
  CHECK(session.GetProfilingStartTimeNs() > 0);
  Ort::AllocatorWithDefaultOptions allocator;
  const Ort::AllocatedStringPtr file = session.EndProfilingAllocated(allocator);
  CHECK(has(file.get(), "cxx_profile"));
  CHECK(!bytes_of(file.get()).empty());
}

TEST(cxx_session, has_no_captured_graph_to_release) {
  const Ort::Env env;
  Ort::Session session(env, data("matmul.onnx"), Ort::SessionOptions());
  session.ReleaseCapturedGraph(3);
  CHECK_EQ(session.GetInputCount(), size_t{1});
}

TEST(cxx_session, replaces_initializers_from_files_in_memory) {
  const Ort::Env env;
  Ort::SessionOptions options;
  std::vector<char> bytes(4096);
  options.AddExternalInitializersFromFilesInMemory({"nothing.bin"}, {bytes.data()}, {bytes.size()});
  CHECK_EQ(Ort::Session(env, data("matmul.onnx"), options).GetInputCount(), size_t{1});
  std::vector<float> tensor(12, 1);
  const Ort::Value weight = Ort::Value::CreateTensor<float>(tensor, {4, 3});
  Ort::SessionOptions replacing;
  replacing.AddInitializer("weight", weight);
  const Ort::Session session(env, data("matmul.onnx"), replacing);
  const Matmul model;
  CHECK(floats(session.run({{"x", model.x}})["y"]) == (std::vector<float>{4, 4, 4}));
}

TEST(cxx_session, says_which_provider_runs_what) {
  const Ort::Env env;
  Ort::SessionOptions options;
  options.AddConfigEntry(kOrtSessionOptionsRecordEpGraphAssignmentInfo, "1");
  const Ort::Session session(env, data("matmul.onnx"), options);
  const auto parts = session.GetEpGraphAssignmentInfo();
  CHECK_EQ(parts.size(), size_t{1});
  CHECK_EQ(parts[0].GetEpName(), std::string("CPUExecutionProvider"));
  const auto nodes = parts[0].GetNodes();
  CHECK(!nodes.empty());
  CHECK_EQ(nodes[0].GetOperatorType(), std::string("MatMul"));
  CHECK_EQ(nodes[0].GetName() + nodes[0].GetDomain(), std::string("product"));
}

TEST(cxx_env, copies_tensors) {
  const Ort::Env env;
  std::vector<float> numbers{1, 2};
  std::vector<Ort::Value> from, to;
  from.push_back(Ort::Value::CreateTensor<float>(numbers, {2}));
  to.push_back(Ort::Value::CreateTensor<float>({2}));
  CHECK(env.CopyTensors(from, to, nullptr).IsOK());
  CHECK(floats(to[0]) == numbers);
  CHECK(!env.CopyTensors(from, {}, nullptr).IsOK());
}

TEST(cxx_env, says_why_a_device_is_not_served) {
  Ort::KeyValuePairs entries;
  entries.Add(kOrtEnvAllowVirtualDevices, "1");
  OrtEnvCreationOptions creation{};
  creation.version = 24;
  creation.logging_severity_level = ORT_LOGGING_LEVEL_ERROR;
  creation.log_id = "test";
  creation.config_entries = entries;
  const Ort::Env env(&creation);
  size_t refused = 0;
  for (const Ort::ConstHardwareDevice device : env.GetHardwareDevices()) {
    const auto cpu = env.GetHardwareDeviceEpIncompatibilityDetails("CPU", device);
    CHECK_EQ(cpu.GetReasonsBitmask(), 0u);
    CHECK(cpu.GetNotes() == nullptr);
    const auto aot = env.GetHardwareDeviceEpIncompatibilityDetails("AOT", device);
    CHECK_EQ(aot.GetErrorCode(), 0);
    if (aot.GetReasonsBitmask() == 0) continue;
    ++refused;
    CHECK_EQ(aot.GetReasonsBitmask(), 2u);
    CHECK(has(aot.GetNotes(), std::string("compiled for ") + device.Metadata().GetValue("target")));
  }
  CHECK(refused > 0);  // another architecture at least
  CHECK_THROWS(env.GetHardwareDeviceEpIncompatibilityDetails("Nobody", env.GetHardwareDevices()[0]),
               ORT_INVALID_ARGUMENT, "Nobody");
}
