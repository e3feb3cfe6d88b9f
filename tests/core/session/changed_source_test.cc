// SPDX-License-Identifier: MIT
// A source that is written while it is compiled: what was compiled is not what the file says now.
#include <filesystem>
#include <fstream>

#include "core/platform/path.h"
#include "core/platform/staged_write.h"
#include "core/session/stages.h"
#include "tests/core/graph/wire_model.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;
namespace fs = std::filesystem;

namespace {

// In place, as cp writes: the file stays the same one.
void overwrite(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

Status compile(const std::string& source, const std::string& output, std::string_view during,
               const std::string& written, const std::string& bytes) {
  const auto environment = quiet_environment();
  CompileOptions options = CompileOptions::from(options_with(*environment, {"AOT"}));
  options.input = file_source(source);
  options.output_path = output;
  MakingLimits limits;
  bool is_written = during.empty();
  limits.progress = [&](std::string_view stage, std::string_view, double) {
    if (stage == during && !is_written) overwrite(written, bytes);
    is_written = is_written || stage == during;
    return Status::ok();
  };
  const Status status = compile_to_output(environment, options, limits).status();
  CHECK(is_written);
  return status;
}

// A product with weights in "w.data".
constexpr int64_t kWidth = 96;
std::string weights_of(unsigned seed) {
  const auto numbers = random_numbers(kWidth * kWidth, seed);
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
}
std::string model_with_external_weights() {
  const auto location = wire::external({{"location", "w.data"}});
  return wire::model(wire::graph(
      {wire::node("MatMul", {"x", "w"}, {"y"})}, {wire::value("x", 1, {1, kWidth})},
      {wire::value("y", 1, {1, kWidth})}, {wire::tensor("w", 1, {kWidth, kWidth}, location)}));
}

}  // namespace

TEST(changed_source, is_not_taken_for_what_was_compiled) {
  for (const char* during : {"optimise", "partition", "compile"}) {
    const std::string folder = str_cat(temp_dir(), "/changed_", during);
    fs::create_directory(folder);
    const std::string source = folder + "/m.onnx", output = folder + "/m_ctx.onnx";
    write_whole_file(source, small_network(40, 1));
    const Status status = compile(source, output, during, source, small_network(41, 2));
    CHECK_CODE(status, Code::kFail);
    CHECK(status.message().find("was written while it was compiled") != std::string::npos);
    CHECK(!fs::exists(output));
    CHECK_OK(compile(source, output, "", source, ""));
  }
}

TEST(changed_source, has_external_data_too) {
  for (const char* during : {"optimise", "partition", "compile", "write"}) {
    for (const bool is_cut : {false, true}) {
      // What is cut is fatal to read, so it is cut when all of it was.
      if (is_cut && std::string_view(during) != "write") continue;
      const std::string folder = str_cat(temp_dir(), "/external_", during, is_cut);
      fs::create_directory(folder);
      const std::string source = folder + "/m.onnx", output = folder + "/m_ctx.onnx";
      write_whole_file(source, model_with_external_weights());
      write_whole_file(folder + "/w.data", weights_of(1));
      const Status status =
          compile(source, output, during, folder + "/w.data", is_cut ? "" : weights_of(2));
      CHECK_CODE(status, Code::kFail);
      CHECK(status.message().find("w.data' was written while it was compiled") !=
            std::string::npos);
      CHECK(!fs::exists(output));
      write_whole_file(folder + "/w.data", weights_of(1));
      CHECK_OK(compile(source, output, "", source, ""));
    }
  }
}
