// SPDX-License-Identifier: MIT
#include "core/platform/file_store.h"

#include <filesystem>
#include <fstream>

#include "tests/support/failing_allocations.h"
#include "tests/support/test.h"

namespace ortc {
namespace {

using Map = std::shared_ptr<const FileMap>;

std::string put_file(const std::string& name) {
  const std::string path = test::temp_dir() + "/" + name;
  std::ofstream(path) << "weights";
  return path;
}

Map open_file(const std::string& path) { return FileMap::open(path, Access::kMap).value(); }

TEST(file_store, gives_one_map_to_all_who_ask_for_a_file) {
  FileStore store;
  const std::string path = put_file("shared.bin");
  const Map first = store.share(open_file(path), Access::kMap);
  CHECK_EQ(first->bytes().size(), 7u);
  CHECK(store.share(open_file(path), Access::kMap) == first);
  CHECK(store.find(first->identity(), Access::kMap) == first);
  CHECK(store.find(first->identity(), Access::kRead) == nullptr);
  CHECK_EQ(store.file_count(), 1u);
}

TEST(file_store, a_copy_of_a_file_that_was_rewritten_under_its_old_time_is_another) {
  FileStore store;
  const std::string path = put_file("rewritten.bin");
  const Map first = store.share(open_file(path), Access::kMap);  // small: a copy
  const auto time = std::filesystem::last_write_time(path);
  std::ofstream(path) << "WEIGHTS";
  std::filesystem::last_write_time(path, time);
  const Map second = store.share(open_file(path), Access::kMap);
  CHECK(second != first && as_text(second->bytes()) == "WEIGHTS");
}

TEST(file_store, keeps_nothing_of_a_file_that_nobody_holds) {
  FileStore store;
  const std::string path = put_file("released.bin");
  const long before = live_allocations();
  const auto identity = [&] {
    const Map first = store.share(open_file(path), Access::kMap);
    const Map second = store.share(open_file(path), Access::kMap);
    return first->identity();
  }();
  CHECK_EQ(live_allocations(), before);
  CHECK_EQ(store.file_count(), 0u);
  CHECK(store.find(identity, Access::kMap) == nullptr);
}

TEST(file_store, is_as_before_after_memory_ran_out) {
  struct Case {
    FileStore store;
    std::string path = put_file("short.bin");
  } short_of_memory;
  const auto attempt = [](void* context) {
    auto& c = *static_cast<Case*>(context);
    try {
      const auto fresh = FileMap::open(c.path, Access::kMap);
      if (!fresh.is_ok()) return false;
      const Map map = c.store.share(*fresh, Access::kMap);
      return c.store.file_count() == 1;
    } catch (const std::bad_alloc&) {
      return false;
    }
  };
  try_every_allocation("sharing a file", attempt, &short_of_memory);
  CHECK_EQ(short_of_memory.store.file_count(), 0u);
}

}  // namespace
}  // namespace ortc
