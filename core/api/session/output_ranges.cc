// SPDX-License-Identifier: MIT
// Outputs by address: see the header.
#include "core/api/session/output_ranges.h"

namespace ortc::api {

// Texts lie elsewhere: a tensor of them is where its first object is.
OutputRanges::Range OutputRanges::range_of(const ValueRef& value, size_t number) {
  if (value.data == nullptr) return {};
  const uint64_t size =
      value.dtype == DType::kString
          ? 1
          : dtype_bytes(value.dtype, static_cast<uint64_t>(value.element_count())).value_or(0);
  const auto begin = reinterpret_cast<uintptr_t>(value.data);
  return {begin, begin + size, 0, number};
}

void OutputRanges::add(const ValueRef& output, size_t number) {
  const Range range = range_of(output, number);
  if (range.begin != range.end) ranges_.push_back(range);
}

void OutputRanges::sort() {
  std::ranges::sort(ranges_, {}, &Range::begin);
  uintptr_t reach = 0;
  for (Range& range : ranges_) range.reach = reach = std::max(reach, range.end);
}

size_t OutputRanges::first_reaching(uintptr_t address) const {
  return static_cast<size_t>(std::ranges::upper_bound(ranges_, address, {}, &Range::reach) -
                             ranges_.begin());
}

}  // namespace ortc::api
