// SPDX-License-Identifier: MIT
// What the tests of sharing groups have in common: variants of a network whose weights are equal,
// and their compiles.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "core/context/sharing/sharing_group.h"
#include "core/platform/path.h"
#include "core/platform/staged_write.h"
#include "core/session/stages.h"
#include "tests/core/context/context_testing.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

namespace ortc::test {

inline constexpr int64_t kSharedWidth = 192;

// The weights of all variants are equal; `variant` changes what is done with them.
inline std::string network(int variant) {
  GraphBuilder g;
  const auto w = g.random_floats("w", {kSharedWidth, kSharedWidth}, 5);
  auto x = g.input("x", DType::kFloat32, {-1, kSharedWidth});
  for (int i = 0; i <= variant; ++i) x = g.node("MatMul", {x, w}, {str_cat("y", i)})[0];
  g.output(g.node("Tanh", {x}, {"out"})[0]);
  g.infer();
  return g.model_bytes();
}

inline std::string put_network(const std::string& folder, int variant) {
  const std::string path = str_cat(folder, "/m", variant, ".onnx");
  write_whole_file(path, network(variant));
  return path;
}

inline std::string output_of(const std::string& folder, int variant) {
  return str_cat(folder, "/m", variant, "_ctx.onnx");
}

struct Compile {
  std::shared_ptr<const Environment> environment = quiet_environment();
  std::shared_ptr<SharingGroup> group;  // null: the environment's
  KeyValues config;

  CompileOptions options(const std::string& source, const std::string& output, bool stops) const {
    SessionOptions session = options_with(*environment, {"AOT"});
    for (const auto& [key, value] : config) CHECK_OK(session.set(key, value));
    session.context.share = true;
    session.context.stop_share = stops;
    session.sharing_group = group;
    CompileOptions compile = CompileOptions::from(session);
    compile.input = file_source(source);
    compile.output_path = output;
    return compile;
  }
  Status add(const std::string& source, const std::string& output, bool stops = false,
             const MakingLimits& limits = {}) const {
    return compile_to_output(environment, options(source, output, stops), limits).status();
  }
};

// That the compiled variant gives the numbers of its source.
inline void check_numbers(const std::string& sources, const std::string& folder, int variant) {
  const auto environment = quiet_environment();
  const SessionOptions options = options_with(*environment, {"AOT"});
  const auto from_source =
      Session::create(environment, file_source(str_cat(sources, "/m", variant, ".onnx")), options);
  const auto from_context =
      Session::create(environment, file_source(output_of(folder, variant)), options);
  CHECK_OK(from_source);
  CHECK_OK(from_context);
  const Tensor x = Tensor::from<float>({3, kSharedWidth}, random_numbers(3 * kSharedWidth, 9));
  CHECK(same_bits(run_all(**from_source, {x}), run_all(**from_context, {x})));
}

inline uint64_t size_of(const std::string& path) { return std::filesystem::file_size(path); }

}  // namespace ortc::test
