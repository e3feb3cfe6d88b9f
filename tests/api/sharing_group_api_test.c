// SPDX-License-Identifier: MIT
// ort_c/sharing_group.h, and the config entries that do without it: models that share one context
// binary, from sessions and compiles, to files and streams.
#include "tests/api/compile_testing.h"

typedef struct Sink {
  char* bytes;
  size_t size;
} Sink;

static OrtStatus* take(void* state, const void* buffer, size_t size) {
  Sink* sink = (Sink*)state;
  sink->bytes = (char*)realloc(sink->bytes, sink->size + size);
  assert_non_null(sink->bytes);
  memcpy(sink->bytes + sink->size, buffer, size);
  sink->size += size;
  return NULL;
}

static OrtSharingGroup* new_group(void) {
  OrtSharingGroup* group = NULL;
  CHECK_OK(OrtCreateSharingGroup(env, &group));
  assert_non_null(group);
  return group;
}

static OrtStatus* add(OrtSharingGroup* group, const char* output) {
  OrtModelCompilationOptions* options = compile_to(temp_path(output));
  OrtStatus* status = OrtSharingGroup_Add(group, options);
  OrtReleaseModelCompilationOptions(options);
  return status;
}

static void check_report_has(const OrtSharingGroup* group, const char* text) {
  OrtAllocator* allocator = NULL;
  char* report = NULL;
  CHECK_OK(OrtGetAllocatorWithDefaultOptions(&allocator));
  CHECK_OK(OrtSharingGroup_GetReportJson(group, allocator, &report));
  if (strstr(report, text) == NULL) fail_msg("expected %s in %s", text, report);
  CHECK_OK(OrtAllocatorFree(allocator, report));
}

static void test_group__publishes_its_models_at_the_commit(void** state) {
  (void)state;
  OrtSharingGroup* group = new_group();
  check_report_has(group, "\"state\":\"open\"");
  CHECK_OK(add(group, "a_ctx.onnx"));
  CHECK_OK(add(group, "b_ctx.onnx"));
  assert_false(file_exists(temp_path("a_ctx.onnx")));
  assert_false(file_exists(temp_path("a_aot.bin")));
  CHECK_OK(OrtSharingGroup_Commit(group));
  assert_true(file_exists(temp_path("a_aot.bin")));
  assert_false(file_exists(temp_path("b_aot.bin")));
  check_report_has(group, "\"state\":\"published\"");
  check_report_has(group, "a_aot.bin");
  CHECK_FAILS(OrtSharingGroup_Commit(group), ORT_FAIL, "published already");
  CHECK_FAILS(add(group, "c_ctx.onnx"), ORT_FAIL, "published already");
  OrtReleaseSharingGroup(group);
  check_loads(temp_path("a_ctx.onnx"));
  check_loads(temp_path("b_ctx.onnx"));
}

static void test_group__that_is_aborted_or_released_writes_nothing(void** state) {
  (void)state;
  OrtSharingGroup* group = new_group();
  CHECK_OK(add(group, "a_ctx.onnx"));
  CHECK_OK(OrtSharingGroup_Abort(group));
  check_report_has(group, "\"state\":\"given up\"");
  CHECK_FAILS(OrtSharingGroup_Commit(group), ORT_FAIL, "given up");
  OrtReleaseSharingGroup(group);
  group = new_group();
  CHECK_OK(add(group, "a_ctx.onnx"));
  OrtReleaseSharingGroup(group);
  group = new_group();
  CHECK_OK(OrtSharingGroup_Commit(group));  // of no model
  OrtReleaseSharingGroup(group);
  assert_false(file_exists(temp_path("a_ctx.onnx")));
  assert_false(file_exists(temp_path("a_aot.bin")));
}

static OrtSession* generate(const char* output, OrtSharingGroup* group, bool is_last) {
  OrtSessionOptions* options = new_options("AOT");
  OrtSession* session = NULL;
  CHECK_OK(OrtAddSessionConfigEntry(options, kOrtSessionOptionEpContextEnable, "1"));
  CHECK_OK(
      OrtAddSessionConfigEntry(options, kOrtSessionOptionEpContextFilePath, temp_path(output)));
  if (group != NULL) {
    CHECK_OK(OrtSessionOptionsSetSharingGroup(options, group));
  } else {
    CHECK_OK(OrtAddSessionConfigEntry(options, kOrtSessionOptionShareEpContexts, "1"));
  }
  if (is_last) {
    CHECK_OK(OrtAddSessionConfigEntry(options, kOrtSessionOptionStopShareEpContexts, "1"));
  }
  CHECK_OK(OrtCreateSession(env, DATA("matmul.onnx"), options, &session));
  OrtReleaseSessionOptions(options);
  return session;
}

static void test_sessions__share_by_config_entries_and_run_before_the_last_one(void** state) {
  (void)state;
  OrtSession* first = generate("a_ctx.onnx", NULL, false);
  check_matmul_runs(first);
  assert_false(file_exists(temp_path("a_ctx.onnx")));
  OrtSession* last = generate("b_ctx.onnx", NULL, true);
  check_matmul_runs(last);
  OrtReleaseSession(first);
  OrtReleaseSession(last);
  assert_true(file_exists(temp_path("a_aot.bin")));
  assert_false(file_exists(temp_path("b_aot.bin")));
  check_loads(temp_path("a_ctx.onnx"));
  check_loads(temp_path("b_ctx.onnx"));
}

static void test_sessions__share_by_a_group_that_their_options_name(void** state) {
  (void)state;
  OrtSharingGroup* group = new_group();
  OrtReleaseSession(generate("a_ctx.onnx", group, false));
  CHECK_OK(add(group, "b_ctx.onnx"));
  OrtReleaseSession(generate("c_ctx.onnx", group, true));
  CHECK_FAILS(OrtSharingGroup_Commit(group), ORT_FAIL, "published already");
  OrtReleaseSharingGroup(group);
  assert_false(file_exists(temp_path("c_aot.bin")));
  check_loads(temp_path("c_ctx.onnx"));
}

static void test_streams__get_their_models_when_the_group_is_published(void** state) {
  (void)state;
  OrtSharingGroup* group = new_group();
  Sink sinks[2] = {{NULL, 0}, {NULL, 0}};
  for (int i = 0; i < 2; ++i) {
    OrtModelCompilationOptions* options = new_compile("AOT");
    CHECK_OK(OrtModelCompilationOptions_SetInputModelPath(options, DATA("matmul.onnx")));
    CHECK_OK(OrtModelCompilationOptions_SetOutputModelWriteFunc(options, take, &sinks[i]));
    CHECK_OK(OrtModelCompilationOptions_SetEpContextBinaryInformation(
        options, temp_path(""), i == 0 ? "s.onnx" : "t.onnx"));
    CHECK_OK(OrtSharingGroup_Add(group, options));
    OrtReleaseModelCompilationOptions(options);
    assert_int_equal(sinks[0].size + sinks[1].size, 0);
  }
  CHECK_OK(OrtSharingGroup_Commit(group));
  OrtReleaseSharingGroup(group);
  assert_true(file_exists(temp_path("s_aot.bin")));
  assert_false(file_exists(temp_path("t_aot.bin")));
  for (int i = 0; i < 2; ++i) {
    check_loads_bytes(sinks[i].bytes, sinks[i].size, temp_path("x.onnx"));
    free(sinks[i].bytes);
  }
}

static void test_buffers__only_the_last_model_goes_to_one(void** state) {
  (void)state;
  OrtSharingGroup* group = new_group();
  OrtAllocator* allocator = NULL;
  CHECK_OK(OrtGetAllocatorWithDefaultOptions(&allocator));
  OrtModelCompilationOptions* options = new_compile("AOT");
  void* buffer = NULL;
  size_t size = 0;
  CHECK_OK(OrtModelCompilationOptions_SetInputModelPath(options, DATA("matmul.onnx")));
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelBuffer(options, allocator, &buffer, &size));
  CHECK_OK(
      OrtModelCompilationOptions_SetEpContextBinaryInformation(options, temp_path(""), "m.onnx"));
  CHECK_FAILS(OrtSharingGroup_Add(group, options), ORT_INVALID_ARGUMENT, "buffer");
  assert_null(buffer);
  OrtReleaseModelCompilationOptions(options);
  CHECK_OK(add(group, "a_ctx.onnx"));
  CHECK_OK(OrtSharingGroup_Commit(group));
  OrtReleaseSharingGroup(group);
  check_loads(temp_path("a_ctx.onnx"));
}

static void test_memory__of_the_source_may_go_when_the_call_returns(void** state) {
  (void)state;
  OrtSharingGroup* group = new_group();
  size_t size = 0;
  for (int i = 0; i < 2; ++i) {
    char* bytes = read_file(DATA("matmul.onnx"), &size);
    OrtModelCompilationOptions* options = new_compile("AOT");
    CHECK_OK(OrtModelCompilationOptions_SetInputModelFromBuffer(options, bytes, size));
    CHECK_OK(OrtModelCompilationOptions_SetOutputModelPath(
        options, temp_path(i == 0 ? "a_ctx.onnx" : "b_ctx.onnx")));
    CHECK_OK(OrtSharingGroup_Add(group, options));
    OrtReleaseModelCompilationOptions(options);
    memset(bytes, 0xa5, size);
    free(bytes);
  }
  CHECK_OK(OrtSharingGroup_Commit(group));
  OrtReleaseSharingGroup(group);
  check_loads(temp_path("a_ctx.onnx"));
  check_loads(temp_path("b_ctx.onnx"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
      CASE(test_group__publishes_its_models_at_the_commit),
      CASE(test_group__that_is_aborted_or_released_writes_nothing),
      CASE(test_sessions__share_by_config_entries_and_run_before_the_last_one),
      CASE(test_sessions__share_by_a_group_that_their_options_name),
      CASE(test_streams__get_their_models_when_the_group_is_published),
      CASE(test_buffers__only_the_last_model_goes_to_one),
      CASE(test_memory__of_the_source_may_go_when_the_call_returns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
