// SPDX-License-Identifier: MIT
// The distance is the number of letters to insert, remove, replace or swap with their neighbour.

#include "tools/ortc/command_line/suggestions.h"

#include <algorithm>

namespace ortc::tool {
namespace {

size_t distance_between(const std::string& a, const std::string& b) {
  std::vector<size_t> before, above(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); j++) above[j] = j;
  for (size_t i = 1; i <= a.size(); i++) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); j++) {
      const size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

}  // namespace

std::string nearest_name(const std::string& wrong, const std::vector<std::string>& names) {
  constexpr size_t kLongest = 64;  // the longest text that is compared
  if (wrong.empty() || wrong.size() > kLongest) return {};
  std::string nearest;
  // One letter in three may be wrong, but never all of them.
  size_t least = std::min(std::max<size_t>(wrong.size() / 3, 1) + 1, wrong.size());
  for (const std::string& name : names) {
    if (name.size() > kLongest) continue;
    const bool begins_so = wrong.size() >= 4 && name.compare(0, wrong.size(), wrong) == 0;
    const size_t distance = begins_so ? 1 : distance_between(wrong, name);
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

std::string did_you_mean(const std::string& wrong, const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(wrong, names);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

}  // namespace ortc::tool
