// SPDX-License-Identifier: MIT
// Tokens of a language model, the likeliest after each: generate MODEL.onnx COUNT TOKEN...
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "ort_c/ort_cxx.h"

// docs: begin
template <typename T>
static Ort::Value over(std::vector<T>& data, size_t first, const std::vector<int64_t>& shape) {
  const auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  size_t count = 1;
  for (const int64_t dim : shape) count *= static_cast<size_t>(dim);
  return Ort::Value::CreateTensor<T>(memory, data.data() + first, count, shape.data(),
                                     shape.size());
}

int main(int argc, char** argv) try {
  if (argc < 4) return 2;
  const Ort::Env env(ORT_LOGGING_LEVEL_WARNING, "generate");
  Ort::SessionOptions options;
  options.AppendExecutionProvider("AOT");
  Ort::Session session(env, argv[1], options);
  Ort::IoBinding binding(session);

  std::vector<int64_t> ids;
  for (int i = 3; i < argc; i++) ids.push_back(std::stoll(argv[i]));
  const size_t length = ids.size() + std::stoul(argv[2]);
  std::vector<int64_t> ones(length, 1);
  std::vector<std::vector<float>> caches;  // one for past and present: a run appends in place
  for (size_t i = 0; i < session.GetInputCount(); i++) {
    const std::string past = session.GetInputNames()[i];
    if (!past.starts_with("past_key_values.")) continue;
    auto shape = session.GetInputTypeInfo(i).GetTensorTypeAndShapeInfo().GetShape();
    shape[0] = 1, shape[2] = static_cast<int64_t>(length);
    caches.emplace_back(static_cast<size_t>(shape[1] * shape[2] * shape[3]));
    const Ort::Value cache = over(caches.back(), 0, shape);
    binding.BindInput(past.c_str(), cache);
    binding.BindOutput(("present" + past.substr(past.find('.'))).c_str(), cache);
  }
  const int64_t vocabulary =
      session.GetOutputTypeInfo(0).GetTensorTypeAndShapeInfo().GetShape().back();
  for (size_t past = 0; ids.size() < length; past = ids.size() - 1) {
    const auto now = static_cast<int64_t>(ids.size() - past);
    std::vector<float> logits(static_cast<size_t>(now * vocabulary));
    binding.BindInput("input_ids", over(ids, past, {1, now}));
    binding.BindInput("attention_mask", over(ones, 0, {1, static_cast<int64_t>(ids.size())}));
    binding.BindOutput("logits", over(logits, 0, {1, now, vocabulary}));
    session.Run(Ort::RunOptions(), binding);
    ids.push_back(std::max_element(logits.end() - vocabulary, logits.end()) -
                  (logits.end() - vocabulary));
    std::printf(ids.size() < length ? "%d " : "%d\n", static_cast<int>(ids.back()));
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
// docs: end
