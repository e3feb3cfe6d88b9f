// SPDX-License-Identifier: MIT
// Which of many rows have a name. Made again in every process, so it allocates twice, not for each
// row: fresh pages are most of what a first load takes.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace ortc {

// Of at most `count` rows. Names are not kept: the caller compares.
class NameIndex {
 public:
  explicit NameIndex(size_t count) : heads_(std::bit_ceil(count + 1)), next_(count) {}

  // Rows that are added later are found earlier.
  void add(std::string_view name, size_t row) {
    uint32_t& head = heads_[place(name)];
    next_[row] = head;
    head = static_cast<uint32_t>(row + 1);
  }

  // Calls look(row) -> bool for the rows that may have the name, until it says true.
  template <typename F>
  void find(std::string_view name, F&& look) const {
    for (uint32_t at = heads_[place(name)]; at != 0; at = next_[at - 1]) {
      if (look(size_t{at - 1})) return;
    }
  }

 private:
  size_t place(std::string_view name) const {
    return std::hash<std::string_view>()(name) & (heads_.size() - 1);
  }

  std::vector<uint32_t> heads_;  // by hash: a row + 1, or 0
  std::vector<uint32_t> next_;   // by row: the one after it
};

}  // namespace ortc
