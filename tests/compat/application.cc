// SPDX-License-Identifier: MIT
// A program as users of ONNX Runtime write them: it includes nothing of ortc by name. Compiled once
// and linked with a libonnxruntime, it must print the same with ours and with ONNX Runtime's own.
//   application MODEL     x of 4 columns, y of 3
#include <core/session/onnxruntime_session_options_config_keys.h>
#include <onnxruntime_cxx_api.h>
#include <onnxruntime_lite_custom_op.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

void print(const char* what, const Ort::Value& value) {
  std::printf("%s:", what);
  const float* numbers = value.GetTensorData<float>();
  const size_t count = value.GetTensorTypeAndShapeInfo().GetElementCount();
  for (size_t i = 0; i < count; ++i) std::printf(" %g", numbers[i]);
  std::printf("\n");
}

Ort::Value row(std::vector<float>& numbers) {
  const auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  const int64_t shape[] = {1, static_cast<int64_t>(numbers.size())};
  return Ort::Value::CreateTensor<float>(memory, numbers.data(), numbers.size(), shape, 2);
}

void run_and_bind(const Ort::Env& env, const char* path) {
  Ort::SessionOptions options;
  options.SetIntraOpNumThreads(1).SetGraphOptimizationLevel(ORT_ENABLE_BASIC);
  options.AddConfigEntry(kOrtSessionOptionsConfigDisablePrepacking, "0");
  Ort::Session session(env, path, options);
  Ort::AllocatorWithDefaultOptions allocator;
  const Ort::AllocatedStringPtr input = session.GetInputNameAllocated(0, allocator);
  const Ort::AllocatedStringPtr output = session.GetOutputNameAllocated(0, allocator);
  const auto type = session.GetInputTypeInfo(0);
  const auto info = type.GetTensorTypeAndShapeInfo();
  std::printf("%s %s %d %zu\n", input.get(), output.get(), info.GetElementType(),
              info.GetDimensionsCount());

  std::vector<float> numbers{1, 2, 3, 4};
  const Ort::Value x = row(numbers);
  const char* const inputs[] = {input.get()};
  const char* const outputs[] = {output.get()};
  const auto found = session.Run(Ort::RunOptions{nullptr}, inputs, &x, 1, outputs, 1);
  print("run", found.front());

  Ort::IoBinding binding(session);
  binding.BindInput(input.get(), x);
  binding.BindOutput(output.get(),
                     Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault));
  session.Run(Ort::RunOptions{}, binding);
  print("bound", binding.GetOutputValues().front());
}

void fail(const Ort::Env& env) {
  try {
    const Ort::Session session(env, "absent.onnx", Ort::SessionOptions());
  } catch (const Ort::Exception& failure) {
    std::printf("absent: %d\n", failure.GetOrtErrorCode());
  }
}

struct TwiceKernel {
  void Compute(OrtKernelContext* c_context) {
    const Ort::KernelContext context(c_context);
    const Ort::ConstValue x = context.GetInput(0);
    const auto shape = x.GetTensorTypeAndShapeInfo().GetShape();
    Ort::UnownedValue y = context.GetOutput(0, shape);
    const size_t count = x.GetTensorTypeAndShapeInfo().GetElementCount();
    for (size_t i = 0; i < count; ++i) {
      y.GetTensorMutableData<float>()[i] = 2 * x.GetTensorData<float>()[i];
    }
  }
};

struct Twice : Ort::CustomOpBase<Twice, TwiceKernel> {
  void* CreateKernel(const OrtApi&, const OrtKernelInfo*) const { return new TwiceKernel; }
  const char* GetName() const { return "Twice"; }
  size_t GetInputTypeCount() const { return 1; }
  size_t GetOutputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetInputType(size_t) const {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  }
  ONNXTensorElementDataType GetOutputType(size_t) const {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  }
};

// A field of a message whose number is below 16.
std::string field(int number, const std::string& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}
std::string field(int number, int value) {
  return {static_cast<char>(number << 3), static_cast<char>(value)};
}

// A model of one node: y = op(x), with x of 1 x 4.
std::string model_of(const std::string& op) {
  const std::string dims = field(1, field(1, 1)) + field(1, field(1, 4));
  const std::string type = field(1, field(1, 1) + field(2, dims));
  const std::string node = field(1, "x") + field(2, "y") + field(4, op) + field(7, "test.compat");
  const std::string graph = field(1, node) + field(2, "g") +
                            field(11, field(1, "x") + field(2, type)) +
                            field(12, field(1, "y") + field(2, type));
  return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 18)) +
         field(8, field(1, "test.compat") + field(2, 1));
}

// Shows the lines of this program alone.
void ORT_API_CALL hear(void*, OrtLoggingLevel, const char*, const char*, const char*,
                       const char* message) {
  if (std::string(message).find("half has") != std::string::npos) std::printf("%s\n", message);
}

// An operator of one function, and one of a class.
Ort::Status half(OrtKernelContext* context, const Ort::Custom::Tensor<float>& x,
                 Ort::Custom::Tensor<float>& y) {
  size_t inputs = 0;
  ORT_CXX_RETURN_ON_API_FAIL(Ort::GetApi().KernelContext_GetInputCount(context, &inputs));
  const Ort::Logger logger = Ort::KernelContext(context).GetLogger();
  ORT_CXX_LOGF(logger, ORT_LOGGING_LEVEL_ERROR, "%s has %zu input", "half", inputs);
  ORT_CXX_LOG_NOEXCEPT(logger, ORT_LOGGING_LEVEL_VERBOSE, "not shown");
  float* numbers = y.Allocate(x.Shape());
  for (int64_t i = 0; i < x.NumberOfElement(); ++i)
    numbers[i] = x.Data()[i] / static_cast<float>(1 + inputs);
  return Ort::Status(nullptr);
}

struct Count {
  Count(const OrtApi*, const OrtKernelInfo*) {}
  void Compute(const Ort::Custom::TensorArray& x, Ort::Custom::Tensor<float>* y) const {
    y->Allocate({1, 4})[0] = static_cast<float>(x.Size());
    for (int i = 1; i < 4; ++i) y->Allocate({1, 4})[i] = 0;
  }
};

// Fails as a function of a program may.
void refuse(const Ort::Custom::Tensor<float>& x, Ort::Custom::Tensor<float>&) {
  ORT_CXX_API_THROW("refused: " + x.Shape2Str(), ORT_INVALID_ARGUMENT);
}

// Operators of the program, and models in memory.
void own_operator(const Ort::Env& env, const std::string& name) {
  using Ort::Custom::CreateLiteCustomOp;
  Twice twice;
  const char* const provider = "CPUExecutionProvider";
  const std::unique_ptr<Ort::Custom::OrtLiteCustomOp> lite[] = {
      std::unique_ptr<Ort::Custom::OrtLiteCustomOp>(CreateLiteCustomOp("Half", provider, half)),
      std::unique_ptr<Ort::Custom::OrtLiteCustomOp>(CreateLiteCustomOp("Refuse", provider, refuse)),
      std::unique_ptr<Ort::Custom::OrtLiteCustomOp>(CreateLiteCustomOp<Count>("Count", provider))};
  Ort::CustomOpDomain domain("test.compat");
  domain.Add(&twice);
  for (const auto& op : lite) domain.Add(op.get());
  Ort::SessionOptions options;
  options.Add(domain);
  const std::string model = model_of(name);
  Ort::Session session(env, model.data(), model.size(), options);
  std::vector<float> numbers{1, 2, 3, 4};
  const Ort::Value x = row(numbers);
  const char* const input = "x";
  const char* const output = "y";
  print(name.c_str(), session.Run(Ort::RunOptions{nullptr}, &input, &x, 1, &output, 1).front());
}

void refused(const Ort::Env& env) {
  try {
    own_operator(env, "Refuse");
  } catch (const Ort::Exception& failure) {
    const bool told = std::string(failure.what()).find("refused: 1,4") != std::string::npos;
    std::printf("refused: %s\n", told ? "told" : failure.what());
  }
}

// A model that the program makes of nodes.
void make_a_model(const Ort::Env& env) {
  const Ort::TensorTypeAndShapeInfo shape(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {1, 4});
  const auto type = Ort::TypeInfo::CreateTensorInfo(shape.GetConst());
  Ort::Graph graph;
  std::vector<Ort::ValueInfo> inputs, outputs;
  inputs.emplace_back("x", type.GetConst());
  outputs.emplace_back("y", type.GetConst());
  graph.SetInputs(inputs);
  graph.SetOutputs(outputs);
  Ort::Node node("Relu", "", "relu", {"x"}, {"y"});
  graph.AddNode(node);
  Ort::Model model({{"", 18}});
  model.AddGraph(graph);

  Ort::Session session(env, model, Ort::SessionOptions());
  std::vector<float> numbers{-1, 2, -3, 4};
  const Ort::Value x = row(numbers);
  const char* const input = "x";
  const char* const output = "y";
  print("made", session.Run(Ort::RunOptions{nullptr}, &input, &x, 1, &output, 1).front());
}

// Without a provider that compiles there is still a model to write.
void compile(const Ort::Env& env, const char* path) {
  Ort::SessionOptions options;
  options.SetGraphOptimizationLevel(ORT_DISABLE_ALL);
  Ort::ModelCompilationOptions compilation(env, options);
  compilation.SetInputModelPath(path);
  void* bytes = nullptr;
  size_t size = 0;
  Ort::AllocatorWithDefaultOptions allocator;
  compilation.SetOutputModelBuffer(allocator, &bytes, &size);
  Ort::ThrowOnError(Ort::CompileModel(env, compilation));
  {
    const Ort::Session session(env, bytes, size, options);
    std::printf("compiled: %zu input\n", session.GetInputCount());
  }
  allocator.Free(bytes);
}

}  // namespace

int main(int, char** arguments) {
  try {
    Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "compat", hear, nullptr);
    run_and_bind(env, arguments[1]);
    fail(env);
    own_operator(env, "Twice");
    own_operator(env, "Half");
    own_operator(env, "Count");
    refused(env);
    make_a_model(env);
    compile(env, arguments[1]);
    std::printf("devices: %d\n", env.GetEpDevices().empty() ? 0 : 1);
    return 0;
  } catch (const Ort::Exception& failure) {
    std::printf("error %d: %s\n", failure.GetOrtErrorCode(), failure.what());
    return 1;
  }
}
