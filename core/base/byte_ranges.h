// SPDX-License-Identifier: MIT
// Sets of bytes in memory as ranges: sorted by address, disjoint, none empty.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/bytes.h"

namespace ortc {

using ByteRanges = std::vector<Bytes>;

// Of any ranges, the set that they cover.
ByteRanges united(ByteRanges ranges);
// What both sets have.
ByteRanges common_part(const ByteRanges& a, const ByteRanges& b);
// What `a` has and `b` has not.
ByteRanges without(const ByteRanges& a, const ByteRanges& b);
uint64_t total_bytes(const ByteRanges& ranges);

}  // namespace ortc
