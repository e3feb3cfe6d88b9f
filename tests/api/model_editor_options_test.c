// SPDX-License-Identifier: MIT
// ort_c/model_editor.h: what the options of a session that is made in two steps ask for is there as
// in one that is made in one.
#include "tests/api/api_testing.h"

typedef struct {
  int calls;
  bool refuses;
} Listener;

static OrtStatus* hear(void* state, const char* stage, const char* detail, double fraction) {
  Listener* listener = (Listener*)state;
  (void)stage, (void)detail, (void)fraction;
  listener->calls++;
  return listener->refuses ? OrtCreateStatus(ORT_NO_MODEL, "enough") : NULL;
}

static OrtSession* new_draft(OrtEnv* env, const OrtSessionOptions* options) {
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateModelEditorSession(env, DATA("matmul.onnx"), options, &session));
  return session;
}

static OrtSession* finished(OrtEnv* env, const OrtSessionOptions* options) {
  OrtSession* session = new_draft(env, NULL);
  CHECK_OK(OrtFinalizeModelEditorSession(session, options, NULL));
  return session;
}

static void test_editor_options__tell_progress_in_both_steps(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSessionOptions* options = new_options(NULL);
  Listener listener = {0, false};
  CHECK_OK(OrtSessionOptionsSetLoadProgress(options, hear, &listener, NULL));
  OrtSession *session = new_draft(env, options), *refused = NULL;
  assert_true(listener.calls > 0);
  listener.refuses = true;
  CHECK_FAILS(OrtCreateModelEditorSession(env, DATA("matmul.onnx"), options, &refused),
              ORT_NO_MODEL, "enough");
  CHECK_FAILS(OrtFinalizeModelEditorSession(session, options, NULL), ORT_NO_MODEL, "enough");
  listener.refuses = false;
  listener.calls = 0;
  CHECK_OK(OrtFinalizeModelEditorSession(session, options, NULL));
  assert_true(listener.calls > 1);
  check_matmul_runs(session);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

static int blocks_given;

static void* give_block(OrtAllocator* self, size_t size) {
  (void)self;
  blocks_given++;
  return malloc(size);
}

static void free_block(OrtAllocator* self, void* block) {
  (void)self;
  free(block);
}

static OrtMemoryInfo* own_memory;

static const OrtMemoryInfo* tell_memory(const OrtAllocator* self) {
  (void)self;
  return own_memory;
}

static void test_editor_options__take_results_from_the_environments_allocator(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSessionOptions* options = new_options(NULL);
  OrtAllocator own;
  memset(&own, 0, sizeof(own));
  own.version = 17;
  own.Alloc = give_block;
  own.Free = free_block;
  own.Info = tell_memory;
  CHECK_OK(OrtCreateMemoryInfo_V2("mine", OrtMemoryInfoDeviceType_CPU, 0, 0,
                                  OrtDeviceMemoryType_DEFAULT, 0, OrtDeviceAllocator, &own_memory));
  CHECK_OK(OrtRegisterAllocator(env, &own));
  CHECK_OK(OrtAddSessionConfigEntry(options, "session.use_env_allocators", "1"));
  OrtSession* session = finished(env, options);
  blocks_given = 0;
  check_matmul_runs(session);
  assert_int_equal(blocks_given, 1);
  const OrtMemoryInfo* memory = NULL;
  const char* name = NULL;
  CHECK_OK(OrtSessionGetMemoryInfoForOutputs(session, &memory, 1));
  CHECK_OK(OrtMemoryInfoGetName(memory, &name));
  CHECK_TEXT(name, "mine");
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
  OrtReleaseMemoryInfo(own_memory);
}

static void test_editor_options__record_which_provider_runs_which_node(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSessionOptions* options = new_options(NULL);
  CHECK_OK(OrtAddSessionConfigEntry(options, "session.record_ep_graph_assignment_info", "1"));
  OrtSession* session = finished(env, options);
  const OrtEpAssignedSubgraph* const* parts = NULL;
  size_t count = 0;
  CHECK_OK(OrtSession_GetEpGraphAssignmentInfo(session, &parts, &count));
  assert_int_equal(count, 1);
  const char* name = NULL;
  CHECK_OK(OrtEpAssignedSubgraph_GetEpName(parts[0], &name));
  CHECK_TEXT(name, "CPUExecutionProvider");
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

static void test_editor_sessions__have_an_arena(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtMemoryInfo* memory = NULL;
  CHECK_OK(OrtCreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  OrtSession* session = new_draft(env, NULL);
  for (int i = 0; i < 2; ++i) {
    OrtAllocator* arena = NULL;
    OrtKeyValuePairs* stats = NULL;
    CHECK_OK(OrtCreateAllocator(session, memory, &arena));
    CHECK_OK(OrtAllocatorGetStats(arena, &stats));
    assert_non_null(OrtGetKeyValue(stats, "NumArenaExtensions"));
    OrtReleaseKeyValuePairs(stats);
    OrtReleaseAllocator(arena);
    CHECK_OK(OrtFinalizeModelEditorSession(session, NULL, NULL));
  }
  OrtReleaseSession(session);
  OrtReleaseMemoryInfo(memory);
  OrtReleaseEnv(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_editor_options__tell_progress_in_both_steps),
      cmocka_unit_test(test_editor_options__take_results_from_the_environments_allocator),
      cmocka_unit_test(test_editor_options__record_which_provider_runs_which_node),
      cmocka_unit_test(test_editor_sessions__have_an_arena),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
