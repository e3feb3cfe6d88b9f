// SPDX-License-Identifier: MIT
// A process may exit while its threads run sessions or make them: nothing crashes or hangs, and no
// call fails on the way.
#include <pthread.h>
#include <sys/wait.h>

#include "tests/api/api_testing.h"

enum { kExits = 40, kThreads = 3 };

static void check_quietly(OrtStatus* status) {
  if (status == NULL) return;
  fprintf(stderr, "while the process exited: %s\n", OrtGetErrorMessage(status));
  _exit(3);
}

// Environment of its own, so that there is nothing which main() would have to release.
static OrtSession* quiet_session(OrtEnv* env) {
  OrtSession* session = NULL;
  OrtSessionOptions* options = NULL;
  check_quietly(OrtCreateSessionOptions(&options));
  check_quietly(OrtSetIntraOpNumThreads(options, 2));
  check_quietly(
      OrtSessionOptionsAppendExecutionProvider(options, "AOTExecutionProvider", NULL, NULL, 0));
  check_quietly(OrtCreateSession(env, DATA("layers.onnx"), options, &session));
  OrtReleaseSessionOptions(options);
  return session;
}

static void* make_sessions(void* env) {
  for (;;) OrtReleaseSession(quiet_session((OrtEnv*)env));
  return NULL;
}

// On a new thread, which has never run before.
static void run_once(OrtSession* session, int64_t rows) {
  static float x[64 * 64];
  const int64_t shape[] = {rows, 64};
  const char* input_names[] = {"x"};
  const char* output_names[] = {"y"};
  OrtMemoryInfo* memory = NULL;
  OrtValue *input = NULL, *output = NULL;
  check_quietly(OrtCreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  check_quietly(OrtCreateTensorWithDataAsOrtValue(memory, x, (size_t)rows * 64 * sizeof(float),
                                                  shape, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                                  &input));
  OrtReleaseMemoryInfo(memory);
  const OrtValue* inputs[] = {input};
  check_quietly(OrtRun(session, NULL, input_names, inputs, 1, output_names, 1, &output));
  OrtReleaseValue(input);
  OrtReleaseValue(output);
}

static void* run_sessions(void* env) {
  OrtSession* session = quiet_session((OrtEnv*)env);
  for (int64_t rows = 1;; rows = rows % 64 + 1) run_once(session, rows);
  return NULL;
}

static void exit_while(void* (*work)(void*), int number) {
  alarm(60);
  OrtEnv* env = NULL;
  check_quietly(OrtCreateEnv(ORT_LOGGING_LEVEL_FATAL, "exit", &env));
  for (int i = 0; i < kThreads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, env) != 0) _exit(4);
  }
  usleep((useconds_t)(number * 777 % 20000));
  exit(0);
}

static void exit_often(void* (*work)(void*)) {
  for (int i = 0; i < kExits; ++i) {
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) exit_while(work, i);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      fprintf(stderr, "exit %d ended with status %x\n", i, (unsigned)status);
      fail();
    }
  }
}

static void test_exit__while_sessions_run(void** state) {
  (void)state;
  exit_often(run_sessions);
}

static void test_exit__while_sessions_are_made(void** state) {
  (void)state;
  exit_often(make_sessions);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exit__while_sessions_run),
      cmocka_unit_test(test_exit__while_sessions_are_made),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
