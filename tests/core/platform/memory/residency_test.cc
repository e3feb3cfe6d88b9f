// SPDX-License-Identifier: MIT
// Bringing memory in and keeping it there, seen through what the system says of it.
#include "core/platform/memory/residency.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "core/platform/file_map.h"
#include "core/platform/memory/page_counts.h"
#include "tests/core/platform/platform_files.h"
#include "tests/support/smaps.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr size_t kPages = 64;

// Addresses without memory yet.
class Region {
 public:
  explicit Region(size_t size = kPages * 4096) : size_(size) {
    address_ = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(address_ != MAP_FAILED);
  }
  ~Region() { munmap(address_, size_); }
  std::byte* data() const { return static_cast<std::byte*>(address_); }
  Bytes bytes() const { return {data(), size_}; }
  Bytes pages(size_t begin, size_t end) const {
    return bytes().subspan(begin * 4096, (end - begin) * 4096);
  }

 private:
  size_t size_;
  void* address_;
};

uint64_t resident(Bytes range) {
  const auto counts = count_pages({&range, 1});
  CHECK_OK(counts);
  return counts->resident_bytes;
}

// What the system says is locked in this process.
uint64_t locked_bytes() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmLck:")) return std::stoull(line.substr(6)) * 1024;
  }
  check_failed(__FILE__, __LINE__, "no VmLck in /proc/self/status");
}

}  // namespace

TEST(residency, means_all_pages_that_a_range_touches) {
  const Region region;
  CHECK_EQ(pages_of(region.bytes().subspan(1, 4096)).data(), region.data());
  CHECK_EQ(pages_of(region.bytes().subspan(1, 4096)).size(), 8192u);
  CHECK_EQ(pages_of(region.bytes().subspan(4096, 1)).size(), 4096u);
  CHECK(pages_of({}).empty());
}

TEST(residency, brings_in_what_was_asked_for) {
  const Region region;
  CHECK_EQ(resident(region.bytes()), 0u);
  CHECK_OK(bring_in(region.pages(10, 20)));
  CHECK_EQ(resident(region.bytes()), uint64_t{10 * 4096});
  CHECK_EQ(resident(region.bytes().subspan(15 * 4096 + 100, 5 * 4096)), uint64_t{5 * 4096 - 100});
  CHECK_OK(bring_in({}));
}

TEST(residency, says_that_a_file_has_become_shorter_in_place_of_dying) {
  const std::string path = fresh_folder("shorter") + "/a.bin";
  put_file(path, std::string(kPages * 4096, 'x'));
  const auto map = FileMap::open(path);
  CHECK_OK(map);
  CHECK_OK(bring_in((*map)->bytes()));
  CHECK_EQ(truncate(path.c_str(), 4096), 0);
  CHECK_OK(bring_in((*map)->bytes().first(4096)));
  const Status status = bring_in((*map)->bytes());
  CHECK_CODE(status, Code::kFail);
}

TEST(residency, locks_are_counted_by_page) {
  if (is_emulated() || kIgnoresLocks) return;
  const Region region;
  const uint64_t before = locked_bytes();
  const auto locked = [&] { return (locked_bytes() - before) / 4096; };
  {
    auto first = MemoryLock::lock(region.pages(0, 20));
    CHECK_OK(first);
    CHECK_EQ(locked(), 20u);
    CHECK_EQ(resident(region.bytes()), uint64_t{20 * 4096});
    {
      const auto second = MemoryLock::lock(region.pages(10, 30));
      const auto same = MemoryLock::lock(region.pages(10, 30));
      CHECK_OK(second);
      CHECK_OK(same);
      CHECK_EQ(locked(), 30u);
    }
    CHECK_EQ(locked(), 20u);
    {
      const auto beside = MemoryLock::lock(region.pages(20, 24));
      const auto across = MemoryLock::lock(region.pages(5, 22).subspan(1));
      CHECK_OK(beside);
      CHECK_OK(across);
      { const MemoryLock moved = std::move(first).value(); }
      CHECK_EQ(locked(), 19u);  // 5 to 24
    }
    CHECK_EQ(locked(), 0u);
  }
  CHECK_EQ(locked(), 0u);
}

// As another user, in a child: the system lets root lock everything.
TEST(residency, a_lock_beyond_the_limit_says_the_limit_and_leaves_nothing_locked) {
  if (is_emulated() || kIgnoresLocks) return;
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    const rlimit limit{16 * 4096, 16 * 4096};
    if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0) _exit(2);
    if (geteuid() == 0 && setuid(65534) != 0) _exit(77);
    const Region region;
    const auto allowed = MemoryLock::lock(region.pages(0, 8));
    if (!allowed.is_ok() || locked_bytes() != 8 * 4096) _exit(3);
    const auto refused = MemoryLock::lock(region.pages(4, 40));
    if (refused.is_ok()) _exit(4);
    const std::string& text = refused.status().message();
    if (text.find("147456 bytes") == std::string::npos) _exit(5);
    if (text.find("65536 bytes in all (ulimit -l, RLIMIT_MEMLOCK)") == std::string::npos) _exit(6);
    _exit(locked_bytes() == 8 * 4096 ? 0 : 7);
  }
  int status = 0;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) return;
  CHECK_EQ(WEXITSTATUS(status), 0);
}
