// SPDX-License-Identifier: MIT
// Contexts that leave their weights in the source model.
#include <filesystem>

#include "core/context/context_source.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"
#include "tests/support/test_provider.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr int64_t kProductWidth = 64;

// Two products; 32 KiB of weights.
std::string products(unsigned seed = 1) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, kProductWidth});
  auto h =
      g.node("MatMul", {x, g.random_floats("w", {kProductWidth, kProductWidth}, seed)}, {"h"})[0];
  h = g.node("Softsign", {h}, {"s"})[0];
  g.output(g.node("MatMul", {h, g.random_floats("v", {kProductWidth, kProductWidth}, seed + 1)},
                  {"y"})[0]);
  g.infer();
  return g.model_bytes();
}

Tensor wide_rows() {
  return Tensor::from<float>({2, kProductWidth}, random_numbers(2 * kProductWidth, 7));
}

SessionOptions weightless(const TestEnvironment& test, const KeyValues& more = {}) {
  KeyValues own = {{"operators", "MatMul"}};
  for (const auto& [key, value] : more) own[key] = value;
  SessionOptions options = test.options({"Test"}, own);
  CHECK_OK(options.set("ep.enable_weightless", "1"));
  return options;
}

SessionOptions reading(const TestEnvironment& test, const std::string& source) {
  SessionOptions options = test.options({"Test"}, {});
  if (!source.empty()) CHECK_OK(options.set("ep.context_source_model_path", source));
  return options;
}

}  // namespace

TEST(weightless, contexts_find_their_weights_in_the_source_by_path_and_in_memory) {
  const std::string model = products();
  const auto expected = expected_of(model, {wide_rows()});
  for (const bool embed : {false, true}) {
    const TestEnvironment test;
    const std::string name = str_cat("without", embed ? "_embed" : "");
    const auto path = test.compile(name, model, weightless(test), embed);
    CHECK_OK(path);
    CHECK(std::filesystem::file_size(*path) < 20000);
    if (!embed) {
      const auto binary = str_cat(temp_dir(), "/", name, "_test.bin");
      CHECK(std::filesystem::file_size(binary) < 20000);
    }
    const std::string source = str_cat(temp_dir(), "/", name, ".onnx");
    const auto by_path = test.open(file_source(*path), reading(test, source));
    CHECK_OK(by_path);
    CHECK(all_near(run_all(**by_path, {wide_rows()}), expected, 1e-5, 1e-6));
    SessionOptions options = reading(test, "");
    std::string bytes = model;
    options.weightless_source = as_bytes(bytes);
    const auto in_memory = test.open(file_source(*path), options);
    CHECK_OK(in_memory);
    std::fill(bytes.begin(), bytes.end(), 'x');  // it was borrowed until the session was made
    CHECK(all_near(run_all(**in_memory, {wide_rows()}), expected, 1e-5, 1e-6));
  }
}

TEST(weightless, a_missing_or_another_source_is_told) {
  const TestEnvironment test;
  const auto path = test.compile("lost", products(), weightless(test));
  CHECK_OK(path);
  const auto missing = test.open(file_source(*path), reading(test, ""));
  CHECK_CODE(missing, Code::kFail);
  CHECK(missing.status().message().find("ep.context_source_model_path") != std::string::npos);
  const auto absent = test.open(file_source(*path), reading(test, "/nowhere/m.onnx"));
  CHECK_CODE(absent, Code::kNoSuchFile);
  const std::string other = str_cat(temp_dir(), "/other_source.onnx");
  write_whole_file(other, products(9));
  const auto foreign = test.open(file_source(*path), reading(test, other));
  CHECK_CODE(foreign, Code::kInvalidGraph);
  CHECK(foreign.status().message().find("has changed") != std::string::npos);
}

TEST(weightless, a_provider_that_cannot_is_named_before_anything_is_compiled) {
  const TestEnvironment test;
  const auto path = test.compile("cannot", products(), weightless(test, {{"weights_needed", "1"}}));
  CHECK_CODE(path, Code::kEpFail);
  CHECK(path.status().message().find(kTestProvider) != std::string::npos);
  CHECK_EQ(test.state->compiled.load(), 0);
  CHECK(!std::filesystem::exists(str_cat(temp_dir(), "/cannot_ctx.onnx")));
}

TEST(weightless, by_the_older_key_weights_are_inputs_of_the_nodes) {
  const std::string model = products();
  const TestEnvironment test;
  SessionOptions options = test.options({"Test"}, {{"operators", "MatMul"}});
  CHECK_OK(options.set("ep.enable_weightless_ep_context_nodes", "1"));
  const auto path = test.compile("as_inputs", model, options);
  CHECK_OK(path);
  const auto compiled = import_model_file(*path, ImportOptions{});
  CHECK_OK(compiled);
  const auto nodes = ep_context_nodes(*(*compiled)->graph);
  CHECK_EQ(nodes.size(), size_t{2});
  for (const Node* node : nodes) CHECK_EQ(node->inputs().size(), size_t{2});
  const auto session = test.open(file_source(*path), reading(test, ""));
  CHECK_OK(session);
  CHECK(all_near(run_all(**session, {wide_rows()}), expected_of(model, {wide_rows()}), 1e-5, 1e-6));
}
