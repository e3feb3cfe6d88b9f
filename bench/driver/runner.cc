// SPDX-License-Identifier: MIT
// See the header. Every call is checked; a failure is an exception that main() prints.
#include "bench/driver/runner.h"

#include <fstream>

namespace bench {

OrtEnv* make_env(const Library& library) {
  OrtEnv* env = nullptr;
  library.check(library.api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "bench", &env), "CreateEnv");
  return env;
}

OrtSessionOptions* make_options(const Library& library, const Arguments& arguments) {
  const OrtApi& api = *library.api;
  OrtSessionOptions* options = nullptr;
  library.check(api.CreateSessionOptions(&options), "CreateSessionOptions");
  library.check(api.SetIntraOpNumThreads(options, arguments.threads), "SetIntraOpNumThreads");
  if (arguments.level >= 0) {
    const auto level = static_cast<GraphOptimizationLevel>(arguments.level);
    library.check(api.SetSessionGraphOptimizationLevel(options, level),
                  "SetSessionGraphOptimizationLevel");
  }
  for (const auto& [key, value] : arguments.config) {
    library.check(api.AddSessionConfigEntry(options, key.c_str(), value.c_str()),
                  "AddSessionConfigEntry");
  }
  if (!arguments.provider.empty()) {
    library.check(api.SessionOptionsAppendExecutionProvider(options, arguments.provider.c_str(),
                                                            nullptr, nullptr, 0),
                  "SessionOptionsAppendExecutionProvider");
  }
  if (!arguments.profile.empty()) {
    library.check(api.EnableProfiling(options, arguments.profile.c_str()), "EnableProfiling");
  }
  return options;
}

OrtSession* make_session(const Library& library, const OrtEnv* env, const std::string& model,
                         const OrtSessionOptions* options) {
  OrtSession* session = nullptr;
  library.check(library.api->CreateSession(env, model.c_str(), options, &session),
                "CreateSession of " + model);
  return session;
}

void Runner::prepare(const std::vector<std::pair<std::string, std::string>>& files) {
  const OrtApi& api = *library->api;
  OrtAllocator* allocator = nullptr;
  OrtMemoryInfo* memory = nullptr;
  library->check(api.GetAllocatorWithDefaultOptions(&allocator), "GetAllocatorWithDefaultOptions");
  library->check(api.CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory),
                 "CreateCpuMemoryInfo");
  size_t output_count = 0;
  library->check(api.SessionGetOutputCount(session, &output_count), "SessionGetOutputCount");
  for (size_t i = 0; i < output_count; i++) {
    char* name = nullptr;
    library->check(api.SessionGetOutputName(session, i, allocator, &name), "SessionGetOutputName");
    output_names.push_back(name);
    library->check(api.AllocatorFree(allocator, name), "AllocatorFree");
  }
  for (const auto& [name, file] : files) {
    const Array& array = arrays.emplace_back(read_npy(file));
    OrtValue* value = nullptr;
    library->check(api.CreateTensorWithDataAsOrtValue(memory, array.data.get(), array.size_bytes,
                                                      array.shape.data(), array.shape.size(),
                                                      array.type, &value),
                   "CreateTensorWithDataAsOrtValue");
    input_names.push_back(name);
    inputs.push_back(value);
  }
}

double Runner::run(std::vector<OrtValue*>& outputs) {
  std::vector<const char*> in, out;
  for (const std::string& name : input_names) in.push_back(name.c_str());
  for (const std::string& name : output_names) out.push_back(name.c_str());
  outputs.assign(out.size(), nullptr);
  const Stopwatch watch;
  OrtStatus* status = library->api->Run(session, nullptr, in.data(), inputs.data(), inputs.size(),
                                        out.data(), out.size(), outputs.data());
  const double time = watch.ms();
  library->check(status, "Run");
  return time;
}

double Runner::run() {
  std::vector<OrtValue*> outputs;
  const double time = run(outputs);
  release(outputs);
  return time;
}

void Runner::release(std::vector<OrtValue*>& outputs) const {
  for (OrtValue* output : outputs) library->api->ReleaseValue(output);
  outputs.clear();
}

void Runner::dump(const std::vector<OrtValue*>& outputs, const std::string& folder) const {
  const OrtApi& api = *library->api;
  std::ofstream names(folder + "/names.txt");
  for (size_t i = 0; i < outputs.size(); i++) {
    OrtTensorTypeAndShapeInfo* info = nullptr;
    ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    size_t rank = 0;
    void* data = nullptr;
    library->check(api.GetTensorTypeAndShape(outputs[i], &info), "GetTensorTypeAndShape");
    library->check(api.GetTensorElementType(info, &type), "GetTensorElementType");
    library->check(api.GetDimensionsCount(info, &rank), "GetDimensionsCount");
    std::vector<int64_t> shape(rank);
    library->check(api.GetDimensions(info, shape.data(), rank), "GetDimensions");
    api.ReleaseTensorTypeAndShapeInfo(info);
    library->check(api.GetTensorMutableData(outputs[i], &data), "GetTensorMutableData");
    write_npy(folder + "/" + std::to_string(i) + ".npy", type, shape, data);
    names << output_names[i] << "\n";
  }
  names.close();
  if (!names) throw Failure(folder + "/names.txt cannot be written");
}

}  // namespace bench
