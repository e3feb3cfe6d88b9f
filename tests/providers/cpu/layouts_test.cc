// SPDX-License-Identifier: MIT
// Layouts stand in contexts by number: each has a name of its own, later numbers have none.
#include "providers/cpu/layouts.h"

#include <set>

#include "tests/support/test.h"

namespace ortc::cpu {
namespace {

TEST(layouts, have_names_of_their_own) {
  std::set<std::string_view> names;
  for (uint32_t i = 0; i <= static_cast<uint32_t>(kRecurrentPanels32I8); ++i) {
    const std::string_view name = layout_name(Layout{i});
    CHECK(!name.empty() && names.insert(name).second);
  }
  CHECK(layout_name(Layout{static_cast<uint32_t>(kRecurrentPanels32I8) + 1}).empty());
  CHECK(layout_name(Layout{UINT32_MAX}).empty());
}

}  // namespace
}  // namespace ortc::cpu
