// SPDX-License-Identifier: MIT
// Which of several compiled models the AOT provider wants on a device.
#include "core/provider/compatibility_info.h"
#include "core/provider/context_version.h"
#include "core/provider/registry.h"
#include "providers/aot/aot_factory.h"
#include "tests/support/test.h"

using namespace ortc;

namespace {

std::string text_of(const std::string& target) {
  CompatibilityInfo info;
  info.provider = "AotExecutionProvider";
  info.format_major = kContextMajor;
  info.library_version = "1.0.0";
  info.target = target;
  return print_compatibility_info(info);
}

// The place of the one that is chosen on a machine of the target `there`; -1 for none.
int chosen(const std::string& there, const std::vector<std::string>& targets) {
  auto device = std::make_shared<EpDevice>();
  device->options["target"] = there;
  std::vector<KeyValues> candidates;
  for (const std::string& target : targets) {
    candidates.push_back({{"num_models", "1"}, {"0.ep_compatibility_info", text_of(target)}});
  }
  const auto choice = aot::factory()->choose_candidate(device, candidates, nullptr);
  CHECK(choice.is_ok());
  return *choice ? static_cast<int>(**choice) : -1;
}

}  // namespace

TEST(candidates, the_machines_own_level_wins) {
  CHECK_EQ(chosen("x86-64-v3", {"x86-64", "x86-64-v3", "x86-64-v4"}), 1);
  CHECK_EQ(chosen("x86-64-v4", {"x86-64-v3", "aarch64", "x86-64-v4"}), 2);
  CHECK_EQ(chosen("aarch64", {"x86-64-v3", "aarch64"}), 1);
}

TEST(candidates, of_those_that_leave_something_unused_the_highest_wins) {
  CHECK_EQ(chosen("x86-64-v4", {"x86-64", "x86-64-v3"}), 1);
  CHECK_EQ(chosen("x86-64-v4", {"x86-64-v3", "x86-64"}), 0);
  CHECK_EQ(chosen("x86-64-v4", {"x86-64", "x86-64;x86-64-v3"}), 1);
}

TEST(candidates, the_first_of_equals_wins_and_of_other_machines_none) {
  CHECK_EQ(chosen("x86-64-v3", {"x86-64", "x86-64-v3", "x86-64-v3"}), 1);
  CHECK_EQ(chosen("aarch64", {"x86-64-v3", "x86-64"}), -1);
}
