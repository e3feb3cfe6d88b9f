// SPDX-License-Identifier: MIT
// Names of targets, and what is said of them on this machine.
#include "providers/aot/target.h"

#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::aot;

namespace {

bool says(const Status& status, const char* part) {
  return status.message().find(part) != std::string::npos;
}

Compatibility judged(std::string_view target, const char* part = "") {
  std::string reason;
  const Compatibility verdict = judge_target(target, &reason);
  CHECK(reason.find(part) != std::string::npos);
  return verdict;
}

const char* foreign_level() {
  return host_architecture() == Architecture::kAarch64 ? "x86-64" : "aarch64";
}

}  // namespace

TEST(target, every_name_of_the_list_is_taken) {
  for (const TargetRow& row : target_rows()) {
    if (!row.is_feature) {
      CHECK_OK(parse_target(row.name));
      continue;
    }
    for (const TargetRow& level : target_rows()) {
      const bool fits =
          !level.is_feature && level.architecture == row.architecture && level.isa >= row.isa;
      if (level.is_feature) continue;
      CHECK_EQ(parse_target(str_cat(level.name, "+", row.name)).is_ok(), fits);
    }
  }
}

TEST(target, an_unknown_feature_is_refused_with_the_nearest) {
  const auto nonsense = parse_target("x86-64-v4+nonsense");
  CHECK_CODE(nonsense, Code::kInvalidArgument);
  CHECK(says(nonsense.status(), "'nonsense'"));
  CHECK(says(nonsense.status(), "avx512vnni"));
  const auto near = parse_target("x86-64-v4+avx512_vnni");
  CHECK_CODE(near, Code::kInvalidArgument);
  CHECK(says(near.status(), "did you mean 'avx512vnni'"));
  CHECK_CODE(parse_target("x86-64-v4+"), Code::kInvalidArgument);
  CHECK_CODE(parse_target("x86-64-v4+avx512vnni+"), Code::kInvalidArgument);
}

TEST(target, an_unknown_level_is_refused_with_the_nearest_and_all) {
  const auto target = parse_target("x86_64-v3");
  CHECK_CODE(target, Code::kInvalidArgument);
  CHECK(says(target.status(), "did you mean 'x86-64-v3'"));
  CHECK(says(target.status(), "aarch64"));
  CHECK(says(target.status(), "host"));
}

TEST(target, features_stand_once_and_in_order) {
  CHECK_EQ(parse_target("x86-64-v4+avx512vnni+avx512vnni").value().name,
           std::string("x86-64-v4+avx512vnni"));
  CHECK_EQ(parse_target("host").value().name, host_target());
  CHECK_EQ(parse_target("").value().name, host_target());
}

TEST(target, another_architecture_cannot_run_here) {
  const auto target = parse_target(foreign_level());
  CHECK_OK(target);
  CHECK_CODE(check_runs_here(*target), Code::kInvalidArgument);
  CHECK_OK(check_runs_here(parse_target("host").value()));
  CHECK_OK(check_runs_here(parse_target("generic").value()));
}

TEST(target, this_machine_is_at_its_best_with_its_own) {
  CHECK(judged(host_target()) == Compatibility::kOptimal);
}

TEST(target, what_is_missing_or_unused_here_asks_for_recompilation) {
  CHECK(judged(foreign_level(), foreign_level()) == Compatibility::kPreferRecompilation);
  CHECK(judged("x86-64-v9+magic", "does not know") == Compatibility::kPreferRecompilation);
  for (const TargetRow& row : target_rows()) {
    if (row.architecture != host_architecture()) continue;
    if (row.is_feature) {
      const std::string target = str_cat(host_level().name, "+", row.name);
      if (row.isa > host_isa()) continue;
      CHECK(judged(target) ==
            (row.is_here() ? Compatibility::kOptimal : Compatibility::kPreferRecompilation));
    } else {
      const bool best = row.is_here() && row.isa == host_isa();
      CHECK(judged(row.name) ==
            (best ? Compatibility::kOptimal : Compatibility::kPreferRecompilation));
    }
  }
}

TEST(target, the_level_caps_what_runs) {
  CHECK(isa_cap("x86-64-v3+future") == Isa::kAvx2);
  CHECK(isa_cap("x86-64") == Isa::kGeneric);
  CHECK(isa_cap("x86-64-v9") == Isa::kAvx512);
}

ORTC_TEST_MAIN()
