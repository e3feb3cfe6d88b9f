// SPDX-License-Identifier: MIT
// The list of targets and what follows from it.
#include "core/platform/target_list.h"

#include <algorithm>

#include "tests/support/test.h"

using namespace ortc;

TEST(target_list, levels_of_an_architecture_rise) {
  const TargetRow* previous = nullptr;
  for (const TargetRow& row : target_rows()) {
    if (previous != nullptr && !row.is_feature && row.architecture == previous->architecture) {
      CHECK(previous->isa <= row.isa);
    }
    if (!row.is_feature) previous = &row;
  }
}

TEST(target_list, a_lower_level_is_here_when_a_higher_one_is) {
  bool higher_is_here = false;
  const auto rows = target_rows();
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    if (row->is_feature || row->architecture != host_architecture()) continue;
    CHECK(row->is_here() || !higher_is_here);
    higher_is_here = higher_is_here || row->is_here();
  }
}

TEST(target_list, this_machine_is_called_by_its_level_and_features) {
  const std::string target = host_target();
  CHECK_EQ(target.substr(0, target.find('+')), host_level().name);
  CHECK(host_isa() == host_level().isa);
  for (const TargetRow& row : target_rows()) {
    if (row.architecture != host_architecture() || !row.is_feature) continue;
    CHECK_EQ(target.find("+" + std::string(row.name)) != std::string::npos, row.is_here());
  }
}

TEST(target_list, shows_every_name_on_a_line_and_marks_what_is_here) {
  const std::string list = target_list();
  CHECK_EQ(static_cast<size_t>(std::count(list.begin(), list.end(), '\n')), target_rows().size());
  for (const TargetRow& row : target_rows()) CHECK(list.find(row.name) != std::string::npos);
  CHECK(list.find("(here)") != std::string::npos);
}
