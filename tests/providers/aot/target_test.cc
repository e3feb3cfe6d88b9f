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
  const Compatibility verdict = judge_target(target, nullptr, &reason);
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
  CHECK_OK(parse_target(foreign_level()));
  CHECK_CODE(check_runs_here(foreign_level()), Code::kInvalidArgument);
  CHECK_CODE(isa_of_context(foreign_level()), Code::kInvalidGraph);
  CHECK(judged(foreign_level(), foreign_level()) == Compatibility::kUnsupported);
  CHECK_OK(check_runs_here(host_target()));
  CHECK_OK(check_runs_here("generic"));
}

TEST(target, a_level_that_this_processor_lacks_runs_with_what_is_here) {
  for (const TargetRow& row : target_rows()) {
    if (row.is_feature) continue;
    const bool runs =
        row.architecture == Architecture::kAny || row.architecture == host_architecture();
    CHECK_EQ(check_runs_here(row.name).is_ok(), runs);
    CHECK_EQ(isa_of_context(row.name).is_ok(), runs);
    CHECK_EQ(judged(row.name) == Compatibility::kUnsupported, !runs);
    if (runs && !row.is_here()) {
      CHECK(judged(row.name, "more than this machine") == Compatibility::kPreferRecompilation);
    }
  }
}

TEST(targets, several_stand_in_the_order_of_the_list_and_each_once) {
  CHECK_EQ(parse_targets("aarch64;x86-64-v4;x86-64-v3;x86-64-v4").value(),
           std::string("x86-64-v3;x86-64-v4;aarch64"));
  CHECK_EQ(parse_targets("x86-64-v4+avx512vnni;x86-64-v4").value(),
           std::string("x86-64-v4;x86-64-v4+avx512vnni"));
  CHECK_EQ(parse_targets("").value(), host_target());
  CHECK_EQ(parse_targets("host;host").value(), host_target());
}

TEST(targets, an_empty_or_unknown_name_among_several_is_refused) {
  for (const char* text : {";", "x86-64;", ";x86-64", "x86-64;;aarch64"}) {
    CHECK_CODE(parse_targets(text), Code::kInvalidArgument);
    CHECK(says(parse_targets(text).status(), text));
  }
  const auto unknown = parse_targets("x86-64;aarch46");
  CHECK_CODE(unknown, Code::kInvalidArgument);
  CHECK(says(unknown.status(), "did you mean 'aarch64'"));
}

TEST(targets, of_several_the_best_that_is_here_runs) {
  const std::string host(host_level().name);
  const std::string all = str_cat("generic;", host, ";", foreign_level());
  CHECK(isa_of_context(all).value() == host_isa());
  CHECK(judged(all) == Compatibility::kOptimal);
  CHECK_OK(check_runs_here(all));
  CHECK(isa_of_context(str_cat("generic;", foreign_level())).value() == Isa::kGeneric);
  CHECK_CODE(isa_of_context(str_cat(foreign_level(), ";", foreign_level())), Code::kInvalidGraph);
  // One with a feature that is missing here is no better than one without.
  CHECK(judged(str_cat(host, ";", host, "+future")) == Compatibility::kOptimal);
}

TEST(targets, are_judged_for_machines_that_are_not_there) {
  const auto judged_on = [](const char* machine, const char* targets) {
    const Target target = parse_target(machine).value();
    std::string reason;
    return judge_target(targets, &target, &reason);
  };
  CHECK(judged_on("aarch64", "aarch64") == Compatibility::kOptimal);
  CHECK(judged_on("aarch64", "x86-64-v3;aarch64") == Compatibility::kOptimal);
  CHECK(judged_on("aarch64", "x86-64-v3") == Compatibility::kUnsupported);
  CHECK(judged_on("aarch64", "aarch64+dotprod") == Compatibility::kPreferRecompilation);
  CHECK(judged_on("x86-64-v3", "x86-64-v4") == Compatibility::kPreferRecompilation);
  CHECK(judged_on("x86-64-v3", "x86-64-v4;x86-64-v3") == Compatibility::kOptimal);
  CHECK(judged_on("x86-64", "aarch64;x86-64-v4;x86-64-v3") == Compatibility::kPreferRecompilation);
  CHECK(judged_on("x86-64-v3", "x86-64-v3") == Compatibility::kOptimal);
  CHECK(judged_on("x86-64-v4", "x86-64-v3") == Compatibility::kPreferRecompilation);
  CHECK(judged_on("x86-64-v4", "x86-64-v3;x86-64-v4") == Compatibility::kOptimal);
}

TEST(targets, a_level_from_a_later_library_keeps_none_of_the_others_from_running) {
  const std::string host(host_level().name);
  CHECK(isa_of_context(str_cat(host, ";x86-64-v9")).value() == host_isa());
  CHECK(judged(str_cat(host, ";x86-64-v9")) == Compatibility::kOptimal);
  CHECK(judged(str_cat(foreign_level(), ";x86-64-v9")) == Compatibility::kPreferRecompilation);
}

TEST(target, this_machine_is_at_its_best_with_its_own) {
  CHECK(judged(host_target()) == Compatibility::kOptimal);
}

TEST(target, a_feature_that_is_missing_and_a_level_that_is_low_ask_for_recompilation) {
  CHECK(judged("x86-64-v9+magic", "does not know") == Compatibility::kPreferRecompilation);
  for (const TargetRow& row : target_rows()) {
    if (row.architecture != host_architecture()) continue;
    if (row.is_feature) {
      const std::string target = str_cat(host_level().name, "+", row.name);
      if (row.isa > host_isa()) continue;
      CHECK(judged(target) ==
            (row.is_here() ? Compatibility::kOptimal : Compatibility::kPreferRecompilation));
    } else if (row.is_here()) {
      const bool best = row.isa == host_isa();
      CHECK(judged(row.name) ==
            (best ? Compatibility::kOptimal : Compatibility::kPreferRecompilation));
    }
  }
}

TEST(target, the_level_caps_what_runs) {
  for (const TargetRow& row : target_rows()) {
    if (row.is_feature || !row.is_here()) continue;
    CHECK(isa_of_context(row.name).value() == row.isa);
    CHECK(isa_of_context(str_cat(row.name, "+future")).value() == row.isa);
  }
  CHECK(isa_of_context("").value() == Isa::kGeneric);
  CHECK(isa_of_context("x86-64-v9").value() == Isa::kAvx512);
}
