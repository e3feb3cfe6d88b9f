// SPDX-License-Identifier: MIT
// How much of some memory is there, and who else in the machine has it.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/bytes.h"
#include "core/base/result.h"

namespace ortc {

struct PageCounts {
  uint64_t resident_bytes = 0;     // in memory, and mapped by this process
  uint64_t shared_file_bytes = 0;  // of these: of a file, and mapped by other processes too
};

// Of the bytes of disjoint ranges, page by page as the system has them. Reads eight bytes for each
// page of the ranges (2.6 MB for 1.3 GB), nothing of the rest of the process, and brings no page
// in. NOT_IMPLEMENTED where the system does not tell.
Result<PageCounts> count_pages(std::span<const Bytes> ranges);

}  // namespace ortc
