// SPDX-License-Identifier: MIT
// What libraries do with what is lent to them that they must not: what can be seen is refused with
// a status, nothing of it ends the process. And what they may do: call from threads of their own.
#include "tests/api/plugin/kernel_testing.h"
#include "tests/api/plugin/plugin_testing.h"

using namespace ortc;
using namespace ortc::test;

namespace {

const std::vector<float> kY = {2, 8, 18, 32};

struct MisuseSetting : LibrarySetting {
  OwnSession session(const std::string& fault) const {
    OwnSession made;
    CHECK(try_session(two_muls(), fault, &made).is_ok());
    return made;
  }
};

Outcome run(const OwnSession& session) {
  std::vector<float> y;
  Outcome outcome = run_floats(session.get(), kX, &y);
  if (outcome.code == ORT_OK) CHECK(y == kY);
  return outcome;
}

// The library uses, on a thread of its own, what it kept.
Outcome use_too_late(const char* what) {
  char text[512] = "";
  Outcome outcome(nullptr);
  const auto late =
      function_of<int (*)(const char*, char*, size_t)>(ORTC_TEST_LIBRARY, "test_library_late");
  outcome.code = late(what, text, sizeof text);
  outcome.text = text;
  return outcome;
}

}  // namespace

TEST(plugin_misuse, of_a_graph_after_its_call_is_refused) {
  const MisuseSetting setting;
  OwnSession session = setting.session("keeps");
  for (const char* what : {"add_nodes", "add_single", "look_up"}) {
    CHECK(use_too_late(what).has(ORT_INVALID_ARGUMENT, "during GetCapability only"));
  }
  CHECK(run(session).is_ok());
  session.reset();  // whose fused nodes may stand where the kept ones stood
  for (const char* what : {"graph", "node", "value_info"}) {
    CHECK(use_too_late(what).has(ORT_INVALID_ARGUMENT, "is not there any more"));
  }
}

TEST(plugin_misuse, of_views_after_the_call_of_their_graph_is_refused) {
  const MisuseSetting setting;
  OwnSession session = setting.session("keeps_view");
  CHECK(use_too_late("view").has(ORT_INVALID_ARGUMENT, "is not there any more"));
  session.reset();  // whose fused nodes may stand where the kept one stood
  for (const char* what : {"view", "node", "view_of_view"}) {
    CHECK(use_too_late(what).has(ORT_INVALID_ARGUMENT, "is not there any more"));
  }
  CHECK(use_too_late("view_release").is_ok());
  CHECK(use_too_late("view_release").is_ok());  // it is gone
}

TEST(plugin_misuse, of_a_graph_that_is_lent_leaves_it) {
  const MisuseSetting setting;
  CHECK(run(setting.session("releases_graph")).is_ok());
}

TEST(plugin_misuse, of_a_kernel_context_after_compute_is_refused) {
  const MisuseSetting setting;
  OwnSession session = setting.session("keeps");
  CHECK(run(session).is_ok());
  for (int round = 0; round < 2; ++round) {
    for (const char* what : {"input_count", "output_count", "input", "output", "context_logger",
                             "gpu_stream", "sync_stream", "parallel_for"}) {
      CHECK(use_too_late(what).has(ORT_INVALID_ARGUMENT, "during Compute only"));
    }
    CHECK(use_too_late("input_value").has(ORT_INVALID_ARGUMENT, "not a"));
    session.reset();  // and once more when the session has ended
  }
}

TEST(plugin_misuse, of_objects_of_a_session_after_its_end_is_refused) {
  const MisuseSetting setting;
  OwnSession session = setting.session("keeps");
  CHECK(run(session).is_ok());
  CHECK(use_too_late("logger").is_ok());
  CHECK(use_too_late("compute_context").is_ok());
  session.reset();
  CHECK(use_too_late("logger").has(ORT_INVALID_ARGUMENT, "'logger' is not there any more"));
  CHECK(use_too_late("compute_context").has(ORT_NOT_FOUND, "has no name"));
  CHECK(use_too_late("graph").has(ORT_INVALID_ARGUMENT, "'graph' is not there any more"));
}

TEST(plugin_misuse, does_not_include_calls_from_other_threads) {
  const MisuseSetting setting;
  CHECK(run(setting.session("claims_on_threads")).is_ok());
  CHECK(run(setting.session("asks_on_threads")).is_ok());
}

TEST(plugin_misuse, of_statuses_is_told_or_does_no_harm) {
  const MisuseSetting setting;
  const auto forget = function_of<void (*)()>(ORTC_TEST_LIBRARY, "test_library_forget_status");
  CHECK(run(setting.session("status_released"))
            .has(ORT_EP_FAIL, "Compute: it returned an OrtStatus that was released already"));
  forget();
  const OwnSession twice = setting.session("status_twice");
  CHECK(run(twice).has(ORT_NOT_FOUND, "the same again"));
  CHECK(run(twice).code != ORT_OK);
  forget();
  CHECK(run(setting.session("leaks_statuses")).is_ok());
  CHECK_EQ(library_number("test_library_status_too_late"), 1);
}

TEST(plugin_misuse, of_lent_values_leaves_them_as_they_are) {
  const MisuseSetting setting;
  const OwnSession session = setting.session("releases_values");
  for (int i = 0; i < 3; ++i) CHECK(run(session).is_ok());
  CHECK(run(setting.session("texts_in_floats")).has(ORT_INVALID_ARGUMENT, ""));
}

TEST(plugin_misuse, of_texts_that_are_not_utf8_is_refused_or_repaired) {
  const struct {
    const char* fault;
    int code;
    const char* text;
  } kFaults[] = {{"bad_vendor", ORT_EP_FAIL, "GetVendor"},
                 {"bad_version_text", ORT_EP_FAIL, "GetVersion"},
                 {"bad_key", ORT_EP_FAIL, "'ep_metadata' gave a text that is not UTF-8"},
                 {"bad_value", ORT_EP_FAIL, "'ep_metadata' gave a text that is not UTF-8"},
                 {"bad_option", ORT_EP_FAIL, "'ep_options' gave a text that is not UTF-8"}};
  const Env env = quiet_env();
  for (const auto& row : kFaults) {
    CHECK(add_library(env, std::string("test?") + row.fault).has(row.code, row.text));
  }
  const MisuseSetting setting;
  OwnSession session;
  CHECK(make_session(setting.env, two_muls(), options_of(setting.env, kTestEp, "bad_ep_name"),
                     &session)
            .has(ORT_EP_FAIL, "GetName"));
  CHECK(run(setting.session("not_utf8")).has(ORT_NOT_FOUND, "not \xef\xbf\xbd utf-8"));
}
