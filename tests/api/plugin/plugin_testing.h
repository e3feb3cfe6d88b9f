// SPDX-License-Identifier: MIT
// What the tests of provider libraries share: environments with the test library, models of Mul,
// and sessions that choose its device.
#pragma once

#include <dlfcn.h>

#include <memory>
#include <string>
#include <vector>

#include "ort_c/ort_c.h"
#include "tests/support/graph_builder.h"
#include "tests/support/test.h"

namespace ortc::test {

inline constexpr char kTestEp[] = "TestLibraryEp";

// Code and message of a status; ends it.
struct Outcome {
  explicit Outcome(OrtStatus* status) {
    if (status == nullptr) return;
    code = OrtGetErrorCode(status);
    text = OrtGetErrorMessage(status);
    OrtReleaseStatus(status);
  }
  int code = ORT_OK;
  std::string text;
  bool has(int expected, const std::string& part) const {
    if (code == expected && text.find(part) != std::string::npos) return true;
    fprintf(stderr, "expected code %d and '%s', found %d: %s\n", expected, part.c_str(), code,
            text.c_str());
    return false;
  }
  bool is_ok() const { return has(ORT_OK, ""); }
};

// What a library does wrong, and what is said of it.
struct Fault {
  const char* name;
  int code;
  const char* text;
};

struct EnvEnd {
  void operator()(OrtEnv* env) const { OrtReleaseEnv(env); }
};
struct OptionsEnd {
  void operator()(OrtSessionOptions* options) const { OrtReleaseSessionOptions(options); }
};
struct SessionEnd {
  void operator()(OrtSession* session) const { OrtReleaseSession(session); }
};
using Env = std::unique_ptr<OrtEnv, EnvEnd>;
using Options = std::unique_ptr<OrtSessionOptions, OptionsEnd>;
using OwnSession = std::unique_ptr<OrtSession, SessionEnd>;

inline Env quiet_env() {
  OrtEnv* env = nullptr;
  CHECK(Outcome(OrtCreateEnv(ORT_LOGGING_LEVEL_FATAL, "test", &env)).is_ok());
  return Env(env);
}

inline Outcome add_library(const Env& env, const std::string& name,
                           const std::string& path = ORTC_TEST_LIBRARY) {
  return Outcome(OrtRegisterExecutionProviderLibrary(env.get(), name.c_str(), path.c_str()));
}

inline Outcome remove_library(const Env& env, const std::string& name) {
  return Outcome(OrtUnregisterExecutionProviderLibrary(env.get(), name.c_str()));
}

// The devices of a provider.
inline std::vector<const OrtEpDevice*> devices_of(const Env& env, const std::string& ep) {
  const OrtEpDevice* const* list = nullptr;
  size_t count = 0;
  CHECK(Outcome(OrtGetEpDevices(env.get(), &list, &count)).is_ok());
  std::vector<const OrtEpDevice*> found;
  for (size_t i = 0; i < count; ++i) {
    if (ep == OrtEpDevice_EpName(list[i])) found.push_back(list[i]);
  }
  return found;
}

inline Options options_of(const Env& env, const std::string& ep, const std::string& fault = "") {
  OrtSessionOptions* options = nullptr;
  CHECK(Outcome(OrtCreateSessionOptions(&options)).is_ok());
  const auto devices = devices_of(env, ep);
  const char* key = "fault";
  const char* value = fault.c_str();
  CHECK(Outcome(OrtSessionOptionsAppendExecutionProvider_V2(options, env.get(), devices.data(),
                                                            devices.size(), &key, &value, 1))
            .is_ok());
  return Options(options);
}

inline void set_entry(const Options& options, const char* key, const char* value) {
  CHECK(Outcome(OrtAddSessionConfigEntry(options.get(), key, value)).is_ok());
}

inline Outcome make_session(const Env& env, const std::string& model, const Options& options,
                            OwnSession* session) {
  OrtSession* made = nullptr;
  Outcome outcome(
      OrtCreateSessionFromArray(env.get(), model.data(), model.size(), options.get(), &made));
  session->reset(made);
  return outcome;
}

// The test library, and sessions with its provider.
struct LibrarySetting {
  LibrarySetting() : env(quiet_env()) { CHECK(add_library(env, "test").is_ok()); }
  Options options(const std::string& fault = "") const { return options_of(env, kTestEp, fault); }
  Outcome try_session(const std::string& model, const std::string& fault,
                      OwnSession* session) const {
    return make_session(env, model, options(fault), session);
  }
  Env env;
};

// Inputs of four numbers, the second of both signs.
inline const std::vector<float> kX = {1, 2, 3, 4};
inline const std::vector<float> kSignedX = {1, -2, 3, -4};

// The session's first output for x, of the shape that x has; `shape` receives that of the output.
inline Outcome run_floats(OrtSession* session, std::vector<float> x, std::vector<float>* y,
                          std::vector<int64_t> dims = {}, const OrtRunOptions* options = nullptr) {
  if (dims.empty()) dims = {static_cast<int64_t>(x.size())};
  OrtMemoryInfo* memory = nullptr;
  OrtValue *input = nullptr, *output = nullptr;
  CHECK(Outcome(OrtCreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory)).is_ok());
  CHECK(Outcome(OrtCreateTensorWithDataAsOrtValue(memory, x.data(), x.size() * sizeof(float),
                                                  dims.data(), dims.size(),
                                                  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &input))
            .is_ok());
  OrtReleaseMemoryInfo(memory);
  const char* input_name = "x";
  const char* output_name = "y";
  const OrtValue* inputs[] = {input};
  Outcome outcome(OrtRun(session, options, &input_name, inputs, 1, &output_name, 1, &output));
  OrtReleaseValue(input);
  if (outcome.code != ORT_OK) return outcome;
  OrtTensorTypeAndShapeInfo* form = nullptr;
  size_t count = 0;
  const void* data = nullptr;
  CHECK(Outcome(OrtGetTensorTypeAndShape(output, &form)).is_ok());
  CHECK(Outcome(OrtGetTensorShapeElementCount(form, &count)).is_ok());
  OrtReleaseTensorTypeAndShapeInfo(form);
  CHECK(Outcome(OrtGetTensorData(output, &data)).is_ok());
  y->assign(static_cast<const float*>(data), static_cast<const float*>(data) + count);
  OrtReleaseValue(output);
  return outcome;
}

// y = (x * 2) * x for x of four numbers.
inline std::string two_muls() {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {4});
  const ValueId two = g.floats("two", {4}, {2, 2, 2, 2});
  const ValueId twice = g.node("Mul", {x, two}, {"twice"})[0];
  g.output(g.node("Mul", {twice, x}, {"y"})[0]);
  return g.model_bytes();
}

// y = -(x * 2) * (x * 2): the way over Neg leaves the group of both Muls and comes back.
inline std::string muls_around_neg() {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {4});
  const ValueId two = g.floats("two", {4}, {2, 2, 2, 2});
  const ValueId twice = g.node("Mul", {x, two}, {"twice"})[0];
  const ValueId minus = g.node("Neg", {twice}, {"minus"})[0];
  g.output(g.node("Mul", {minus, twice}, {"y"})[0]);
  return g.model_bytes();
}

inline const OrtEpApi& ep_api() {
  return *OrtcGetApiBase()->GetApi(ORTC_ORT_API_VERSION)->GetEpApi();
}

// Of a library that an environment holds.
template <typename Function>
Function function_of(const char* path, const char* name) {
  void* library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  CHECK(library != nullptr);
  const auto function = reinterpret_cast<Function>(dlsym(library, name));
  CHECK(function != nullptr);
  dlclose(library);
  return function;
}

// A number that the test library tells, while it is loaded; -1 when it is not.
inline int library_number(const char* name) {
  void* library = dlopen(ORTC_TEST_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return -1;
  const auto function = reinterpret_cast<int (*)()>(dlsym(library, name));
  const int number = function != nullptr ? function() : -2;
  dlclose(library);
  return number;
}

inline bool is_library_loaded() { return library_number("test_library_alive") >= 0; }

}  // namespace ortc::test
