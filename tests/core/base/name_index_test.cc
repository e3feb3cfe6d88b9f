// SPDX-License-Identifier: MIT
// Rows are found by their names, the last added first, whatever their hashes share.
#include "core/base/name_index.h"

#include <algorithm>
#include <string>

#include "core/base/str_cat.h"
#include "tests/support/test.h"

namespace ortc {
namespace {

TEST(name_index, finds_each_row_the_last_added_first) {
  constexpr size_t kRows = 3000, kNames = 700;
  std::vector<std::string> names;
  for (size_t i = 0; i < kRows; ++i) names.push_back(str_cat("name", i % kNames));
  NameIndex index(kRows);
  for (size_t i = 0; i < kRows; ++i) index.add(names[i], i);
  for (size_t name = 0; name < kNames; ++name) {
    std::vector<size_t> found;
    index.find(names[name], [&](size_t row) {
      if (names[row] == names[name]) found.push_back(row);
      return false;
    });
    CHECK_EQ(found.size(), (kRows - 1 - name) / kNames + 1);
    CHECK(std::is_sorted(found.rbegin(), found.rend()));
  }
}

TEST(name_index, ends_where_it_is_told_and_knows_nothing_else) {
  NameIndex index(2);
  index.add("a", 0);
  index.add("a", 1);
  int looks = 0;
  index.find("a", [&](size_t row) {
    ++looks;
    return row == 1;
  });
  CHECK_EQ(looks, 1);
  NameIndex(0).find("a", [](size_t) -> bool { CHECK(false); });
}

}  // namespace
}  // namespace ortc
