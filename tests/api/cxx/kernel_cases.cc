// SPDX-License-Identifier: MIT
// Kernels of operators of the program: what a call offers beside its values.
#include <cstring>
#include <vector>

#include "tests/api/cxx/cxx_testing.h"

using namespace ortc::test;

namespace {

// y = x reversed, by way of scratch memory.
struct ReverseKernel {
  void Compute(OrtKernelContext* context) {
    const Ort::KernelContext call(context);
    const Ort::ConstValue x = call.GetInput(0);
    const std::vector<int64_t> dims = x.GetTensorTypeAndShapeInfo().GetShape();
    const size_t count = x.GetTensorTypeAndShapeInfo().GetElementCount();
    const auto cpu = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
    auto* scratch = static_cast<float*>(call.GetScratchBuffer(*cpu, count * sizeof(float)));
    std::memcpy(scratch, x.GetTensorData<float>(), count * sizeof(float));
    float* y = call.GetOutput(0, dims).GetTensorMutableData<float>();
    for (size_t i = 0; i < count; ++i) y[i] = scratch[count - 1 - i];
    CHECK_THROWS(call.GetResource(1, 7), ORT_INVALID_ARGUMENT, "resource 7");
  }
};

struct Reverse : Ort::CustomOpBase<Reverse, ReverseKernel> {
  void* CreateKernel(const OrtApi&, const OrtKernelInfo*) const { return new ReverseKernel(); }
  const char* GetName() const { return "Reverse"; }
  size_t GetInputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetInputType(size_t) const {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  }
  size_t GetOutputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetOutputType(size_t) const {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  }
};

Ort::Model reversing_model() {
  const Ort::TensorTypeAndShapeInfo tensor(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {3});
  const Ort::TypeInfo type = Ort::TypeInfo::CreateTensorInfo(tensor.GetConst());
  std::vector<Ort::ValueInfo> inputs, outputs;
  inputs.emplace_back("x", type.GetConst());
  outputs.emplace_back("y", type.GetConst());
  Ort::Node node("Reverse", "mine", "", {"x"}, {"y"});
  Ort::Graph graph;
  graph.SetInputs(inputs);
  graph.SetOutputs(outputs);
  graph.AddNode(node);
  Ort::Model model({{"", 17}, {"mine", 1}});
  model.AddGraph(graph);
  return model;
}

}  // namespace

TEST(cxx_kernels, have_scratch_memory_and_hear_that_there_are_no_resources) {
  const Reverse reverse;
  Ort::CustomOpDomain mine("mine");
  mine.Add(&reverse);
  Ort::SessionOptions options;
  options.Add(mine);
  const Ort::Env env;
  const Ort::Session session(env, reversing_model(), options);
  std::vector<float> numbers{1, 2, 3};
  Ort::Outputs outputs = session.run({{"x", Ort::Value::CreateTensor<float>(numbers, {3})}});
  CHECK_EQ(outputs["y"].GetTensorSpan<float>()[0], 3.0f);
  CHECK_EQ(outputs["y"].GetTensorSpan<float>()[2], 1.0f);
}
