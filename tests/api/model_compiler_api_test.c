// SPDX-License-Identifier: MIT
// ort_c/model_compiler.h.
#include "tests/api/compile_testing.h"

static void test_compile__writes_a_model_that_loads(void** state) {
  (void)state;
  const char* output = temp_path("plain_ctx.onnx");
  OrtModelCompilationOptions* compile = compile_to(output);
  CHECK_OK(OrtModelCompilationOptions_SetFlags(compile, 0xfffffffdu));
  CHECK_OK(OrtModelCompilationOptions_SetGraphOptimizationLevel(compile, ORT_ENABLE_ALL));
  CHECK_FAILS(
      OrtModelCompilationOptions_SetGraphOptimizationLevel(compile, (GraphOptimizationLevel)9),
      ORT_INVALID_ARGUMENT, "9");
  CHECK_OK(OrtCompileModel(env, compile));
  assert_true(file_exists(temp_path("plain_aot.bin")));
  check_loads(output);
  // Once more over it: files are replaced unless the flag forbids it.
  CHECK_OK(OrtModelCompilationOptions_SetFlags(compile, OrtCompileApiFlags_NONE));
  CHECK_OK(OrtCompileModel(env, compile));
  check_loads(output);
  CHECK_OK(
      OrtModelCompilationOptions_SetFlags(compile, OrtCompileApiFlags_ERROR_IF_OUTPUT_FILE_EXISTS));
  CHECK_FAILS(OrtCompileModel(env, compile), ORT_FAIL, "exists already");
  OrtReleaseModelCompilationOptions(compile);
}

static void test_compile__names_the_output_after_the_input(void** state) {
  (void)state;
  copy_file(DATA("matmul.onnx"), temp_path("derived.onnx"));
  OrtModelCompilationOptions* compile = new_compile("AOT");
  CHECK_OK(OrtModelCompilationOptions_SetInputModelPath(compile, temp_path("derived.onnx")));
  CHECK_OK(OrtCompileModel(env, compile));
  check_loads(temp_path("derived_ctx.onnx"));
  OrtReleaseModelCompilationOptions(compile);
}

static void test_compile__names_an_operator_that_nobody_has(void** state) {
  (void)state;
  const char* output = temp_path("unknown_ctx.onnx");
  OrtModelCompilationOptions* compile = compile_to(output);
  CHECK_OK(OrtModelCompilationOptions_SetInputModelPath(compile, DATA("unknown_operator.onnx")));
  CHECK_FAILS(OrtCompileModel(env, compile), ORT_NOT_IMPLEMENTED, "Mystery");
  assert_false(file_exists(output));
  OrtReleaseModelCompilationOptions(compile);
}

static void test_compile__embeds_on_request(void** state) {
  (void)state;
  char folder[512], output[600];
  snprintf(folder, sizeof(folder), "%s", new_folder("embed"));
  snprintf(output, sizeof(output), "%s/m.onnx", folder);
  OrtModelCompilationOptions* compile = compile_to(output);
  CHECK_OK(OrtModelCompilationOptions_SetEpContextEmbedMode(compile, true));
  CHECK_OK(OrtCompileModel(env, compile));
  assert_int_equal(count_files(folder), 1);
  check_loads(output);
  OrtReleaseModelCompilationOptions(compile);
}

static void test_compile__reads_and_writes_memory(void** state) {
  (void)state;
  size_t size = 0, made_size = 7;
  char* source = read_file(DATA("matmul.onnx"), &size);
  void* made = &size;
  OrtModelCompilationOptions* compile = new_compile("AOT");
  CHECK_OK(OrtModelCompilationOptions_SetInputModelFromBuffer(compile, source, size));
  CHECK_OK(OrtModelCompilationOptions_SetEpContextEmbedMode(compile, true));
  CHECK_OK(
      OrtModelCompilationOptions_SetOutputModelBuffer(compile, allocator(), &made, &made_size));
  CHECK_OK(OrtCompileModel(env, compile));
  assert_non_null(made);
  check_loads_bytes(made, made_size, NULL);
  CHECK_OK(OrtAllocatorFree(allocator(), made));
  OrtReleaseModelCompilationOptions(compile);
  free(source);
}

static void test_compile__to_memory_puts_the_binary_where_it_is_told(void** state) {
  (void)state;
  char folder[512], context[600];
  snprintf(folder, sizeof(folder), "%s", new_folder("binaries"));
  snprintf(context, sizeof(context), "%s/part.onnx", folder);
  write_file(context, "not mine", 8);
  size_t made_size = 7, source_size = 0;
  void* made = &made_size;
  char* source = read_file(DATA("matmul.onnx"), &source_size);
  OrtModelCompilationOptions* compile = new_compile("AOT");
  // A model from memory has no folder, one from a file has that of its source.
  CHECK_OK(OrtModelCompilationOptions_SetInputModelFromBuffer(compile, source, source_size));
  CHECK_OK(
      OrtModelCompilationOptions_SetOutputModelBuffer(compile, allocator(), &made, &made_size));
  CHECK_FAILS(OrtCompileModel(env, compile), ORT_INVALID_ARGUMENT,
              "OrtModelCompilationOptions_SetEpContextBinaryInformation");
  assert_null(made);
  assert_int_equal(made_size, 0);
  CHECK_OK(OrtModelCompilationOptions_SetEpContextBinaryInformation(compile, folder, "part.onnx"));
  CHECK_OK(OrtCompileModel(env, compile));
  assert_int_equal(count_files(folder), 2);
  char* text = read_file(context, NULL);
  CHECK_TEXT(text, "not mine");
  free(text);
  check_loads_bytes(made, made_size, context);
  CHECK_OK(OrtAllocatorFree(allocator(), made));
  CHECK_OK(
      OrtModelCompilationOptions_SetFlags(compile, OrtCompileApiFlags_ERROR_IF_OUTPUT_FILE_EXISTS));
  CHECK_FAILS(OrtCompileModel(env, compile), ORT_FAIL, "exists already");
  assert_null(made);
  OrtReleaseModelCompilationOptions(compile);
  free(source);
}

static void test_compile__copies_a_model_that_nobody_compiles(void** state) {
  (void)state;
  OrtModelCompilationOptions* compile = new_compile("CPU");
  const char* output = temp_path("nobody_ctx.onnx");
  CHECK_OK(OrtModelCompilationOptions_SetInputModelPath(compile, DATA("matmul.onnx")));
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelPath(compile, output));
  CHECK_OK(
      OrtModelCompilationOptions_SetFlags(compile, OrtCompileApiFlags_ERROR_IF_NO_NODES_COMPILED));
  CHECK_FAILS(OrtCompileModel(env, compile), ORT_FAIL, "Unable to compile any nodes");
  assert_false(file_exists(output));
  CHECK_OK(OrtModelCompilationOptions_SetFlags(compile, OrtCompileApiFlags_NONE));
  CHECK_OK(OrtCompileModel(env, compile));
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateSession(env, output, NULL, &session));
  check_matmul_runs(session);
  OrtReleaseSession(session);
  OrtReleaseModelCompilationOptions(compile);
}

static void test_compile__moves_initializers_out_on_request(void** state) {
  (void)state;
  char folder[512], output[600];
  snprintf(folder, sizeof(folder), "%s", new_folder("initializers"));
  snprintf(output, sizeof(output), "%s/m.onnx", folder);
  OrtModelCompilationOptions* compile = new_compile("CPU");
  CHECK_OK(OrtModelCompilationOptions_SetInputModelPath(compile, DATA("matmul.onnx")));
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelPath(compile, output));
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelExternalInitializersFile(compile, "/w.bin", 1));
  CHECK_FAILS(OrtCompileModel(env, compile), ORT_RUNTIME_EXCEPTION, "absolute");
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelExternalInitializersFile(compile, "w.bin", 49));
  CHECK_OK(OrtCompileModel(env, compile));
  assert_int_equal(count_files(folder), 1);
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelExternalInitializersFile(compile, "w.bin", 48));
  CHECK_OK(OrtCompileModel(env, compile));
  assert_int_equal(count_files(folder), 2);
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateSession(env, output, NULL, &session));
  check_matmul_runs(session);
  OrtReleaseSession(session);

  // The same to memory: the file goes to the folder of the binaries.
  char other[512];
  snprintf(other, sizeof(other), "%s", new_folder("initializers of bytes"));
  void* made = NULL;
  size_t made_size = 0;
  CHECK_OK(
      OrtModelCompilationOptions_SetOutputModelBuffer(compile, allocator(), &made, &made_size));
  CHECK_OK(OrtModelCompilationOptions_SetEpContextBinaryInformation(compile, other, "m"));
  CHECK_OK(OrtCompileModel(env, compile));
  assert_int_equal(count_files(other), 1);
  OrtSessionOptions* options = new_options(NULL);
  CHECK_OK(OrtAddSessionConfigEntry(
      options, kOrtSessionOptionsModelExternalInitializersFileFolderPath, other));
  CHECK_OK(OrtCreateSessionFromArray(env, made, made_size, options, &session));
  check_matmul_runs(session);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  CHECK_OK(OrtAllocatorFree(allocator(), made));
  OrtReleaseModelCompilationOptions(compile);
}

static void test_compile__refuses_a_compiled_model(void** state) {
  (void)state;
  OrtModelCompilationOptions* compile = compile_to(temp_path("first_ctx.onnx"));
  CHECK_OK(OrtCompileModel(env, compile));
  CHECK_OK(OrtModelCompilationOptions_SetInputModelPath(compile, temp_path("first_ctx.onnx")));
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelPath(compile, temp_path("second_ctx.onnx")));
  CHECK_FAILS(OrtCompileModel(env, compile), ORT_INVALID_GRAPH, "compiled already");
  OrtReleaseModelCompilationOptions(compile);
}

static void test_compile__needs_input_and_output(void** state) {
  (void)state;
  OrtModelCompilationOptions* compile = new_compile("AOT");
  CHECK_FAILS(OrtCompileModel(env, compile), ORT_INVALID_ARGUMENT, "no input model");
  CHECK_OK(OrtModelCompilationOptions_SetInputModelPath(compile, temp_path("absent.onnx")));
  CHECK_FAILS(OrtCompileModel(env, compile), ORT_INVALID_ARGUMENT, "absent.onnx");
  size_t size = 0;
  char* source = read_file(DATA("matmul.onnx"), &size);
  CHECK_OK(OrtModelCompilationOptions_SetInputModelFromBuffer(compile, source, size));
  CHECK_FAILS(OrtCompileModel(env, compile), ORT_INVALID_ARGUMENT, "");
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelPath(compile, temp_path("no_extension")));
  CHECK_FAILS(OrtCompileModel(env, compile), ORT_INVALID_ARGUMENT, "should not point to a folder");
  free(source);
  OrtReleaseModelCompilationOptions(compile);
}

static void test_compile__refuses_impossible_arguments(void** state) {
  (void)state;
  OrtSessionOptions* options = new_options("AOT");
  OrtModelCompilationOptions* compile = (OrtModelCompilationOptions*)1;
  void* buffer = NULL;
  size_t size = 0;
  CHECK_FAILS(OrtCreateModelCompilationOptionsFromSessionOptions(NULL, options, &compile),
              ORT_INVALID_ARGUMENT, "'env'");
  assert_null(compile);
  CHECK_FAILS(OrtCreateModelCompilationOptionsFromSessionOptions(env, NULL, &compile),
              ORT_INVALID_ARGUMENT, "'session_options'");
  compile = new_compile("AOT");
  CHECK_FAILS(OrtModelCompilationOptions_SetInputModelPath(compile, ""), ORT_INVALID_ARGUMENT,
              "'input_model_path'");
  CHECK_FAILS(OrtModelCompilationOptions_SetInputModelPath(compile, NULL), ORT_INVALID_ARGUMENT,
              "'input_model_path'");
  CHECK_FAILS(OrtModelCompilationOptions_SetOutputModelPath(compile, ""), ORT_INVALID_ARGUMENT,
              "'output_model_path'");
  CHECK_FAILS(OrtModelCompilationOptions_SetInputModelFromBuffer(compile, &size, 0),
              ORT_INVALID_ARGUMENT, "'input_model_data_size'");
  CHECK_FAILS(OrtModelCompilationOptions_SetInputModelFromBuffer(compile, NULL, 1),
              ORT_INVALID_ARGUMENT, "'input_model_data'");
  CHECK_FAILS(OrtModelCompilationOptions_SetOutputModelBuffer(compile, NULL, &buffer, &size),
              ORT_INVALID_ARGUMENT, "'allocator'");
  CHECK_FAILS(OrtModelCompilationOptions_SetOutputModelBuffer(compile, allocator(), NULL, &size),
              ORT_INVALID_ARGUMENT, "'output_model_buffer_ptr'");
  CHECK_FAILS(OrtModelCompilationOptions_SetOutputModelBuffer(compile, allocator(), &buffer, NULL),
              ORT_INVALID_ARGUMENT, "'output_model_buffer_size_ptr'");
  CHECK_FAILS(OrtModelCompilationOptions_SetOutputModelBuffer(compile, allocator(), &buffer,
                                                              (size_t*)&buffer),
              ORT_INVALID_ARGUMENT, "same place");
  CHECK_FAILS(OrtModelCompilationOptions_SetOutputModelExternalInitializersFile(compile, "", 1),
              ORT_INVALID_ARGUMENT, "'external_initializers_file_path'");
  CHECK_FAILS(OrtModelCompilationOptions_SetEpContextBinaryInformation(compile, "", "m.onnx"),
              ORT_INVALID_ARGUMENT, "'output_directory'");
  CHECK_FAILS(OrtModelCompilationOptions_SetEpContextBinaryInformation(compile, "out", ""),
              ORT_INVALID_ARGUMENT, "'model_name'");
  CHECK_FAILS(OrtModelCompilationOptions_SetEpContextBinaryInformation(compile, "out", "a/b.onnx"),
              ORT_INVALID_ARGUMENT, "without folder");
  CHECK_FAILS(OrtModelCompilationOptions_SetEpContextBinaryInformation(compile, "out", ".."),
              ORT_INVALID_ARGUMENT, "without folder");
  CHECK_OK(OrtModelCompilationOptions_SetEpContextBinaryInformation(compile, "out", "m.onnx"));
  CHECK_FAILS(OrtModelCompilationOptions_SetFlags(NULL, 0), ORT_INVALID_ARGUMENT,
              "'model_compile_options'");
  CHECK_FAILS(OrtCompileModel(NULL, compile), ORT_INVALID_ARGUMENT, "'env'");
  CHECK_FAILS(OrtCompileModel(env, NULL), ORT_INVALID_ARGUMENT, "'model_options'");
  OrtReleaseModelCompilationOptions(compile);
  OrtReleaseModelCompilationOptions(NULL);
  OrtReleaseSessionOptions(options);
}

// Progress.

typedef struct {
  int calls, releases, stop_at;
  double fraction;
  char stages[256];
} Heard;

static OrtStatus* hear(void* state, const char* stage, const char* detail, double fraction) {
  Heard* heard = (Heard*)state;
  assert_non_null(detail);
  assert_true(fraction >= heard->fraction && fraction <= 1);
  heard->fraction = fraction;
  heard->calls++;
  if (strstr(heard->stages, stage) == NULL) {
    strncat(heard->stages, stage, sizeof(heard->stages) - strlen(heard->stages) - 2);
    strcat(heard->stages, " ");
  }
  if (heard->calls == heard->stop_at) return OrtCreateStatus((OrtErrorCode)777, "enough is enough");
  return NULL;
}

static void forget(void* state) { ((Heard*)state)->releases++; }

static void test_compiler__tells_progress_and_reports(void** state) {
  (void)state;
  Heard heard;
  memset(&heard, 0, sizeof(heard));
  OrtModelCompilationOptions* options = compile_to(temp_path("object_ctx.onnx"));
  OrtModelCompiler* compiler = NULL;
  const char* report = (const char*)1;
  CHECK_OK(OrtCreateModelCompiler(env, options, &compiler));
  OrtReleaseModelCompilationOptions(options);
  CHECK_FAILS(OrtModelCompiler_GetReportJson(compiler, &report), ORT_NOT_FOUND, "");
  assert_null(report);
  CHECK_OK(OrtModelCompiler_SetProgress(compiler, hear, &heard, forget));
  CHECK_OK(OrtModelCompiler_Compile(compiler));
  assert_true(heard.calls > 0);
  CHECK_CONTAINS(heard.stages, "load ");
  CHECK_CONTAINS(heard.stages, "compile ");
  CHECK_CONTAINS(heard.stages, "write ");
  CHECK_CONTAINS(heard.stages, "done ");
  assert_true(heard.fraction == 1);
  CHECK_OK(OrtModelCompiler_GetReportJson(compiler, &report));
  CHECK_CONTAINS(report, "\"ok\":true");
  CHECK_CONTAINS(report, "object_ctx.onnx");
  CHECK_CONTAINS(report, "AotExecutionProvider");
  check_loads(temp_path("object_ctx.onnx"));
  assert_int_equal(heard.releases, 0);
  OrtReleaseModelCompiler(compiler);
  assert_int_equal(heard.releases, 1);
}

static void test_compiler__stops_with_the_status_of_the_callback(void** state) {
  (void)state;
  Heard heard;
  memset(&heard, 0, sizeof(heard));
  const char* output = temp_path("stopped_ctx.onnx");
  OrtModelCompilationOptions* options = compile_to(output);
  OrtModelCompiler* compiler = NULL;
  CHECK_OK(OrtCreateModelCompiler(env, options, &compiler));
  OrtReleaseModelCompilationOptions(options);
  CHECK_OK(OrtModelCompiler_SetProgress(compiler, hear, &heard, NULL));
  CHECK_OK(OrtModelCompiler_Compile(compiler));
  const int calls = heard.calls - 1;  // the last one comes when all is done
  for (int stop = 1; stop <= calls; ++stop) {
    remove(output);
    memset(&heard, 0, sizeof(heard));
    heard.stop_at = stop;
    OrtStatus* status = OrtModelCompiler_Compile(compiler);
    assert_int_equal(OrtGetErrorCode(status), 777);
    CHECK_TEXT(OrtGetErrorMessage(status), "enough is enough");
    OrtReleaseStatus(status);
    assert_int_equal(heard.calls, stop);
    const char* report = NULL;
    CHECK_OK(OrtModelCompiler_GetReportJson(compiler, &report));
    CHECK_CONTAINS(report, "\"ok\":false");
    CHECK_CONTAINS(report, "enough is enough");
    assert_false(file_exists(output));
  }
  OrtReleaseModelCompiler(compiler);
}

static void test_compiler__releases_each_state_once(void** state) {
  (void)state;
  Heard first, second;
  memset(&first, 0, sizeof(first));
  memset(&second, 0, sizeof(second));
  OrtModelCompilationOptions* options = new_compile("AOT");
  OrtModelCompiler* compiler = NULL;
  CHECK_FAILS(OrtModelCompiler_SetProgress(NULL, hear, &first, forget), ORT_INVALID_ARGUMENT,
              "'compiler'");
  assert_int_equal(first.releases, 0);
  CHECK_OK(OrtCreateModelCompiler(env, options, &compiler));
  CHECK_OK(OrtModelCompiler_SetProgress(compiler, hear, &first, forget));
  CHECK_OK(OrtModelCompiler_SetProgress(compiler, hear, &second, forget));
  assert_int_equal(first.releases, 1);
  CHECK_OK(OrtModelCompiler_SetProgress(compiler, NULL, NULL, NULL));
  assert_int_equal(second.releases, 1);
  CHECK_FAILS(OrtModelCompiler_Compile(compiler), ORT_INVALID_ARGUMENT, "no input model");
  OrtReleaseModelCompiler(compiler);
  assert_int_equal(first.releases + second.releases, 2);
  CHECK_FAILS(OrtCreateModelCompiler(env, NULL, &compiler), ORT_INVALID_ARGUMENT, "'options'");
  assert_null(compiler);
  OrtReleaseModelCompiler(NULL);
  OrtReleaseModelCompilationOptions(options);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_compile__writes_a_model_that_loads),
      cmocka_unit_test(test_compile__names_the_output_after_the_input),
      cmocka_unit_test(test_compile__names_an_operator_that_nobody_has),
      cmocka_unit_test(test_compile__embeds_on_request),
      cmocka_unit_test(test_compile__reads_and_writes_memory),
      cmocka_unit_test(test_compile__to_memory_puts_the_binary_where_it_is_told),
      cmocka_unit_test(test_compile__copies_a_model_that_nobody_compiles),
      cmocka_unit_test(test_compile__moves_initializers_out_on_request),
      cmocka_unit_test(test_compile__refuses_a_compiled_model),
      cmocka_unit_test(test_compile__needs_input_and_output),
      cmocka_unit_test(test_compile__refuses_impossible_arguments),
      cmocka_unit_test(test_compiler__tells_progress_and_reports),
      cmocka_unit_test(test_compiler__stops_with_the_status_of_the_callback),
      cmocka_unit_test(test_compiler__releases_each_state_once),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
