// SPDX-License-Identifier: MIT
// Where the outputs lie that a program provided: which of them a value meets is found by address,
// without looking at all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "core/kernel/value_ref.h"

namespace ortc::api {

class OutputRanges {
 public:
  explicit OutputRanges(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : ranges_(memory) {}

  bool is_empty() const { return ranges_.empty(); }
  void clear() { ranges_.clear(); }
  void reserve(size_t count) { ranges_.reserve(count); }
  // Nothing for one without memory. Sorted before the first question.
  void add(const ValueRef& output, size_t number);
  void sort();

  // Calls look(number) for each output with some of the addresses of `value`, in the order of the
  // addresses. Whether both mean the same memory is the caller's question.
  template <typename F>
  void for_each_meeting(const ValueRef& value, F&& look) const {
    if (ranges_.empty()) return;
    const Range wanted = range_of(value, 0);
    for (size_t i = first_reaching(wanted.begin); i < ranges_.size(); ++i) {
      if (ranges_[i].begin >= wanted.end) return;
      if (ranges_[i].end > wanted.begin) look(ranges_[i].output);
    }
  }
  // The same for each two of the outputs, look(lower number, higher number).
  template <typename F>
  void for_each_pair(F&& look) const {
    for (size_t i = 0; i < ranges_.size(); ++i) {
      for (size_t k = i + 1; k < ranges_.size() && ranges_[k].begin < ranges_[i].end; ++k) {
        look(std::min(ranges_[i].output, ranges_[k].output),
             std::max(ranges_[i].output, ranges_[k].output));
      }
    }
  }

 private:
  struct Range {
    uintptr_t begin = 0, end = 0;
    uintptr_t reach = 0;  // the furthest end of this and of all before it
    size_t output = 0;
  };
  static Range range_of(const ValueRef& value, size_t number);
  size_t first_reaching(uintptr_t address) const;

  std::pmr::vector<Range> ranges_;
};

}  // namespace ortc::api
