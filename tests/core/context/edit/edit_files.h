// SPDX-License-Identifier: MIT
// Small compiled models to edit, each in a folder of its own, and runs of what comes out.
#pragma once

#include <filesystem>

#include "core/context/context_source.h"
#include "core/context/edit/edits.h"
#include "core/platform/path.h"
#include "tests/core/platform/platform_files.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

namespace ortc::test {

inline const ProviderRegistry& providers() {
  static const ProviderRegistry registry(built_in_providers());
  return registry;
}

inline std::string new_folder(const std::string& name) {
  const std::string folder = temp_dir() + "/" + name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

// x [batch,width] -> y [batch,out]: MatMul, Softsign on the CPU, MatMul; a PRelu with an
// initializer of its own on the CPU.
inline std::string two_parts(int64_t width, int64_t out, unsigned seed) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, width});
  auto h = g.node("MatMul", {x, g.random_floats("w1", {width, 40}, seed, 0.3f)}, {"h"})[0];
  h = g.node("Softsign", {h}, {"s"})[0];
  h = g.node("PRelu", {h, g.random_floats("slope", {40}, seed + 1)}, {"p"})[0];
  g.output(g.node("MatMul", {h, g.random_floats("w2", {40, out}, seed + 2, 0.3f)}, {"y"})[0]);
  g.infer();
  return g.model_bytes();
}

// Compiles to <folder>/<name>_ctx.onnx, Softsign and PRelu left to the CPU.
inline std::string compile_in(const std::string& folder, const std::string& name,
                              const std::string& model, bool embed = false, KeyValues config = {},
                              KeyValues options = {}) {
  const std::string source = path_join(folder, name + ".onnx");
  write_whole_file(source, model);
  const auto environment = quiet_environment();
  SessionOptions session = options_with(*environment, {"AOT"});
  options.try_emplace("excluded_operators", "Softsign,PRelu");
  session.providers[0].options = std::move(options);
  CompileOptions compile = CompileOptions::from(session);
  for (auto& [key, value] : config) CHECK_OK(compile.session.set(key, value));
  compile.input = file_source(source);
  compile.output_path = path_join(folder, name + "_ctx.onnx");
  compile.embed = embed;
  CHECK_OK(compile_to_output(environment, compile));
  std::filesystem::remove(source);
  return compile.output_path;
}

inline std::unique_ptr<Session> open_compiled(const std::string& path) {
  const auto environment = quiet_environment();
  SessionOptions options = options_with(*environment, {"AOT"}, 2);
  options.providers[0].options = {
      {"excluded_operators", "Softsign,PRelu,If,Identity,Add,Relu,Mul"}};
  CHECK_OK(options.set("session.disable_model_compile", "1"));
  auto session = Session::create(environment, file_source(path), options);
  CHECK_OK(session);
  return std::move(session).value();
}

inline std::vector<Tensor> run_compiled(const std::string& path,
                                        const std::vector<Tensor>& inputs) {
  return run_all(*open_compiled(path), inputs);
}

inline Tensor rows(int64_t count, int64_t width, unsigned seed) {
  const auto numbers = random_numbers(static_cast<size_t>(count * width), seed);
  return Tensor::from<float>({count, width}, numbers);
}

inline EditOutput to_file(const std::string& path) {
  EditOutput output;
  output.path = path;
  return output;
}

inline bool says(const Status& status, std::string_view text) {
  return status.to_string().find(text) != std::string::npos;
}

}  // namespace ortc::test
