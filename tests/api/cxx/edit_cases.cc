// SPDX-License-Identifier: MIT
// ort_c/cxx: files of compiled models, compared and changed.
#include <filesystem>
#include <stdexcept>

#include "tests/api/cxx/cxx_testing.h"

using namespace ortc::test;

namespace {

/// The compiled matmul model, under a name of its own.
std::string compiled(const Ort::Env& env, const std::string& name) {
  const std::string path = temp_dir() + "/" + name + "_ctx.onnx";
  Ort::ModelCompilationOptions options(env, compiling_options());
  options.SetInputModelPath(data("matmul.onnx")).SetOutputModelPath(path);
  Ort::ThrowOnError(Ort::CompileModel(env, options));
  return path;
}

size_t inputs_of(const Ort::Env& env, const std::string& path) {
  return Ort::Session(env, path, compiling_options()).GetInputCount();
}

}  // namespace

TEST(cxx_edits, pack_extract_prefix_and_merge_give_models_that_load) {
  const Ort::Env env;
  const std::string one = compiled(env, "one");
  const std::string two = compiled(env, "two");
  const std::string made = temp_dir() + "/made_ctx.onnx";
  CHECK(has(Ort::PackModel(one, made), "made_ctx.onnx"));
  CHECK_EQ(inputs_of(env, made), size_t{1});
  CHECK_THROWS(Ort::PackModel(one, made, OrtEditFlags_NO_OVERWRITE), ORT_FAIL, "exists already");
  CHECK(has(Ort::PrefixModel(one, "left_", made), "left_"));
  CHECK(has(Ort::InspectFileJson(made), "left_"));
  CHECK(has(Ort::MergeModels({one, two}, {}, made), "renamed"));
  CHECK_EQ(inputs_of(env, made), size_t{2});
  CHECK_THROWS(Ort::ExtractContext(one, "absent", made), ORT_INVALID_ARGUMENT, "absent");
}

TEST(cxx_edits, hear_progress_and_stop_when_it_throws) {
  const Ort::Env env;
  const std::string one = compiled(env, "stopped");
  const std::string made = temp_dir() + "/never_ctx.onnx";
  bool threw = false;
  try {
    Ort::PackModel(one, made, 0, [](const Ort::Progress&) -> bool {
      throw std::runtime_error("that is enough");
    });
  } catch (const std::runtime_error& error) {
    threw = std::string(error.what()) == "that is enough";
  }
  CHECK(threw);
  CHECK(!std::filesystem::exists(made));
}

TEST(cxx_edits, differences_and_inner_values_are_seen) {
  const Ort::Env env;
  const std::string one = compiled(env, "left");
  CHECK(has(Ort::DiffFilesJson(one, one), "\"equal\":true"));
  CHECK(has(Ort::DiffFilesJson(data("matmul.onnx"), data("sums.onnx")), "\"equal\":false"));
  const std::vector<uint8_t> bytes = Ort::ExposeModelValues(data("layers.onnx"));
  const Ort::Session source(env, data("layers.onnx"), Ort::SessionOptions());
  const Ort::Session exposed(env, bytes.data(), bytes.size(), Ort::SessionOptions());
  CHECK(exposed.GetOutputCount() > source.GetOutputCount());
  const Ort::Graph graph = Ort::Graph::Load(env, bytes.data(), bytes.size());
  CHECK_EQ(graph.GetOutputs().size(), exposed.GetOutputCount());
}
