// SPDX-License-Identifier: MIT
// Profiles of sessions and of runs: Chrome traces in ONNX Runtime's form.
#include <fcntl.h>
#include <sys/file.h>

#include "tests/api/api_testing.h"

static void run_layers(OrtSession* session, const OrtRunOptions* options) {
  static float x[64];
  const int64_t shape[] = {1, 64};
  OrtValue *input = floats_of(x, 64, shape, 2), *output = NULL;
  const OrtValue* inputs[] = {input};
  const char* input_names[] = {"x"};
  const char* output_names[] = {"y"};
  CHECK_OK(OrtRun(session, options, input_names, inputs, 1, output_names, 1, &output));
  OrtReleaseValue(input);
  OrtReleaseValue(output);
}

static size_t count_text(const char* text, const char* part) {
  size_t count = 0;
  for (const char* place = strstr(text, part); place != NULL; place = strstr(place + 1, part)) {
    ++count;
  }
  return count;
}

// The only file in a folder.
static char* only_file(const char* folder) {
  DIR* open = opendir(folder);
  static char path[600];
  path[0] = 0;
  for (struct dirent* entry = readdir(open); entry != NULL; entry = readdir(open)) {
    if (entry->d_name[0] != '.') snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
  }
  closedir(open);
  return path;
}

static void test_profile__has_an_event_for_every_step_and_stage(void** state) {
  (void)state;
  const char* providers[] = {NULL, "AOT"};
  OrtEnv* env = new_env();
  for (int i = 0; i < 2; ++i) {
    OrtSessionOptions* options = new_options(providers[i]);
    OrtSession* session = NULL;
    uint64_t start = 0;
    char prefix[512];
    snprintf(prefix, sizeof(prefix), "%s/trace", temp_folder);
    CHECK_OK(OrtEnableProfiling(options, prefix));
    CHECK_OK(OrtCreateSession(env, DATA("layers.onnx"), options, &session));
    OrtReleaseSessionOptions(options);
    CHECK_OK(OrtSessionGetProfilingStartTimeNs(session, &start));
    assert_true(start > UINT64_C(1600000000) * 1000000000);
    run_layers(session, NULL);
    run_layers(session, NULL);
    char* name = NULL;
    CHECK_OK(OrtSessionEndProfiling(session, allocator(), &name));
    assert_memory_equal(name, prefix, strlen(prefix));
    CHECK_CONTAINS(name, ".json");
    char* text = read_file(name, NULL);
    assert_true(text[0] == '[');
    assert_int_equal(count_text(text, "\"name\":\"model_run\""), 2);
    assert_int_equal(count_text(text, "\"name\":\"SequentialExecutor::Execute\""), 2);
    assert_int_equal(count_text(text, "\"name\":\"model_loading_uri\""), 1);
    assert_int_equal(count_text(text, "\"name\":\"session_initialization\""), 1);
    assert_true(count_text(text, "_kernel_time\"") >= 4);
    CHECK_CONTAINS(text, "\"cat\":\"Node\"");
    CHECK_CONTAINS(text, "\"ph\":\"X\"");
    CHECK_CONTAINS(text, "\"name\":\"second_kernel_time\"");
    CHECK_CONTAINS(text, "\"input_type_shape\":[{\"float\":[1,64]}");
    CHECK_CONTAINS(text, "\"mem_bytes_in_use\":\"");
    CHECK_CONTAINS(text, "\"mem_arena_held_delta\":\"0\"");
    assert_int_equal(count_text(text, "\"mem_bytes_in_use\":\"0\""), 0);
    assert_int_equal(count_text(text, "\"mem_in_use_peak\""), count_text(text, "_kernel_time\""));
    CHECK_CONTAINS(text, i == 0 ? "\"provider\":\"CPUExecutionProvider\""
                                : "\"provider\":\"AotExecutionProvider\"");
    free(text);
    free_text(name);
    // It has ended; runs go on without it.
    run_layers(session, NULL);
    CHECK_OK(OrtSessionEndProfiling(session, allocator(), &name));
    CHECK_TEXT(name, "");
    free_text(name);
    OrtReleaseSession(session);
  }
  OrtReleaseEnv(env);
}

static void test_profile__is_written_when_the_session_is_released(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSessionOptions* options = new_options(NULL);
  OrtSession* session = NULL;
  const char* folder = new_folder("released");
  char prefix[600];
  snprintf(prefix, sizeof(prefix), "%s/p", folder);
  CHECK_OK(OrtEnableProfiling(options, prefix));
  CHECK_OK(OrtCreateSession(env, DATA("layers.onnx"), options, &session));
  assert_int_equal(count_files(folder), 0);
  OrtReleaseSession(session);
  assert_int_equal(count_files(folder), 1);
  char* text = read_file(only_file(folder), NULL);
  CHECK_CONTAINS(text, "session_initialization");
  free(text);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

static void test_profile__of_a_run_has_a_file_of_its_own(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = NULL;
  OrtRunOptions* run = NULL;
  const char* folder = new_folder("runs");
  char prefix[600];
  snprintf(prefix, sizeof(prefix), "%s/run", folder);
  CHECK_OK(OrtCreateSession(env, DATA("layers.onnx"), NULL, &session));
  CHECK_OK(OrtCreateRunOptions(&run));
  CHECK_OK(OrtRunOptionsEnableProfiling(run, prefix));
  run_layers(session, run);
  run_layers(session, run);
  assert_int_equal(count_files(folder), 2);
  char* text = read_file(only_file(folder), NULL);
  assert_int_equal(count_text(text, "\"name\":\"model_run\""), 1);
  CHECK_CONTAINS(text, "\"op_name\":");
  free(text);
  CHECK_OK(OrtRunOptionsDisableProfiling(run));
  run_layers(session, run);
  assert_int_equal(count_files(folder), 2);
  OrtReleaseRunOptions(run);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
}

static void test_profile__that_cannot_be_written_is_kept(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSessionOptions* options = new_options(NULL);
  OrtSession* session = NULL;
  char* name = NULL;
  const char* folder = new_folder("kept");
  char prefix[600];
  snprintf(prefix, sizeof(prefix), "%s/p", folder);
  CHECK_OK(OrtEnableProfiling(options, prefix));
  CHECK_OK(OrtCreateSession(env, DATA("layers.onnx"), options, &session));
  run_layers(session, NULL);
  assert_int_equal(rmdir(folder), 0);
  CHECK_FAILS(OrtSessionEndProfiling(session, allocator(), &name), ORT_FAIL, "kept");
  assert_int_equal(mkdir(folder, 0755), 0);
  run_layers(session, NULL);  // no part of the profile
  CHECK_OK(OrtSessionEndProfiling(session, allocator(), &name));
  char* text = read_file(name, NULL);
  assert_int_equal(count_text(text, "\"name\":\"model_run\""), 1);
  free(text);
  free_text(name);
  CHECK_OK(OrtSessionEndProfiling(session, allocator(), &name));
  CHECK_TEXT(name, "");
  free_text(name);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

static void keep_message(void* text, OrtLoggingLevel severity, const char* category,
                         const char* log_id, const char* location, const char* message) {
  (void)severity, (void)category, (void)log_id, (void)location;
  snprintf((char*)text, 600, "%s", message);
}

static OrtSession* profiled_session(OrtEnv* env, const char* folder) {
  OrtSessionOptions* options = new_options(NULL);
  OrtSession* session = NULL;
  char prefix[600];
  snprintf(prefix, sizeof(prefix), "%s/p", folder);
  CHECK_OK(OrtEnableProfiling(options, prefix));
  CHECK_OK(OrtCreateSession(env, DATA("layers.onnx"), options, &session));
  OrtReleaseSessionOptions(options);
  return session;
}

// A compile may keep the folder locked for minutes.
static void test_profile__waits_for_nobody_who_compiles_into_its_folder(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  const char* folder = new_folder("locked");
  OrtSession* session = profiled_session(env, folder);
  const int lock = open(folder, O_RDONLY | O_DIRECTORY);
  assert_true(lock >= 0);
  assert_int_equal(flock(lock, LOCK_EX | LOCK_NB), 0);
  OrtReleaseSession(session);
  assert_int_equal(count_files(folder), 1);
  close(lock);
  OrtReleaseEnv(env);
}

static void test_profile__that_is_lost_with_its_session_is_logged(void** state) {
  (void)state;
  OrtEnv* env = NULL;
  char message[600] = "";
  CHECK_OK(
      OrtCreateEnvWithCustomLogger(keep_message, message, ORT_LOGGING_LEVEL_WARNING, "x", &env));
  const char* folder = new_folder("lost");
  OrtSession* session = profiled_session(env, folder);
  assert_int_equal(rmdir(folder), 0);
  OrtReleaseSession(session);
  CHECK_CONTAINS(message, "the profile is lost");
  CHECK_CONTAINS(message, "lost'");
  OrtReleaseEnv(env);
}

static void test_profile__is_off_unless_it_was_asked_for(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSessionOptions* options = new_options(NULL);
  OrtSession* session = NULL;
  uint64_t start = 1;
  char* name = NULL;
  CHECK_OK(OrtEnableProfiling(options, temp_path("no/folder/trace")));
  CHECK_FAILS(OrtCreateSession(env, DATA("layers.onnx"), options, &session), ORT_INVALID_ARGUMENT,
              "no/folder");
  CHECK_OK(OrtDisableProfiling(options));
  CHECK_OK(OrtCreateSession(env, DATA("layers.onnx"), options, &session));
  CHECK_OK(OrtSessionGetProfilingStartTimeNs(session, &start));
  assert_true(start == 0);
  CHECK_OK(OrtSessionEndProfiling(session, allocator(), &name));
  CHECK_TEXT(name, "");
  free_text(name);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_profile__has_an_event_for_every_step_and_stage),
      cmocka_unit_test(test_profile__is_written_when_the_session_is_released),
      cmocka_unit_test(test_profile__of_a_run_has_a_file_of_its_own),
      cmocka_unit_test(test_profile__that_cannot_be_written_is_kept),
      cmocka_unit_test(test_profile__waits_for_nobody_who_compiles_into_its_folder),
      cmocka_unit_test(test_profile__that_is_lost_with_its_session_is_logged),
      cmocka_unit_test(test_profile__is_off_unless_it_was_asked_for),
  };
  return cmocka_run_group_tests(tests, make_temp_folder, remove_temp_folder);
}
