// SPDX-License-Identifier: MIT
// Two models that share weights: share FIRST.onnx SECOND.onnx FOLDER
#include <cstdio>
#include <string>
#include <vector>

#include "ort_c/ort_cxx.h"

// docs: begin
static std::vector<Ort::Value> run(Ort::Session& session, const Ort::RunOptions& options) {
  std::vector<float> ones(256, 1.0f);
  const int64_t shape[] = {1, 256};
  const auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  const auto x = Ort::Value::CreateTensor<float>(memory, ones.data(), ones.size(), shape, 2);
  const char *input = "x", *output = "y";
  return session.Run(options, &input, &x, 1, &output, 1);
}

int main(int argc, char** argv) try {
  if (argc != 4) return 2;
  const Ort::Env env(ORT_LOGGING_LEVEL_WARNING, "share");
  Ort::SessionOptions session_options;
  session_options.AppendExecutionProvider("AOT");
  const std::string folder = argv[3];
  const std::string outputs[] = {folder + "/first_ctx.onnx", folder + "/second_ctx.onnx"};

  Ort::SharingGroup group(env);
  for (int i = 0; i < 2; i++) {
    Ort::ModelCompilationOptions options(env, session_options);
    options.SetInputModelPath(argv[1 + i]).SetOutputModelPath(outputs[i]);
    group.Add(options);
  }
  group.Commit();  // two models and one binary appear here, or nothing
  std::printf("compiled 3 files\n");

  Ort::Session first(env, outputs[0], session_options);
  Ort::Session second(env, outputs[1], session_options);
  for (auto* session : {&first, &second}) {
    const auto values = run(*session, Ort::RunOptions());
    const float* y = values[0].GetTensorData<float>();
    std::printf("%s: %.4f %.4f %.4f %.4f\n", session == &first ? "first" : "second", y[0], y[1],
                y[2], y[3]);
  }

  Ort::RunOptions stop;
  stop.SetTerminate();  // may come from any thread, also in the middle of runs
  try {
    run(first, stop);
  } catch (const Ort::Exception&) {
    std::printf("cancelled\n");
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
// docs: end
