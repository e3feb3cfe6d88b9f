// SPDX-License-Identifier: MIT
// Built without exceptions and as C++17: the same classes, in another namespace of their own.
#include "ort_c/ort_cxx.h"
#include "tests/api/cxx/other_modes.h"

#if defined(__cpp_exceptions)
#error "this file is for builds without exceptions"
#endif
#if !defined(ORT_NO_EXCEPTIONS)
#error "ort_cxx.h did not notice that there are no exceptions"
#endif

float run_without_exceptions(const char* model) {
  const Ort::Env env;
  const Ort::Session session(env, model, Ort::SessionOptions());
  std::vector<float> ones(4, 1);
  const Ort::Value x = Ort::Value::CreateTensor<float>(ones, {1, 4});
  Ort::Outputs outputs = session.run({{"x", x}});
  return outputs["y"].GetTensorSpan<float>()[0];
}

const char* failure_without_exceptions(const char* model) {
  static std::string text;
  const Ort::Env env;
  const auto session = Ort::Session::TryCreate(env, model, Ort::SessionOptions());
  text = session.GetStatus().GetErrorMessage();
  return text.c_str();
}

void end_without_exceptions(const char* model) {
  const Ort::Env env;
  const Ort::Session session(env, model, Ort::SessionOptions());
}
