// SPDX-License-Identifier: MIT
// Asking the system about memory: see the header.
#include "core/platform/memory/residency.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <utility>

#include "core/base/checked_math.h"
#include "core/base/large_memory.h"
#include "core/platform/descriptor.h"

namespace ortc {
namespace {

void* address_of(Bytes pages) { return const_cast<std::byte*>(pages.data()); }

// Systems before Linux 5.14 cannot be asked: then every page is read once.
void touch(Bytes pages) {
  const volatile std::byte* bytes = pages.data();
  for (size_t i = 0; i < pages.size(); i += page_bytes()) (void)bytes[i];
}

// How many locks hold each page. An entry begins a run of pages with one count that ends where the
// next entry begins; before the first the count is none.
class LockCounts {
 public:
  static LockCounts& of_process() {
    static LockCounts* const counts = new LockCounts;
    return *counts;
  }

  // Asks for every part that nobody else holds; the first errno, else 0. The count is one more in
  // any case, and remove() goes with it.
  int add(Bytes pages) {
    return change(pages, 1, [](void* begin, size_t size) { return mlock(begin, size); });
  }
  // Allocates nothing: the entries at both ends are there as long as a count stands between them.
  void remove(Bytes pages) {
    change(pages, -1, [](void* begin, size_t size) { return munlock(begin, size); });
  }

 private:
  int change(Bytes pages, int by, int (*act)(void* begin, size_t size)) {
    const auto begin = reinterpret_cast<uintptr_t>(pages.data());
    const uintptr_t end = begin + pages.size();
    int error = 0;
    const std::lock_guard lock(mutex_);
    split(begin);
    split(end);
    for (auto it = counts_.find(begin); it->first != end; ++it) {
      const int others = by > 0 ? it->second : it->second + by;
      it->second += by;
      const size_t size = std::next(it)->first - it->first;
      if (others != 0 || error != 0) continue;
      if (act(reinterpret_cast<void*>(it->first), size) != 0) error = errno;
    }
    for (auto it = counts_.begin(); it != counts_.end();) {
      const bool is_behind_none = it == counts_.begin() || std::prev(it)->second == 0;
      it = it->second == 0 && is_behind_none ? counts_.erase(it) : std::next(it);
    }
    return error;
  }

  void split(uintptr_t place) {
    const auto behind = counts_.upper_bound(place);
    counts_.try_emplace(place, behind == counts_.begin() ? 0 : std::prev(behind)->second);
  }

  std::mutex mutex_;
  std::map<uintptr_t, int> counts_;
};

Status lock_refused(size_t size, int error) {
  rlimit limit{};
  const bool has_limit = getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return fail("cannot keep ", size, " bytes in memory: ", errno_text(error),
              has_limit ? str_cat("; this process may lock ", uint64_t{limit.rlim_cur},
                                  " bytes in all (ulimit -l, RLIMIT_MEMLOCK)")
                        : std::string());
}

}  // namespace

uint64_t page_bytes() {
  static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

Bytes pages_of(Bytes range) {
  if (range.empty()) return {};
  const uintptr_t mask = page_bytes() - 1;
  const auto begin = reinterpret_cast<uintptr_t>(range.data());
  const uintptr_t first = begin & ~mask;
  const uintptr_t end = align_up(begin + range.size(), page_bytes());
  return {reinterpret_cast<const std::byte*>(first), end - first};
}

Status bring_in(Bytes range) {
  const Bytes pages = pages_of(range);
  if (pages.empty()) return Status::ok();
#ifdef MADV_POPULATE_READ
  int error;
  do {
    error = madvise(address_of(pages), pages.size(), MADV_POPULATE_READ) == 0 ? 0 : errno;
  } while (error == EINTR || error == EAGAIN);
  if (error == 0) return Status::ok();
  if (error != EINVAL && error != ENOSYS) {
    return fail("cannot bring ", pages.size(), " bytes into memory: ", errno_text(error));
  }
#endif
  touch(pages);
  return Status::ok();
}

// Only huge pages that lie within it whole: a map that is divided inside of one loses that.
void read_by_huge_pages(Bytes range) {
#ifdef MADV_HUGEPAGE
  const auto begin = reinterpret_cast<uintptr_t>(range.data());
  const uintptr_t first = align_up(begin, kLeastLargeMemory);
  const uintptr_t end = (begin + range.size()) & ~(kLeastLargeMemory - 1);
  if (first >= end) return;
  (void)madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);  // or it has none
#else
  (void)range;
#endif
}

Result<MemoryLock> MemoryLock::lock(Bytes range) {
  MemoryLock made(pages_of(range));
  if (made.pages_.empty()) return made;
  if (const int error = LockCounts::of_process().add(made.pages_); error != 0) {
    return lock_refused(made.pages_.size(), error);
  }
  return made;
}

MemoryLock::MemoryLock(MemoryLock&& other) noexcept
    : pages_(std::exchange(other.pages_, Bytes())) {}

MemoryLock::~MemoryLock() {
  if (!pages_.empty()) LockCounts::of_process().remove(pages_);
}

}  // namespace ortc
