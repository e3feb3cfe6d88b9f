// SPDX-License-Identifier: MIT
// Memory of this process for many bytes, on huge pages where the system has them: one page fault
// for 2 MiB, not 512 of them.
#pragma once

#include <cstddef>

namespace ortc {

// From this size on the memory holds a whole huge page; less is better taken from malloc.
inline constexpr size_t kLeastLargeMemory = size_t{2} << 20;

// Zeroed, and aligned for huge pages. nullptr: there is not that much. Any thread.
std::byte* map_large_memory(size_t size);
// With the size it was asked for.
void unmap_large_memory(std::byte* begin, size_t size);

}  // namespace ortc
