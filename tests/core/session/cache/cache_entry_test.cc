// SPDX-License-Identifier: MIT
// Entries of a cache, seen while others put them there.
#include "core/session/cache/cache_entry.h"

#include <atomic>
#include <thread>

#include "tests/core/session/cache/cache_testing.h"

namespace fs = std::filesystem;
using namespace ortc;
using namespace ortc::test;

namespace {

struct Shelf {
  CacheFolder folder;
  CacheKey key;

  explicit Shelf(const std::string& name) : folder(fresh_folder(name)) {
    key.digits = std::string(32, 'a');
    key.parts.emplace_back("library", "1");
    CHECK_OK(folder.make());
    fs::create_directories(fs::path(folder.entry_path(key.digits)).parent_path());
  }
  // Beside its place, as one that is being made.
  void write() const {
    const std::string path = folder.making_path(key.digits);
    fs::create_directories(path);
    put_file(path + "/model_ctx.onnx", std::string(100, 'x'));
    CHECK_OK(write_entry_record(path, key, "m.onnx"));
  }
  void publish() const {
    fs::rename(folder.making_path(key.digits), folder.entry_path(key.digits));
  }
  CacheEntry look() const { return CacheEntry::look(folder, key.digits); }
};

}  // namespace

TEST(cache_entry, one_that_appears_while_somebody_looks_is_whole) {
  const Shelf shelf("appears");
  constexpr int kRounds = 400;
  for (int round = 0; round < kRounds; ++round) {
    shelf.write();
    std::atomic<bool> is_looking = false;
    CacheEntry seen;
    std::thread looking([&] {
      while (seen.state == CacheEntry::State::kMissing) {
        seen = shelf.look();
        is_looking = true;
      }
    });
    while (!is_looking) std::this_thread::yield();
    shelf.publish();
    looking.join();
    CHECK_EQ(seen.damage, "");
    CHECK(seen.state == CacheEntry::State::kWhole);
    CHECK_OK(remove_entry(shelf.folder, shelf.key.digits));
  }
}

TEST(cache_entry, what_is_damaged_is_known_by_the_record_that_was_read) {
  const Shelf shelf("damaged");
  CHECK(shelf.look().state == CacheEntry::State::kMissing);
  CHECK(!shelf.look().identity);
  shelf.write();
  shelf.publish();
  const CacheEntry whole = shelf.look();
  CHECK(whole.state == CacheEntry::State::kWhole);
  fs::remove(shelf.folder.entry_path(shelf.key.digits) + "/model_ctx.onnx");
  const CacheEntry damaged = shelf.look();
  CHECK(damaged.state == CacheEntry::State::kDamaged);
  CHECK(damaged.identity == whole.identity);
  fs::remove(damaged.record_path);
  CHECK(shelf.look().state == CacheEntry::State::kDamaged);
  CHECK(!shelf.look().identity);
}
