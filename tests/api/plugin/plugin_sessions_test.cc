// SPDX-License-Identifier: MIT
// Sessions with a provider of a library: what it claims runs there, everything else on the CPU, and
// whatever it does wrong is an error that says what, or does no harm.
#include <atomic>
#include <thread>

#include "tests/api/plugin/plugin_testing.h"

using namespace ortc;
using namespace ortc::test;

namespace {

void check_runs(OrtSession* session, const std::vector<float>& expected) {
  std::vector<float> y;
  CHECK(run_floats(session, kX, &y).is_ok());
  CHECK(y == expected);
}

// How many nodes the provider got.
size_t claimed_by_library(OrtSession* session) {
  const OrtEpAssignedSubgraph* const* parts = nullptr;
  size_t count = 0, nodes = 0;
  CHECK(Outcome(OrtSession_GetEpGraphAssignmentInfo(session, &parts, &count)).is_ok());
  for (size_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    const OrtEpAssignedNode* const* list = nullptr;
    size_t in_part = 0;
    CHECK(Outcome(OrtEpAssignedSubgraph_GetEpName(parts[i], &name)).is_ok());
    CHECK(Outcome(OrtEpAssignedSubgraph_GetNodes(parts[i], &list, &in_part)).is_ok());
    if (std::string(name) == kTestEp) nodes += in_part;
  }
  return nodes;
}

OwnSession recorded_session(const LibrarySetting& setting, const std::string& model,
                            const Options& options) {
  set_entry(options, "session.record_ep_graph_assignment_info", "1");
  OwnSession session;
  CHECK(make_session(setting.env, model, options, &session).is_ok());
  return session;
}

}  // namespace

TEST(plugin_sessions, run_what_the_library_claims) {
  const LibrarySetting setting;
  for (const char* groups : {"single", "all"}) {
    for (const char* drop : {"0", "1"}) {
      const Options options = setting.options();
      set_entry(options, "ep.testlibraryep.groups", groups);
      set_entry(options, "ep.testlibraryep.drop", drop);
      const OwnSession session = recorded_session(setting, two_muls(), options);
      check_runs(session.get(), {2, 8, 18, 32});
      CHECK_EQ(claimed_by_library(session.get()), 2u);
    }
  }
  CHECK_EQ(library_number("test_library_alive"), 1);
}

TEST(plugin_sessions, run_the_rest_on_the_cpu) {
  const LibrarySetting setting;
  const OwnSession session = recorded_session(setting, muls_around_neg(), setting.options());
  check_runs(session.get(), {-4, -16, -36, -64});
  CHECK_EQ(claimed_by_library(session.get()), 2u);
}

TEST(plugin_sessions, leave_a_group_out_that_is_not_convex) {
  const LibrarySetting setting;
  const Options options = setting.options();
  set_entry(options, "ep.testlibraryep.groups", "all");
  const OwnSession session = recorded_session(setting, muls_around_neg(), options);
  check_runs(session.get(), {-4, -16, -36, -64});
  CHECK_EQ(claimed_by_library(session.get()), 0u);
}

TEST(plugin_sessions, leave_a_node_out_that_is_asked_for_twice) {
  const LibrarySetting setting;
  const Options twice = setting.options("node_twice");
  const OwnSession none = recorded_session(setting, two_muls(), twice);
  check_runs(none.get(), {2, 8, 18, 32});
  CHECK_EQ(claimed_by_library(none.get()), 0u);
  const Options groups = setting.options("two_groups");
  const OwnSession both = recorded_session(setting, two_muls(), groups);
  check_runs(both.get(), {2, 8, 18, 32});
  CHECK_EQ(claimed_by_library(both.get()), 2u);
}

namespace {

// y = -((x * 3) * x) * x: x * 3 in both branches of an If, the rest around it.
std::string muls_in_bodies() {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {4});
  const ValueId zero = g.floats("zero", {}, {0});
  const ValueId sum = g.node("ReduceSum", {x}, {"sum"}, {Attribute::of_int("keepdims", 0)})[0];
  const ValueId is_positive = g.node("Greater", {sum, zero}, {"is_positive"})[0];
  std::vector<Attribute> branches;
  for (const char* name : {"then_branch", "else_branch"}) {
    GraphBuilder body(17, &g.graph());
    const ValueId inside = body.graph().capture(x).value();
    const ValueId factor = body.floats("factor", {4}, {3, 3, 3, 3});
    body.output(body.node("Mul", {inside, factor}, {std::string(name) + "_y"})[0]);
    branches.push_back(graph_attribute(name, body.shared()));
  }
  const ValueId chosen = g.node("If", {is_positive}, {"chosen"}, std::move(branches))[0];
  const ValueId first = g.node("Mul", {chosen, x}, {"first"})[0];
  const ValueId minus = g.node("Neg", {first}, {"minus"})[0];
  g.output(g.node("Mul", {minus, x}, {"y"})[0]);
  return g.model_bytes();
}

}  // namespace

TEST(plugin_sessions, claim_nodes_in_bodies) {
  const LibrarySetting setting;
  const OwnSession session = recorded_session(setting, muls_in_bodies(), setting.options());
  check_runs(session.get(), {-3, -24, -81, -192});
  CHECK_EQ(claimed_by_library(session.get()), 4u);
}

TEST(plugin_sessions, compile_each_graph_by_itself_bodies_first) {
  const LibrarySetting setting;
  OwnSession session;
  CHECK(setting.try_session(muls_in_bodies(), "", &session).is_ok());
  CHECK_EQ(library_number("test_library_compile_calls"), 112);
  CHECK(setting.try_session(two_muls(), "", &session).is_ok());
  CHECK_EQ(library_number("test_library_compile_calls"), 2);
  CHECK(setting.try_session(muls_in_bodies(), "second_compile_error", &session)
            .has(ORT_NOT_FOUND, "Compile: cannot compile again"));
  session.reset();
  CHECK_EQ(library_number("test_library_alive"), 1);
}

TEST(plugin_sessions, say_what_went_wrong_while_they_are_made) {
  const struct {
    const char* fault;
    int code;
    const char* text;
  } kFaults[] = {
      {"create_ep_error", ORT_NOT_FOUND, "TestLibraryEp: CreateEp: no provider"},
      {"create_ep_late", ORT_NOT_FOUND, "CreateEp: no provider after all"},
      {"create_ep_throws", ORT_EP_FAIL, "thrown in place of a provider"},
      {"null_ep", ORT_EP_FAIL, "CreateEp gave no OrtEp"},
      {"old_ep", ORT_EP_FAIL, "version 21"},
      {"no_ep_name", ORT_EP_FAIL, "without GetName"},
      {"null_ep_name", ORT_EP_FAIL, "gave NULL"},
      {"wrong_ep_name", ORT_EP_FAIL, "'AnotherEp'"},
      {"concurrent_error", ORT_NOT_FOUND, "IsConcurrentRunSupported: cannot tell"},
      {"layout_error", ORT_NOT_FOUND, "GetPreferredDataLayout: no layout"},
      {"capability_error", ORT_NOT_FOUND, "GetCapability: no capability"},
      {"capability_throws", ORT_EP_FAIL, "GetCapability: it threw: thrown over a graph"},
      {"foreign_node", ORT_INVALID_ARGUMENT, "not a node of the graph"},
      {"single_node", ORT_NOT_IMPLEMENTED, "has no kernel for Mul"},
      {"no_nodes", ORT_INVALID_ARGUMENT, "'num_nodes' is 0"},
      {"no_compile", ORT_EP_FAIL, "has no Compile"},
      {"compile_error", ORT_NOT_FOUND, "Compile: cannot compile"},
      {"compile_error_late", ORT_NOT_FOUND, "Compile: cannot compile after all"},
      {"compile_throws", ORT_EP_FAIL, "thrown while compiling"},
      {"null_info", ORT_EP_FAIL, "no OrtNodeComputeInfo"},
      {"no_compute", ORT_EP_FAIL, "lacks one of its functions"},
      {"state_error", ORT_NOT_FOUND, "CreateState: no state"},
      {"state_throws", ORT_EP_FAIL, "no state at all"},
      {"session_end_error", ORT_NOT_FOUND, "OnSessionInitializationEnd: not finished"},
  };
  const LibrarySetting setting;
  for (const auto& row : kFaults) {
    OwnSession session;
    CHECK(setting.try_session(two_muls(), row.fault, &session).has(row.code, row.text));
    CHECK(session == nullptr);
    CHECK_EQ(library_number("test_library_alive"), 1);
  }
}

// As in ONNX Runtime, others run the graph.
TEST(plugin_sessions, through_the_table_bear_a_library_that_cannot_look_at_a_graph) {
  const LibrarySetting setting;
  const OrtApi& table = *OrtcGetApiBase()->GetApi(ORTC_ORT_API_VERSION);
  for (const char* fault : {"capability_error", "capability_throws"}) {
    OrtSessionOptions* made = nullptr;
    CHECK(Outcome(table.CreateSessionOptions(&made)).is_ok());
    const Options options(made);
    const auto devices = devices_of(setting.env, kTestEp);
    const char* key = "fault";
    CHECK(Outcome(table.SessionOptionsAppendExecutionProvider_V2(
                      made, setting.env.get(), devices.data(), devices.size(), &key, &fault, 1))
              .is_ok());
    const OwnSession session = recorded_session(setting, two_muls(), options);
    check_runs(session.get(), {2, 8, 18, 32});
    CHECK_EQ(claimed_by_library(session.get()), 0u);
  }
}

TEST(plugin_sessions, say_what_went_wrong_while_they_run) {
  const struct {
    const char* fault;
    int code;
    const char* text;
  } kFaults[] = {
      {"run_start_error", ORT_NOT_FOUND, "OnRunStart: cannot begin"},
      {"run_end_error", ORT_NOT_FOUND, "OnRunEnd: cannot end"},
      {"compute_error", ORT_NOT_FOUND, "Compute: cannot compute"},
      {"compute_throws", ORT_EP_FAIL, "thrown while computing"},
      {"compute_throws_a_number", ORT_EP_FAIL, "it threw something"},
      {"no_output", ORT_EP_FAIL, "it gave no output"},
      {"no_such_output", ORT_INVALID_ARGUMENT, "'index' is 99"},
      {"negative_shape", ORT_INVALID_ARGUMENT, "cannot have the shape"},
      {"two_shapes", ORT_INVALID_ARGUMENT, "has the shape [4] already"},
      {"wrong_shape", ORT_EP_FAIL, "expected"},
      {"wrong_rank", ORT_EP_FAIL, "expected"},
  };
  const LibrarySetting setting;
  for (const auto& row : kFaults) {
    OwnSession session;
    CHECK(setting.try_session(two_muls(), row.fault, &session).is_ok());
    std::vector<float> y;
    CHECK(run_floats(session.get(), kX, &y).has(row.code, row.text));
    session.reset();
    CHECK_EQ(library_number("test_library_alive"), 1);
  }
}

TEST(plugin_sessions, never_touch_members_that_are_younger_than_the_library) {
  const LibrarySetting setting;
  OwnSession session;
  CHECK(setting.try_session(two_muls(), "version_23", &session).is_ok());
  check_runs(session.get(), {2, 8, 18, 32});
  CHECK(setting.try_session(two_muls(), "version_22", &session).is_ok());
  check_runs(session.get(), {2, 8, 18, 32});
  CHECK(setting.try_session(two_muls(), "new_ep", &session).is_ok());
  check_runs(session.get(), {2, 8, 18, 32});
}

TEST(plugin_sessions, tell_the_library_of_every_run) {
  const LibrarySetting setting;
  OwnSession session;
  CHECK(setting.try_session(two_muls(), "", &session).is_ok());
  const int begun = library_number("test_library_runs_begun");
  const int ended = library_number("test_library_runs_ended");
  for (int i = 0; i < 3; ++i) check_runs(session.get(), {2, 8, 18, 32});
  CHECK_EQ(library_number("test_library_runs_begun"), begun + 3);
  CHECK_EQ(library_number("test_library_runs_ended"), ended + 3);
}

TEST(plugin_sessions, tell_the_library_how_much_a_run_logs) {
  const LibrarySetting setting;
  OwnSession session;
  CHECK(setting.try_session(two_muls(), "", &session).is_ok());
  OrtRunOptions* options = nullptr;
  CHECK(Outcome(OrtCreateRunOptions(&options)).is_ok());
  CHECK(Outcome(OrtRunOptionsSetRunLogSeverityLevel(options, 3)).is_ok());
  CHECK(Outcome(OrtRunOptionsSetRunLogVerbosityLevel(options, 4)).is_ok());
  std::vector<float> y;
  CHECK(run_floats(session.get(), kX, &y, {}, options).is_ok());
  CHECK_EQ(library_number("test_library_log_levels"), 34);
  OrtReleaseRunOptions(options);
}

TEST(plugin_sessions, show_their_options_to_the_library_until_they_end) {
  const LibrarySetting setting;
  OwnSession session;
  CHECK(setting.try_session(two_muls(), "late_options", &session).is_ok());
  check_runs(session.get(), {2, 8, 18, 32});
}

TEST(plugin_sessions, give_dynamic_options_to_the_library) {
  const LibrarySetting setting;
  const char* key = "ep.dynamic.workload_type";
  const char* value = "Efficient";
  OwnSession session;
  CHECK(setting.try_session(two_muls(), "", &session).is_ok());
  const int before = library_number("test_library_dynamic_options");
  CHECK(Outcome(OrtSetEpDynamicOptions(session.get(), &key, &value, 1)).is_ok());
  CHECK_EQ(library_number("test_library_dynamic_options"), before + 1);
  CHECK(setting.try_session(two_muls(), "dynamic_error", &session).is_ok());
  CHECK(Outcome(OrtSetEpDynamicOptions(session.get(), &key, &value, 1))
            .has(ORT_NOT_FOUND, "SetDynamicOptions: not now"));
}

TEST(plugin_sessions, take_turns_when_the_library_runs_one_at_a_time) {
  const LibrarySetting setting;
  OwnSession session;
  CHECK(setting.try_session(two_muls(), "one_run", &session).is_ok());
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      std::vector<float> y;
      for (int i = 0; i < 50; ++i) {
        const Outcome outcome = run_floats(session.get(), kX, &y);
        failures += outcome.code != ORT_OK || y != std::vector<float>{2, 8, 18, 32};
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(failures.load(), 0);
}

TEST(plugin_sessions, give_the_library_the_verdict_on_a_compiled_model) {
  const LibrarySetting setting;
  const auto devices = devices_of(setting.env, kTestEp);
  const struct {
    const char* info;
    OrtCompiledModelCompatibility verdict;
  } kVerdicts[] = {{"optimal", OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL},
                   {"suboptimal", OrtCompiledModelCompatibility_EP_SUPPORTED_PREFER_RECOMPILATION},
                   {"unsupported", OrtCompiledModelCompatibility_EP_UNSUPPORTED},
                   {"somebody's", OrtCompiledModelCompatibility_EP_NOT_APPLICABLE}};
  for (const auto& row : kVerdicts) {
    auto verdict = OrtCompiledModelCompatibility_EP_NOT_APPLICABLE;
    CHECK(Outcome(OrtGetModelCompatibilityForEpDevices(devices.data(), devices.size(), row.info,
                                                       &verdict))
              .is_ok());
    CHECK_EQ(verdict, row.verdict);
  }
  auto verdict = OrtCompiledModelCompatibility_EP_NOT_APPLICABLE;
  CHECK(Outcome(OrtGetModelCompatibilityForEpDevices(devices.data(), 1, "nonsense", &verdict))
            .has(ORT_EP_FAIL, "gave 77"));
}

TEST(plugin_sessions, get_a_library_for_the_cpu_by_policy) {
  const LibrarySetting setting;
  OrtSessionOptions* made = nullptr;
  CHECK(Outcome(OrtCreateSessionOptions(&made)).is_ok());
  const Options options(made);
  CHECK(Outcome(OrtSessionOptionsSetEpSelectionPolicy(made,
                                                      OrtExecutionProviderDevicePolicy_PREFER_CPU))
            .is_ok());
  const OwnSession session = recorded_session(setting, two_muls(), options);
  check_runs(session.get(), {2, 8, 18, 32});
  CHECK_EQ(claimed_by_library(session.get()), 2u);
  CHECK(Outcome(OrtSessionOptionsSetEpSelectionPolicy(made,
                                                      OrtExecutionProviderDevicePolicy_PREFER_NPU))
            .is_ok());
  const OwnSession other = recorded_session(setting, two_muls(), options);
  check_runs(other.get(), {2, 8, 18, 32});
  CHECK_EQ(claimed_by_library(other.get()), 0u);
}

TEST(plugin_sessions, hold_no_object_of_the_library_when_they_end) {
  const LibrarySetting setting;
  for (int i = 0; i < 20; ++i) {
    OwnSession session;
    CHECK(setting.try_session(two_muls(), "", &session).is_ok());
    CHECK(library_number("test_library_alive") > 1);
    session.reset();
    CHECK_EQ(library_number("test_library_alive"), 1);
  }
}
