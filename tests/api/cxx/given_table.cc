// SPDX-License-Identifier: MIT
// As a plugin is built: all calls go through the table that it is given.
#define ORT_API_MANUAL_INIT
#include "ort_c/onnxruntime_cxx_api.h"
#undef ORT_API_MANUAL_INIT
#include "tests/api/cxx/other_modes.h"

float run_with_given_table(const void* api_base, const char* model) {
  Ort::InitApi(static_cast<const OrtApiBase*>(api_base)->GetApi(ORT_API_VERSION));
  const Ort::Env env(ORT_LOGGING_LEVEL_FATAL, "table");
  Ort::SessionOptions options;
  options.AddConfigEntry("no.such_key", "1");  // a warning here, a failure of the functions
  const Ort::Session session(env, model, options);
  float ones[] = {1, 1, 1, 1};
  const Ort::Value x = Ort::Value::CreateTensor<float>(ones, {1, 4});
  Ort::Outputs outputs = session.run({{"x", x}});
  return outputs["y"].GetTensorSpan<float>()[1];
}
