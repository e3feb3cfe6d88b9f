// SPDX-License-Identifier: MIT
// Custom operators for tests: an OrtCustomOp whose functions ask an object, models that use it, and
// sessions through the C interface.
#pragma once

#include <atomic>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "ort_c/ort_c.h"
#include "tests/api/check_c.h"
#include "tests/core/graph/wire_model.h"
#include "tests/support/graph_builder.h"

namespace ortc::test {

constexpr auto kFloat = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
constexpr auto kDouble = ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE;
constexpr auto kInt64 = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
constexpr auto kText = ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;
constexpr auto kAny = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;

// "f(x) = 2 x" on one tensor of floats, unless a test changes it.
struct TestOp : OrtCustomOp {
  struct Formal {
    int type = kFloat;  // an ONNXTensorElementDataType, or not
    OrtCustomOpInputOutputCharacteristic kind = INPUT_OUTPUT_REQUIRED;
  };

  explicit TestOp(std::string of_name = "Double", uint32_t of_version = ORTC_ORT_API_VERSION);
  TestOp(const TestOp&) = delete;
  TestOp& operator=(const TestOp&) = delete;

  std::string name;
  const char* provider = nullptr;
  std::vector<Formal> inputs{{}}, outputs{{}};
  int input_least = 1, input_of_one = 1, output_least = 1, output_of_one = 1;
  int first = 1, last = INT32_MAX;
  // Null: makes a kernel, computes 2 x.
  std::function<OrtStatus*(const OrtKernelInfo*)> on_create;
  std::function<OrtStatus*(OrtKernelContext*)> on_compute;
  std::function<OrtStatus*(OrtShapeInferContext*)> on_infer;
  mutable std::atomic<int> made{0}, destroyed{0}, computed{0};

 private:
  static const TestOp& of(const OrtCustomOp* op) { return *static_cast<const TestOp*>(op); }
  static ONNXTensorElementDataType element_type(const Formal& formal) {
    return static_cast<ONNXTensorElementDataType>(formal.type);
  }
};

OrtStatus* give_twice(OrtKernelContext* context);

inline TestOp::TestOp(std::string of_name, uint32_t of_version)
    : OrtCustomOp(), name(std::move(of_name)) {
  version = of_version;
  GetName = [](const OrtCustomOp* op) { return of(op).name.c_str(); };
  GetExecutionProviderType = [](const OrtCustomOp* op) { return of(op).provider; };
  GetInputType = [](const OrtCustomOp* op, size_t i) { return element_type(of(op).inputs[i]); };
  GetInputTypeCount = [](const OrtCustomOp* op) { return of(op).inputs.size(); };
  GetOutputType = [](const OrtCustomOp* op, size_t i) { return element_type(of(op).outputs[i]); };
  GetOutputTypeCount = [](const OrtCustomOp* op) { return of(op).outputs.size(); };
  CreateKernel = [](const OrtCustomOp* op, const OrtApi*, const OrtKernelInfo* info) -> void* {
    if (of(op).on_create) OrtReleaseStatus(of(op).on_create(info));
    ++of(op).made;
    return const_cast<OrtCustomOp*>(op);
  };
  KernelCompute = [](void* kernel, OrtKernelContext* context) {
    const TestOp& self = *static_cast<TestOp*>(kernel);
    ++self.computed;
    OrtReleaseStatus(self.on_compute ? self.on_compute(context) : give_twice(context));
  };
  KernelDestroy = [](void* kernel) { ++static_cast<TestOp*>(kernel)->destroyed; };
  GetInputCharacteristic = [](const OrtCustomOp* op, size_t i) { return of(op).inputs[i].kind; };
  GetOutputCharacteristic = [](const OrtCustomOp* op, size_t i) { return of(op).outputs[i].kind; };
  GetInputMemoryType = [](const OrtCustomOp*, size_t) { return OrtMemTypeDefault; };
  GetVariadicInputMinArity = [](const OrtCustomOp* op) { return of(op).input_least; };
  GetVariadicInputHomogeneity = [](const OrtCustomOp* op) { return of(op).input_of_one; };
  GetVariadicOutputMinArity = [](const OrtCustomOp* op) { return of(op).output_least; };
  GetVariadicOutputHomogeneity = [](const OrtCustomOp* op) { return of(op).output_of_one; };
  CreateKernelV2 = [](const OrtCustomOp* op, const OrtApi*, const OrtKernelInfo* info,
                      void** kernel) -> OrtStatus* {
    if (of(op).on_create) {
      OrtStatus* status = of(op).on_create(info);
      if (status != nullptr) return status;
    }
    ++of(op).made;
    *kernel = const_cast<OrtCustomOp*>(op);
    return nullptr;
  };
  KernelComputeV2 = [](void* kernel, OrtKernelContext* context) -> OrtStatus* {
    const TestOp& self = *static_cast<TestOp*>(kernel);
    ++self.computed;
    return self.on_compute ? self.on_compute(context) : give_twice(context);
  };
  InferOutputShapeFn = [](const OrtCustomOp* op, OrtShapeInferContext* context) -> OrtStatus* {
    return of(op).on_infer ? of(op).on_infer(context) : nullptr;
  };
  GetStartVersion = [](const OrtCustomOp* op) { return of(op).first; };
  GetEndVersion = [](const OrtCustomOp* op) { return of(op).last; };
}

inline std::vector<int64_t> dims_of(const OrtValue* value) {
  OrtTensorTypeAndShapeInfo* info = nullptr;
  CHECK_C(OrtGetTensorTypeAndShape(value, &info));
  size_t rank = 0;
  CHECK_C(OrtGetDimensionsCount(info, &rank));
  std::vector<int64_t> dims(rank);
  CHECK_C(OrtGetDimensions(info, dims.data(), rank));
  OrtReleaseTensorTypeAndShapeInfo(info);
  return dims;
}

inline size_t count_of(const OrtValue* value) {
  size_t count = 1;
  for (const int64_t dim : dims_of(value)) count *= static_cast<size_t>(dim);
  return count;
}

template <typename T = float>
const T* data_of(const OrtValue* value) {
  const void* data = nullptr;
  CHECK_C(OrtGetTensorData(value, &data));
  return static_cast<const T*>(data);
}

// y[i] = x[i] * factor, for one tensor of T.
template <typename T = float>
OrtStatus* give_scaled(OrtKernelContext* context, T factor) {
  const OrtValue* x = nullptr;
  OrtStatus* status = OrtKernelContext_GetInput(context, 0, &x);
  if (status != nullptr) return status;
  const std::vector<int64_t> dims = dims_of(x);
  OrtValue* y = nullptr;
  status = OrtKernelContext_GetOutput(context, 0, dims.data(), dims.size(), &y);
  if (status != nullptr) return status;
  void* out = nullptr;
  CHECK_C(OrtGetTensorMutableData(y, &out));
  for (size_t i = 0; i < count_of(x); ++i) static_cast<T*>(out)[i] = data_of<T>(x)[i] * factor;
  return nullptr;
}
inline OrtStatus* give_twice(OrtKernelContext* context) { return give_scaled(context, 2.0f); }

// A model whose nodes may be of the domain "mine".
inline std::string mine_model(const wire::Texts& nodes, const wire::Texts& inputs,
                              const wire::Texts& outputs, int64_t version = 1,
                              const wire::Texts& initializers = {}) {
  return wire::model(wire::graph(nodes, inputs, outputs, initializers), {},
                     wire::field(8, wire::opset("mine", version)));
}

// x -> Abs -> mine.<op> -> Neg -> y, on three floats.
inline std::string sandwich(const std::string& op = "Double", int64_t version = 1) {
  return mine_model({wire::node("Abs", {"x"}, {"a"}, {}, "abs"),
                     wire::node(op, {"a"}, {"b"}, {}, "custom", "mine"),
                     wire::node("Neg", {"b"}, {"y"}, {}, "neg")},
                    {wire::value("x", 1, {3})}, {wire::plain("y")}, version);
}

inline OrtValue* floats(std::vector<int64_t> dims, const std::vector<float>& numbers) {
  OrtAllocator* allocator = nullptr;
  OrtValue* value = nullptr;
  CHECK_C(OrtGetAllocatorWithDefaultOptions(&allocator));
  CHECK_C(OrtCreateTensorAsOrtValue(allocator, dims.data(), dims.size(), kFloat, &value));
  void* data = nullptr;
  CHECK_C(OrtGetTensorMutableData(value, &data));
  std::memcpy(data, numbers.data(), numbers.size() * sizeof(float));
  return value;
}

inline std::vector<float> numbers_of(const OrtValue* value) {
  const float* data = data_of(value);
  return std::vector<float>(data, data + count_of(value));
}

// An environment, options that know some operators of the domain "mine", and sessions.
class Program {
 public:
  explicit Program(const std::vector<const TestOp*>& operators, const char* domain = "mine") {
    CHECK_C(OrtCreateEnvWithCustomLogger([](auto...) {}, nullptr, ORT_LOGGING_LEVEL_FATAL, "test",
                                         &env_));
    CHECK_C(OrtCreateSessionOptions(&options_));
    add(operators, domain);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    OrtReleaseSession(session_);
    OrtReleaseSessionOptions(options_);
    OrtReleaseEnv(env_);
  }

  void add(const std::vector<const TestOp*>& operators, const char* domain) {
    OrtCustomOpDomain* made = nullptr;
    CHECK_C(OrtCreateCustomOpDomain(domain, &made));
    for (const TestOp* op : operators) CHECK_C(OrtCustomOpDomain_Add(made, op));
    CHECK_C(OrtAddCustomOpDomain(options_, made));
    OrtReleaseCustomOpDomain(made);
  }
  void use(const char* provider) {
    CHECK_C(OrtSessionOptionsAppendExecutionProvider(options_, provider, nullptr, nullptr, 0));
  }
  OrtStatus* load(const std::string& bytes) {
    OrtReleaseSession(session_);
    session_ = nullptr;
    return OrtCreateSessionFromArray(env_, bytes.data(), bytes.size(), options_, &session_);
  }
  OrtStatus* load_file(const std::string& path) {
    OrtReleaseSession(session_);
    session_ = nullptr;
    return OrtCreateSession(env_, path.c_str(), options_, &session_);
  }
  // Inputs are called x, x1 ..., the output y.
  OrtStatus* run(const std::vector<const OrtValue*>& inputs, OrtValue** y) {
    static const char* const kNames[] = {"x", "x1", "x2", "x3"};
    static const char* const kOutput[] = {"y"};
    *y = nullptr;
    return OrtRun(session_, nullptr, kNames, inputs.data(), inputs.size(), kOutput, 1, y);
  }
  // Into a value that is there.
  OrtStatus* run_into(const std::vector<const OrtValue*>& inputs, OrtValue* y) {
    static const char* const kNames[] = {"x", "x1", "x2", "x3"};
    static const char* const kOutput[] = {"y"};
    return OrtRun(session_, nullptr, kNames, inputs.data(), inputs.size(), kOutput, 1, &y);
  }
  // With one input of floats and such an output.
  std::vector<float> run(std::vector<int64_t> dims, const std::vector<float>& numbers) {
    OrtValue *x = floats(std::move(dims), numbers), *y = nullptr;
    CHECK_C(run({x}, &y));
    std::vector<float> result = numbers_of(y);
    OrtReleaseValue(y);
    OrtReleaseValue(x);
    return result;
  }
  OrtStatus* try_run(std::vector<int64_t> dims, const std::vector<float>& numbers) {
    OrtValue *x = floats(std::move(dims), numbers), *y = nullptr;
    OrtStatus* status = run({x}, &y);
    OrtReleaseValue(y);
    OrtReleaseValue(x);
    return status;
  }
  OrtEnv* env() const { return env_; }
  OrtSessionOptions* options() const { return options_; }
  OrtSession* session() const { return session_; }
  void take(OrtSession* session) { session_ = session; }
  OrtSession* take_session() { return std::exchange(session_, nullptr); }

 private:
  OrtEnv* env_ = nullptr;
  OrtSessionOptions* options_ = nullptr;
  OrtSession* session_ = nullptr;
};

using Numbers = std::vector<float>;

}  // namespace ortc::test
