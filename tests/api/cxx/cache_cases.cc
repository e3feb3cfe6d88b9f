// SPDX-License-Identifier: MIT
// ort_c/cxx: sessions by way of a cache of compiled models.
#include "tests/api/cxx/cxx_testing.h"

using namespace ortc::test;

TEST(cxx_cache, makes_a_session_once_finds_it_then_and_tells_why) {
  const Ort::Env env;
  const Ort::SessionOptions options = compiling_options();
  const std::string folder = temp_dir() + "/cxx_cache";
  const Ort::ContextCache cache(folder);
  CHECK_THROWS(cache.List(), ORT_NO_SUCHFILE, "cxx_cache");
  for (int i = 0; i < 2; ++i) {
    const Ort::Session session = cache.CreateSession(env, data("matmul.onnx"), options);
    std::vector<float> ones(4, 1);
    Ort::Outputs outputs = session.run({{"x", Ort::Value::CreateTensor<float>(ones, {1, 4})}});
    CHECK_EQ(outputs["y"].GetTensorSpan<float>()[2], 26.0f);
  }
  CHECK(has(cache.List(), "matmul.onnx"));
  CHECK(has(cache.Verify(), "\"sound\":true}"));
  CHECK(has(cache.Explain(env, data("matmul.onnx"), options), "\"entry\":\"whole\""));
  CHECK(has(cache.Prune(0), "\"kept_bytes\":0"));
  CHECK_THROWS(cache.CreateSession(env, data("absent.onnx"), options), ORT_NO_SUCHFILE, "absent");
}
