// SPDX-License-Identifier: MIT
// Whole folders: made, measured, removed.
#include "core/platform/shared_folder/folder_tree.h"

#include <sys/stat.h>

#include "core/platform/folder_changes.h"
#include "core/platform/shared_folder/file_stamp.h"
#include "tests/core/platform/platform_files.h"

namespace fs = std::filesystem;
using namespace ortc;
using namespace ortc::test;

TEST(folder_tree, folders_are_made_for_their_user_alone_and_removed_with_all_that_is_in_them) {
  const std::string folder = fresh_folder("tree");
  CHECK_OK(make_folders(folder + "/a/b/c"));
  CHECK_OK(make_folders(folder + "/a/b/c"));
  struct stat info;
  CHECK_EQ(stat((folder + "/a/b").c_str(), &info), 0);
  CHECK_EQ(info.st_mode & 0777, 0700u);
  put_file(folder + "/a/1", "12345");
  put_file(folder + "/a/b/c/2", "123");
  CHECK_EQ(tree_bytes(folder + "/a"), 8u);
  CHECK_EQ(tree_bytes(folder + "/none"), 0u);
  CHECK_OK(remove_tree(folder + "/a"));
  CHECK_OK(remove_tree(folder + "/a"));
  CHECK(fs::is_empty(folder));
}

TEST(folder_tree, links_are_removed_and_what_they_lead_to_stays) {
  const std::string folder = fresh_folder("links");
  fs::create_directories(folder + "/kept");
  fs::create_directories(folder + "/tree");
  put_file(folder + "/kept/file", "x");
  fs::create_symlink(folder + "/kept", folder + "/tree/link");
  fs::create_symlink(folder + "/kept", folder + "/whole");
  CHECK_EQ(tree_bytes(folder + "/tree"), fs::read_symlink(folder + "/tree/link").string().size());
  CHECK_OK(remove_tree(folder + "/tree"));
  CHECK(!remove_tree(folder + "/whole").is_ok());
  CHECK_EQ(get_file(folder + "/kept/file"), "x");
}

TEST(folder_tree, says_what_cannot_be_made) {
  const std::string folder = fresh_folder("wrong");
  put_file(folder + "/file", "x");
  const Status status = make_folders(folder + "/file/a");
  CHECK(!status.is_ok());
  CHECK(has_text(status.message(), folder + "/file"));
  CHECK(free_bytes(folder) > 0);
  CHECK_EQ(free_bytes(folder + "/none"), UINT64_MAX);
}

TEST(folder_tree, stamps_are_renewed_and_identities_asked_without_opening) {
  const std::string folder = fresh_folder("stamps"), path = folder + "/file";
  CHECK(!identity_at(path).has_value());
  CHECK(!identity_at(folder).has_value());
  put_file(path, "four");
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(5));
  const auto before = identity_at(path);
  CHECK(before.has_value());
  CHECK_EQ(before->size, 4u);
  CHECK_EQ(FileMap::open(path).value()->identity().inode, before->inode);
  CHECK(renew_stamp(path));
  CHECK(identity_at(path)->modified_ns > before->modified_ns);
  CHECK(!renew_stamp(folder + "/none"));
}
