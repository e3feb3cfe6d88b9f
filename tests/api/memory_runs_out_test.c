// SPDX-License-Identifier: MIT
// Memory that runs out while a session is made, runs or is released: each allocation in turn fails.
// What comes is a status; nothing is lost, and the next attempt works.
#include "tests/api/api_testing.h"
#include "tests/support/failing_allocations.h"

typedef struct {
  OrtEnv* env;
  OrtSession* session;
  const char* model;
  const char* provider;
  bool keeps_nothing;  // between runs
} Case;

// Releases the status; true when there was none.
static bool is_ok(OrtStatus* status) {
  OrtReleaseStatus(status);
  return status == NULL;
}

static bool make_session(const Case* c, OrtSession** out) {
  OrtSessionOptions* options = NULL;
  *out = NULL;
  const bool ok =
      is_ok(OrtCreateSessionOptions(&options)) && is_ok(OrtSetIntraOpNumThreads(options, 2)) &&
      (c->provider == NULL ||
       is_ok(OrtSessionOptionsAppendExecutionProvider(options, c->provider, NULL, NULL, 0))) &&
      (!c->keeps_nothing ||
       (is_ok(OrtDisableMemPattern(options)) && is_ok(OrtDisableCpuMemArena(options)))) &&
      is_ok(OrtCreateSession(c->env, c->model, options, out));
  OrtReleaseSessionOptions(options);
  return ok;
}

// x[i] = i % 5 through layers.onnx, [rows,64] to [rows,64], twice; true when both gave the same.
static bool run_twice(OrtSession* session, int64_t rows) {
  static float x[256 * 64];
  const int64_t shape[] = {rows, 64};
  const size_t count = (size_t)rows * 64;
  const char* input_names[] = {"x"};
  const char* output_names[] = {"y"};
  OrtMemoryInfo* memory = NULL;
  OrtValue *input = NULL, *first = NULL, *second = NULL;
  for (size_t i = 0; i < count; ++i) x[i] = (float)(i % 5);
  bool ok = is_ok(OrtCreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory)) &&
            is_ok(OrtCreateTensorWithDataAsOrtValue(memory, x, count * sizeof(float), shape, 2,
                                                    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &input));
  const OrtValue* inputs[] = {input};
  ok = ok && is_ok(OrtRun(session, NULL, input_names, inputs, 1, output_names, 1, &first)) &&
       is_ok(OrtRun(session, NULL, input_names, inputs, 1, output_names, 1, &second));
  if (ok) {
    const void *a = NULL, *b = NULL;
    ok = is_ok(OrtGetTensorData(first, &a)) && is_ok(OrtGetTensorData(second, &b)) &&
         memcmp(a, b, count * sizeof(float)) == 0;
  }
  OrtReleaseValue(input);
  OrtReleaseValue(first);
  OrtReleaseValue(second);
  OrtReleaseMemoryInfo(memory);
  return ok;
}

static bool make_run_and_release(void* context) {
  Case* c = (Case*)context;
  OrtSession* session = NULL;
  c->env = NULL;
  const bool ok = is_ok(OrtCreateEnv(ORT_LOGGING_LEVEL_FATAL, "test", &c->env)) &&
                  make_session(c, &session) && run_twice(session, 3);
  OrtReleaseSession(session);
  OrtReleaseEnv(c->env);
  return ok;
}

static void test_memory_runs_out__while_a_session_is_made_from_source(void** state) {
  (void)state;
  Case c = {NULL, NULL, DATA("layers.onnx"), NULL, false};
  try_every_allocation("a session from source", make_run_and_release, &c);
  c.provider = "AOTExecutionProvider";
  try_every_allocation("a session compiled in memory", make_run_and_release, &c);
}

static void test_memory_runs_out__while_a_session_is_made_from_a_context(void** state) {
  (void)state;
  Case c = {NULL, NULL, DATA("layers.onnx"), "AOTExecutionProvider", false};
  OrtEnv* env = new_env();
  OrtSessionOptions* options = new_options(c.provider);
  CHECK_OK(OrtAddSessionConfigEntry(options, "ep.context_enable", "1"));
  CHECK_OK(OrtAddSessionConfigEntry(options, "ep.context_file_path", temp_path("layers_ctx.onnx")));
  OrtReleaseSession(new_session(env, c.model, options));
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
  c.model = temp_path("layers_ctx.onnx");
  try_every_allocation("a session from a context", make_run_and_release, &c);
}

static bool run_session(void* context) { return run_twice(((Case*)context)->session, 7); }

// counting.onnx adds 1 to x, three times.
static bool count_to_three(void* context) {
  OrtSession* session = ((Case*)context)->session;
  int64_t three = 3;
  float x[1] = {0};
  const int64_t shape[] = {1};
  OrtMemoryInfo* memory = NULL;
  OrtValue *times = NULL, *start = NULL, *y = NULL;
  bool ok = is_ok(OrtCreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory)) &&
            is_ok(OrtCreateTensorWithDataAsOrtValue(memory, &three, sizeof(three), NULL, 0,
                                                    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &times)) &&
            is_ok(OrtCreateTensorWithDataAsOrtValue(memory, x, sizeof(x), shape, 1,
                                                    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &start));
  const char* input_names[] = {"times", "x"};
  const char* output_names[] = {"y"};
  const OrtValue* inputs[] = {times, start};
  const void* data = NULL;
  ok = ok && is_ok(OrtRun(session, NULL, input_names, inputs, 2, output_names, 1, &y)) &&
       is_ok(OrtGetTensorData(y, &data)) && *(const float*)data == 3;
  OrtReleaseValue(times);
  OrtReleaseValue(start);
  OrtReleaseValue(y);
  OrtReleaseMemoryInfo(memory);
  return ok;
}

static void test_memory_runs_out__while_a_loop_runs(void** state) {
  (void)state;
  Case c = {new_env(), NULL, DATA("counting.onnx"), NULL, true};
  assert_true(make_session(&c, &c.session));
  try_every_allocation("a Loop", count_to_three, &c);
  OrtReleaseSession(c.session);
  OrtReleaseEnv(c.env);
}

static void test_memory_runs_out__while_a_session_runs(void** state) {
  (void)state;
  Case c = {new_env(), NULL, DATA("layers.onnx"), NULL, true};
  static const char* providers[] = {NULL, "AOTExecutionProvider"};
  for (int i = 0; i < 2; ++i) {
    c.provider = providers[i];
    assert_true(make_session(&c, &c.session));
    try_every_allocation("runs", run_session, &c);
    assert_true(run_twice(c.session, 7));
    OrtReleaseSession(c.session);
  }
  OrtReleaseEnv(c.env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memory_runs_out__while_a_session_is_made_from_source),
      cmocka_unit_test(test_memory_runs_out__while_a_session_is_made_from_a_context),
      cmocka_unit_test(test_memory_runs_out__while_a_session_runs),
      cmocka_unit_test(test_memory_runs_out__while_a_loop_runs),
  };
  return cmocka_run_group_tests(tests, make_temp_folder, remove_temp_folder);
}
