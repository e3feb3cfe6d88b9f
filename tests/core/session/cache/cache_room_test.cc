// SPDX-License-Identifier: MIT
// Room in a cache: which entries go, and what is never touched.
#include "core/session/cache/cache_room.h"

#include "core/session/cache/record_text.h"
#include "tests/core/session/cache/cache_testing.h"

namespace fs = std::filesystem;
using namespace ortc;
using namespace ortc::test;

namespace {

// A cache with an entry of 1000 bytes for each letter, the first one unused for the longest time.
struct Room {
  CacheFolder folder;

  explicit Room(const std::string& name, std::string_view letters) : folder(fresh_folder(name)) {
    CHECK_OK(folder.make());
    auto time = fs::file_time_type::clock::now() - std::chrono::hours(100);
    for (const char letter : letters) {
      const std::string path = folder.entry_path(key(letter));
      fs::create_directories(path);
      put_file(path + "/entry", std::string(100, 'x'));
      put_file(path + "/model_ctx.onnx", std::string(900, 'x'));
      fs::last_write_time(path + "/entry", time += std::chrono::minutes(1));
    }
  }
  static std::string key(char letter) { return std::string(32, letter); }
  std::string letters() const {
    std::string found;
    for (const CacheUse& use : cache_use(folder)) found += use.key[0];
    return found;
  }
};

}  // namespace

TEST(cache_room, the_longest_unused_go_until_the_others_fit) {
  const Room room("order", "dcab");
  CHECK_EQ(room.letters(), "dcab");
  const auto nothing = make_room(room.folder, 4000);
  CHECK_OK(nothing);
  CHECK(nothing->removed.empty());
  const auto result = make_room(room.folder, 2999);
  CHECK_OK(result);
  CHECK_EQ(result->removed.size(), 2u);
  CHECK_EQ(result->kept_bytes, 2000u);
  CHECK_EQ(room.letters(), "ab");
  CHECK_OK(prune_cache(room.folder, 0, {}));
  CHECK_EQ(room.letters(), "");
}

TEST(cache_room, what_is_expected_of_others_counts_as_theirs) {
  const Room room("expected", "ab");
  const std::string first = Room::key('e'), second = Room::key('f');
  for (const std::string& key : {first, second}) {
    fs::create_directories(room.folder.making_path(key));
  }
  const auto first_lock = NamedLock::try_acquire(room.folder.lock_path(first));
  const auto second_lock = NamedLock::try_acquire(room.folder.lock_path(second));
  CHECK_OK(reserve_room(room.folder, first, 2000, 5000, {}));
  CHECK_EQ(room.letters(), "ab");
  CHECK_EQ(bytes_in_making(room.folder, second).expected, 2000u);
  CHECK(bytes_in_making(room.folder, second).written < 2000u);
  CHECK_EQ(bytes_in_making(room.folder, first).expected, 0u);
  CHECK_OK(reserve_room(room.folder, second, 2000, 5000, {}));
  CHECK_EQ(room.letters(), "b");
  CHECK(!reserve_room(room.folder, second, 3001, 5000, {}).is_ok());
  const Status beyond = reserve_room(room.folder, second, UINT64_MAX, 0, {});
  CHECK(has_text(beyond.message(), "the disk has room for"));
  // The second one takes less than was expected, and the first one what was.
  forget_reservation(room.folder, second);
  put_file(room.folder.making_path(second) + "/model_ctx.onnx", std::string(1000, 'x'));
  CHECK_OK(make_room_for(room.folder, second, 4000));
  CHECK_EQ(room.letters(), "b");
  CHECK_OK(make_room_for(room.folder, second, 3500));
  CHECK_EQ(room.letters(), "");
  CHECK(!make_room_for(room.folder, second, 999).is_ok());
  CHECK_OK(make_room_for(room.folder, second, 0));  // no limit
}

TEST(cache_room, leftovers_go_and_what_is_in_use_stays) {
  const Room room("leftovers", "a");
  const std::string dead = Room::key('d'), alive = Room::key('e');
  for (const std::string& key : {dead, alive}) {
    fs::create_directories(room.folder.making_path(key));
    put_file(room.folder.making_path(key) + "/x", "x");
    put_file(room.folder.lock_path(key), "");
  }
  fs::create_directories(room.folder.entry_path(dead) + ".gone/deep");
  put_file(room.folder.sources_path() + "/old", "x");
  put_file(room.folder.sources_path() + "/new", "x");
  fs::last_write_time(room.folder.sources_path() + "/old",
                      fs::file_time_type::clock::now() - std::chrono::hours(24 * 31));
  const auto lock = NamedLock::try_acquire(room.folder.lock_path(alive));
  remove_leftovers(room.folder);
  CHECK((room.folder.makings() == std::vector<std::string>{alive}));
  CHECK((room.folder.locks() == std::vector<std::string>{alive}));
  CHECK(room.folder.gone().empty());
  CHECK((room.folder.sources() == std::vector<std::string>{"new"}));
  CHECK_EQ(room.letters(), "a");
}

TEST(cache_room, an_entry_is_removed_although_another_removal_was_cut_off) {
  const Room room("cut_off", "a");
  fs::create_directories(room.folder.entry_path(Room::key('a')) + ".gone/deep");
  CHECK_OK(remove_entry(room.folder, Room::key('a')));
  CHECK_OK(remove_entry(room.folder, Room::key('a')));
  CHECK_EQ(room.letters(), "");
  CHECK(room.folder.gone().empty());
}
