// SPDX-License-Identifier: MIT
// Large memory: see the header.
#include "core/base/large_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "core/base/checked_math.h"

namespace ortc {

// More is reserved than asked for, and what stands over on both sides is given back.
std::byte* map_large_memory(size_t size) {
  constexpr size_t kHugePage = kLeastLargeMemory;
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const auto room = checked_add(size, kHugePage + page);
  if (!room) return nullptr;
  void* reserved = mmap(nullptr, *room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (reserved == MAP_FAILED) return nullptr;
  const auto first = reinterpret_cast<uintptr_t>(reserved);
  const uintptr_t begin = align_up(first, kHugePage);
  const uintptr_t end = align_up(begin + size, page);
  if (begin != first) munmap(reserved, begin - first);
  munmap(reinterpret_cast<void*>(end), first + align_up(*room, page) - end);
#ifdef MADV_HUGEPAGE
  (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // or it has none
#endif
  return reinterpret_cast<std::byte*>(begin);
}

void unmap_large_memory(std::byte* begin, size_t size) { munmap(begin, size); }

}  // namespace ortc
