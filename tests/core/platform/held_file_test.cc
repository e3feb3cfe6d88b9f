// SPDX-License-Identifier: MIT
#include "core/platform/held_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include "tests/core/platform/platform_files.h"

using namespace ortc;
using namespace ortc::test;
namespace fs = std::filesystem;

TEST(held_file, knows_whether_its_path_still_leads_to_it) {
  const std::string folder = fresh_folder("held");
  const std::string path = folder + "/a.bin";
  put_file(path, "old");
  const auto held = HeldFile::open(path);
  CHECK_OK(held);
  CHECK(held->is_still_there());
  put_file(path, "longer");  // the same file
  CHECK(held->is_still_there());
  put_file(folder + "/b.bin", "new");
  fs::rename(folder + "/b.bin", path);
  CHECK(!held->is_still_there());
  fs::remove(path);
  CHECK(!held->is_still_there());
}

TEST(held_file, is_not_taken_for_a_later_file_of_the_same_name) {
  const std::string path = fresh_folder("inode") + "/a.bin";
  for (int i = 0; i < 100; ++i) {
    put_file(path, "text");
    const auto held = HeldFile::open(path);
    CHECK_OK(held);
    fs::remove(path);
    put_file(path, "text");
    CHECK(!held->is_still_there());
    fs::remove(path);
  }
}

TEST(held_file, gives_its_bytes_after_its_name_was_taken_and_as_often_as_asked) {
  for (const size_t size : {size_t{0}, size_t{5}, size_t{100'000}}) {
    const std::string path = fresh_folder("bytes") + "/a.bin";
    const std::string text(size, 'x');
    put_file(path, text);
    const auto held = HeldFile::open(path);
    CHECK_OK(held);
    fs::remove(path);
    for (const Access access : {Access::kMap, Access::kRead, Access::kMap}) {
      const auto map = held->map(access);
      CHECK_OK(map);
      CHECK((*map)->bytes().size() == size && as_text((*map)->bytes()) == text);
      CHECK_EQ((*map)->path(), path);
    }
  }
}

TEST(held_file, says_whether_its_path_is_a_link) {
  const std::string folder = fresh_folder("links");
  put_file(folder + "/a.bin", "text");
  fs::create_symlink("a.bin", folder + "/link.bin");
  fs::create_symlink("link.bin", folder + "/second.bin");
  fs::create_symlink("self.bin", folder + "/self.bin");
  fs::create_symlink("none.bin", folder + "/dangling.bin");
  fs::create_directory_symlink(".", folder + "/here");
  const auto is_link = [&](const std::string& name) {
    const auto held = HeldFile::open(folder + name);
    CHECK_OK(held);
    CHECK(as_text((*held->map(Access::kMap))->bytes()) == "text");
    return held->is_behind_link();
  };
  CHECK(!is_link("/a.bin") && !is_link("/here/a.bin"));
  CHECK(is_link("/link.bin") && is_link("/second.bin") && is_link("/here/link.bin"));
  CHECK_CODE(HeldFile::open(folder + "/self.bin"), Code::kFail);
  CHECK_CODE(HeldFile::open(folder + "/dangling.bin"), Code::kNoSuchFile);
  CHECK(has_text(HeldFile::open(folder + "/here").status().message(), "found a directory"));
}

TEST(held_file, refuses_what_is_not_a_regular_file_and_leaves_no_descriptor) {
  const std::string folder = fresh_folder("irregular_held");
  put_file(folder + "/a.bin", "text");
  CHECK_EQ(mkfifo((folder + "/fifo").c_str(), 0600), 0);
  const size_t before = entry_count("/proc/self/fd");
  {
    auto held = HeldFile::open(folder + "/a.bin");
    CHECK_OK(held);
    CHECK_EQ(entry_count("/proc/self/fd"), before + 1);
    const HeldFile moved = std::move(held).value();
    CHECK(moved.is_still_there());
    CHECK_CODE(HeldFile::open(folder), Code::kFail);
    CHECK_CODE(HeldFile::open(folder + "/fifo"), Code::kFail);
    CHECK_CODE(HeldFile::open(folder + "/none"), Code::kNoSuchFile);
    CHECK_CODE(HeldFile::open(folder + "/a.bin" + std::string(1, '\0')), Code::kFail);
  }
  CHECK_EQ(entry_count("/proc/self/fd"), before);
}
