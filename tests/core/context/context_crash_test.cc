// SPDX-License-Identifier: MIT
// A context is whole or not there, whatever happens while it is written.
#include <sys/mount.h>

#include <filesystem>

#include "core/platform/staged_write.h"
#include "tests/core/context/context_testing.h"
#include "tests/support/processes.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;
namespace fs = std::filesystem;

TEST(context_crash, leaves_the_complete_old_or_the_complete_new_set_at_every_operation) {
  for (const bool old_exists : {true, false}) {
    int new_sets = 0, operations = 0;
    for (int n = 1;; ++n) {
      const std::string folder = next_folder();
      std::vector<Tensor> old_result;
      if (old_exists) {
        compile_to(write_network(folder, "m.onnx", 1), folder + "/m_ctx.onnx");
        old_result = run_all(*load(folder + "/m_ctx.onnx").value(), {fixed_batch()});
      }
      const std::string model = write_network(folder, "m.onnx", 8);
      const auto new_result = run_all(*load(model).value(), {fixed_batch()});
      const bool died = dies_at_operation(n, [&] { compile_to(model, folder + "/m_ctx.onnx"); });
      const auto session = load(folder + "/m_ctx.onnx");
      if (!session.is_ok()) {
        CHECK(!old_exists);
        CHECK_CODE(session, Code::kNoSuchFile);
      } else {
        const auto result = run_all(*session.value(), {fixed_batch()});
        const bool is_new = same_bits(result, new_result);
        CHECK(is_new || (old_exists && same_bits(result, old_result)));
        new_sets += is_new ? 1 : 0;
      }
      // Whatever was left behind, the next compilation succeeds and tidies up.
      compile_to(model, folder + "/m_ctx.onnx");
      CHECK(list_folder(folder).value() ==
            (std::vector<std::string>{"m.onnx", "m_aot.bin", "m_ctx.onnx"}));
      fs::remove_all(folder);
      if (!died) break;
      ++operations;
    }
    CHECK(operations > 5);
    CHECK(new_sets > 1);
  }
}

TEST(context_crash, keeps_the_old_set_when_the_disk_is_full_at_any_operation) {
  for (int n = 1;; ++n) {
    const std::string folder = next_folder();
    compile_to(write_network(folder, "m.onnx", 1), folder + "/m_ctx.onnx");
    const auto old_result = run_all(*load(folder + "/m_ctx.onnx").value(), {fixed_batch()});
    const std::string model = write_network(folder, "m.onnx", 8);
    const auto new_result = run_all(*load(model).value(), {fixed_batch()});
    int count = 0;
    bool failed = false;
    set_write_operation_hook([&](const char* operation, const std::string& path) {
      if (++count < n || std::string_view(operation) == "remove") return Status::ok();
      failed = true;
      return fail(operation, " '", path, "': No space left on device");
    });
    const auto environment = quiet_environment();
    CompileOptions options = CompileOptions::from(options_with(*environment, {"AOT"}));
    options.input = file_source(model);
    options.output_path = folder + "/m_ctx.onnx";
    const auto report = compile_to_output(environment, options);
    set_write_operation_hook(nullptr);
    const auto result = run_all(*load(folder + "/m_ctx.onnx").value(), {fixed_batch()});
    if (report.is_ok()) {
      CHECK(same_bits(result, new_result));
    } else {
      CHECK(report.status().message().find("No space left") != std::string::npos);
      CHECK(same_bits(result, old_result) || same_bits(result, new_result));
    }
    fs::remove_all(folder);
    if (!failed) break;
  }
}

TEST(context_crash, keeps_the_old_set_when_a_small_file_system_is_really_full) {
  const std::string folder = next_folder();
  if (mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=160k") != 0) {
    std::fprintf(stderr, "SKIPPED: this system does not let the test mount a file system\n");
    return;
  }
  const std::string outside = next_folder();
  compile_to(write_network(outside), folder + "/m_ctx.onnx");
  const auto files = list_folder(folder).value();
  const auto before = run_all(*load(folder + "/m_ctx.onnx").value(), {fixed_batch()});
  write_whole_file(outside + "/large.onnx", small_network(300));
  const auto environment = quiet_environment();
  CompileOptions options = CompileOptions::from(options_with(*environment, {"AOT"}));
  options.input = file_source(outside + "/large.onnx");
  options.output_path = folder + "/m_ctx.onnx";
  const auto report = compile_to_output(environment, options);
  const bool intact =
      list_folder(folder).value() == files &&
      same_bits(run_all(*load(folder + "/m_ctx.onnx").value(), {fixed_batch()}), before);
  CHECK_EQ(umount2(folder.c_str(), MNT_DETACH), 0);
  CHECK_CODE(report, Code::kFail);
  CHECK(report.status().message().find("No space left on device") != std::string::npos);
  CHECK(intact);
}
