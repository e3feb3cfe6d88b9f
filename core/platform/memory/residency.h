// SPDX-License-Identifier: MIT
// What the system can be asked to do with memory that is there already: to bring it in, and to keep
// it in. Ranges need not begin on pages; all pages that they touch are meant.
#pragma once

#include <cstdint>

#include "core/base/bytes.h"
#include "core/base/result.h"

namespace ortc {

uint64_t page_bytes();
// The whole pages that the range touches; empty for an empty one.
Bytes pages_of(Bytes range);

// Waits until the range is in memory and mapped. FAIL when the file behind it has become shorter or
// cannot be read.
Status bring_in(Bytes range);

// Tells the system that all of the range, which lies in a mapped file, will be read again and
// again: where it can, it reads it by huge pages, and maps it so.
void read_by_huge_pages(Bytes range);

// Keeps the range in memory as long as it lives. Locks are counted by page in this process: an
// owner that lets go first takes nothing from another. The memory outlives the lock.
class MemoryLock {
 public:
  // FAIL with what may be locked when the system allows no more; nothing stays locked then.
  static Result<MemoryLock> lock(Bytes range);
  MemoryLock(MemoryLock&& other) noexcept;
  MemoryLock& operator=(MemoryLock&&) = delete;
  ~MemoryLock();

 private:
  explicit MemoryLock(Bytes pages) : pages_(pages) {}
  Bytes pages_;
};

}  // namespace ortc
