// SPDX-License-Identifier: MIT
// A source that is written while it is compiled: what was compiled is not what the file says now.
#include <filesystem>
#include <fstream>

#include "core/platform/path.h"
#include "core/platform/staged_write.h"
#include "core/session/stages.h"
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

Status compile(const std::string& source, const std::string& output, std::string_view during) {
  const auto environment = quiet_environment();
  CompileOptions options = CompileOptions::from(options_with(*environment, {"AOT"}));
  options.input = file_source(source);
  options.output_path = output;
  MakingLimits limits;
  bool is_written = during.empty();
  limits.progress = [&](std::string_view stage, std::string_view, double) {
    if (stage == during && !is_written) overwrite(source, small_network(41, 2));
    is_written = is_written || stage == during;
    return Status::ok();
  };
  const Status status = compile_to_output(environment, options, limits).status();
  CHECK(is_written);
  return status;
}

}  // namespace

TEST(changed_source, is_not_taken_for_what_was_compiled) {
  for (const char* during : {"optimise", "partition", "compile"}) {
    const std::string folder = str_cat(temp_dir(), "/changed_", during);
    fs::create_directory(folder);
    const std::string source = folder + "/m.onnx", output = folder + "/m_ctx.onnx";
    write_whole_file(source, small_network(40, 1));
    const Status status = compile(source, output, during);
    CHECK_CODE(status, Code::kFail);
    CHECK(status.message().find("was written while it was compiled") != std::string::npos);
    CHECK(!fs::exists(output));
    CHECK_OK(compile(source, output, ""));
  }
}
