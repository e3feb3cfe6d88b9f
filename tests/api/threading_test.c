// SPDX-License-Identifier: MIT
// ort_c/threading.h: threads that sessions share, and threads that the program makes.
#include <stdatomic.h>

#include "tests/api/api_testing.h"
#include "tests/api/own_threads.h"

// Threads of the program; counted.
typedef struct {
  int made, joined, refuse_after;
} Threads;

static OrtCustomThreadHandle make_thread(void* options, OrtThreadWorkerFn work, void* parameter) {
  Threads* threads = (Threads*)options;
  if (threads->made >= threads->refuse_after) return NULL;
  const OrtCustomThreadHandle handle = start_thread(&threads->joined, work, parameter);
  if (handle != NULL) threads->made++;
  return handle;
}

// layers.onnx on more rows than one thread would take.
static void run_layers(OrtSession* session, float* y) {
  static float x[256 * 64];
  for (int i = 0; i < 256 * 64; ++i) x[i] = (float)(i % 7 - 3);
  const int64_t shape[] = {256, 64};
  OrtValue *input = floats_of(x, 256 * 64, shape, 2), *output = NULL;
  const OrtValue* inputs[] = {input};
  const char* input_names[] = {"x"};
  const char* output_names[] = {"y"};
  CHECK_OK(OrtRun(session, NULL, input_names, inputs, 1, output_names, 1, &output));
  memcpy(y, floats_in(output), sizeof(x));
  OrtReleaseValue(input);
  OrtReleaseValue(output);
}

static float expected[256 * 64], found[256 * 64];

static void test_pool__of_the_environment_serves_sessions_without_threads(void** state) {
  (void)state;
  OrtThreadingOptions* threading = NULL;
  OrtEnv* env = NULL;
  OrtSession* sessions[3] = {NULL};
  CHECK_OK(OrtCreateThreadingOptions(&threading));
  CHECK_OK(OrtSetGlobalIntraOpNumThreads(threading, 3));
  CHECK_OK(OrtSetGlobalInterOpNumThreads(threading, 0));
  CHECK_OK(OrtSetGlobalSpinControl(threading, 0));
  CHECK_OK(OrtCreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_ERROR, "test", threading, &env));
  OrtReleaseThreadingOptions(threading);
  OrtSessionOptions* options = new_options(NULL);
  CHECK_OK(OrtSetIntraOpNumThreads(options, 1));
  CHECK_OK(OrtCreateSession(env, DATA("layers.onnx"), options, &sessions[0]));
  CHECK_OK(OrtDisablePerSessionThreads(options));
  CHECK_OK(OrtCreateSession(env, DATA("layers.onnx"), options, &sessions[1]));
  CHECK_OK(OrtCreateSession(env, DATA("layers.onnx"), options, &sessions[2]));
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
  char* report = NULL;
  CHECK_OK(OrtSession_GetReportJson(sessions[1], allocator(), &report));
  CHECK_CONTAINS(report, "\"threads\":3");
  free_text(report);
  run_layers(sessions[0], expected);
  for (int i = 1; i < 3; ++i) {
    run_layers(sessions[i], found);
    assert_memory_equal(found, expected, sizeof(found));
    OrtReleaseSession(sessions[i]);
  }
  OrtReleaseSession(sessions[0]);
}

static void test_pool__of_the_environment_must_be_there(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = NULL;
  OrtSessionOptions* options = new_options(NULL);
  CHECK_OK(OrtDisablePerSessionThreads(options));
  CHECK_FAILS(OrtCreateSession(env, DATA("layers.onnx"), options, &session), ORT_FAIL,
              "global thread pools");
  CHECK_OK(OrtAddSessionConfigEntry(options, "session.use_per_session_threads", "1"));
  CHECK_OK(OrtCreateSession(env, DATA("layers.onnx"), options, &session));
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

static void test_threads__of_the_program_serve_a_session(void** state) {
  (void)state;
  Threads threads = {0, 0, 100};
  OrtEnv* env = new_env();
  OrtSession* session = NULL;
  OrtSessionOptions* options = new_options(NULL);
  CHECK_OK(OrtSetIntraOpNumThreads(options, 3));
  CHECK_OK(OrtCreateSession(env, DATA("layers.onnx"), options, &session));
  run_layers(session, expected);
  OrtReleaseSession(session);
  CHECK_OK(OrtSessionOptionsSetCustomCreateThreadFn(options, make_thread));
  CHECK_FAILS(OrtCreateSession(env, DATA("layers.onnx"), options, &session), ORT_FAIL, "joins");
  CHECK_OK(OrtSessionOptionsSetCustomThreadCreationOptions(options, &threads));
  CHECK_OK(OrtSessionOptionsSetCustomJoinThreadFn(options, join_thread));
  CHECK_OK(OrtCreateSession(env, DATA("layers.onnx"), options, &session));
  assert_int_equal(threads.made, 2);
  run_layers(session, found);
  assert_memory_equal(found, expected, sizeof(found));
  OrtReleaseSession(session);
  assert_int_equal(threads.joined, 2);
  threads.refuse_after = 0;
  CHECK_FAILS(OrtCreateSession(env, DATA("layers.onnx"), options, &session), ORT_FAIL,
              "creates threads");
  // One thread: the caller's own, so none is made.
  CHECK_OK(OrtSetIntraOpNumThreads(options, 1));
  CHECK_OK(OrtCreateSession(env, DATA("layers.onnx"), options, &session));
  OrtReleaseSession(session);
  assert_int_equal(threads.made, 2);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

static void test_threads__of_the_program_serve_an_environment(void** state) {
  (void)state;
  Threads threads = {0, 0, 100};
  OrtThreadingOptions* threading = NULL;
  OrtEnv* env = NULL;
  CHECK_OK(OrtCreateThreadingOptions(&threading));
  CHECK_OK(OrtSetGlobalIntraOpNumThreads(threading, 4));
  CHECK_OK(OrtSetGlobalCustomCreateThreadFn(threading, make_thread));
  CHECK_OK(OrtSetGlobalCustomThreadCreationOptions(threading, &threads));
  CHECK_FAILS(OrtCreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_ERROR, "", threading, &env),
              ORT_FAIL, "joins");
  CHECK_OK(OrtSetGlobalCustomJoinThreadFn(threading, join_thread));
  CHECK_OK(OrtCreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_ERROR, "", threading, &env));
  assert_int_equal(threads.made, 3);
  OrtReleaseEnv(env);
  assert_int_equal(threads.joined, 3);
  threads.refuse_after = 0;
  CHECK_FAILS(OrtCreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_ERROR, "", threading, &env),
              ORT_FAIL, "creates threads");
  OrtReleaseThreadingOptions(threading);
}

// What a program hears of the work of threads: the sums of the numbers of pieces.
typedef struct {
  atomic_int enqueued, started, stopped, abandoned, wrong;
} Heard;

static void* hear_enqueue(void* context) {
  Heard* heard = (Heard*)context;
  return (void*)(intptr_t)(atomic_fetch_add(&heard->enqueued, 1) + 1);
}

static _Thread_local void* work_of_this_thread = NULL;

static void hear_start(void* context, void* work) {
  if (work_of_this_thread != NULL) atomic_fetch_add(&((Heard*)context)->wrong, 1);
  work_of_this_thread = work;
  atomic_fetch_add(&((Heard*)context)->started, (int)(intptr_t)work);
}

static void hear_stop(void* context, void* work) {
  if (work_of_this_thread != work) atomic_fetch_add(&((Heard*)context)->wrong, 1);
  work_of_this_thread = NULL;
  atomic_fetch_add(&((Heard*)context)->stopped, (int)(intptr_t)work);
}

static void hear_abandon(void* context, void* work) {
  atomic_fetch_add(&((Heard*)context)->abandoned, (int)(intptr_t)work);
}

// A session on three threads of its own, and layers.onnx run in it.
static void run_on_three(OrtEnv* env, OrtSessionOptions* options) {
  OrtSession* session = NULL;
  CHECK_OK(OrtSetIntraOpNumThreads(options, 3));
  CHECK_OK(OrtCreateSession(env, DATA("layers.onnx"), options, &session));
  OrtReleaseEnv(env);
  for (int i = 0; i < 20; ++i) run_layers(session, found);
  OrtReleaseSession(session);
}

static void test_callbacks__hear_of_each_share_of_the_work_of_threads(void** state) {
  (void)state;
  Heard heard = {0};
  OrtEnv* env = new_env();
  OrtThreadPoolCallbacksConfig config = {25,        hear_enqueue, hear_start,
                                         hear_stop, hear_abandon, &heard};
  CHECK_OK(OrtSetPerSessionThreadPoolCallbacks(env, &config));
  memset(&config, 0xff, sizeof(config));
  OrtSessionOptions* options = new_options(NULL);
  run_on_three(env, options);
  const int enqueued = heard.enqueued;
  assert_true(enqueued > 0);
  assert_int_equal(heard.started, heard.stopped);
  assert_int_equal(heard.started + heard.abandoned, enqueued * (enqueued + 1) / 2);
  assert_int_equal(heard.wrong, 0);
  OrtReleaseSessionOptions(options);
}

static void test_callbacks__may_each_be_missing(void** state) {
  (void)state;
  for (int mask = 0; mask < 16; ++mask) {
    Heard heard = {0};
    OrtEnv* env = new_env();
    OrtThreadPoolCallbacksConfig config = {25, NULL, NULL, NULL, NULL, &heard};
    if ((mask & 1) != 0) config.on_enqueue = hear_enqueue;
    if ((mask & 2) != 0) config.on_start_work = hear_start;
    if ((mask & 4) != 0) config.on_stop_work = hear_stop;
    if ((mask & 8) != 0) config.on_abandon = hear_abandon;
    CHECK_OK(OrtSetPerSessionThreadPoolCallbacks(env, &config));
    OrtSessionOptions* options = new_options(NULL);
    run_on_three(env, options);
    assert_true((heard.enqueued > 0) == ((mask & 1) != 0));
    OrtReleaseSessionOptions(options);
    work_of_this_thread = NULL;
  }
}

static void test_callbacks__hear_nothing_of_the_environments_pool(void** state) {
  (void)state;
  Heard heard = {0};
  OrtThreadingOptions* threading = NULL;
  OrtEnv* env = NULL;
  CHECK_OK(OrtCreateThreadingOptions(&threading));
  CHECK_OK(OrtSetGlobalIntraOpNumThreads(threading, 3));
  CHECK_OK(OrtCreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_ERROR, "", threading, &env));
  OrtReleaseThreadingOptions(threading);
  OrtThreadPoolCallbacksConfig config = {25, hear_enqueue, NULL, NULL, NULL, &heard};
  CHECK_OK(OrtSetPerSessionThreadPoolCallbacks(env, &config));
  OrtSessionOptions* options = new_options(NULL);
  CHECK_OK(OrtDisablePerSessionThreads(options));
  run_on_three(env, options);
  assert_int_equal(heard.enqueued, 0);
  OrtReleaseSessionOptions(options);
}

static void test_callbacks__of_unknown_versions_are_refused(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtThreadPoolCallbacksConfig config = {0, NULL, NULL, NULL, NULL, NULL};
  CHECK_FAILS(OrtSetPerSessionThreadPoolCallbacks(env, &config), ORT_INVALID_ARGUMENT, "version");
  config.version = 99;
  CHECK_FAILS(OrtSetPerSessionThreadPoolCallbacks(env, &config), ORT_INVALID_ARGUMENT, "99");
  OrtReleaseEnv(env);
}

// sums.onnx of numbers that are denormal: the first sum.
static float sum_of_denormals(OrtEnv* env, const OrtSessionOptions* options) {
  static float numbers[64];
  for (int i = 0; i < 64; ++i) numbers[i] = 1e-40F;
  const int64_t shape[] = {64};
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateSession(env, DATA("sums.onnx"), options, &session));
  OrtValue *many = floats_of(numbers, 64, shape, 1), *one = floats_of(numbers, 1, shape, 0);
  OrtValue* output = NULL;
  const OrtValue* inputs[] = {many, many, one};
  const char* input_names[] = {"a", "b", "c"};
  const char* output_names[] = {"sum"};
  CHECK_OK(OrtRun(session, NULL, input_names, inputs, 3, output_names, 1, &output));
  const float sum = floats_in(output)[0];
  OrtReleaseValue(many);
  OrtReleaseValue(one);
  OrtReleaseValue(output);
  OrtReleaseSession(session);
  return sum;
}

static void test_denormals__count_as_zero_where_the_program_says_so(void** state) {
  (void)state;
  OrtThreadingOptions* threading = NULL;
  OrtEnv *env = NULL, *plain = new_env();
  CHECK_OK(OrtCreateThreadingOptions(&threading));
  CHECK_OK(OrtSetGlobalDenormalAsZero(threading));
  CHECK_OK(OrtCreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_ERROR, "", threading, &env));
  OrtReleaseThreadingOptions(threading);
  OrtSessionOptions* options = new_options(NULL);
  assert_true(sum_of_denormals(plain, options) > 0);
  assert_true(sum_of_denormals(env, options) > 0);  // on threads of its own
  CHECK_OK(OrtAddSessionConfigEntry(options, "session.set_denormal_as_zero", "1"));
  assert_true(sum_of_denormals(plain, options) == 0);
  CHECK_OK(OrtAddSessionConfigEntry(options, "session.set_denormal_as_zero", "0"));
  assert_true(sum_of_denormals(plain, options) > 0);
  CHECK_OK(OrtDisablePerSessionThreads(options));
  assert_true(sum_of_denormals(env, options) == 0);
  // The program's own arithmetic is what it was.
  volatile float denormal = 1e-40F;
  assert_true(denormal + denormal > 0);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
  OrtReleaseEnv(plain);
}

static void test_threading_options__refuse_wrong_values(void** state) {
  (void)state;
  OrtThreadingOptions* threading = NULL;
  CHECK_OK(OrtCreateThreadingOptions(&threading));
  CHECK_FAILS(OrtSetGlobalIntraOpNumThreads(threading, -1), ORT_INVALID_ARGUMENT, "-1");
  CHECK_FAILS(OrtSetGlobalInterOpNumThreads(threading, -1), ORT_INVALID_ARGUMENT, "-1");
  CHECK_FAILS(OrtSetGlobalIntraOpNumThreads(threading, 1025), ORT_INVALID_ARGUMENT, "0 to 1024");
  CHECK_FAILS(OrtSetGlobalInterOpNumThreads(threading, 1025), ORT_INVALID_ARGUMENT, "0 to 1024");
  CHECK_FAILS(OrtSetGlobalSpinControl(threading, 2), ORT_INVALID_ARGUMENT, "0 or 1");
  CHECK_FAILS(OrtSetGlobalIntraOpThreadAffinity(threading, ""), ORT_INVALID_ARGUMENT, "4096");
  CHECK_FAILS(OrtSetGlobalIntraOpThreadAffinity(threading, "1;0"), ORT_INVALID_ARGUMENT,
              "found '0'");
  CHECK_OK(OrtSetGlobalIntraOpThreadAffinity(threading, "1;2"));
  CHECK_OK(OrtSetGlobalIntraOpNumThreads(threading, 2));
  OrtEnv* refused = NULL;
  CHECK_FAILS(OrtCreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_ERROR, "", threading, &refused),
              ORT_INVALID_ARGUMENT, "processors for 2 threads, expected 1");
  OrtReleaseThreadingOptions(threading);
  OrtSessionOptions* options = new_options(NULL);
  OrtSession* session = NULL;
  OrtEnv* env = new_env();
  CHECK_FAILS(OrtAddSessionConfigEntry(options, "session.intra_op.allow_spinning", "yes"),
              ORT_INVALID_ARGUMENT, "0 or 1");
  CHECK_OK(OrtAddSessionConfigEntry(options, "session.intra_op.allow_spinning", "0"));
  CHECK_OK(OrtAddSessionConfigEntry(options, "session.intra_op.spin_duration_us", "0"));
  CHECK_OK(OrtCreateSession(env, DATA("layers.onnx"), options, &session));
  OrtReleaseSession(session);
  CHECK_FAILS(OrtAddSessionConfigEntry(options, "session.intra_op.spin_duration_us", "long"),
              ORT_INVALID_ARGUMENT, "spin_duration_us");
  CHECK_FAILS(OrtAddSessionConfigEntry(options, "session.intra_op_thread_affinities", "1;"),
              ORT_INVALID_ARGUMENT, "session.intra_op_thread_affinities");
  CHECK_OK(OrtSetIntraOpNumThreads(options, 3));
  CHECK_OK(OrtAddSessionConfigEntry(options, "session.intra_op_thread_affinities", "1"));
  CHECK_FAILS(OrtCreateSession(env, DATA("layers.onnx"), options, &session), ORT_INVALID_ARGUMENT,
              "processors for 1 threads, expected 2");
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pool__of_the_environment_serves_sessions_without_threads),
      cmocka_unit_test(test_pool__of_the_environment_must_be_there),
      cmocka_unit_test(test_threads__of_the_program_serve_a_session),
      cmocka_unit_test(test_threads__of_the_program_serve_an_environment),
      cmocka_unit_test(test_callbacks__hear_of_each_share_of_the_work_of_threads),
      cmocka_unit_test(test_callbacks__may_each_be_missing),
      cmocka_unit_test(test_callbacks__hear_nothing_of_the_environments_pool),
      cmocka_unit_test(test_callbacks__of_unknown_versions_are_refused),
      cmocka_unit_test(test_denormals__count_as_zero_where_the_program_says_so),
      cmocka_unit_test(test_threading_options__refuse_wrong_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
