// SPDX-License-Identifier: MIT
// ort_c/model_compiler.h and ort_c/session_options.h: compiled models that go to functions of the
// program and come from them: the model as a stream, places of initializers, context data.
#include "tests/api/compile_testing.h"

// A sink and a source of bytes.

typedef struct Store {
  char name[256];
  char* bytes;
  size_t size;
  int calls;
  int fails_at;  // the call that fails; 0: none
} Store;

static OrtStatus* append(Store* store, const void* buffer, size_t size) {
  if (++store->calls == store->fails_at) return OrtCreateStatus(ORT_ENGINE_ERROR, "the sink broke");
  store->bytes = (char*)realloc(store->bytes, store->size + size);
  assert_non_null(store->bytes);
  memcpy(store->bytes + store->size, buffer, size);
  store->size += size;
  return NULL;
}

static OrtStatus* take_model(void* state, const void* buffer, size_t size) {
  assert_in_range(size, 1, 1 << 20);
  return append((Store*)state, buffer, size);
}

static OrtStatus* take_context(void* state, const char* name, const void* buffer, size_t size) {
  Store* store = (Store*)state;
  snprintf(store->name, sizeof(store->name), "%s", name);
  return append(store, buffer, size);
}

static OrtStatus* give_context(void* state, const char* name, OrtAllocator* memory, void** buffer,
                               size_t* size) {
  Store* store = (Store*)state;
  if (++store->calls == store->fails_at) return OrtCreateStatus(ORT_NOT_FOUND, "no such key");
  if (strcmp(name, store->name) != 0) return OrtCreateStatus(ORT_NOT_FOUND, name);
  OrtStatus* status = OrtAllocatorAlloc(memory, store->size, buffer);
  if (status != NULL) return status;
  memcpy(*buffer, store->bytes, store->size);
  *size = store->size;
  return NULL;
}

static OrtStatus* give_nothing(void* state, const char* name, OrtAllocator* memory, void** buffer,
                               size_t* size) {
  (void)state, (void)name, (void)memory, (void)buffer;
  *size = 5;
  return NULL;
}

static OrtModelCompilationOptions* compile_matmul(const char* provider) {
  OrtModelCompilationOptions* compile = new_compile(provider);
  CHECK_OK(OrtModelCompilationOptions_SetInputModelPath(compile, DATA("matmul.onnx")));
  return compile;
}

static void test_stream__takes_the_model_in_pieces(void** state) {
  (void)state;
  Store model = {"", NULL, 0, 0, 0};
  OrtModelCompilationOptions* compile = compile_matmul("AOT");
  CHECK_OK(OrtModelCompilationOptions_SetEpContextEmbedMode(compile, true));
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelWriteFunc(compile, take_model, &model));
  CHECK_OK(OrtCompileModel(env, compile));
  assert_true(model.calls > 0);
  check_loads_bytes(model.bytes, model.size, NULL);
  free(model.bytes);
  OrtReleaseModelCompilationOptions(compile);
}

static void test_stream__that_fails_keeps_nothing_and_its_status_comes_back(void** state) {
  (void)state;
  char folder[512];
  snprintf(folder, sizeof(folder), "%s", new_folder("broken sink"));
  Store model = {"", NULL, 0, 0, 1};
  OrtModelCompilationOptions* compile = compile_matmul("AOT");
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelWriteFunc(compile, take_model, &model));
  CHECK_OK(OrtModelCompilationOptions_SetEpContextBinaryInformation(compile, folder, "m.onnx"));
  CHECK_FAILS(OrtCompileModel(env, compile), ORT_ENGINE_ERROR, "the sink broke");
  assert_int_equal(count_files(folder), 0);
  // A good sink gets the same model, and the binary goes to the folder.
  Store good = {"", NULL, 0, 0, 0};
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelWriteFunc(compile, take_model, &good));
  CHECK_OK(OrtCompileModel(env, compile));
  assert_int_equal(count_files(folder), 1);
  char context[600];
  snprintf(context, sizeof(context), "%s/m.onnx", folder);
  check_loads_bytes(good.bytes, good.size, context);
  free(model.bytes);
  free(good.bytes);
  OrtReleaseModelCompilationOptions(compile);
}

static void test_stream__counts_as_an_output_until_another_is_named(void** state) {
  (void)state;
  Store model = {"", NULL, 0, 0, 0};
  OrtModelCompilationOptions* compile = compile_to(temp_path("unused.onnx"));
  CHECK_OK(OrtModelCompilationOptions_SetEpContextEmbedMode(compile, true));
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelWriteFunc(compile, take_model, &model));
  CHECK_OK(OrtCompileModel(env, compile));
  assert_false(file_exists(temp_path("unused.onnx")));
  const size_t size = model.size;
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelPath(compile, temp_path("used.onnx")));
  CHECK_OK(OrtCompileModel(env, compile));
  assert_true(file_exists(temp_path("used.onnx")));
  assert_int_equal(model.size, size);
  free(model.bytes);
  OrtReleaseModelCompilationOptions(compile);
}

// Initializers.

typedef struct Places {
  int calls, with_original;
  char names[256];
  const char* path;  // NULL: they stay
  int64_t offset;
  size_t size_off;  // added to the right size
  bool gives_original;
} Places;

static OrtStatus* place(void* state, const char* name, const OrtValue* value,
                        const OrtExternalInitializerInfo* original,
                        OrtExternalInitializerInfo** out) {
  Places* places = (Places*)state;
  places->calls++;
  places->with_original += original != NULL;
  strncat(places->names, name, 100);
  strncat(places->names, " ", 2);
  size_t size = 0;
  OrtStatus* status = OrtGetTensorSizeInBytes(value, &size);
  if (status != NULL) return status;
  if (places->gives_original && original != NULL) {
    *out = (OrtExternalInitializerInfo*)original;
    return NULL;
  }
  if (original != NULL) {
    return OrtCreateExternalInitializerInfo(OrtExternalInitializerInfo_GetFilePath(original),
                                            OrtExternalInitializerInfo_GetFileOffset(original),
                                            OrtExternalInitializerInfo_GetByteSize(original), out);
  }
  if (places->path == NULL) return NULL;
  return OrtCreateExternalInitializerInfo(places->path, places->offset, size + places->size_off,
                                          out);
}

static void test_locations__are_asked_once_for_each_initializer(void** state) {
  (void)state;
  char folder[512], output[600], weights[600];
  snprintf(folder, sizeof(folder), "%s", new_folder("placed"));
  snprintf(output, sizeof(output), "%s/m.onnx", folder);
  snprintf(weights, sizeof(weights), "%s/own.bin", folder);
  Places places = {0, 0, "", "own.bin", 16, 0, false};
  OrtModelCompilationOptions* compile = compile_matmul("CPU");
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelPath(compile, output));
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelExternalInitializersFile(compile, "w.bin", 0));
  CHECK_OK(
      OrtModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(compile, place, &places));
  CHECK_OK(OrtCompileModel(env, compile));
  assert_int_equal(places.calls, 1);
  assert_int_equal(places.with_original, 0);
  assert_int_equal(count_files(folder), 1);
  // The bytes are the program's to write: weight[i][j] is 3 i + j.
  float numbers[16] = {0};
  for (int i = 0; i < 12; ++i) numbers[4 + i] = (float)i;
  write_file(weights, numbers, sizeof(numbers));
  OrtSession* session = new_session(env, output, NULL);
  check_matmul_runs(session);
  OrtReleaseSession(session);
  // Those that a compiled part takes are not asked for.
  Places none = {0, 0, "", "own.bin", 16, 0, false};
  OrtModelCompilationOptions* whole = compile_to(temp_path("whole_ctx.onnx"));
  CHECK_OK(
      OrtModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(whole, place, &none));
  CHECK_OK(OrtCompileModel(env, whole));
  assert_int_equal(none.calls, 0);
  OrtReleaseModelCompilationOptions(whole);
  OrtReleaseModelCompilationOptions(compile);
}

static void test_locations__of_the_source_can_be_used_again(void** state) {
  (void)state;
  char folder[512], source[600], output[600];
  snprintf(folder, sizeof(folder), "%s", new_folder("again"));
  snprintf(source, sizeof(source), "%s/source.onnx", folder);
  snprintf(output, sizeof(output), "%s/again.onnx", folder);
  // A source with its initializer in a file.
  OrtModelCompilationOptions* first = compile_matmul("CPU");
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelPath(first, source));
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelExternalInitializersFile(first, "w.bin", 0));
  CHECK_OK(OrtCompileModel(env, first));
  OrtReleaseModelCompilationOptions(first);
  Places places = {0, 0, "", NULL, 0, 0, false};
  OrtModelCompilationOptions* compile = new_compile("CPU");
  CHECK_OK(OrtModelCompilationOptions_SetInputModelPath(compile, source));
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelPath(compile, output));
  CHECK_OK(
      OrtModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(compile, place, &places));
  CHECK_OK(OrtCompileModel(env, compile));
  assert_int_equal(places.with_original, 1);
  assert_int_equal(count_files(folder), 3);
  OrtSession* session = new_session(env, output, NULL);
  check_matmul_runs(session);
  OrtReleaseSession(session);
  Places same = {0, 0, "", NULL, 0, 0, true};
  CHECK_OK(
      OrtModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(compile, place, &same));
  CHECK_FAILS(OrtCompileModel(env, compile), ORT_FAIL, "'external_info' itself");
  OrtReleaseModelCompilationOptions(compile);
}

static OrtStatus* refuse(void* state, const char* name, const OrtValue* value,
                         const OrtExternalInitializerInfo* original,
                         OrtExternalInitializerInfo** out) {
  (void)state, (void)name, (void)value, (void)original, (void)out;
  return OrtCreateStatus(ORT_FAIL, "no room for it");
}

static void test_locations__that_no_reader_could_follow_are_refused(void** state) {
  (void)state;
  const Places wrong[] = {
      {0, 0, "", "/abs.bin", 0, 0, false},        {0, 0, "", "../out.bin", 0, 0, false},
      {0, 0, "", "a/../../out.bin", 0, 0, false}, {0, 0, "", "own.bin", 0, 1, false},
      {0, 0, "", "own.bin", INT64_MAX, 0, false}, {0, 0, "", "own.bin", INT64_MAX - 47, 0, false}};
  const char* const words[] = {"found an absolute path: '/abs.bin'",
                               "found a path that leads out of the folder: '../out.bin'",
                               "found a path that leads out of the folder: 'a/../../out.bin'",
                               "expected a place of 48 bytes",
                               "found 48 at 9223372036854775807",
                               "found 48 at 9223372036854775760"};
  OrtModelCompilationOptions* compile = compile_matmul("CPU");
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelPath(compile, temp_path("placed_not.onnx")));
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
    Places places = wrong[i];
    CHECK_OK(OrtModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(compile, place,
                                                                                 &places));
    CHECK_FAILS(OrtCompileModel(env, compile), ORT_INVALID_ARGUMENT, words[i]);
  }
  CHECK_OK(
      OrtModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(compile, refuse, NULL));
  CHECK_FAILS(OrtCompileModel(env, compile), ORT_FAIL, "no room for it");
  assert_false(file_exists(temp_path("placed_not.onnx")));
  OrtReleaseModelCompilationOptions(compile);
}

// Context data.

static void test_context_data__go_to_a_function_and_come_from_one(void** state) {
  (void)state;
  char folder[512], output[600];
  snprintf(folder, sizeof(folder), "%s", new_folder("contexts"));
  snprintf(output, sizeof(output), "%s/m_ctx.onnx", folder);
  Store context = {"", NULL, 0, 0, 0};
  OrtModelCompilationOptions* compile = compile_to(output);
  CHECK_OK(OrtModelCompilationOptions_SetEpContextDataWriteFunc(compile, take_context, &context));
  CHECK_OK(OrtCompileModel(env, compile));
  assert_int_equal(count_files(folder), 1);
  assert_int_equal(context.calls, 1);
  CHECK_TEXT(context.name, "m_aot.bin");

  OrtSessionOptions* options = new_options("AOT");
  OrtSession* session = NULL;
  CHECK_FAILS(OrtCreateSession(env, output, options, &session), ORT_INVALID_GRAPH, "m_aot.bin");
  CHECK_OK(OrtSessionOptionsSetEpContextDataReadFunc(options, give_context, &context));
  session = new_session(env, output, options);
  check_matmul_runs(session);
  OrtReleaseSession(session);
  // What it gives is checked like a file.
  context.bytes[context.size / 2] ^= 1;
  context.bytes[5000] ^= 1;
  CHECK_FAILS(OrtCreateSession(env, output, options, &session), ORT_INVALID_GRAPH, "m_aot.bin");
  CHECK_OK(OrtSessionOptionsSetEpContextDataReadFunc(options, give_nothing, NULL));
  CHECK_FAILS(OrtCreateSession(env, output, options, &session), ORT_INVALID_ARGUMENT, "5 bytes");
  Store broken = {"", NULL, 0, 0, 1};
  CHECK_OK(OrtSessionOptionsSetEpContextDataReadFunc(options, give_context, &broken));
  CHECK_FAILS(OrtCreateSession(env, output, options, &session), ORT_NOT_FOUND, "no such key");
  CHECK_OK(OrtSessionOptionsSetEpContextDataReadFunc(options, NULL, NULL));
  CHECK_FAILS(OrtCreateSession(env, output, options, &session), ORT_INVALID_GRAPH, "m_aot.bin");
  OrtReleaseSessionOptions(options);
  free(context.bytes);
  OrtReleaseModelCompilationOptions(compile);
}

static void test_context_data__and_the_model_need_no_folder(void** state) {
  (void)state;
  Store model = {"", NULL, 0, 0, 0}, context = {"", NULL, 0, 0, 0};
  OrtModelCompilationOptions* compile = compile_matmul("AOT");
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelWriteFunc(compile, take_model, &model));
  CHECK_OK(OrtModelCompilationOptions_SetEpContextDataWriteFunc(compile, take_context, &context));
  CHECK_OK(OrtCompileModel(env, compile));
  OrtSessionOptions* options = new_options("AOT");
  OrtSession* session = NULL;
  CHECK_OK(OrtSessionOptionsSetEpContextDataReadFunc(options, give_context, &context));
  CHECK_OK(OrtCreateSessionFromArray(env, model.bytes, model.size, options, &session));
  check_matmul_runs(session);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  // A writer that fails ends the compile before the model is given out.
  Store late = {"", NULL, 0, 0, 0}, broken = {"", NULL, 0, 0, 1};
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelWriteFunc(compile, take_model, &late));
  CHECK_OK(OrtModelCompilationOptions_SetEpContextDataWriteFunc(compile, take_context, &broken));
  CHECK_FAILS(OrtCompileModel(env, compile), ORT_ENGINE_ERROR, "the sink broke");
  assert_int_equal(late.calls, 0);
  free(model.bytes);
  free(context.bytes);
  OrtReleaseModelCompilationOptions(compile);
}

static void test_context_data__that_are_embedded_call_nobody(void** state) {
  (void)state;
  Store context = {"", NULL, 0, 0, 0};
  OrtModelCompilationOptions* compile = compile_to(temp_path("inside_ctx.onnx"));
  CHECK_OK(OrtModelCompilationOptions_SetEpContextEmbedMode(compile, true));
  CHECK_OK(OrtModelCompilationOptions_SetEpContextDataWriteFunc(compile, take_context, &context));
  CHECK_OK(OrtCompileModel(env, compile));
  OrtSessionOptions* options = new_options("AOT");
  CHECK_OK(OrtSessionOptionsSetEpContextDataReadFunc(options, give_context, &context));
  OrtSession* session = new_session(env, temp_path("inside_ctx.onnx"), options);
  check_matmul_runs(session);
  assert_int_equal(context.calls, 0);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  OrtReleaseModelCompilationOptions(compile);
}

static void test_weightless__is_refused_by_name_where_it_cannot_be(void** state) {
  (void)state;
  OrtModelCompilationOptions* compile = compile_to(temp_path("weightless_ctx.onnx"));
  CHECK_OK(OrtModelCompilationOptions_SetWeightlessEnabled(compile, true));
  CHECK_FAILS(OrtCompileModel(env, compile), ORT_EP_FAIL, "AotExecutionProvider");
  assert_false(file_exists(temp_path("weightless_ctx.onnx")));
  CHECK_OK(OrtModelCompilationOptions_SetWeightlessEnabled(compile, false));
  CHECK_OK(OrtCompileModel(env, compile));
  OrtReleaseModelCompilationOptions(compile);
}

static void test_functions__refuse_null(void** state) {
  (void)state;
  OrtModelCompilationOptions* compile = compile_matmul("AOT");
  OrtSessionOptions* options = new_options(NULL);
  CHECK_FAILS(OrtModelCompilationOptions_SetOutputModelWriteFunc(compile, NULL, NULL),
              ORT_INVALID_ARGUMENT, "'write_func'");
  CHECK_FAILS(
      OrtModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(compile, NULL, NULL),
      ORT_INVALID_ARGUMENT, "'get_initializer_location_func'");
  CHECK_OK(OrtModelCompilationOptions_SetEpContextDataWriteFunc(compile, NULL, NULL));
  CHECK_FAILS(OrtSessionOptionsSetWeightlessSourceModelBuffer(options, NULL, 4),
              ORT_INVALID_ARGUMENT, "'source_model_data'");
  CHECK_FAILS(OrtSessionOptionsSetWeightlessSourceModelBuffer(options, options, 0),
              ORT_INVALID_ARGUMENT, "'source_model_data_length'");
  OrtReleaseSessionOptions(options);
  OrtReleaseModelCompilationOptions(compile);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stream__takes_the_model_in_pieces),
      cmocka_unit_test(test_stream__that_fails_keeps_nothing_and_its_status_comes_back),
      cmocka_unit_test(test_stream__counts_as_an_output_until_another_is_named),
      cmocka_unit_test(test_locations__are_asked_once_for_each_initializer),
      cmocka_unit_test(test_locations__of_the_source_can_be_used_again),
      cmocka_unit_test(test_locations__that_no_reader_could_follow_are_refused),
      cmocka_unit_test(test_context_data__go_to_a_function_and_come_from_one),
      cmocka_unit_test(test_context_data__and_the_model_need_no_folder),
      cmocka_unit_test(test_context_data__that_are_embedded_call_nobody),
      cmocka_unit_test(test_weightless__is_refused_by_name_where_it_cannot_be),
      cmocka_unit_test(test_functions__refuse_null),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
