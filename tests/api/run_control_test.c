// SPDX-License-Identifier: MIT
// Runs on other threads, runs that are stopped, sessions whose making is stopped.
#include <pthread.h>

#include "tests/api/api_testing.h"

typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int count;
  OrtValue** outputs;
  size_t output_count;
  OrtStatus* status;
  pthread_t thread;
} Answer;

static void init_answer(Answer* answer) {
  memset(answer, 0, sizeof(*answer));
  pthread_mutex_init(&answer->mutex, NULL);
  pthread_cond_init(&answer->changed, NULL);
}

static void keep_answer(void* user_data, OrtValue** outputs, size_t num_outputs,
                        OrtStatus* status) {
  Answer* answer = (Answer*)user_data;
  pthread_mutex_lock(&answer->mutex);
  answer->count++;
  answer->outputs = outputs;
  answer->output_count = num_outputs;
  answer->status = status;
  answer->thread = pthread_self();
  pthread_cond_broadcast(&answer->changed);
  pthread_mutex_unlock(&answer->mutex);
}

static void await(Answer* answer, int count) {
  pthread_mutex_lock(&answer->mutex);
  while (answer->count < count) pthread_cond_wait(&answer->changed, &answer->mutex);
  pthread_mutex_unlock(&answer->mutex);
}

static OrtSession* new_threaded_session(OrtEnv* env, const char* path, int threads) {
  OrtSessionOptions* options = new_options(NULL);
  OrtSession* session = NULL;
  CHECK_OK(OrtSetIntraOpNumThreads(options, threads));
  CHECK_OK(OrtCreateSession(env, path, options, &session));
  OrtReleaseSessionOptions(options);
  return session;
}

static void test_async__calls_back_from_another_thread(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = new_threaded_session(env, DATA("matmul.onnx"), 2);
  float x[4] = {1, 2, 3, 4};
  const int64_t shape[] = {1, 4};
  OrtValue* input = floats_of(x, 4, shape, 2);
  char input_name[] = "x", output_name[] = "y";
  const char* input_names[] = {input_name};
  const char* output_names[] = {output_name};
  const OrtValue* inputs[] = {input};
  OrtValue* outputs[] = {NULL};
  Answer answer;
  init_answer(&answer);
  CHECK_OK(OrtRunAsync(session, NULL, input_names, inputs, 1, output_names, 1, outputs, keep_answer,
                       &answer));
  // Names are copied, and the value may go; its memory may not.
  input_name[0] = output_name[0] = '?';
  OrtReleaseValue(input);
  await(&answer, 1);
  CHECK_OK(answer.status);
  assert_true(answer.outputs == outputs && answer.output_count == 1);
  assert_false(pthread_equal(answer.thread, pthread_self()));
  assert_true(floats_in(outputs[0])[0] == 60 && floats_in(outputs[0])[2] == 80);
  OrtReleaseValue(outputs[0]);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
}

static void test_async__tells_failures_through_the_callback(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = new_threaded_session(env, DATA("matmul.onnx"), 2);
  float x[4] = {0};
  const int64_t shape[] = {4, 1};
  OrtValue* input = floats_of(x, 4, shape, 2);
  const char* input_names[] = {"x"};
  const char* output_names[] = {"y"};
  const OrtValue* inputs[] = {input};
  OrtValue* outputs[] = {NULL};
  Answer answer;
  init_answer(&answer);
  CHECK_OK(OrtRunAsync(session, NULL, input_names, inputs, 1, output_names, 1, outputs, keep_answer,
                       &answer));
  await(&answer, 1);
  CHECK_FAILS(answer.status, ORT_INVALID_ARGUMENT, "input 'x'");
  assert_true(answer.outputs == NULL && answer.output_count == 0 && outputs[0] == NULL);
  CHECK_FAILS(
      OrtRunAsync(session, NULL, input_names, inputs, 1, output_names, 1, outputs, NULL, NULL),
      ORT_INVALID_ARGUMENT, "'run_async_callback'");
  OrtReleaseSession(session);
  session = new_threaded_session(env, DATA("matmul.onnx"), 1);
  CHECK_FAILS(OrtRunAsync(session, NULL, input_names, inputs, 1, output_names, 1, outputs,
                          keep_answer, &answer),
              ORT_INVALID_ARGUMENT, "at least one thread");
  assert_int_equal(answer.count, 1);
  OrtReleaseValue(input);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
}

static void test_async__is_waited_for_by_release(void** state) {
  (void)state;
  enum { kRuns = 32 };
  OrtEnv* env = new_env();
  OrtSession* session = new_threaded_session(env, DATA("layers.onnx"), 3);
  static float x[64 * 64];
  const int64_t shape[] = {64, 64};
  OrtValue* input = floats_of(x, 64 * 64, shape, 2);
  const char* input_names[] = {"x"};
  const char* output_names[] = {"y"};
  const OrtValue* inputs[] = {input};
  OrtValue* outputs[kRuns] = {NULL};
  Answer answer;
  init_answer(&answer);
  for (int i = 0; i < kRuns; ++i) {
    CHECK_OK(OrtRunAsync(session, NULL, input_names, inputs, 1, output_names, 1, &outputs[i],
                         keep_answer, &answer));
  }
  OrtReleaseSession(session);
  await(&answer, kRuns);
  CHECK_OK(answer.status);
  for (int i = 0; i < kRuns; ++i) {
    assert_non_null(outputs[i]);
    OrtReleaseValue(outputs[i]);
  }
  OrtReleaseValue(input);
  OrtReleaseEnv(env);
}

static void release_session(void* user_data, OrtValue** outputs, size_t num_outputs,
                            OrtStatus* status) {
  Answer* answer = (Answer*)((void**)user_data)[0];
  OrtReleaseSession((OrtSession*)((void**)user_data)[1]);
  keep_answer(answer, outputs, num_outputs, status);
}

static void test_async__may_release_the_session_in_its_callback(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = new_threaded_session(env, DATA("matmul.onnx"), 3);
  float x[4] = {1, 2, 3, 4};
  const int64_t shape[] = {1, 4};
  OrtValue* input = floats_of(x, 4, shape, 2);
  const char* input_names[] = {"x"};
  const char* output_names[] = {"y"};
  const OrtValue* inputs[] = {input};
  OrtValue* outputs[] = {NULL};
  Answer answer;
  init_answer(&answer);
  void* both[] = {&answer, session};
  CHECK_OK(OrtRunAsync(session, NULL, input_names, inputs, 1, output_names, 1, outputs,
                       release_session, both));
  await(&answer, 1);
  CHECK_OK(answer.status);
  assert_true(floats_in(outputs[0])[0] == 60);
  OrtReleaseValue(outputs[0]);
  OrtReleaseValue(input);
  OrtReleaseEnv(env);
}

// counting.onnx: a Loop that takes as long as it is told.
typedef struct {
  OrtSession* session;
  OrtRunOptions* options;
  int64_t times;
  OrtStatus* status;
} Count;

static void* count_up(void* parameter) {
  Count* count = (Count*)parameter;
  float x[1] = {0};
  const int64_t shape[] = {1};
  OrtMemoryInfo* memory = NULL;
  OrtValue *times = NULL, *start = floats_of(x, 1, shape, 1), *y = NULL;
  CHECK_OK(OrtCreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  CHECK_OK(OrtCreateTensorWithDataAsOrtValue(memory, &count->times, sizeof(int64_t), NULL, 0,
                                             ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &times));
  OrtReleaseMemoryInfo(memory);
  const char* input_names[] = {"times", "x"};
  const char* output_names[] = {"y"};
  const OrtValue* inputs[] = {times, start};
  count->status =
      OrtRun(count->session, count->options, input_names, inputs, 2, output_names, 1, &y);
  if (count->status == NULL) assert_true(floats_in(y)[0] == (float)count->times);
  OrtReleaseValue(times);
  OrtReleaseValue(start);
  OrtReleaseValue(y);
  return NULL;
}

static void test_terminate__ends_a_loop_under_way(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  Count count = {NULL, NULL, INT64_MAX, NULL};
  count.session = new_threaded_session(env, DATA("counting.onnx"), 1);
  CHECK_OK(OrtCreateRunOptions(&count.options));
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, count_up, &count), 0);
  usleep(50 * 1000);
  CHECK_OK(OrtRunOptionsSetTerminate(count.options));
  assert_int_equal(pthread_join(thread, NULL), 0);
  CHECK_FAILS(count.status, ORT_FAIL, "Exiting due to terminate flag being set to true");
  count.times = 5;
  count_up(&count);
  CHECK_FAILS(count.status, ORT_FAIL, "terminate flag");
  CHECK_OK(OrtRunOptionsUnsetTerminate(count.options));
  count_up(&count);
  CHECK_OK(count.status);
  OrtReleaseRunOptions(count.options);
  OrtReleaseSession(count.session);
  OrtReleaseEnv(env);
}

static void test_cancel__stops_the_making_of_sessions_until_it_is_cleared(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSessionOptions *options = new_options("AOT"), *copy = NULL;
  OrtSession* session = (OrtSession*)1;
  CHECK_OK(OrtCloneSessionOptions(options, &copy));
  CHECK_OK(OrtSessionOptionsSetLoadCancellationFlag(options, true));
  CHECK_FAILS(OrtCreateSession(env, DATA("matmul.onnx"), options, &session),
              ORT_MODEL_LOAD_CANCELED, "canceled");
  assert_null(session);
  CHECK_FAILS(OrtCreateSession(env, DATA("matmul.onnx"), copy, &session), ORT_MODEL_LOAD_CANCELED,
              "canceled");
  CHECK_OK(OrtSessionOptionsSetLoadCancellationFlag(options, false));
  CHECK_OK(OrtCreateSession(env, DATA("matmul.onnx"), copy, &session));
  check_matmul_runs(session);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(copy);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

typedef struct {
  int count;
  char log_id[32], message[256];
} Lines;

static void keep_line(void* param, OrtLoggingLevel severity, const char* category,
                      const char* logid, const char* code_location, const char* message) {
  Lines* lines = (Lines*)param;
  (void)severity, (void)category, (void)code_location;
  lines->count++;
  snprintf(lines->log_id, sizeof(lines->log_id), "%s", logid);
  snprintf(lines->message, sizeof(lines->message), "%s", message);
}

static void test_tag__stands_in_a_line_of_the_session_s_own_logger(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  Lines lines;
  memset(&lines, 0, sizeof(lines));
  OrtSessionOptions* options = new_options(NULL);
  OrtSession* session = NULL;
  OrtRunOptions* run = NULL;
  CHECK_OK(OrtSetUserLoggingFunction(options, keep_line, &lines));
  CHECK_OK(OrtSetSessionLogId(options, "mine"));
  CHECK_OK(OrtSetSessionLogSeverityLevel(options, ORT_LOGGING_LEVEL_WARNING));
  CHECK_OK(OrtCreateSession(env, DATA("counting.onnx"), options, &session));
  lines.count = 0;
  CHECK_OK(OrtCreateRunOptions(&run));
  CHECK_OK(OrtRunOptionsSetRunTag(run, "the seventh"));
  Count count = {session, run, 1, NULL};
  count_up(&count);
  assert_int_equal(lines.count, 0);
  CHECK_OK(OrtRunOptionsSetRunLogSeverityLevel(run, ORT_LOGGING_LEVEL_INFO));
  count_up(&count);
  assert_int_equal(lines.count, 1);
  CHECK_TEXT(lines.log_id, "mine");
  CHECK_CONTAINS(lines.message, "the seventh");
  OrtReleaseRunOptions(run);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

static void test_shrinkage__is_for_the_arena_that_there_is(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtRunOptions* run = NULL;
  CHECK_OK(OrtCreateRunOptions(&run));
  Count count = {new_threaded_session(env, DATA("counting.onnx"), 1), run, 3, NULL};
  CHECK_OK(OrtAddRunConfigEntry(run, "memory.enable_memory_arena_shrinkage", "cpu:0"));
  count_up(&count);
  CHECK_OK(count.status);
  char* report = NULL;
  CHECK_OK(OrtSession_GetReportJson(count.session, allocator(), &report));
  CHECK_CONTAINS(report, "\"arena_bytes\":0");
  free_text(report);
  // What no run could do is said before any begins.
  const char* const refused[] = {"nonsense", "gpu:0", "cpu:0;gpu:0", "cpu:1", "cpu:0;", NULL};
  for (const char* const* value = refused; *value != NULL; ++value) {
    CHECK_FAILS(OrtAddRunConfigEntry(run, "memory.enable_memory_arena_shrinkage", *value),
                ORT_INVALID_ARGUMENT, *value);
  }
  const char* const taken[] = {"cpu", "cpu:0;cpu:0", "", NULL};
  for (const char* const* value = taken; *value != NULL; ++value) {
    CHECK_OK(OrtAddRunConfigEntry(run, "memory.enable_memory_arena_shrinkage", *value));
    count_up(&count);
    CHECK_OK(count.status);
  }
  OrtReleaseSession(count.session);
  OrtReleaseRunOptions(run);
  OrtReleaseEnv(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_async__calls_back_from_another_thread),
      cmocka_unit_test(test_async__tells_failures_through_the_callback),
      cmocka_unit_test(test_async__is_waited_for_by_release),
      cmocka_unit_test(test_async__may_release_the_session_in_its_callback),
      cmocka_unit_test(test_terminate__ends_a_loop_under_way),
      cmocka_unit_test(test_cancel__stops_the_making_of_sessions_until_it_is_cleared),
      cmocka_unit_test(test_tag__stands_in_a_line_of_the_session_s_own_logger),
      cmocka_unit_test(test_shrinkage__is_for_the_arena_that_there_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
