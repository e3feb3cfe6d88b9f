// SPDX-License-Identifier: MIT
// Runs that a library's provider captures, and does again without the runtime.
#include "tests/api/plugin/device_testing.h"

using namespace ortc::test;

namespace {

OwnValue over(std::vector<float>& numbers) {
  OrtMemoryInfo* memory = nullptr;
  OrtValue* value = nullptr;
  const auto dim = static_cast<int64_t>(numbers.size());
  CHECK(Outcome(OrtCreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory)).is_ok());
  CHECK(Outcome(OrtCreateTensorWithDataAsOrtValue(memory, numbers.data(),
                                                  numbers.size() * sizeof(float), &dim, 1,
                                                  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value))
            .is_ok());
  OrtReleaseMemoryInfo(memory);
  return OwnValue(value);
}

// A session whose nodes the library takes as one, with an input and an output that stay where they
// are.
struct Captured {
  explicit Captured(const std::string& fault, const std::string& model = two_muls())
      : env(quiet_env()) {
    CHECK(add_library(env, "lib").is_ok());
    options = options_of(env, kTestEp, fault);
    CHECK(
        Outcome(OrtAddSessionConfigEntry(options.get(), "ep.testlibraryep.groups", "all")).is_ok());
    made = std::make_unique<Outcome>(make_session(env, model, options, &session));
  }
  Outcome run(const char* id = nullptr) { return run(x_value.get(), y_value.get(), id); }
  Outcome run(const OrtValue* from, OrtValue* to, const char* id = nullptr) {
    OrtRunOptions* run_options = nullptr;
    CHECK(Outcome(OrtCreateRunOptions(&run_options)).is_ok());
    if (id != nullptr) {
      CHECK(Outcome(OrtAddRunConfigEntry(run_options, "gpu_graph_id", id)).is_ok());
    }
    const char *input = "x", *output = "y";
    Outcome outcome(OrtRun(session.get(), run_options, &input, &from, 1, &output, 1, &to));
    OrtReleaseRunOptions(run_options);
    return outcome;
  }
  Env env;
  Options options{nullptr};
  OwnSession session;
  std::unique_ptr<Outcome> made;
  std::vector<float> x = {1, 2, 3, 4}, y = {0, 0, 0, 0};
  OwnValue x_value = over(x), y_value = over(y);
};

}  // namespace

TEST(plugin_capture, runs_until_the_run_is_captured_and_replays_it_then) {
  Captured session("capture");
  CHECK(session.made->is_ok());
  CHECK(session.run().is_ok());
  CHECK_EQ(library_number("test_library_runs_begun"), 3);  // warming up, all in one call
  CHECK_EQ(library_number("test_library_runs_ended"), 3);
  CHECK(session.y == std::vector<float>({2, 8, 18, 32}));
  session.x.assign({2, 2, 2, 5});
  CHECK(session.run().is_ok());
  CHECK_EQ(library_number("test_library_runs_begun"), 3);
  CHECK_EQ(library_number("test_library_replays"), 1);
  CHECK(session.y == std::vector<float>({8, 8, 8, 50}));
}

TEST(plugin_capture, writes_what_it_made_itself_there_again) {
  Captured session("capture");
  OrtValue* made = nullptr;
  const OrtValue* from = session.x_value.get();
  const char *input = "x", *output = "y";
  CHECK(
      Outcome(OrtRun(session.session.get(), nullptr, &input, &from, 1, &output, 1, &made)).is_ok());
  const OwnValue own(made);
  session.x.assign({3, 3, 3, 3});
  CHECK(session.run(from, own.get()).is_ok());
  const void* data = nullptr;
  CHECK(Outcome(OrtGetTensorData(own.get(), &data)).is_ok());
  CHECK_EQ(static_cast<const float*>(data)[3], 18.0f);
  CHECK_EQ(library_number("test_library_replays"), 1);
}

TEST(plugin_capture, refuses_values_in_other_places) {
  Captured session("capture");
  CHECK(session.run().is_ok());
  std::vector<float> other = {9, 9, 9, 9};
  const OwnValue value = over(other);
  CHECK(session.run(value.get(), session.y_value.get())
            .has(ORT_INVALID_ARGUMENT, "input 'x' is float32[4], but run 0 was recorded"));
  CHECK(session.run(session.x_value.get(), value.get()).has(ORT_INVALID_ARGUMENT, "output 'y'"));
  CHECK(session.run(session.x_value.get(), nullptr)
            .has(ORT_INVALID_ARGUMENT, "output 'y' is made by the run"));
  CHECK(other == std::vector<float>({9, 9, 9, 9}));
  CHECK_EQ(library_number("test_library_replays"), 0);
}

TEST(plugin_capture, keeps_runs_of_several_numbers_apart) {
  Captured session("capture");
  std::vector<float> other = {1, 1, 1, 1}, result = {0, 0, 0, 0};
  const OwnValue from = over(other), to = over(result);
  CHECK(session.run("1").is_ok());
  CHECK(session.run(from.get(), to.get(), "2").is_ok());
  CHECK_EQ(library_number("test_library_runs_begun"), 6);
  CHECK(session.run("1").is_ok());
  CHECK(session.run(from.get(), to.get(), "2").is_ok());
  CHECK_EQ(library_number("test_library_replays"), 2);
  CHECK(session.run("-1").is_ok());  // an ordinary run
  CHECK_EQ(library_number("test_library_runs_begun"), 7);
  CHECK(session.run("first").has(ORT_INVALID_ARGUMENT, "annotation id: first"));
  CHECK(session.run("99999999999").has(ORT_INVALID_ARGUMENT, "annotation id"));
}

TEST(plugin_capture, captures_again_after_a_graph_was_released) {
  Captured session("capture");
  CHECK(session.run().is_ok());
  CHECK(Outcome(OrtSessionReleaseCapturedGraph(session.session.get(), 0)).is_ok());
  CHECK_EQ(library_number("test_library_releases"), 1);
  std::vector<float> other = {1, 2, 3, 4};
  const OwnValue value = over(other);
  CHECK(session.run(value.get(), session.y_value.get()).is_ok());
  CHECK_EQ(library_number("test_library_runs_begun"), 6);
}

TEST(plugin_capture, has_nothing_to_release_where_nothing_is_captured) {
  for (const char* fault : {"", "capture_cannot_release", "capture_version_25", "capture_lacks"}) {
    const Captured session(fault);
    CHECK(Outcome(OrtSessionReleaseCapturedGraph(session.session.get(), 5)).is_ok());
  }
  const Captured session("capture_release_error");
  CHECK(Outcome(OrtSessionReleaseCapturedGraph(session.session.get(), 0))
            .has(ORT_NOT_FOUND, "not given back"));
}

TEST(plugin_capture, runs_as_always_for_libraries_that_cannot) {
  for (const char* fault : {"capture_version_25", "capture_lacks"}) {
    Captured session(fault);
    CHECK(session.made->is_ok());
    CHECK(session.run().is_ok());
    CHECK(session.run().is_ok());
    CHECK(session.y == std::vector<float>({2, 8, 18, 32}));
    CHECK_EQ(library_number("test_library_replays"), 0);
  }
}

TEST(plugin_capture, refuses_models_whose_nodes_are_not_all_in_one_part) {
  CHECK(Captured("capture", muls_around_neg())
            .made->has(ORT_FAIL, "all the graph nodes have not been assigned to TestLibraryEp"));
  CHECK(Captured("capture_shapes", muls_around_neg())
            .made->has(ORT_NOT_IMPLEMENTED, "nodes on the host; expected one part"));
  const Env env = quiet_env();
  CHECK(add_library(env, "lib").is_ok());
  OwnSession session;
  CHECK(make_session(env, two_muls(), options_of(env, kTestEp, "capture"), &session)
            .has(ORT_NOT_IMPLEMENTED, "2 parts of TestLibraryEp"));
}

TEST(plugin_capture, refuses_values_that_would_have_to_be_carried_to_the_device) {
  const Env env = quiet_env();
  CHECK(add_library(env, "faulty?captures.virtual", ORTC_FAULTY_LIBRARY).is_ok());
  const OwnSession session = open_on_device(env, dense_model());
  OwnValue y;
  CHECK(run(session, host_tensor(kDenseX, {1, 2}), &y)
            .has(ORT_INVALID_ARGUMENT, "input 'x' does not lie in the memory of"));
}

TEST(plugin_capture, says_what_a_library_did_wrong) {
  CHECK(Captured("capture_throws").made->has(ORT_EP_FAIL, "IsGraphCaptureEnabled"));
  CHECK(Captured("capture_policy").made->has(ORT_EP_FAIL, "gave 7, expected"));
  CHECK(Captured("capture_never").run().has(ORT_FAIL, "did not complete after 8 internal runs"));
  CHECK(Captured("capture_answer_throws").run().has(ORT_EP_FAIL, "IsGraphCaptured"));
  CHECK(Captured("capture_at_once").run().has(ORT_EP_FAIL, "which this session has not run"));
  Captured session("capture_replay_error");
  CHECK(session.run().is_ok());
  CHECK(session.run().has(ORT_NOT_FOUND, "cannot do it again"));
}
