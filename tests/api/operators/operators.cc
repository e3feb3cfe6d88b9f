// SPDX-License-Identifier: MIT
// A library of custom operators, as one for ONNX Runtime is written: it sees public headers alone
// and calls through the table that it is given.
#define ORT_API_MANUAL_INIT
#include "onnxruntime_cxx_api.h"
#undef ORT_API_MANUAL_INIT

#include <cmath>
#include <memory>

namespace {

// y = x * factor + bias, where the bias may be left out.
struct ScaleKernel {
  explicit ScaleKernel(const OrtKernelInfo* info) {
    const Ort::ConstKernelInfo node(info);
    factor = node.GetAttribute<float>("factor");
  }
  void Compute(OrtKernelContext* context) {
    const Ort::KernelContext call(context);
    const Ort::ConstValue x = call.GetInput(0);
    const std::vector<int64_t> dims = x.GetTensorTypeAndShapeInfo().GetShape();
    const size_t count = x.GetTensorTypeAndShapeInfo().GetElementCount();
    const float* from = x.GetTensorData<float>();
    const Ort::ConstValue bias =
        call.GetInputCount() > 1 ? call.GetInput(1) : Ort::ConstValue(nullptr);
    const float add = bias != nullptr ? *bias.GetTensorData<float>() : 0;
    float* to = call.GetOutput(0, dims).GetTensorMutableData<float>();
    for (size_t i = 0; i < count; ++i) to[i] = from[i] * factor + add;
  }
  float factor = 1;
};

struct Scale : Ort::CustomOpBase<Scale, ScaleKernel> {
  void* CreateKernel(const OrtApi&, const OrtKernelInfo* info) const {
    return new ScaleKernel(info);
  }
  const char* GetName() const { return "Scale"; }
  size_t GetInputTypeCount() const { return 2; }
  ONNXTensorElementDataType GetInputType(size_t) const {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  }
  OrtCustomOpInputOutputCharacteristic GetInputCharacteristic(size_t index) const {
    return index == 0 ? INPUT_OUTPUT_REQUIRED : INPUT_OUTPUT_OPTIONAL;
  }
  size_t GetOutputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetOutputType(size_t) const {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  }
  static Ort::Status InferOutputShape(Ort::ShapeInferContext& context) {
    return context.SetOutputShape(0, context.GetInputShape(0));
  }
};

// The square root of the sum of squares, by operators of ONNX and statuses.
struct NormKernel {
  explicit NormKernel(const OrtKernelInfo* info)
      : square(unary(info, "Mul", 2)), root(unary(info, "Sqrt", 1)) {}

  static Ort::Op unary(const OrtKernelInfo* info, const char* name, size_t inputs) {
    return Ort::Op::Create(info, name, "", 13, nullptr, nullptr, 0, nullptr, 0, inputs, 1);
  }
  OrtStatusPtr ComputeV2(OrtKernelContext* context) {
    const Ort::KernelContext call(context);
    const Ort::ConstValue x = call.GetInput(0);
    const std::vector<int64_t> dims = x.GetTensorTypeAndShapeInfo().GetShape();
    if (dims.size() != 1)
      return Ort::Status("Norm: expected a vector", ORT_INVALID_ARGUMENT).release();
    Ort::AllocatorWithDefaultOptions allocator;
    Ort::Value squares = Ort::Value::CreateTensor<float>(allocator, dims.data(), dims.size());
    const OrtValue* const twice[] = {x, x};
    OrtValue* const to_squares[] = {squares};
    square.Invoke(context, twice, 2, to_squares, 1);
    Ort::Value sum = Ort::Value::CreateTensor<float>({1});
    float& total = *sum.GetTensorMutableData<float>();
    total = 0;
    for (int64_t i = 0; i < dims[0]; ++i) total += squares.GetTensorData<float>()[i];
    const OrtValue* const from_sum[] = {sum};
    OrtValue* const result[] = {call.GetOutput(0, std::vector<int64_t>{1})};
    root.Invoke(context, from_sum, 1, result, 1);
    return nullptr;
  }
  Ort::Op square, root;
};

struct Norm : Ort::CustomOpBase<Norm, NormKernel, true> {
  OrtStatusPtr CreateKernelV2(const OrtApi&, const OrtKernelInfo* info, void** kernel) const {
    *kernel = new NormKernel(info);
    return nullptr;
  }
  const char* GetName() const { return "Norm"; }
  size_t GetInputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetInputType(size_t) const {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  }
  size_t GetOutputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetOutputType(size_t) const {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) OrtStatus* RegisterCustomOps(
    OrtSessionOptions* options, const OrtApiBase* api_base) {
  Ort::InitApi(api_base->GetApi(ORT_API_VERSION));
  static const Scale scale;
  static const Norm norm;
  try {
    Ort::CustomOpDomain domain("mine");
    domain.Add(&scale);
    domain.Add(&norm);
    Ort::UnownedSessionOptions(options).Add(domain);
    return nullptr;
  } catch (const Ort::Exception& failure) {
    return Ort::Status(failure).release();
  }
}
