// SPDX-License-Identifier: MIT
// Forked children: they may release what they inherited, and run it with threads of their own.
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "tests/api/api_testing.h"

// ThreadSanitizer ends a forked child that starts threads.
#if defined(__SANITIZE_THREAD__)
#define CHILDREN_START_THREADS false
#elif defined(__has_feature)
#define CHILDREN_START_THREADS (!__has_feature(thread_sanitizer))
#else
#define CHILDREN_START_THREADS true
#endif

static float expected[256 * 64];

// layers.onnx on more rows than one thread would take; true when y is as expected.
static bool run_layers(OrtSession* session, float* y) {
  static const int64_t shape[] = {256, 64};
  float* x = (float*)malloc(sizeof(expected));
  for (int i = 0; i < 256 * 64; ++i) x[i] = (float)(i % 7 - 3);
  OrtValue *input = floats_of(x, 256 * 64, shape, 2), *output = NULL;
  const OrtValue* inputs[] = {input};
  const char* input_names[] = {"x"};
  const char* output_names[] = {"y"};
  CHECK_OK(OrtRun(session, NULL, input_names, inputs, 1, output_names, 1, &output));
  const float* found = floats_in(output);
  if (y != NULL) memcpy(y, found, sizeof(expected));
  const bool same = memcmp(found, expected, sizeof(expected)) == 0;
  OrtReleaseValue(input);
  OrtReleaseValue(output);
  free(x);
  return same;
}

static OrtSession* threaded_session(const OrtEnv* env) {
  OrtSessionOptions* options = new_options(NULL);
  OrtSession* session = NULL;
  CHECK_OK(OrtSetIntraOpNumThreads(options, 4));
  CHECK_OK(OrtCreateSession(env, DATA("layers.onnx"), options, &session));
  OrtReleaseSessionOptions(options);
  return session;
}

// The child's exit code must be 0; it has half a minute.
static void check_child(pid_t child) {
  int status = 0;
  assert_true(child > 0);
  assert_int_equal(waitpid(child, &status, 0), child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fprintf(stderr, "the child ended with status %x\n", (unsigned)status);
    fail();
  }
}

static void test_fork__a_child_releases_what_it_inherited(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = threaded_session(env);
  run_layers(session, expected);
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    OrtReleaseSession(session);
    OrtReleaseEnv(env);
    _exit(0);
  }
  check_child(child);
  assert_true(run_layers(session, NULL));
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
}

static void test_fork__a_child_runs_with_threads_of_its_own(void** state) {
  (void)state;
  if (!CHILDREN_START_THREADS) skip();
  OrtEnv* env = new_env();
  OrtSession* session = threaded_session(env);
  run_layers(session, expected);
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    bool same = run_layers(session, NULL) && run_layers(session, NULL);
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      alarm(30);
      same = same && run_layers(session, NULL);
      OrtReleaseSession(session);
      _exit(same ? 0 : 1);
    }
    int status = 1;
    same = same && waitpid(grandchild, &status, 0) == grandchild && status == 0;
    OrtReleaseSession(session);
    OrtReleaseEnv(env);
    _exit(same ? 0 : 1);
  }
  check_child(child);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
}

typedef struct {
  OrtSession* session;
  atomic_bool stop;
} Runner;

static void* run_until_stopped(void* parameter) {
  Runner* runner = (Runner*)parameter;
  while (!atomic_load(&runner->stop)) run_layers(runner->session, NULL);
  return NULL;
}

static void test_fork__a_child_releases_a_session_that_ran_at_the_fork(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  Runner runner = {threaded_session(env), false};
  run_layers(runner.session, expected);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, run_until_stopped, &runner), 0);
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(30);
      OrtReleaseSession(runner.session);
      OrtReleaseEnv(env);
      _exit(0);
    }
    check_child(child);
  }
  atomic_store(&runner.stop, true);
  pthread_join(thread, NULL);
  OrtReleaseSession(runner.session);
  OrtReleaseEnv(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fork__a_child_releases_what_it_inherited),
      cmocka_unit_test(test_fork__a_child_runs_with_threads_of_its_own),
      cmocka_unit_test(test_fork__a_child_releases_a_session_that_ran_at_the_fork),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
