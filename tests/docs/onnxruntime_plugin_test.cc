// SPDX-License-Identifier: MIT
// The program of docs/onnxruntime-plugin.md, as the page shows it, with ortc as the runtime.
#include "onnxruntime_plugin_test_code.inc"
#include "tests/support/graph_builder.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

TEST(onnxruntime_plugin_page, shows_a_session_that_works) {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {2});
  g.output(g.node("Relu", {x}, {"y"})[0]);
  const std::string path = temp_dir() + "/m.onnx";
  write_whole_file(path, g.model_bytes());
  Ort::Env env(ORT_LOGGING_LEVEL_FATAL, "page");
  Ort::SessionOptions options;
  options.AddConfigEntry("session.disable_cpu_ep_fallback", "1");
  constexpr char kName[] = "PageExecutionProvider";
  Ort::Session session = open_session(env, ORTC_EP_LIBRARY, kName, kName, path.c_str(), options);
  float numbers[] = {-6, 8};
  const Ort::MemoryInfo memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  const int64_t dims[] = {2};
  const Ort::Value input = Ort::Value::CreateTensor<float>(memory, numbers, 2, dims, 1);
  const char* const input_names[] = {"x"};
  const char* const output_names[] = {"y"};
  const auto outputs =
      session.Run(Ort::RunOptions{nullptr}, input_names, &input, 1, output_names, 1);
  CHECK_EQ(outputs.at(0).GetTensorData<float>()[0], 0.0f);
  CHECK_EQ(outputs.at(0).GetTensorData<float>()[1], 8.0f);
}
