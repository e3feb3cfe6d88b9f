// SPDX-License-Identifier: MIT
// Names of what context generation writes: the output model's path, the binary's name.
#include "core/context/context_paths.h"

#include <unistd.h>

#include "tests/core/platform/platform_files.h"

using namespace ortc;
using namespace ortc::test;

namespace {

Result<std::string> path_for(const std::string& explicit_path, const std::string& source,
                             bool overwrite = false) {
  ContextSettings options;
  options.file_path = explicit_path;
  options.overwrite = overwrite;
  return context_model_path(options, source);
}

void check_path(const std::string& explicit_path, const std::string& source,
                const std::string& expected) {
  const auto path = path_for(explicit_path, source);
  CHECK_OK(path);
  CHECK_EQ(*path, expected);
}

void check_is_folder(const std::string& explicit_path, const std::string& source = "m.onnx") {
  const auto path = path_for(explicit_path, source);
  CHECK_CODE(path, Code::kInvalidArgument);
  CHECK(has_text(path.status().message(), "should not point to a folder"));
}

}  // namespace

TEST(context_model_path, takes_the_explicit_path_as_it_is) {
  check_path("o/../x.ctx", "m.onnx", "o/../x.ctx");
  check_path("missing_folder/x.onnx", "", "missing_folder/x.onnx");
}

TEST(context_model_path, derives_a_name_from_the_source) {
  check_path("", "m.onnx", "m_ctx.onnx");
  check_path("", "a.b/m.v1.onnx", "a.b/m.v1_ctx.onnx");
  check_path("", "/x/m.ort", "/x/m_ctx.onnx");
  // A dot of the folder is not a dot of the file.
  check_path("", "a.b/model", "a.b/model_ctx.onnx");
  check_path("", "model", "model_ctx.onnx");
  check_path("", "./.onnx", "./_ctx.onnx");
}

TEST(context_model_path, refuses_folders) {
  const std::string folder = fresh_folder("folders");
  std::filesystem::create_directory(folder + "/x.onnx");
  std::filesystem::create_directory(folder + "/m_ctx.onnx");
  check_is_folder("./folder/");
  check_is_folder("./folder");
  check_is_folder("/");
  check_is_folder(".");
  check_is_folder("a/..");
  check_is_folder("a/.onnx");
  check_is_folder(folder + "/x.onnx");
  check_is_folder("", folder + "/m.onnx");
  check_is_folder("", "a/");
}

TEST(context_model_path, needs_one_of_the_paths) {
  const auto path = path_for("", "");
  CHECK_CODE(path, Code::kInvalidArgument);
  CHECK(has_text(path.status().message(), "ep.context_file_path"));
}

TEST(context_model_path, replaces_only_when_told) {
  const std::string folder = fresh_folder("exists");
  put_file(folder + "/m_ctx.onnx", "x");
  CHECK_EQ(symlink("nowhere", (folder + "/link_ctx.onnx").c_str()), 0);
  for (const std::string name : {"m", "link"}) {
    const std::string wanted = folder + "/" + name + "_ctx.onnx";
    for (const auto& path : {path_for("", folder + "/" + name + ".onnx"), path_for(wanted, "")}) {
      CHECK_CODE(path, Code::kFail);
      CHECK(has_text(path.status().message(), "exists already"));
      CHECK(has_text(path.status().message(), wanted));
    }
    const auto path = path_for(wanted, "", /*overwrite=*/true);
    CHECK_OK(path);
    CHECK_EQ(*path, wanted);
  }
}

TEST(context_binary_name, follows_the_model) {
  CHECK_EQ(context_binary_name("m_ctx.onnx", "aot"), "m_aot.bin");
  CHECK_EQ(context_binary_name("a.b/m.v1_ctx.onnx", "aot"), "m.v1_aot.bin");
  CHECK_EQ(context_binary_name("/x/out.onnx", "qnn"), "out_qnn.bin");
  CHECK_EQ(context_binary_name("m_ctx_ctx", "aot"), "m_ctx_aot.bin");
  CHECK_EQ(context_binary_name("_ctx.onnx", "aot"), "_aot.bin");
}
