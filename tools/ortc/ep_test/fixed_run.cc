// SPDX-License-Identifier: MIT
// Runs in one place: see the header.
#include "tools/ortc/ep_test/fixed_run.h"

namespace ortc::tool {
namespace {

using Allocator = Handle<OrtAllocator, OrtReleaseAllocator>;

// A tensor of the same type and shape; `memory` null: on the host.
Value tensor_like(const OrtValue* like, const OrtSession* session, const OrtMemoryInfo* memory) {
  const auto info = make<ShapeInfo>(OrtGetTensorTypeAndShape, like);
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  size_t rank = 0;
  check(OrtGetTensorElementType(info.get(), &type));
  check(OrtGetDimensionsCount(info.get(), &rank));
  std::vector<int64_t> dims(rank);
  check(OrtGetDimensions(info.get(), dims.data(), rank));
  OrtAllocator* allocator = nullptr;
  Allocator own;
  OrtMemoryInfoDeviceType device = OrtMemoryInfoDeviceType_CPU;
  if (memory != nullptr) OrtMemoryInfoGetDeviceType(memory, &device);
  if (device == OrtMemoryInfoDeviceType_CPU) {
    check(OrtGetAllocatorWithDefaultOptions(&allocator));
  } else {
    own = make<Allocator>(OrtCreateAllocator, session, memory);
    allocator = own.get();
  }
  return make<Value>(OrtCreateTensorAsOrtValue, allocator, dims.data(), rank, type);
}

void copy(const OrtEnv* env, const OrtValue* from, OrtValue* to) {
  check(OrtCopyTensors(env, &from, &to, nullptr, 1));
}

// By the name of the port, since the values may be in another order.
size_t place_of(const std::vector<Port>& ports, const std::string& name) {
  size_t i = 0;
  while (i < ports.size() && ports[i].name != name) ++i;
  return i;
}

}  // namespace

bool is_tensor(const OrtValue* value) {
  int is_tensor = 0;
  check(OrtIsTensor(value, &is_tensor));
  return is_tensor != 0;
}

FixedRun::FixedRun(const OrtEnv* env, OrtSession* session, const std::vector<Input>& inputs,
                   const std::vector<Value>& outputs)
    : env_(env), session_(session) {
  const auto in = session_inputs(session), out = session_outputs(session);
  std::vector<const OrtMemoryInfo*> in_memories(in.size()), out_memories(out.size());
  check(OrtSessionGetMemoryInfoForInputs(session, in_memories.data(), in.size()));
  check(OrtSessionGetMemoryInfoForOutputs(session, out_memories.data(), out.size()));
  for (const Input& input : inputs) {
    const size_t place = place_of(in, input.name);
    input_names_.push_back(input.name);
    inputs_.push_back(
        tensor_like(input.value.get(), session, place < in.size() ? in_memories[place] : nullptr));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    output_names_.push_back(out[i].name);
    outputs_.push_back(tensor_like(outputs[i].get(), session, out_memories[i]));
  }
}

std::vector<Value> FixedRun::run(const std::vector<Input>& inputs) const {
  std::vector<const char*> input_names, output_names;
  std::vector<const OrtValue*> in;
  std::vector<OrtValue*> out;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    copy(env_, inputs[i].value.get(), inputs_[i].get());
    input_names.push_back(input_names_[i].c_str());
    in.push_back(inputs_[i].get());
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    output_names.push_back(output_names_[i].c_str());
    out.push_back(outputs_[i].get());
  }
  check(OrtRun(session_, nullptr, input_names.data(), in.data(), in.size(), output_names.data(),
               out.size(), out.data()));
  std::vector<Value> found;
  for (const Value& output : outputs_) {
    found.push_back(tensor_like(output.get(), session_, nullptr));
    copy(env_, output.get(), found.back().get());
  }
  return found;
}

}  // namespace ortc::tool
