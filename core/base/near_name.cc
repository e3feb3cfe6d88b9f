// SPDX-License-Identifier: MIT
// Names that are near: see the header.
#include "core/base/near_name.h"

#include <algorithm>
#include <vector>

#include "core/base/ascii.h"
#include "core/base/str_cat.h"

namespace ortc {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitute = diagonal + (ascii_lower(a[i - 1]) == ascii_lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

}  // namespace

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return ascii_lower(x) == ascii_lower(y);
         });
}

std::string nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  std::string best;
  size_t best_distance = std::max<size_t>(name.size() / 3, 2) + 1;
  for (std::string_view candidate : candidates) {
    const size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  const std::string near = nearest_name(name, candidates);
  return near.empty() ? near : str_cat("; did you mean '", near, "'?");
}

}  // namespace ortc
