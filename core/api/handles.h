// SPDX-License-Identifier: MIT
// What is behind the opaque handles. Objects hold what they need of others by shared pointers, so
// that any order of release is safe.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/api/env/memory_arena.h"
#include "core/api/env/memory_info_handle.h"
#include "core/api/env/registered_allocators.h"
#include "core/session/model_compiler.h"
#include "core/session/session.h"
#include "ort_c/ort_c.h"

namespace ortc::api {

// What the program sees of the devices of an environment. Does not change once made.
struct DeviceList {
  std::vector<std::unique_ptr<OrtHardwareDevice>> hardware;
  std::vector<std::unique_ptr<OrtEpDevice>> devices;
  std::vector<const OrtEpDevice*> list;  // of `devices`

  const OrtEpDevice* cpu() const;  // of the CPU provider
};

// The part of an environment that sessions and compilers keep.
struct SharedEnvironment {
  SharedEnvironment();
  ~SharedEnvironment();
  std::shared_ptr<const Environment> environment;
  DeviceList devices;
  RegisteredAllocators allocators;
  // Config keys that were said to have no effect: each is said once.
  std::mutex mutex;
  std::set<std::string, std::less<>> reported_keys;
};

}  // namespace ortc::api

struct OrtKeyValuePairs {
  OrtKeyValuePairs() = default;
  explicit OrtKeyValuePairs(const ortc::KeyValues& entries);
  OrtKeyValuePairs(const OrtKeyValuePairs&) = delete;
  OrtKeyValuePairs& operator=(const OrtKeyValuePairs&) = delete;

  void set(std::string key, std::string value);
  void remove(std::string_view key);
  const std::string* find(std::string_view key) const;

  std::vector<std::pair<std::string, std::string>> entries;
  std::vector<const char*> keys, values;  // what C sees of the entries

 private:
  void show();
};

struct OrtHardwareDevice {
  explicit OrtHardwareDevice(const ortc::HardwareDevice& from)
      : device(&from), metadata(from.metadata) {}
  const ortc::HardwareDevice* device;
  OrtKeyValuePairs metadata;
};

struct OrtEpDevice {
  OrtEpDevice(const ortc::EpDevice& from, const OrtHardwareDevice& of)
      : device(&from), hardware(&of), metadata(from.metadata), options(from.options) {}
  const ortc::EpDevice* device;
  const OrtHardwareDevice* hardware;
  OrtKeyValuePairs metadata, options;
};

struct OrtEnv {
  std::shared_ptr<ortc::api::SharedEnvironment> shared;
};

struct OrtLogger {
  ortc::Logger logger;
};

struct OrtThreadingOptions {
  ortc::ThreadPoolOptions pool;
  // Set by functions of their own; put together when the environment is made.
  OrtCustomCreateThreadFn create = nullptr;
  OrtCustomJoinThreadFn join = nullptr;
  void* creation_options = nullptr;
  std::vector<std::string> idle;  // settings that have no effect here
};

struct OrtSessionOptions {
  // Without `providers`: those are found by name in the environment of the session.
  ortc::SessionOptions options;
  std::vector<std::string> provider_names;  // in the order in which they were added
  std::vector<std::string> left_out;        // why options were, said when a session is made
  OrtCustomCreateThreadFn create_thread = nullptr;
  OrtCustomJoinThreadFn join_thread = nullptr;
  void* thread_creation_options = nullptr;
  bool has_policy = false;
  OrtExecutionProviderDevicePolicy policy = OrtExecutionProviderDevicePolicy_DEFAULT;
};

struct OrtRunOptions {
  ortc::RunOptions options;
};

struct OrtTensorTypeAndShapeInfo {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  bool has_shape = false;
  std::vector<int64_t> dims;
  std::vector<std::string> symbols;  // may be fewer than dims
};

struct OrtTypeInfo;

struct OrtMapTypeInfo {
  ONNXTensorElementDataType key = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  std::shared_ptr<const OrtTypeInfo> value;
};

struct OrtSequenceTypeInfo {
  std::shared_ptr<const OrtTypeInfo> element;
};

struct OrtOptionalTypeInfo {
  std::shared_ptr<const OrtTypeInfo> contained;
};

// Of the four sides one says more, as `kind` tells.
struct OrtTypeInfo {
  ONNXType kind = ONNX_TYPE_UNKNOWN;
  std::string denotation;
  OrtTensorTypeAndShapeInfo tensor;  // of tensors, dense or sparse
  OrtMapTypeInfo map;
  OrtSequenceTypeInfo sequence;
  OrtOptionalTypeInfo optional;
};

struct OrtValue {
  ortc::Tensor tensor;  // undefined when the content is of another kind, or absent
  ortc::Datum other;    // a sequence, a map or a sparse tensor
  OrtMemoryInfo memory;

  bool is_tensor() const { return tensor.is_defined(); }
  bool has_content() const { return tensor.is_defined() || !other.is_none(); }
  ortc::Datum datum() const { return tensor.is_defined() ? ortc::Datum(tensor) : other; }
  void set(ortc::Datum datum) {
    tensor = datum.is_tensor() ? *datum.tensor() : ortc::Tensor();
    other = datum.is_tensor() ? ortc::Datum() : std::move(datum);
  }
};

// Views of what the session recorded.
struct OrtEpAssignedNode {
  const ortc::AssignedPart::Node* node;
};

struct OrtEpAssignedSubgraph {
  const ortc::AssignedPart* part;
  std::vector<OrtEpAssignedNode> nodes;
  std::vector<const OrtEpAssignedNode*> list;  // of `nodes`
};

struct OrtSession {
  ~OrtSession();  // waits for runs on other threads
  std::shared_ptr<ortc::api::SharedEnvironment> shared;
  std::shared_ptr<ortc::Session> session;
  std::shared_ptr<OrtAllocator> allocator;  // of results; null: the library's
  OrtMemoryInfo result_memory;              // that it gives
  std::mutex mutex;
  std::condition_variable runs_ended;
  int run_count = 0;  // under way on other threads
  std::vector<std::unique_ptr<OrtEpAssignedSubgraph>> assigned;
  std::vector<const OrtEpAssignedSubgraph*> assigned_list;  // of `assigned`
  std::shared_ptr<OrtAllocator> arena;                      // what OrtCreateAllocator() gives
};

struct OrtPrepackedWeightsContainer {
  std::shared_ptr<ortc::PackedWeights> weights;
};

struct OrtArenaCfg {
  ortc::MemoryArena::Config config;
};

struct OrtLoraAdapter {
  std::shared_ptr<const ortc::NamedTensors> parameters;
};

struct OrtModelMetadata {
  std::string producer_name, graph_name, domain, description, graph_description;
  int64_t version = 0;
  std::vector<std::pair<std::string, std::string>> entries;
};

struct OrtModelCompilationOptions {
  OrtSessionOptions session_options;
  ortc::CompileOptions compile;  // its session is made of session_options when compiling begins
  bool has_input = false;
  // Set: the model goes to memory.
  std::shared_ptr<OrtAllocator> allocator;
  void** buffer = nullptr;
  size_t* buffer_size = nullptr;
};

struct OrtModelCompiler {
  ~OrtModelCompiler();
  std::shared_ptr<ortc::api::SharedEnvironment> shared;
  OrtModelCompilationOptions options;
  OrtCompileProgressFn progress = nullptr;
  void* state = nullptr;
  OrtReleaseStateFn release = nullptr;
  bool has_report = false;
  std::string report;
};

struct OrtInspection {
  std::string json;
};
