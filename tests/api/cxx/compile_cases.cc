// SPDX-License-Identifier: MIT
// ort_c/cxx: compiling, and the compatibility of what was compiled.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/api/cxx/cxx_testing.h"

using namespace ortc::test;
namespace fs = std::filesystem;

namespace {

struct Compiling {
  Ort::Env env;
  Ort::SessionOptions session_options = compiling_options();
  Ort::ModelCompilationOptions options{env, session_options};
  fs::path output = fs::path(temp_dir()) / "cxx_ctx.onnx";

  Compiling() { options.SetInputModelPath(data("matmul.onnx")).SetOutputModelPath(output); }
};

}  // namespace

TEST(cxx_compile, makes_a_model_that_runs) {
  Compiling to_file;
  to_file.options.SetEpContextEmbedMode(false)
      .SetGraphOptimizationLevel(ORT_ENABLE_BASIC)
      .SetFlags(OrtCompileApiFlags_ERROR_IF_NO_NODES_COMPILED);
  Ort::ThrowOnError(Ort::CompileModel(to_file.env, to_file.options));
  CHECK(fs::exists(to_file.output));
  const Ort::Session session(to_file.env, to_file.output, to_file.session_options);
  std::vector<float> ones(4, 1);
  Ort::Outputs outputs = session.run({{"x", Ort::Value::CreateTensor<float>(ones, {1, 4})}});
  CHECK_EQ(outputs["y"].GetTensorSpan<float>()[2], 26.0f);
  CHECK(has(Ort::InspectFileJson(to_file.output), "onnx_model"));
  CHECK_THROWS(Ort::InspectFileJson("/no/such/file"), ORT_NO_SUCHFILE, "/no/such/file");
}

TEST(cxx_compile, gives_a_status) {
  Compiling failing;
  failing.options.SetInputModelPath(data("absent.onnx"));
  const Ort::Status status = Ort::CompileModel(failing.env, failing.options);
  CHECK(!status.IsOK());
  CHECK(has(status.GetErrorMessage(), "absent.onnx"));
}

TEST(cxx_compile, makes_a_model_in_memory) {
  Compiling to_memory;
  Ort::AllocatorWithDefaultOptions allocator;
  void* buffer = nullptr;
  size_t size = 0;
  to_memory.options.SetOutputModelBuffer(allocator, &buffer, &size).SetEpContextEmbedMode(true);
  Ort::ThrowOnError(Ort::CompileModel(to_memory.env, to_memory.options));
  const Ort::MemoryAllocation model(allocator, buffer, size);
  CHECK(size > 0);
  const auto info = Ort::GetCompatibilityInfoFromModelBytesAllocated(
      buffer, size, "AotExecutionProvider", allocator);
  CHECK(info != nullptr);
  std::vector<Ort::ConstEpDevice> devices;
  for (const Ort::ConstEpDevice& device : to_memory.env.GetEpDevices()) {
    if (std::string(device.EpName()) == "AotExecutionProvider") devices.push_back(device);
  }
  CHECK_EQ(devices.size(), size_t{1});
  CHECK_EQ(Ort::GetModelCompatibilityForEpDevices(devices, info.get()),
           OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL);
  Ort::SessionOptions by_device;
  by_device.AppendExecutionProvider_V2(to_memory.env, devices, Ort::KeyValuePairs());
  by_device.GetUnowned().AddConfigEntry("session.disable_model_compile", "1");
  const Ort::Session session(to_memory.env, buffer, size, by_device);
  CHECK_EQ(session.GetInputCount(), size_t{1});
}

TEST(cxx_compile, reports_progress) {
  Compiling compiling;
  Ort::ModelCompiler compiler(compiling.env, compiling.options);
  std::string stages;
  compiler.SetProgress([&stages](const Ort::Progress& at) {
    if (!has(stages, std::string(at.stage))) stages.append(at.stage).append(" ");
    return true;
  });
  Ort::ModelCompiler moved = std::move(compiler);
  CHECK(!compiler.TryCompile().IsOK());
  moved.Compile();
  CHECK(has(stages, "compile") && has(stages, "write"));
  CHECK(has(moved.GetReportJson(), "cxx_ctx.onnx"));
}

TEST(cxx_compile, stops_when_the_program_says_so) {
  Compiling compiling;
  fs::remove(compiling.output);
  Ort::ModelCompiler compiler(compiling.env, compiling.options);
  compiler.SetProgress([](const Ort::Progress&) { return false; });
  CHECK_THROWS(compiler.Compile(), ORT_MODEL_LOAD_CANCELED, "said stop");
  CHECK(!fs::exists(compiling.output));
}

TEST(cxx_compile, is_cancelled_and_has_a_deadline) {
  Compiling compiling;
  Ort::ModelCompiler compiler(compiling.env, compiling.options);
  compiler.SetDeadline(std::chrono::minutes(10));
  compiler.Cancel();
  CHECK_EQ(compiler.TryCompile().GetErrorCode(), ORT_MODEL_LOAD_CANCELED);
  compiler.Compile();
}

TEST(cxx_session_options, let_a_function_hear_the_load) {
  Compiling compiling;
  double last = -1;
  std::string stages;
  compiling.session_options.SetLoadProgress([&](const Ort::Progress& at) {
    last = at.fraction;
    stages.append(at.stage).append(" ");
    return true;
  });
  const Ort::SessionOptions copy = compiling.session_options.Clone();
  Ort::Session(compiling.env, data("matmul.onnx"), copy);
  CHECK_EQ(last, 1.0);
  CHECK(has(stages, "done"));
  compiling.session_options.SetLoadProgress([](const Ort::Progress&) { return false; });
  CHECK_THROWS(Ort::Session(compiling.env, data("matmul.onnx"), compiling.session_options),
               ORT_MODEL_LOAD_CANCELED, "said stop");
  compiling.session_options.SetLoadProgress(
      [](const Ort::Progress&) -> bool { throw std::out_of_range("too far"); });
  CHECK_THROWS(Ort::Session(compiling.env, data("matmul.onnx"), compiling.session_options),
               ORT_FAIL, "too far");
}

TEST(cxx_compile, lets_an_exception_of_the_program_through) {
  Compiling compiling;
  Ort::ModelCompiler compiler(compiling.env, compiling.options);
  compiler.SetProgress([](const Ort::Progress&) -> bool { throw std::out_of_range("mine"); });
  std::string caught;
  try {
    compiler.Compile();
  } catch (const std::out_of_range& mine) {
    caught = mine.what();
  }
  CHECK_EQ(caught, std::string("mine"));
  compiler.SetProgress(nullptr);
  compiler.Compile();
}

TEST(cxx_compile, takes_a_model_from_memory_and_names_its_binary) {
  Compiling compiling;
  std::string weights = "cxx_weights.bin";
  compiling.options.SetOutputModelExternalInitializersFile(weights, 1024)
      .SetEpContextBinaryInformation(temp_dir(), "cxx");
  CHECK_THROWS(compiling.options.SetInputModelFromBuffer(nullptr, 0), ORT_INVALID_ARGUMENT, "");
  CHECK_THROWS(compiling.options.SetInputModel(nullptr), ORT_INVALID_ARGUMENT, "");
}

TEST(cxx_compile, describes_where_an_initializer_is) {
  const Ort::ExternalInitializerInfo info("weights.bin", 64, 128);
  CHECK_EQ(info.GetConst().GetFilePath(), std::string("weights.bin"));
  CHECK_EQ(info.GetFileOffset(), 64);
  CHECK_EQ(info.GetByteSize(), size_t{128});
  Ort::ExternalInitializerInfo other{nullptr};
  CHECK(!Ort::ExternalInitializerInfo::Create("weights.bin", -1, 1, other).IsOK());
  CHECK(other == nullptr);
}

TEST(cxx_compile, writes_to_functions_of_the_program) {
  Compiling compiling;
  std::string model, binary, binary_name;
  compiling.options.SetEpContextBinaryInformation(temp_dir(), "streamed")
      .SetOutputModelWriter(
          [&model](Ort::Span<const char> bytes) { model.append(bytes.data(), bytes.size()); })
      .SetEpContextDataWriter([&](const char* name, Ort::Span<const char> bytes) {
        binary_name = name;
        binary.assign(bytes.data(), bytes.size());
      });
  Ort::ThrowOnError(Ort::CompileModel(compiling.env, compiling.options));
  CHECK(!model.empty() && !binary.empty());
  CHECK(!fs::exists(fs::path(temp_dir()) / binary_name));

  const auto read = [](void* state, const char*, OrtAllocator* allocator, void** buffer,
                       size_t* size) -> OrtStatus* {
    const auto& bytes = *static_cast<const std::string*>(state);
    *buffer = allocator->Alloc(allocator, bytes.size());
    bytes.copy(static_cast<char*>(*buffer), bytes.size());
    *size = bytes.size();
    return nullptr;
  };
  compiling.session_options.SetEpContextDataReadFunc(read, &binary);
  const Ort::Session session(compiling.env, model.data(), model.size(), compiling.session_options);
  CHECK_EQ(session.GetInputCount(), size_t{1});
}

TEST(cxx_compile, lets_exceptions_of_writers_through) {
  Compiling compiling;
  compiling.options.SetEpContextEmbedMode(true).SetOutputModelWriter(
      [](Ort::Span<const char>) { throw std::out_of_range("disk is full"); });
  const Ort::Status status = Ort::CompileModel(compiling.env, compiling.options);
  CHECK(has(status.GetErrorMessage(), "disk is full"));
  Ort::ModelCompiler compiler(compiling.env, compiling.options);
  std::string caught;
  try {
    compiler.Compile();
  } catch (const std::out_of_range& mine) {
    caught = mine.what();
  }
  CHECK_EQ(caught, std::string("disk is full"));
}

TEST(cxx_compile, asks_where_initializers_go) {
  Compiling compiling;
  const Ort::SessionOptions nobody_compiles;
  Ort::ModelCompilationOptions options(compiling.env, nobody_compiles);
  std::string asked;
  options.SetInputModelPath(data("matmul.onnx"))
      .SetOutputModelPath(compiling.output)
      .SetInitializerLocator([&asked](const char* name, Ort::ConstValue value,
                                      Ort::ConstExternalInitializerInfo where) {
        CHECK(where == nullptr);
        asked = name + std::to_string(value.GetTensorSizeInBytes());
        std::ofstream file(fs::path(temp_dir()) / "elsewhere.bin", std::ios::binary);
        file << std::string(64, ' ');
        file.write(static_cast<const char*>(value.GetTensorRawData()), 48);
        return Ort::ExternalInitializerInfo("elsewhere.bin", 64, value.GetTensorSizeInBytes());
      });
  Ort::ThrowOnError(Ort::CompileModel(compiling.env, options));
  CHECK_EQ(asked, std::string("weight48"));
  const Ort::Graph graph = Ort::Graph::Load(compiling.env, compiling.output);
  Ort::ExternalInitializerInfo where{nullptr};
  CHECK(graph.GetInitializers()[0].GetExternalInitializerInfo(where).IsOK());
  CHECK_EQ(where.GetFileOffset(), 64);
  Ort::ConstValue weight;
  CHECK(graph.GetInitializers()[0].GetInitializer(weight).IsOK());
  CHECK_EQ(weight.GetTensorSpan<float>()[11], 11.0f);
}

TEST(cxx_compile, knows_models_without_weights) {
  Compiling compiling;
  compiling.options.SetWeightlessEnabled(false);
  Ort::ThrowOnError(Ort::CompileModel(compiling.env, compiling.options));
  CHECK_THROWS(compiling.session_options.SetWeightlessSourceModelBuffer(nullptr, 0),
               ORT_INVALID_ARGUMENT, "");
}
