// SPDX-License-Identifier: MIT
// ort_c/ort_api.h: the one environment of the tables, whose making calls the program back.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tests/api/api_testing.h"
#include "tests/api/own_threads.h"

static const OrtApi* ort_api(void) { return OrtcGetApiBase()->GetApi(ORTC_ORT_API_VERSION); }

// Threads whose making needs the environment itself.
typedef struct {
  int made, joined;
  OrtEnv* seen;
} Threads;

static OrtCustomThreadHandle make_thread(void* options, OrtThreadWorkerFn work, void* parameter) {
  Threads* threads = (Threads*)options;
  if (threads->made++ == 0) {
    CHECK_OK(ort_api()->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "inner", &threads->seen));
  }
  return start_thread(&threads->joined, work, parameter);
}

static atomic_bool is_done;

// Ends a wait for itself. Signals do not reach a thread that makes others.
static void* watch_it(void* nothing) {
  for (int i = 0; i < 3000 && !atomic_load(&is_done); ++i) usleep(10000);
  if (atomic_load(&is_done)) return nothing;
  fprintf(stderr, "the environment is being made for ever\n");
  _exit(1);
}

static void test_env__may_be_asked_for_by_the_function_that_makes_its_threads(void** state) {
  (void)state;
  pthread_t watch;
  assert_int_equal(pthread_create(&watch, NULL, watch_it, NULL), 0);
  const OrtApi* api = ort_api();
  Threads threads = {0, 0, NULL};
  OrtThreadingOptions* threading = NULL;
  OrtEnv* env = NULL;
  CHECK_OK(api->CreateThreadingOptions(&threading));
  CHECK_OK(api->SetGlobalIntraOpNumThreads(threading, 3));
  CHECK_OK(api->SetGlobalCustomCreateThreadFn(threading, make_thread));
  CHECK_OK(api->SetGlobalCustomThreadCreationOptions(threading, &threads));
  CHECK_OK(api->SetGlobalCustomJoinThreadFn(threading, join_thread));
  CHECK_OK(api->CreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_ERROR, "outer", threading, &env));
  api->ReleaseThreadingOptions(threading);
  atomic_store(&is_done, true);
  pthread_join(watch, NULL);
  // There is one, and what was made beside it has ended.
  assert_int_equal(threads.made, 2);
  assert_int_equal(threads.joined, 2);
  assert_ptr_equal(env, threads.seen);
  api->ReleaseEnv(threads.seen);
  OrtSession* session = NULL;
  CHECK_OK(api->CreateSession(env, DATA("matmul.onnx"), NULL, &session));
  check_matmul_runs(session);
  api->ReleaseSession(session);
  api->ReleaseEnv(env);
}

static OrtEnv* common[8];

static void* ask_for_it(void* place) {
  OrtStatus* status = ort_api()->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "x", (OrtEnv**)place);
  return status;
}

static void test_env__is_one_for_all_threads_that_ask_at_once(void** state) {
  (void)state;
  for (int round = 0; round < 50; ++round) {
    pthread_t threads[8];
    for (int i = 0; i < 8; ++i) {
      assert_int_equal(pthread_create(&threads[i], NULL, ask_for_it, &common[i]), 0);
    }
    for (int i = 0; i < 8; ++i) {
      void* status = NULL;
      pthread_join(threads[i], &status);
      assert_null(status);
    }
    for (int i = 0; i < 8; ++i) {
      assert_ptr_equal(common[i], common[0]);
      ort_api()->ReleaseEnv(common[i]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_env__may_be_asked_for_by_the_function_that_makes_its_threads),
      cmocka_unit_test(test_env__is_one_for_all_threads_that_ask_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
