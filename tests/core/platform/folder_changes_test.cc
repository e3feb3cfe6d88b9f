// SPDX-License-Identifier: MIT
// Changes of a folder's entries: nothing is replaced that must not be, and nothing leads outside.
#include "core/platform/folder_changes.h"

#include <sys/wait.h>
#include <unistd.h>

#include "tests/core/platform/platform_files.h"

namespace fs = std::filesystem;
using namespace ortc;
using namespace ortc::test;

TEST(folder_changes, rename_to_a_free_name_leaves_what_stands_there) {
  const std::string folder = fresh_folder("free");
  put_file(folder + "/new", "new");
  put_file(folder + "/old", "old");
  CHECK_EQ(symlink("nowhere", (folder + "/link").c_str()), 0);
  fs::create_directory(folder + "/sub");
  for (const char* taken : {"old", "link", "sub"}) {
    const auto renamed = rename_to_free_name(folder, "new", taken);
    CHECK_OK(renamed);
    CHECK(!*renamed);
  }
  CHECK_EQ(get_file(folder + "/old"), "old");
  CHECK_EQ(get_file(folder + "/new"), "new");
  const auto renamed = rename_to_free_name(folder, "new", "sub/free");
  CHECK_OK(renamed);
  CHECK(*renamed);
  CHECK_EQ(get_file(folder + "/sub/free"), "new");
  CHECK(!fs::exists(folder + "/new"));
}

TEST(folder_changes, lead_through_no_link) {
  const std::string folder = fresh_folder("links");
  const std::string outside = fresh_folder("outside");
  put_file(folder + "/file", "mine");
  put_file(outside + "/theirs", "theirs");
  CHECK_EQ(symlink(outside.c_str(), (folder + "/sub").c_str()), 0);
  CHECK_CODE(rename_in_folder(folder, "file", "sub/theirs"), Code::kFail);
  CHECK_CODE(rename_to_free_name(folder, "file", "sub/more"), Code::kFail);
  CHECK_CODE(remove_in_folder(folder, "sub/theirs"), Code::kFail);
  MadeFolders folders;
  CHECK_CODE(folders.make(folder, "sub/file"), Code::kFail);
  CHECK_CODE(folders.make(folder, "../x/file"), Code::kInvalidArgument);
  CHECK_EQ(get_file(outside + "/theirs"), "theirs");
  CHECK_EQ(entry_count(outside), 1u);
}

TEST(folder_changes, made_folders_go_again_unless_they_are_kept) {
  const std::string folder = fresh_folder("made");
  fs::create_directory(folder + "/there");
  {
    MadeFolders folders;
    CHECK_OK(folders.make(folder, "there/a/b/file"));
    CHECK_OK(folders.make(folder, "there/a/c/file"));
    CHECK(fs::is_directory(folder + "/there/a/b"));
    CHECK(fs::is_directory(folder + "/there/a/c"));
  }
  CHECK(fs::is_directory(folder + "/there"));
  CHECK_EQ(entry_count(folder + "/there"), 0u);
  {
    MadeFolders folders;
    CHECK_OK(folders.make(folder, "x/y/file"));
    folders.keep();
  }
  CHECK(fs::is_directory(folder + "/x/y"));
}

TEST(folder_changes, a_check_of_folders_tells_what_making_them_would) {
  const std::string folder = fresh_folder("check");
  fs::create_directories(folder + "/there/deep");
  fs::create_directory_symlink("there", folder + "/link");
  put_file(folder + "/file", "");
  CHECK_OK(MadeFolders::check(folder, "w.bin"));
  CHECK_OK(MadeFolders::check(folder, "there/deep/w.bin"));
  CHECK_OK(MadeFolders::check(folder, "there/new/er/w.bin"));
  CHECK(!fs::exists(folder + "/there/new"));
  for (const char* path : {"link/w.bin", "file/w.bin", "there/../w.bin"}) {
    CHECK(!MadeFolders::check(folder, path).is_ok());
    MadeFolders folders;
    CHECK(!folders.make(folder, path).is_ok());
  }
}

TEST(folder_changes, a_check_of_folders_tells_who_may_not_write) {
  const std::string folder = fresh_folder("rights");
  fs::create_directory(folder + "/there");
  fs::permissions(folder + "/there", fs::perms(0555));
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    const bool is_ready = chdir(folder.c_str()) == 0 && (geteuid() != 0 || seteuid(65534) == 0);
    const Status status = MadeFolders::check("", "there/new/w.bin");
    _exit(is_ready && has_text(status.message(), "cannot write into './there'") ? 0 : 1);
  }
  int state = 0;
  CHECK_EQ(waitpid(child, &state, 0), child);
  CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

TEST(folder_changes, a_made_folder_with_somebodys_file_stays) {
  const std::string folder = fresh_folder("filled");
  {
    MadeFolders folders;
    CHECK_OK(folders.make(folder, "a/b/file"));
    put_file(folder + "/a/theirs", "theirs");
  }
  CHECK_EQ(get_file(folder + "/a/theirs"), "theirs");
  CHECK(!fs::exists(folder + "/a/b"));
}
