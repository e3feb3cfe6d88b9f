// SPDX-License-Identifier: MIT
// ort_c/model_compiler.h: initializers of a compiled model in one block of memory, and where each
// begins.
#include "tests/api/compile_testing.h"

typedef struct Block {
  void* bytes;
  size_t size;
} Block;

static char sentinel;
static const Block kUntouched = {&sentinel, 77};

static void release(Block* block) {
  CHECK_OK(OrtAllocatorFree(allocator(), block->bytes));
  *block = kUntouched;
}

static OrtModelCompilationOptions* compile_model(const char* path, Block* model) {
  OrtModelCompilationOptions* compile = new_compile("CPU");
  CHECK_OK(OrtModelCompilationOptions_SetInputModelPath(compile, path));
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelBuffer(compile, allocator(), &model->bytes,
                                                           &model->size));
  return compile;
}

static OrtStatus* place_weights(OrtModelCompilationOptions* compile, const char* name,
                                size_t threshold, Block* weights) {
  return OrtModelCompilationOptions_SetOutputModelExternalInitializersBuffer(
      compile, name, threshold, allocator(), &weights->bytes, &weights->size);
}

static OrtSession* load(const Block* model, const Block* weights) {
  OrtSessionOptions* options = new_options("CPU");
  OrtSession* session = NULL;
  if (weights != NULL) {
    const char* const names[] = {"w.bin"};
    char* const buffers[] = {(char*)weights->bytes};
    const size_t lengths[] = {weights->size};
    CHECK_OK(OrtAddExternalInitializersFromFilesInMemory(options, names, buffers, lengths, 1));
  }
  CHECK_OK(OrtCreateSessionFromArray(env, model->bytes, model->size, options, &session));
  OrtReleaseSessionOptions(options);
  return session;
}

static void test_buffer__has_what_the_model_leaves_out(void** state) {
  (void)state;
  Block model = kUntouched, weights = kUntouched;
  OrtModelCompilationOptions* compile = compile_model(DATA("matmul.onnx"), &model);
  CHECK_OK(place_weights(compile, "././w.bin", 0, &weights));
  CHECK_OK(OrtCompileModel(env, compile));
  // weight[i][j] is 3 i + j.
  assert_int_equal(weights.size, 48);
  for (int i = 0; i < 12; ++i) assert_true(((const float*)weights.bytes)[i] == (float)i);
  OrtSession* session = load(&model, &weights);
  check_matmul_runs(session);
  OrtReleaseSession(session);
  release(&model);
  release(&weights);
  OrtReleaseModelCompilationOptions(compile);
}

static void test_buffer__goes_beside_a_model_in_a_file(void** state) {
  (void)state;
  char folder[512], output[600], file[600];
  snprintf(folder, sizeof(folder), "%s", new_folder("beside"));
  snprintf(output, sizeof(output), "%s/m.onnx", folder);
  snprintf(file, sizeof(file), "%s/w.bin", folder);
  Block weights = kUntouched;
  OrtModelCompilationOptions* compile = new_compile("CPU");
  CHECK_OK(OrtModelCompilationOptions_SetInputModelPath(compile, DATA("matmul.onnx")));
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelPath(compile, output));
  CHECK_OK(place_weights(compile, "w.bin", 0, &weights));
  CHECK_OK(OrtCompileModel(env, compile));
  assert_int_equal(count_files(folder), 1);
  write_file(file, weights.bytes, weights.size);
  OrtSession* session = new_session(env, output, NULL);
  check_matmul_runs(session);
  OrtReleaseSession(session);
  release(&weights);
  OrtReleaseModelCompilationOptions(compile);
}

static void test_buffer__is_null_when_nothing_is_large_enough(void** state) {
  (void)state;
  Block model = kUntouched, weights = kUntouched;
  OrtModelCompilationOptions* compile = compile_model(DATA("matmul.onnx"), &model);
  CHECK_OK(place_weights(compile, "w.bin", 49, &weights));
  CHECK_OK(OrtCompileModel(env, compile));
  assert_null(weights.bytes);
  assert_int_equal(weights.size, 0);
  OrtSession* session = load(&model, NULL);
  check_matmul_runs(session);
  OrtReleaseSession(session);
  release(&model);
  OrtReleaseModelCompilationOptions(compile);
}

static void test_buffer__stays_as_it_was_when_the_compile_fails(void** state) {
  (void)state;
  Block weights = kUntouched;
  OrtModelCompilationOptions* compile = new_compile("CPU");
  CHECK_OK(OrtModelCompilationOptions_SetInputModelPath(compile, DATA("matmul.onnx")));
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelPath(compile, temp_path("none/m.onnx")));
  CHECK_OK(place_weights(compile, "w.bin", 0, &weights));
  OrtStatus* status = OrtCompileModel(env, compile);
  assert_non_null(status);
  OrtReleaseStatus(status);
  assert_ptr_equal(weights.bytes, &sentinel);
  assert_int_equal(weights.size, 77);
  OrtReleaseModelCompilationOptions(compile);
}

static void test_buffer__is_one_place_of_several_and_the_last_counts(void** state) {
  (void)state;
  char folder[512], output[600];
  snprintf(folder, sizeof(folder), "%s", new_folder("last"));
  snprintf(output, sizeof(output), "%s/m.onnx", folder);
  Block weights = kUntouched;
  OrtModelCompilationOptions* compile = new_compile("CPU");
  CHECK_OK(OrtModelCompilationOptions_SetInputModelPath(compile, DATA("matmul.onnx")));
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelPath(compile, output));
  CHECK_OK(place_weights(compile, "w.bin", 0, &weights));
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelExternalInitializersFile(compile, "f.bin", 0));
  CHECK_OK(OrtCompileModel(env, compile));
  assert_ptr_equal(weights.bytes, &sentinel);
  assert_int_equal(count_files(folder), 2);
  OrtReleaseModelCompilationOptions(compile);
}

static void test_buffer__refuses_names_and_places_that_cannot_be(void** state) {
  (void)state;
  Block model = kUntouched, weights = kUntouched;
  OrtModelCompilationOptions* compile = compile_model(DATA("matmul.onnx"), &model);
  const char* const names[] = {"", "./", "/w.bin", "../w.bin", "a/../w.bin"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
    CHECK_FAILS(place_weights(compile, names[i], 0, &weights), ORT_INVALID_ARGUMENT,
                "'logical_file_name'");
  }
  CHECK_FAILS(OrtModelCompilationOptions_SetOutputModelExternalInitializersBuffer(
                  compile, "w.bin", 0, allocator(), &weights.bytes, (size_t*)&weights.bytes),
              ORT_INVALID_ARGUMENT, "same place");
  // Those of the model are known when it is compiled.
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelExternalInitializersBuffer(
      compile, "w.bin", 0, allocator(), &model.bytes, &weights.size));
  CHECK_FAILS(OrtCompileModel(env, compile), ORT_INVALID_ARGUMENT, "expected four places");
  assert_int_equal(weights.size, 77);
  OrtReleaseModelCompilationOptions(compile);
}

static size_t size_aligned(size_t alignment, size_t minimum) {
  Block model = kUntouched, weights = kUntouched;
  OrtModelCompilationOptions* compile =
      compile_model(ORTC_SOURCE_DIR "/demo/digits/digits.onnx", &model);
  CHECK_OK(place_weights(compile, "w.bin", 0, &weights));
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelExternalInitializersAlignment(
      compile, alignment, minimum));
  CHECK_OK(OrtCompileModel(env, compile));
  OrtReleaseSession(load(&model, &weights));
  const size_t size = weights.size;
  release(&model);
  release(&weights);
  OrtReleaseModelCompilationOptions(compile);
  return size;
}

static void test_alignment__holds_for_initializers_from_a_size_on(void** state) {
  (void)state;
  const size_t close = size_aligned(0, 0), pages = size_aligned(4096, 0);
  assert_true(pages > close);
  assert_int_equal(size_aligned(4096, 1 << 20), close);
  assert_int_equal(size_aligned(1, 0), close);
}

static void test_alignment__is_a_power_of_two(void** state) {
  (void)state;
  OrtModelCompilationOptions* compile = new_compile("CPU");
  const size_t wrong[] = {3, 96, (size_t)1 << 31};
  for (size_t i = 0; i < 3; ++i) {
    CHECK_FAILS(OrtModelCompilationOptions_SetOutputModelExternalInitializersAlignment(compile,
                                                                                       wrong[i], 0),
                ORT_INVALID_ARGUMENT, "power of two");
  }
  OrtReleaseModelCompilationOptions(compile);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_buffer__has_what_the_model_leaves_out),
      cmocka_unit_test(test_buffer__goes_beside_a_model_in_a_file),
      cmocka_unit_test(test_buffer__is_null_when_nothing_is_large_enough),
      cmocka_unit_test(test_buffer__stays_as_it_was_when_the_compile_fails),
      cmocka_unit_test(test_buffer__is_one_place_of_several_and_the_last_counts),
      cmocka_unit_test(test_buffer__refuses_names_and_places_that_cannot_be),
      cmocka_unit_test(test_alignment__holds_for_initializers_from_a_size_on),
      cmocka_unit_test(test_alignment__is_a_power_of_two),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
