// SPDX-License-Identifier: MIT
// Paths as text, and the questions about paths.
#include "core/platform/path.h"

#include "core/platform/staged_write.h"
#include "tests/core/platform/platform_files.h"

namespace fs = std::filesystem;
using namespace ortc;
using namespace ortc::test;

TEST(path, splits_into_folder_and_file_name) {
  const struct {
    const char *path, *folder, *name;
  } cases[] = {
      {"a/b.onnx", "a", "b.onnx"},
      {"b.onnx", "", "b.onnx"},
      {"/b.onnx", "/", "b.onnx"},
      {"/a/b/c", "/a/b", "c"},
      {"a//b.onnx", "a", "b.onnx"},
      {"a/", "a", ""},
      {"//b", "/", "b"},
      {"", "", ""},
      {"./b", ".", "b"},
      {"../x/b.onnx", "../x", "b.onnx"},
  };
  for (const auto& c : cases) {
    CHECK_EQ(path_folder(c.path), c.folder);
    CHECK_EQ(path_file_name(c.path), c.name);
  }
}

TEST(path, splits_a_file_name_into_stem_and_extension) {
  const struct {
    const char *path, *stem, *extension;
  } cases[] = {
      {"a/b.onnx", "b", ".onnx"},
      {"b", "b", ""},
      {"a.b/c", "c", ""},
      {"a/b.tar.gz", "b.tar", ".gz"},
      {".hidden", ".hidden", ""},
      {".hidden.txt", ".hidden", ".txt"},
      {"b.", "b", "."},
      {"..", "..", ""},
      {".", ".", ""},
      {"", "", ""},
  };
  for (const auto& c : cases) {
    CHECK_EQ(path_stem(c.path), c.stem);
    CHECK_EQ(path_extension(c.path), c.extension);
    // The C++ library agrees.
    CHECK_EQ(path_stem(c.path), fs::path(c.path).stem().string());
    CHECK_EQ(path_extension(c.path), fs::path(c.path).extension().string());
  }
}

TEST(path, joins_with_one_slash) {
  CHECK_EQ(path_join("a", "b"), "a/b");
  CHECK_EQ(path_join("a/", "b"), "a/b");
  CHECK_EQ(path_join("/", "b"), "/b");
  CHECK_EQ(path_join("", "b"), "b");
  CHECK_EQ(path_join("a", ""), "a");
}

TEST(path, gives_the_folder_of_a_target) {
  CHECK_EQ(folder_of_target("m.onnx"), ".");
  CHECK_EQ(folder_of_target("a/m.onnx"), "a");
  CHECK_EQ(folder_of_target("/m.onnx"), "/");
}

TEST(path, knows_files_folders_and_links) {
  const std::string top = fresh_folder("kinds");
  put_file(top + "/file", "x");
  fs::create_symlink("file", top + "/link");
  fs::create_symlink("none", top + "/dangling");
  CHECK(path_exists(top) && path_exists(top + "/file") && path_exists(top + "/link"));
  CHECK(!path_exists(top + "/dangling") && !path_exists(top + "/none"));
  CHECK(path_is_directory(top) && !path_is_directory(top + "/file"));
  CHECK(path_is_symlink(top + "/link") && path_is_symlink(top + "/dangling"));
  CHECK(!path_is_symlink(top + "/file") && !path_is_symlink(top + "/none"));
  CHECK_EQ(real_path(top + "/link"), real_path(top) + "/file");
  CHECK_EQ(real_path(top + "/none"), top + "/none");
}

TEST(path, lists_a_folder_in_order) {
  const std::string top = fresh_folder("list");
  for (const char* name : {"b", "a", ".c", "B"}) put_file(top + "/" + name, "");
  auto names = list_folder(top);
  CHECK_OK(names);
  CHECK(names.value() == (std::vector<std::string>{".c", "B", "a", "b"}));
  CHECK_CODE(list_folder(top + "/none"), Code::kNoSuchFile);
  CHECK_CODE(list_folder(top + "/a"), Code::kFail);
}
