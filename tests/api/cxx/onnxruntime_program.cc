// SPDX-License-Identifier: MIT
// A program as users of ONNX Runtime's C++ interface write them, and include it.
#include <onnxruntime/core/session/onnxruntime_run_options_config_keys.h>
#include <onnxruntime/onnxruntime_session_options_config_keys.h>
#include <onnxruntime_cxx_api.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "core/session/onnxruntime_c_api.h"
#include "tests/api/cxx/other_modes.h"

namespace {

// Prefers a graphics card, and goes on without.
bool try_cuda(Ort::SessionOptions& session_options) {
  OrtCUDAProviderOptions cuda_options;
  cuda_options.device_id = 0;
  cuda_options.cudnn_conv_algo_search = OrtCudnnConvAlgoSearchDefault;
  try {
    session_options.AppendExecutionProvider_CUDA(cuda_options);
    return true;
  } catch (const Ort::Exception& exception) {
    std::printf("no CUDA: %s\n", exception.what());
    return false;
  }
}

}  // namespace

float run_onnxruntime_program(const char* path) {
  Ort::Env env(ORT_LOGGING_LEVEL_WARNING, "program");
  Ort::SessionOptions session_options;
  session_options.SetIntraOpNumThreads(1);
  session_options.SetGraphOptimizationLevel(GraphOptimizationLevel::ORT_ENABLE_EXTENDED);
  session_options.AddConfigEntry(kOrtSessionOptionsConfigDisablePrepacking, "0");
  if (try_cuda(session_options)) return -1;

  const std::basic_string<ORTCHAR_T> model_path = path;
  Ort::Session session{env, model_path.c_str(), session_options};
  Ort::AllocatorWithDefaultOptions allocator;
  std::vector<Ort::AllocatedStringPtr> input_names_ptr;
  std::vector<const char*> input_names;
  std::vector<int64_t> input_dims;
  for (size_t i = 0; i < session.GetInputCount(); i++) {
    auto input_name = session.GetInputNameAllocated(i, allocator);
    input_names.push_back(input_name.get());
    input_names_ptr.push_back(std::move(input_name));
    auto type_info = session.GetInputTypeInfo(i);
    auto tensor_info = type_info.GetTensorTypeAndShapeInfo();
    if (tensor_info.GetElementType() != ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT) return -1;
    input_dims = tensor_info.GetShape();
  }
  std::replace(input_dims.begin(), input_dims.end(), int64_t{-1}, int64_t{1});

  std::vector<float> input_tensor_values(4, 1.0f);
  auto memory_info = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  std::vector<Ort::Value> ort_inputs;
  ort_inputs.push_back(Ort::Value::CreateTensor<float>(memory_info, input_tensor_values.data(),
                                                       input_tensor_values.size(),
                                                       input_dims.data(), input_dims.size()));
  const std::vector<std::string> names = session.GetOutputNames();
  std::vector<const char*> output_names{names[0].c_str()};
  auto output_tensors = session.Run(Ort::RunOptions{nullptr}, input_names.data(), ort_inputs.data(),
                                    ort_inputs.size(), output_names.data(), output_names.size());
  float* floatarr = output_tensors.front().GetTensorMutableData<float>();

  // What the classes lack comes from the table.
  const OrtApi& api = Ort::GetApi();
  size_t count = 0;
  Ort::ThrowOnError(api.SessionGetOutputCount(session, &count));
  const OrtApiBase* base = OrtGetApiBase();
  if (count != 1 || base->GetApi(ORT_API_VERSION) != &api) return -1;
  return floatarr[2];
}
