// SPDX-License-Identifier: MIT
// A program's function that fails: its code and its text reach the caller unchanged, whatever the
// library was doing.
#include "tests/api/compile_testing.h"

typedef struct {
  OrtErrorCode code;
  const char* text;
} Answer;

static const Answer answers[] = {
    {ORT_FAIL, "enough"},
    {ORT_INVALID_ARGUMENT, "not by me"},
    {ORT_NO_SUCHFILE, "the shelf is empty"},
    {ORT_NO_MODEL, ""},
    {ORT_INVALID_PROTOBUF, "it cannot be read: \xC3\xA4"},
    {ORT_INVALID_GRAPH, "while: nothing"},
    {ORT_MODEL_LOAD_CANCELED, "stopped by the user"},
    {ORT_NOT_FOUND, "no such key"},
};
static const size_t answer_count = sizeof(answers) / sizeof(answers[0]);

static OrtStatus* give(const void* state) {
  const Answer* answer = (const Answer*)state;
  return OrtCreateStatus(answer->code, answer->text);
}

static OrtStatus* on_progress(void* state, const char* stage, const char* detail, double fraction) {
  (void)stage, (void)detail, (void)fraction;
  return give(state);
}

static OrtStatus* on_read(void* state, const char* name, OrtAllocator* memory, void** buffer,
                          size_t* size) {
  (void)name, (void)memory, (void)buffer, (void)size;
  return give(state);
}

static OrtStatus* on_write(void* state, const void* buffer, size_t size) {
  (void)buffer, (void)size;
  return give(state);
}

static OrtStatus* on_write_context(void* state, const char* name, const void* buffer, size_t size) {
  (void)name, (void)buffer, (void)size;
  return give(state);
}

static OrtStatus* on_location(void* state, const char* name, const OrtValue* value,
                              const OrtExternalInitializerInfo* original,
                              OrtExternalInitializerInfo** out) {
  (void)name, (void)value, (void)original, (void)out;
  return give(state);
}

static void check_same(OrtStatus* status, const Answer* answer) {
  assert_non_null(status);
  CHECK_TEXT(OrtGetErrorMessage(status), answer->text);
  assert_int_equal(OrtGetErrorCode(status), answer->code);
  OrtReleaseStatus(status);
}

static void test_load__ends_with_what_the_listener_says(void** state) {
  (void)state;
  const char* models[] = {DATA("matmul.onnx"), temp_path("m_ctx.onnx")};
  for (size_t i = 0; i < answer_count * 2; ++i) {
    OrtSessionOptions* options = new_options("AOT");
    OrtSession* session = NULL;
    const Answer* answer = &answers[i / 2];
    CHECK_OK(OrtSessionOptionsSetLoadProgress(options, on_progress, (void*)answer, NULL));
    check_same(OrtCreateSession(env, models[i % 2], options, &session), answer);
    assert_null(session);
    OrtReleaseSessionOptions(options);
  }
}

static void test_load__ends_with_what_the_reader_of_contexts_says(void** state) {
  (void)state;
  for (size_t i = 0; i < answer_count; ++i) {
    OrtSessionOptions* options = new_options("AOT");
    OrtSession* session = NULL;
    CHECK_OK(OrtSessionOptionsSetEpContextDataReadFunc(options, on_read, (void*)&answers[i]));
    check_same(OrtCreateSession(env, temp_path("m_ctx.onnx"), options, &session), &answers[i]);
    OrtReleaseSessionOptions(options);
  }
}

static void test_compile__ends_with_what_the_listener_says(void** state) {
  (void)state;
  for (size_t i = 0; i < answer_count; ++i) {
    OrtModelCompilationOptions* compile = compile_to(temp_path("stopped_ctx.onnx"));
    OrtModelCompiler* compiler = NULL;
    CHECK_OK(OrtCreateModelCompiler(env, compile, &compiler));
    CHECK_OK(OrtModelCompiler_SetProgress(compiler, on_progress, (void*)&answers[i], NULL));
    check_same(OrtModelCompiler_Compile(compiler), &answers[i]);
    assert_false(file_exists(temp_path("stopped_ctx.onnx")));
    OrtReleaseModelCompiler(compiler);
    OrtReleaseModelCompilationOptions(compile);
  }
}

static void set_write(OrtModelCompilationOptions* compile, void* answer) {
  CHECK_OK(OrtModelCompilationOptions_SetEpContextEmbedMode(compile, true));
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelWriteFunc(compile, on_write, answer));
}

static void set_write_context(OrtModelCompilationOptions* compile, void* answer) {
  CHECK_OK(OrtModelCompilationOptions_SetEpContextDataWriteFunc(compile, on_write_context, answer));
}

static void set_location(OrtModelCompilationOptions* compile, void* answer) {
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(compile, on_location,
                                                                               answer));
}

static void test_compile__ends_with_what_a_function_says(void** state) {
  (void)state;
  const struct {
    const char* provider;
    void (*set)(OrtModelCompilationOptions*, void*);
  } functions[] = {
      {"AOT", set_write},
      {"AOT", set_write_context},
      {"CPU", set_location},
  };
  const char* output = temp_path("stopped_ctx.onnx");
  for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]) * answer_count; ++i) {
    const Answer* answer = &answers[i % answer_count];
    OrtModelCompilationOptions* compile = new_compile(functions[i / answer_count].provider);
    CHECK_OK(OrtModelCompilationOptions_SetInputModelPath(compile, DATA("matmul.onnx")));
    CHECK_OK(OrtModelCompilationOptions_SetOutputModelPath(compile, output));
    functions[i / answer_count].set(compile, (void*)answer);
    check_same(OrtCompileModel(env, compile), answer);
    assert_false(file_exists(output));
    OrtReleaseModelCompilationOptions(compile);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_load__ends_with_what_the_listener_says),
      cmocka_unit_test(test_load__ends_with_what_the_reader_of_contexts_says),
      cmocka_unit_test(test_compile__ends_with_what_the_listener_says),
      cmocka_unit_test(test_compile__ends_with_what_a_function_says),
  };
  return cmocka_run_group_tests(tests, set_up_compiled, tear_down);
}
