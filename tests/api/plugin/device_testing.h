// SPDX-License-Identifier: MIT
// What the tests of devices with memory of their own share: the sample library, values on its
// device, and its counts.
#pragma once

#include "tests/api/plugin/plugin_testing.h"

namespace ortc::test {

inline constexpr char kDeviceEp[] = "DeviceMemoryExecutionProvider";

struct ValueEnd {
  void operator()(OrtValue* value) const { OrtReleaseValue(value); }
};
struct AllocatorEnd {
  void operator()(OrtAllocator* allocator) const { OrtReleaseAllocator(allocator); }
};
struct BindingEnd {
  void operator()(OrtIoBinding* binding) const { OrtReleaseIoBinding(binding); }
};
struct StreamEnd {
  void operator()(OrtSyncStream* stream) const { OrtReleaseSyncStream(stream); }
};
struct RunOptionsEnd {
  void operator()(OrtRunOptions* options) const { OrtReleaseRunOptions(options); }
};
using OwnValue = std::unique_ptr<OrtValue, ValueEnd>;
using OwnAllocator = std::unique_ptr<OrtAllocator, AllocatorEnd>;
using OwnBinding = std::unique_ptr<OrtIoBinding, BindingEnd>;
using Stream = std::unique_ptr<OrtSyncStream, StreamEnd>;
using OwnRunOptions = std::unique_ptr<OrtRunOptions, RunOptionsEnd>;

// What the library's device has done; -1 when the library is not there.
inline int device_count(const char* what, const char* path = ORTC_DEVICE_LIBRARY) {
  void* library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return -1;
  const auto count = reinterpret_cast<int (*)(const char*)>(dlsym(library, "device_memory_count"));
  const int number = count(what);
  dlclose(library);
  return number;
}

inline Env env_with_device(const std::string& name = "device.virtual") {
  Env env = quiet_env();
  CHECK(add_library(env, name, ORTC_DEVICE_LIBRARY).is_ok());
  return env;
}

inline const OrtEpDevice* device_of(const Env& env) {
  const auto devices = devices_of(env, kDeviceEp);
  CHECK_EQ(devices.size(), 1u);
  return devices[0];
}

inline const OrtMemoryInfo* memory_of(const Env& env) {
  const OrtMemoryInfo* memory = OrtEpDevice_MemoryInfo(device_of(env), OrtDeviceMemoryType_DEFAULT);
  CHECK(memory != nullptr);
  return memory;
}

inline OwnSession open_on_device(const Env& env, const std::string& model) {
  OwnSession session;
  CHECK(make_session(env, model, options_of(env, kDeviceEp), &session).is_ok());
  return session;
}

// A tensor of the allocator's memory; null: on the host.
inline OwnValue new_tensor(OrtAllocator* allocator, std::vector<int64_t> dims) {
  if (allocator == nullptr) CHECK(Outcome(OrtGetAllocatorWithDefaultOptions(&allocator)).is_ok());
  OrtValue* value = nullptr;
  CHECK(Outcome(OrtCreateTensorAsOrtValue(allocator, dims.data(), dims.size(),
                                          ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value))
            .is_ok());
  return OwnValue(value);
}

inline OwnValue host_tensor(const std::vector<float>& numbers, std::vector<int64_t> dims) {
  OwnValue value = new_tensor(nullptr, std::move(dims));
  void* data = nullptr;
  CHECK(Outcome(OrtGetTensorMutableData(value.get(), &data)).is_ok());
  std::copy(numbers.begin(), numbers.end(), static_cast<float*>(data));
  return value;
}

inline Outcome copy(const Env& env, const OwnValue& from, const OwnValue& to,
                    OrtSyncStream* stream = nullptr) {
  const OrtValue* const source = from.get();
  OrtValue* const target = to.get();
  return Outcome(OrtCopyTensors(env.get(), &source, &target, stream, 1));
}

inline std::vector<float> numbers_of(const OwnValue& value) {
  size_t bytes = 0;
  const void* data = nullptr;
  CHECK(Outcome(OrtGetTensorSizeInBytes(value.get(), &bytes)).is_ok());
  CHECK(Outcome(OrtGetTensorData(value.get(), &data)).is_ok());
  const auto* numbers = static_cast<const float*>(data);
  return {numbers, numbers + bytes / sizeof(float)};
}

// What lies on the device, through a copy on the host.
inline std::vector<float> numbers_on_device(const Env& env, const OwnValue& value,
                                            std::vector<int64_t> dims) {
  const OwnValue host = new_tensor(nullptr, std::move(dims));
  CHECK(copy(env, value, host).is_ok());
  return numbers_of(host);
}

inline const void* address_of(const OwnValue& value) {
  const void* data = nullptr;
  CHECK(Outcome(OrtGetTensorData(value.get(), &data)).is_ok());
  return data;
}

inline OwnAllocator allocator_of(const OwnSession& session, const OrtMemoryInfo* memory) {
  OrtAllocator* made = nullptr;
  CHECK(Outcome(OrtCreateAllocator(session.get(), memory, &made)).is_ok());
  return OwnAllocator(made);
}

inline OwnBinding binding_of(const OwnSession& session) {
  OrtIoBinding* made = nullptr;
  CHECK(Outcome(OrtCreateIoBinding(session.get(), &made)).is_ok());
  return OwnBinding(made);
}

inline Outcome run(const OwnSession& session, const OwnValue& x, OwnValue* y,
                   const OrtRunOptions* options = nullptr) {
  const char* input_name = "x";
  const char* output_name = "y";
  const OrtValue* const input = x.get();
  OrtValue* output = y->release();
  Outcome outcome(OrtRun(session.get(), options, &input_name, &input, 1, &output_name, 1, &output));
  y->reset(output);
  return outcome;
}

inline std::vector<OwnValue> outputs_of(const OwnBinding& binding) {
  OrtAllocator* allocator = nullptr;
  OrtValue** list = nullptr;
  size_t count = 0;
  CHECK(Outcome(OrtGetAllocatorWithDefaultOptions(&allocator)).is_ok());
  CHECK(Outcome(OrtGetBoundOutputValues(binding.get(), allocator, &list, &count)).is_ok());
  std::vector<OwnValue> values;
  for (size_t i = 0; i < count; ++i) values.emplace_back(list[i]);
  CHECK(Outcome(OrtAllocatorFree(allocator, list)).is_ok());
  return values;
}

// y = relu((x w) b), all of it for the device.
inline std::string dense_model() {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {1, 2});
  const ValueId w = g.floats("w", {2, 2}, {1, 2, 3, 4});
  const ValueId b = g.floats("b", {2}, {1, -100});
  const ValueId product = g.node("MatMul", {x, w}, {"product"})[0];
  const ValueId scaled = g.node("Mul", {product, b}, {"scaled"})[0];
  g.output(g.node("Relu", {scaled}, {"y"})[0]);
  return g.model_bytes();
}
const std::vector<float> kDenseX = {1, 2};
const std::vector<float> kDenseY = {7, 0};

// y = ceil(x * x) + x: the device, the host, the device.
inline std::string model_with_a_host_node() {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {2});
  const ValueId square = g.node("Mul", {x, x}, {"square"})[0];
  const ValueId up = g.node("Ceil", {square}, {"up"})[0];
  g.output(g.node("Add", {up, x}, {"y"})[0]);
  return g.model_bytes();
}

}  // namespace ortc::test
