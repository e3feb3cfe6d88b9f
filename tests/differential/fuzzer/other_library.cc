// SPDX-License-Identifier: MIT
// ONNX Runtime by its C table: see the header.
#include "tests/differential/fuzzer/other_library.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace ortc::fuzz {
namespace {

constexpr uint32_t kApiVersion = 22;

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "ONNX Runtime's library: %s\n", what);
  std::exit(2);
}

// Number types have ONNX's numbers in the table, up to bfloat16.
ONNXTensorElementDataType number_of(DType dtype) {
  return static_cast<ONNXTensorElementDataType>(dtype);
}

}  // namespace

OtherLibrary::OtherLibrary(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) give_up(dlerror());
  void* symbol = dlsym(handle, "OrtGetApiBase");
  if (symbol == nullptr) give_up("it has no OrtGetApiBase");
  api_ = reinterpret_cast<const OrtApiBase* (*)()>(symbol)()->GetApi(kApiVersion);
  if (api_ == nullptr) give_up("it is too old");
  const std::string text =
      text_of(api_->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "fuzzer", &env_)) +
      text_of(api_->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory_));
  if (!text.empty()) give_up(text.c_str());
}

std::string OtherLibrary::text_of(OrtStatus* status) const {
  if (status == nullptr) return "";
  std::string text = api_->GetErrorMessage(status);
  if (text.empty()) text = "an error without a message";
  api_->ReleaseStatus(status);
  return text;
}

std::string OtherLibrary::run(const std::string& model, const DrawnGraph& graph,
                              std::vector<Datum>* outputs) const {
  OrtSessionOptions* raw_options = nullptr;
  std::string text = text_of(api_->CreateSessionOptions(&raw_options));
  if (!text.empty()) return text;
  const std::unique_ptr<OrtSessionOptions, decltype(api_->ReleaseSessionOptions)> options(
      raw_options, api_->ReleaseSessionOptions);
  text = text_of(api_->SetIntraOpNumThreads(options.get(), 1));
  if (!text.empty()) return text;
  OrtSession* raw_session = nullptr;
  text = text_of(
      api_->CreateSessionFromArray(env_, model.data(), model.size(), options.get(), &raw_session));
  if (!text.empty()) return text;
  const std::unique_ptr<OrtSession, decltype(api_->ReleaseSession)> session(raw_session,
                                                                            api_->ReleaseSession);
  using ValuePointer = std::unique_ptr<OrtValue, decltype(api_->ReleaseValue)>;
  std::vector<ValuePointer> values;
  std::vector<const OrtValue*> inputs;
  std::vector<const char*> in, out;
  for (const std::string& name : graph.inputs) {
    const Tensor& tensor = *graph.values.at(name).datum.tensor();
    OrtValue* value = nullptr;
    text = text_of(api_->CreateTensorWithDataAsOrtValue(
        memory_, const_cast<void*>(tensor.data()), tensor.byte_size(), tensor.dims().data(),
        tensor.dims().size(), number_of(tensor.dtype()), &value));
    if (!text.empty()) return text;
    values.emplace_back(value, api_->ReleaseValue);
    inputs.push_back(value);
    in.push_back(name.c_str());
  }
  for (const std::string& name : graph.outputs) out.push_back(name.c_str());
  std::vector<OrtValue*> results(out.size(), nullptr);
  text = text_of(api_->Run(session.get(), nullptr, in.data(), inputs.data(), in.size(), out.data(),
                           out.size(), results.data()));
  if (!text.empty()) return text;
  for (OrtValue* result : results) values.emplace_back(result, api_->ReleaseValue);
  for (OrtValue* result : results) {
    OrtTensorTypeAndShapeInfo* info = nullptr;
    ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    size_t rank = 0;
    void* data = nullptr;
    text = text_of(api_->GetTensorTypeAndShape(result, &info));
    if (!text.empty()) return text;
    text = text_of(api_->GetTensorElementType(info, &type)) +
           text_of(api_->GetDimensionsCount(info, &rank));
    Dims dims(rank);
    text += text_of(api_->GetDimensions(info, dims.data(), rank));
    api_->ReleaseTensorTypeAndShapeInfo(info);
    text += text_of(api_->GetTensorMutableData(result, &data));
    if (!text.empty()) return text;
    Tensor tensor = Tensor::create(static_cast<DType>(type), dims).value();
    if (tensor.byte_size() > 0) std::memcpy(tensor.mutable_data(), data, tensor.byte_size());
    outputs->emplace_back(std::move(tensor));
  }
  return "";
}

}  // namespace ortc::fuzz
