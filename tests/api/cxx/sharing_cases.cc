// SPDX-License-Identifier: MIT
// ort_c/cxx: models that share one context binary.
#include <filesystem>
#include <stdexcept>

#include "tests/api/cxx/cxx_testing.h"

using namespace ortc::test;
namespace fs = std::filesystem;

namespace {

struct Members {
  Ort::Env env;
  Ort::SessionOptions session_options = compiling_options();
  Ort::SharingGroup group{env};
  const fs::path folder = fs::path(temp_dir()) / "cxx_group";

  Members() {
    fs::remove_all(folder);
    fs::create_directory(folder);
  }
  Ort::ModelCompilationOptions model(const char* name) const {
    Ort::ModelCompilationOptions options(env, session_options);
    options.SetInputModelPath(data("matmul.onnx")).SetOutputModelPath(folder / name);
    return options;
  }
};

}  // namespace

TEST(cxx_sharing, publishes_its_models_together) {
  Members of;
  of.group.Add(of.model("a_ctx.onnx")).Add(of.model("b_ctx.onnx"));
  CHECK(!fs::exists(of.folder / "a_ctx.onnx"));
  of.group.Commit();
  CHECK(fs::exists(of.folder / "a_aot.bin") && !fs::exists(of.folder / "b_aot.bin"));
  CHECK(has(of.group.GetReportJson(), "published"));
  CHECK_THROWS(of.group.Commit(), ORT_FAIL, "published already");
  const Ort::Session session(of.env, of.folder / "b_ctx.onnx", of.session_options);
  std::vector<float> ones(4, 1);
  Ort::Outputs outputs = session.run({{"x", Ort::Value::CreateTensor<float>(ones, {1, 4})}});
  CHECK_EQ(outputs["y"].GetTensorSpan<float>()[2], 26.0f);
}

TEST(cxx_sharing, sessions_are_members_and_an_aborted_group_writes_nothing) {
  Members of;
  of.session_options.AddConfigEntry("ep.context_enable", "1")
      .AddConfigEntry("ep.context_file_path", (of.folder / "s_ctx.onnx").c_str());
  of.group.Attach(of.session_options);
  const Ort::Session session(of.env, data("matmul.onnx"), of.session_options);
  CHECK(has(of.group.GetReportJson(), "s_ctx.onnx"));
  of.group.Abort();
  CHECK(fs::is_empty(of.folder));
}

TEST(cxx_sharing, what_a_writer_throws_comes_out_of_the_commit) {
  Members of;
  Ort::ModelCompilationOptions options(of.env, of.session_options);
  options.SetInputModelPath(data("matmul.onnx"))
      .SetEpContextBinaryInformation(of.folder.c_str(), "w.onnx")
      .SetOutputModelWriter([](Ort::Span<const char>) { throw std::runtime_error("no room"); });
  of.group.Add(options);
  bool is_thrown = false;
  try {
    of.group.Commit();
  } catch (const std::runtime_error& thrown) {
    is_thrown = has(thrown.what(), "no room");
  }
  CHECK(is_thrown);
  CHECK(fs::is_empty(of.folder));
}
