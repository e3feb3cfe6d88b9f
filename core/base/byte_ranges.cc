// SPDX-License-Identifier: MIT
// Sets of bytes: see the header. Addresses are compared as numbers, because the ranges are of
// different objects.
#include "core/base/byte_ranges.h"

#include <algorithm>

namespace ortc {
namespace {

uintptr_t begin_of(Bytes range) { return reinterpret_cast<uintptr_t>(range.data()); }
uintptr_t end_of(Bytes range) { return begin_of(range) + range.size(); }

Bytes range_of(uintptr_t begin, uintptr_t end) {
  return {reinterpret_cast<const std::byte*>(begin), end - begin};
}

}  // namespace

ByteRanges united(ByteRanges ranges) {
  std::erase_if(ranges, [](Bytes range) { return range.empty(); });
  std::sort(ranges.begin(), ranges.end(),
            [](Bytes a, Bytes b) { return begin_of(a) < begin_of(b); });
  ByteRanges set;
  for (const Bytes range : ranges) {
    if (!set.empty() && begin_of(range) <= end_of(set.back())) {
      const uintptr_t end = std::max(end_of(set.back()), end_of(range));
      set.back() = range_of(begin_of(set.back()), end);
    } else {
      set.push_back(range);
    }
  }
  return set;
}

ByteRanges common_part(const ByteRanges& a, const ByteRanges& b) {
  ByteRanges set;
  for (size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    const uintptr_t begin = std::max(begin_of(a[i]), begin_of(b[k]));
    const uintptr_t end = std::min(end_of(a[i]), end_of(b[k]));
    if (begin < end) set.push_back(range_of(begin, end));
    if (end_of(a[i]) < end_of(b[k])) {
      ++i;
    } else {
      ++k;
    }
  }
  return set;
}

ByteRanges without(const ByteRanges& a, const ByteRanges& b) {
  ByteRanges set;
  size_t k = 0;
  for (const Bytes range : a) {
    uintptr_t begin = begin_of(range);
    while (k < b.size() && end_of(b[k]) <= begin) ++k;
    for (size_t next = k; next < b.size() && begin_of(b[next]) < end_of(range); ++next) {
      if (begin < begin_of(b[next])) set.push_back(range_of(begin, begin_of(b[next])));
      begin = std::max(begin, end_of(b[next]));
    }
    if (begin < end_of(range)) set.push_back(range_of(begin, end_of(range)));
  }
  return set;
}

uint64_t total_bytes(const ByteRanges& ranges) {
  uint64_t bytes = 0;
  for (const Bytes range : ranges) bytes += range.size();
  return bytes;
}

}  // namespace ortc
