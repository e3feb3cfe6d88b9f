// SPDX-License-Identifier: MIT
// Libraries that choose among the ways in which a model was compiled.
#include "core/api/env/env_handle.h"
#include "core/session/session_options.h"
#include "tests/api/plugin/faulty_answers.h"

using namespace ortc;
using namespace ortc::test;

namespace {

using Choice = Result<std::optional<size_t>>;

KeyValues candidate(const char* info) {
  return {{"num_models", "1"}, {"0.ep_compatibility_info", info}};
}

Choice choose(const Env& env, const SessionOptions* options = nullptr,
              const std::vector<KeyValues>& candidates = {candidate("other"), candidate("mine"),
                                                          candidate("other")}) {
  const auto device = device_of(env)->device();
  return device->factory->choose_candidate(device, candidates, options);
}

}  // namespace

TEST(plugin_candidates, are_chosen_by_the_library) {
  const Env env = env_with_answers("");
  CHECK_EQ(choose(env).value(), std::optional<size_t>(1));
  CHECK_EQ(choose(env, nullptr, {candidate("other")}).value(), std::optional<size_t>());
  CHECK_EQ(choose(env, nullptr, {}).value(), std::optional<size_t>());
}

TEST(plugin_candidates, the_library_sees_the_options_of_the_session) {
  const Env env = env_with_answers("");
  SessionOptions options;
  CHECK_EQ(choose(env, &options).value(), std::optional<size_t>(1));
  options.config["ep.wants_first"] = "1";
  CHECK_EQ(choose(env, &options).value(), std::optional<size_t>(0));
}

TEST(plugin_candidates, a_library_that_fails_or_lies_is_named) {
  const struct {
    const char* name;
    Code code;
    const char* text;
  } kFaults[] = {{"select_error", Code::kNotFound, "SelectBestModelCandidate: cannot choose"},
                 {"select_throws", Code::kEpFail, "it threw: thrown in place of a choice"},
                 {"select_too_far", Code::kEpFail, "gave 3, but there are 3 candidates"}};
  for (const auto& fault : kFaults) {
    const Env env = env_with_answers(fault.name);
    const Choice choice = choose(env);
    CHECK_CODE(choice, fault.code);
    CHECK(choice.status().message().find(fault.text) != std::string::npos);
    set_answers("");
    CHECK_EQ(choose(env).value(), std::optional<size_t>(1));
  }
}

TEST(plugin_candidates, a_library_that_says_nothing_chose_nothing) {
  CHECK_EQ(choose(env_with_answers("select_silence")).value(), std::optional<size_t>());
}

TEST(plugin_candidates, a_library_older_than_the_function_is_judged_by_its_verdicts) {
  // It has none: nothing is known to run.
  CHECK_EQ(choose(env_with_answers("version_27")).value(), std::optional<size_t>());
}
