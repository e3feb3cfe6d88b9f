// SPDX-License-Identifier: MIT
// What the test library computes, and what it does wrong there.
#include <cstring>
#include <stdexcept>

#include "test_library.h"

namespace test_library {

void must(OrtStatus* status) {
  if (status == nullptr) return;
  std::string text = ort->GetErrorMessage(status);
  ort->ReleaseStatus(status);
  throw std::runtime_error("the test library: " + text);
}

namespace {

std::string name_of(const OrtValueInfo* value) {
  const char* name = "";
  if (value != nullptr) must(ort->GetValueInfoName(value, &name));
  return name;
}

}  // namespace

std::vector<std::string> inputs_of(const OrtNode* node) {
  size_t count = 0;
  must(ort->Node_GetNumInputs(node, &count));
  std::vector<const OrtValueInfo*> values(count);
  must(ort->Node_GetInputs(node, values.data(), count));
  std::vector<std::string> names;
  for (const OrtValueInfo* value : values) names.push_back(name_of(value));
  return names;
}

std::vector<std::string> outputs_of(const OrtNode* node) {
  size_t count = 0;
  must(ort->Node_GetNumOutputs(node, &count));
  std::vector<const OrtValueInfo*> values(count);
  must(ort->Node_GetOutputs(node, values.data(), count));
  std::vector<std::string> names;
  for (const OrtValueInfo* value : values) names.push_back(name_of(value));
  return names;
}

void run_steps(const Info& info, std::map<std::string, std::vector<float>>& values) {
  for (const Step& step : info.steps) {
    std::vector<float> result = values[step.left];
    const std::vector<float>& right = values[step.right];
    for (size_t i = 0; i < result.size(); ++i) result[i] *= right[i % right.size()];
    values[step.result] = std::move(result);
  }
}

namespace {

// How many runs there are at once.
std::atomic<int> runs_at_once{0}, runs_at_once_most{0};

std::vector<float> numbers_of(const OrtValue* value, std::vector<int64_t>* dims) {
  OrtTensorTypeAndShapeInfo* form = nullptr;
  must(ort->GetTensorTypeAndShape(value, &form));
  size_t rank = 0, count = 0;
  must(ort->GetDimensionsCount(form, &rank));
  std::vector<int64_t> shape(rank);
  must(ort->GetDimensions(form, shape.data(), rank));
  must(ort->GetTensorShapeElementCount(form, &count));
  ort->ReleaseTensorTypeAndShapeInfo(form);
  const void* data = nullptr;
  must(ort->GetTensorData(value, &data));
  if (dims != nullptr) *dims = shape;
  const auto* numbers = static_cast<const float*>(data);
  return {numbers, numbers + count};
}

OrtStatus* create_state(OrtNodeComputeInfo* self, OrtNodeComputeContext* context, void** state) {
  const Info& info = own(self);
  if (info.fault == "state_error") return error("no state");
  if (info.fault == "state_throws") throw std::runtime_error("no state at all");
  keep_compute_context(info, context);
  const char* name = ep_api->NodeComputeContext_NodeName(context);
  if (name == nullptr || *name == '\0') return error("the node has no name");
  *state = new int(7);
  ++alive;
  return nullptr;
}

void release_state(OrtNodeComputeInfo*, void* state) {
  delete static_cast<int*>(state);
  --alive;
}

struct AddUp {
  std::atomic<int> calls{0};
};

OrtStatus* compute(OrtNodeComputeInfo* self, void* state, OrtKernelContext* context) {
  const Info& info = own(self);
  if (*static_cast<int*>(state) != 7) return error("the state is another");
  if (info.fault == "compute_error" || info.fault == "profiler_compute_error")
    return error("cannot compute");
  if (info.fault == "compute_throws") throw std::runtime_error("thrown while computing");
  if (info.fault == "compute_throws_a_number") throw 42;
  if (OrtStatus* answer = nullptr; misuses_compute(info, context, &answer)) return answer;
  const int now = ++runs_at_once;
  int most = runs_at_once_most.load();
  while (most < now && !runs_at_once_most.compare_exchange_weak(most, now)) {
  }
  std::map<std::string, std::vector<float>> values = info.constants;
  std::vector<int64_t> dims;
  size_t count = 0;
  must(ort->KernelContext_GetInputCount(context, &count));
  for (size_t i = 0; i < count; ++i) {
    const OrtValue* value = nullptr;
    must(ort->KernelContext_GetInput(context, i, &value));
    std::vector<int64_t> shape;
    values[info.inputs[i]] = numbers_of(value, &shape);
    if (shape.size() >= dims.size()) dims = shape;
  }
  run_steps(info, values);
  const OrtLogger* logger = nullptr;
  must(ort->KernelContext_GetLogger(context, &logger));
  AddUp sum;
  must(ort->KernelContext_ParallelFor(
      context, [](void* data, size_t) { ++static_cast<AddUp*>(data)->calls; }, 100, 0, &sum));
  if (sum.calls != 100) return error("a loop did not call for each number");
  --runs_at_once;
  if (info.fault == "no_output") return nullptr;
  if (info.fault == "wrong_shape") dims.push_back(2);
  if (info.fault == "wrong_rank") dims.clear();
  for (size_t i = 0; i < info.outputs.size(); ++i) {
    OrtValue* value = nullptr;
    if (info.fault == "no_such_output") {
      return ort->KernelContext_GetOutput(context, 99, dims.data(), dims.size(), &value);
    }
    if (info.fault == "negative_shape") dims.assign(1, -5);
    if (OrtStatus* status =
            ort->KernelContext_GetOutput(context, i, dims.data(), dims.size(), &value)) {
      return status;
    }
    if (info.fault == "two_shapes") {
      return ort->KernelContext_GetOutput(context, i, nullptr, 0, &value);
    }
    if (info.fault == "wrong_shape" || info.fault == "wrong_rank") continue;
    void* data = nullptr;
    must(ort->GetTensorMutableData(value, &data));
    const auto& numbers = values[info.outputs[i]];
    std::memcpy(data, numbers.data(), numbers.size() * sizeof(float));
  }
  if (info.ep->captures) record(info, context, dims);
  return nullptr;
}

}  // namespace

std::unique_ptr<Info> compile_one(Ep& ep, const OrtGraph* graph, const OrtNode* fused) {
  auto info = std::make_unique<Info>();
  info->ort_version_supported = ORT_API_VERSION;
  info->CreateState = create_state;
  info->Compute = ep.does("no_compute") ? nullptr : compute;
  info->ReleaseState = release_state;
  info->fault = ep.fault;
  info->ep = &ep;
  info->inputs = inputs_of(fused);
  info->outputs = outputs_of(fused);
  size_t count = 0;
  must(ort->Graph_GetNumNodes(graph, &count));
  std::vector<const OrtNode*> nodes(count);
  must(ort->Graph_GetNodes(graph, nodes.data(), count));
  for (const OrtNode* node : nodes) {
    const auto inputs = inputs_of(node);
    info->steps.push_back({inputs.at(0), inputs.at(1), outputs_of(node).at(0)});
  }
  must(ort->Graph_GetNumInitializers(graph, &count));
  std::vector<const OrtValueInfo*> constants(count);
  must(ort->Graph_GetInitializers(graph, constants.data(), count));
  for (const OrtValueInfo* constant : constants) {
    const OrtValue* value = nullptr;
    must(ort->ValueInfo_GetInitializerValue(constant, &value));
    info->constants[name_of(constant)] = numbers_of(value, nullptr);
  }
  return info;
}

}  // namespace test_library

extern "C" {

ORT_EXPORT int test_library_runs_at_once_most() { return test_library::runs_at_once_most; }

}  // extern "C"
