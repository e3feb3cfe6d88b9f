// SPDX-License-Identifier: MIT
// Profiles to which a library's provider adds events of its own.
#include <filesystem>
#include <thread>

#include "tests/api/plugin/plugin_testing.h"

using namespace ortc::test;

namespace {

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// A session of two Muls, each a node of the library, and the profile of `runs` runs.
struct Profiled {
  explicit Profiled(const std::string& fault, int runs = 1) : env(quiet_env()) {
    CHECK(add_library(env, "lib").is_ok());
    const Options options = options_of(env, kTestEp, fault);
    CHECK(Outcome(OrtEnableProfiling(options.get(), (temp_dir() + "/session").c_str())).is_ok());
    CHECK(make_session(env, two_muls(), options, &session).is_ok());
    for (int i = 0; i < runs; ++i) run();
  }
  void run() const {
    std::vector<float> y;
    CHECK(run_floats(session.get(), {1, 2, 3, 4}, &y).is_ok());
    CHECK(y == std::vector<float>({2, 8, 18, 32}));
  }
  std::string end() const {
    OrtAllocator* allocator = nullptr;
    CHECK(Outcome(OrtGetAllocatorWithDefaultOptions(&allocator)).is_ok());
    char* path = nullptr;
    CHECK(Outcome(OrtSessionEndProfiling(session.get(), allocator, &path)).is_ok());
    const std::string text = read_whole_file(path);
    OrtAllocatorFree(allocator, path);
    return text;
  }
  Env env;
  OwnSession session;
};

OrtProfilingEvent* event_of(OrtProfilingEventCategory category) {
  const char* keys[] = {"a"};
  const char* values[] = {"1"};
  OrtProfilingEvent* event = nullptr;
  CHECK(Outcome(
            ep_api().CreateProfilingEvent(category, 3, 4, "name", 10, 20, keys, values, 1, &event))
            .is_ok());
  return event;
}

}  // namespace

TEST(plugin_profiling, puts_a_librarys_events_behind_those_of_the_runtime) {
  const Profiled profiled("profiler");
  const std::string text = profiled.end();
  CHECK_EQ(count_of(text, "\"name\":\"multiply\""), 2u);
  CHECK_EQ(count_of(text, "\"cat\":\"Kernel\",\"pid\":-1,\"tid\":5,"), 2u);
  CHECK_EQ(count_of(text, "\"colour\":\"\\\"green\\\"\""), 2u);
  CHECK(text.rfind("\"cat\":\"Node\"") < text.find("\"cat\":\"Kernel\""));
  CHECK(text.find("model_run") < text.find("\"cat\":\"Kernel\""));
}

TEST(plugin_profiling, tells_of_runs_and_steps_in_pairs) {
  const Profiled profiled("profiler", 3);
  // Two steps, the executor and the run.
  CHECK_EQ(library_number("test_library_events_begun"), 3 * 4);
  CHECK_EQ(library_number("test_library_events_ended"), 3 * 4);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 10; ++k) profiled.run();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(library_number("test_library_events_ended"), 43 * 4);
  CHECK_EQ(library_number("test_library_events_mispaired"), 0);
  CHECK_EQ(count_of(profiled.end(), "\"multiply\""), 43u * 2);
  profiled.run();  // the profile has ended
  CHECK_EQ(library_number("test_library_events_begun"), 43 * 4);
}

TEST(plugin_profiling, gives_each_profiled_run_a_profiler_of_its_own) {
  const Env env = quiet_env();
  CHECK(add_library(env, "lib").is_ok());
  const Options options = options_of(env, kTestEp, "profiler");
  OwnSession session;
  CHECK(make_session(env, two_muls(), options, &session).is_ok());
  CHECK_EQ(library_number("test_library_profiles_started"), 0);
  OrtRunOptions* run_options = nullptr;
  CHECK(Outcome(OrtCreateRunOptions(&run_options)).is_ok());
  const std::string prefix = temp_dir() + "/run";
  CHECK(Outcome(OrtRunOptionsEnableProfiling(run_options, prefix.c_str())).is_ok());
  for (int run = 1; run <= 2; ++run) {
    std::vector<float> y;
    CHECK(run_floats(session.get(), {1, 2, 3, 4}, &y, {}, run_options).is_ok());
    CHECK_EQ(library_number("test_library_profiles_started"), run);
    CHECK_EQ(library_number("test_library_profiles_ended"), run);
  }
  OrtReleaseRunOptions(run_options);
  size_t found = 0;
  for (const auto& file : std::filesystem::directory_iterator(temp_dir())) {
    if (file.path().filename().string().rfind("run_", 0) != 0) continue;
    ++found;
    CHECK_EQ(count_of(read_whole_file(file.path().string()), "\"multiply\""), 2u);
  }
  CHECK_EQ(found, 2u);
}

TEST(plugin_profiling, ends_every_event_of_a_run_that_fails) {
  const Env env = quiet_env();
  CHECK(add_library(env, "lib").is_ok());
  const Options options = options_of(env, kTestEp, "profiler_compute_error");
  CHECK(Outcome(OrtEnableProfiling(options.get(), (temp_dir() + "/failed").c_str())).is_ok());
  OwnSession session;
  CHECK(make_session(env, two_muls(), options, &session).is_ok());
  std::vector<float> y;
  CHECK(run_floats(session.get(), {1, 2, 3, 4}, &y).has(ORT_NOT_FOUND, "cannot compute"));
  CHECK_EQ(library_number("test_library_events_begun"), 3);
  CHECK_EQ(library_number("test_library_events_ended"), 3);
  CHECK_EQ(library_number("test_library_events_mispaired"), 0);
}

TEST(plugin_profiling, goes_on_without_a_profiler_that_does_wrong) {
  for (const char* fault :
       {"profiler_error", "profiler_throws", "profiler_null", "profiler_old", "profiler_lacks_end",
        "profiler_start_error", "profiler_end_error", "profiler_end_throws", "profiler_null_event",
        "profiler_event_error", "profiler_event_throws"}) {
    const Profiled profiled(fault);
    const std::string text = profiled.end();
    CHECK_EQ(count_of(text, "\"multiply\""), 0u);
    CHECK_EQ(count_of(text, "\"cat\":\"Node\""), 2u);
  }
  CHECK(!is_library_loaded());
}

TEST(plugin_profiling, takes_profilers_of_the_future_and_ones_without_events) {
  CHECK_EQ(count_of(Profiled("profiler_new").end(), "\"multiply\""), 2u);
  CHECK_EQ(count_of(Profiled("profiler_without_events").end(), "\"cat\":\"Node\""), 2u);
}

TEST(plugin_profiling, gives_every_profiler_back) {
  {
    const Profiled profiled("profiler");
    profiled.end();
    CHECK(library_number("test_library_alive") > 0);
  }
  CHECK(!is_library_loaded());  // what is loaded anew begins with 0
}

TEST(plugin_profiling, makes_events_that_tell_what_they_were_made_with) {
  OrtProfilingEvent* event = event_of(OrtProfilingEventCategory_API);
  OrtProfilingEventCategory category{};
  const char *name = nullptr, *value = nullptr;
  int64_t begin = 0, duration = 0;
  CHECK(Outcome(ep_api().ProfilingEvent_GetCategory(event, &category)).is_ok());
  CHECK(Outcome(ep_api().ProfilingEvent_GetName(event, &name)).is_ok());
  CHECK(Outcome(ep_api().ProfilingEvent_GetTimestampUs(event, &begin)).is_ok());
  CHECK(Outcome(ep_api().ProfilingEvent_GetDurationUs(event, &duration)).is_ok());
  CHECK(category == OrtProfilingEventCategory_API && begin == 10 && duration == 20);
  CHECK_EQ(std::string(name), "name");
  CHECK(Outcome(ep_api().ProfilingEvent_GetArgValue(event, "a", &value)).is_ok());
  CHECK_EQ(std::string(value), "1");
  CHECK(Outcome(ep_api().ProfilingEvent_GetArgValue(event, "b", &value)).is_ok());
  CHECK(value == nullptr);
  ep_api().ReleaseProfilingEvent(event);
  ep_api().ReleaseProfilingEvent(nullptr);
}

TEST(plugin_profiling, refuses_events_that_are_not) {
  const OrtEpApi& api = ep_api();
  OrtProfilingEvent* event = nullptr;
  const auto category = OrtProfilingEventCategory_NODE;
  const char* keys[] = {"a", nullptr};
  const char* values[] = {nullptr, "b"};
  CHECK(Outcome(api.CreateProfilingEvent(static_cast<OrtProfilingEventCategory>(4), 0, 0, "n", 0, 0,
                                         nullptr, nullptr, 0, &event))
            .has(ORT_INVALID_ARGUMENT, "'category' is 4"));
  CHECK(
      Outcome(api.CreateProfilingEvent(category, 0, 0, nullptr, 0, 0, nullptr, nullptr, 0, &event))
          .has(ORT_INVALID_ARGUMENT, "'event_name'"));
  CHECK(Outcome(api.CreateProfilingEvent(category, 0, 0, "n", 0, 0, keys, nullptr, 1, &event))
            .has(ORT_INVALID_ARGUMENT, "'arg_keys' and 'arg_values'"));
  CHECK(Outcome(api.CreateProfilingEvent(category, 0, 0, "n", 0, 0, keys, values, 1, &event))
            .has(ORT_INVALID_ARGUMENT, "'arg_values[0]'"));
  CHECK(Outcome(api.CreateProfilingEvent(category, 0, 0, "n", 0, 0, keys, values, 2, nullptr))
            .has(ORT_INVALID_ARGUMENT, "'out'"));
  CHECK(Outcome(api.ProfilingEvent_GetName(nullptr, keys)).has(ORT_INVALID_ARGUMENT, "'event'"));
  CHECK(Outcome(api.ProfilingEventsContainer_AddEvents(nullptr, nullptr, 1))
            .has(ORT_INVALID_ARGUMENT, "'events_container'"));
}
