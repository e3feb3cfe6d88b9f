// SPDX-License-Identifier: MIT
// What the tests of the C interface share: checks that say what came instead, models, files in a
// folder of this process, and objects that most tests need. For programs of one file each.
#pragma once

// cmocka.h needs the four before it.
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ort_c/ort_c.h"

#define DATA(name) ORTC_SOURCE_DIR "/tests/data/" name
#define DIGITS ORTC_SOURCE_DIR "/demo/digits/"

// Success, or the message of the failure.
#define CHECK_OK(expr) check_ok((expr), #expr, __FILE__, __LINE__)
// A failure with this code, whose message contains this text.
#define CHECK_FAILS(expr, code, text) check_fails((expr), (code), (text), #expr, __FILE__, __LINE__)
#define CHECK_TEXT(found, expected) check_text((found), (expected), #found, __FILE__, __LINE__)
#define CHECK_CONTAINS(found, part) check_contains((found), (part), #found, __FILE__, __LINE__)

static inline void complain(const char* file, int line, const char* what, const char* found) {
  fprintf(stderr, "%s:%d: %s: found '%s'\n", file, line, what, found);
  fflush(stderr);
  _fail(file, line);
}

static inline void check_ok(OrtStatus* status, const char* what, const char* file, int line) {
  if (status != NULL) complain(file, line, what, OrtGetErrorMessage(status));
}

static inline void check_fails(OrtStatus* status, OrtErrorCode code, const char* text,
                               const char* what, const char* file, int line) {
  if (status == NULL) complain(file, line, what, "success");
  if (OrtGetErrorCode(status) != code) {
    fprintf(stderr, "expected code %d, found %d\n", (int)code, (int)OrtGetErrorCode(status));
    complain(file, line, what, OrtGetErrorMessage(status));
  }
  if (strstr(OrtGetErrorMessage(status), text) == NULL) {
    fprintf(stderr, "expected '%s' in the message\n", text);
    complain(file, line, what, OrtGetErrorMessage(status));
  }
  OrtReleaseStatus(status);
}

static inline void check_text(const char* found, const char* expected, const char* what,
                              const char* file, int line) {
  if (found == NULL || strcmp(found, expected) != 0) {
    complain(file, line, what, found == NULL ? "NULL" : found);
  }
}

static inline void check_contains(const char* found, const char* part, const char* what,
                                  const char* file, int line) {
  if (found == NULL || strstr(found, part) == NULL) {
    fprintf(stderr, "expected '%s' in it\n", part);
    complain(file, line, what, found == NULL ? "NULL" : found);
  }
}

// Files. All of a process lie in one folder, which is removed when the tests are through.

static char temp_folder[256];

static inline int make_temp_folder(void** state) {
  const char* base = getenv("TMPDIR");
  (void)state;
  snprintf(temp_folder, sizeof(temp_folder), "%s/ortc_api_XXXXXX", base != NULL ? base : "/tmp");
  return mkdtemp(temp_folder) == NULL ? -1 : 0;
}

static inline void remove_tree(const char* path) {
  DIR* folder = opendir(path);
  if (folder != NULL) {
    for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
      char inner[1024];
      if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
      const int length = snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
      if (length > 0 && (size_t)length < sizeof(inner)) remove_tree(inner);
    }
    closedir(folder);
  }
  remove(path);
}

static inline int remove_temp_folder(void** state) {
  (void)state;
  remove_tree(temp_folder);
  return 0;
}

// A path in the folder; the text lives until the fourth next call.
static inline const char* temp_path(const char* name) {
  static char paths[4][512];
  static int next;
  char* path = paths[next++ % 4];
  snprintf(path, sizeof(paths[0]), "%s/%s", temp_folder, name);
  return path;
}

static inline const char* new_folder(const char* name) {
  const char* path = temp_path(name);
  assert_int_equal(mkdir(path, 0700), 0);
  return path;
}

static inline bool file_exists(const char* path) {
  struct stat info;
  return stat(path, &info) == 0;
}

static inline size_t count_files(const char* path) {
  size_t count = 0;
  DIR* folder = opendir(path);
  assert_non_null(folder);
  for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
    count += entry->d_name[0] != '.';
  }
  closedir(folder);
  return count;
}

// The bytes of a file with a zero behind; free() them.
static inline char* read_file(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) complain(__FILE__, __LINE__, "cannot open", path);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  const long length = ftell(file);
  assert_true(length >= 0);
  rewind(file);
  char* bytes = (char*)malloc((size_t)length + 1);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, (size_t)length, file), (size_t)length);
  bytes[length] = 0;
  fclose(file);
  if (size != NULL) *size = (size_t)length;
  return bytes;
}

static inline void write_file(const char* path, const void* bytes, size_t size) {
  FILE* file = fopen(path, "wb");
  if (file == NULL) complain(__FILE__, __LINE__, "cannot write", path);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static inline void copy_file(const char* from, const char* to) {
  size_t size = 0;
  char* bytes = read_file(from, &size);
  write_file(to, bytes, size);
  free(bytes);
}

// Objects.

static inline OrtEnv* new_env(void) {
  OrtEnv* env = NULL;
  CHECK_OK(OrtCreateEnv(ORT_LOGGING_LEVEL_ERROR, "test", &env));
  assert_non_null(env);
  return env;
}

static inline OrtSessionOptions* new_options(const char* provider) {
  OrtSessionOptions* options = NULL;
  CHECK_OK(OrtCreateSessionOptions(&options));
  assert_non_null(options);
  if (provider != NULL) {
    CHECK_OK(OrtSessionOptionsAppendExecutionProvider(options, provider, NULL, NULL, 0));
  }
  return options;
}

static inline OrtSession* new_session(OrtEnv* env, const char* path,
                                      const OrtSessionOptions* options) {
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateSession(env, path, options, &session));
  assert_non_null(session);
  return session;
}

static inline OrtAllocator* allocator(void) {
  OrtAllocator* out = NULL;
  CHECK_OK(OrtGetAllocatorWithDefaultOptions(&out));
  assert_non_null(out);
  return out;
}

static inline OrtMemoryInfo* cpu_memory(OrtAllocatorType type) {
  OrtMemoryInfo* memory = NULL;
  CHECK_OK(OrtCreateCpuMemoryInfo(type, OrtMemTypeDefault, &memory));
  return memory;
}

// A float tensor over the caller's numbers.
static inline OrtValue* floats_of(float* numbers, size_t count, const int64_t* shape, size_t rank) {
  OrtMemoryInfo* memory = cpu_memory(OrtArenaAllocator);
  OrtValue* value = NULL;
  CHECK_OK(OrtCreateTensorWithDataAsOrtValue(memory, numbers, count * sizeof(float), shape, rank,
                                             ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
  OrtReleaseMemoryInfo(memory);
  assert_non_null(value);
  return value;
}

static inline const float* floats_in(const OrtValue* value) {
  const void* data = NULL;
  CHECK_OK(OrtGetTensorData(value, &data));
  return (const float*)data;
}

static inline void free_text(char* text) { CHECK_OK(OrtAllocatorFree(allocator(), text)); }

// y = x * weight of matmul.onnx for x = [[1, 2, 3, 4]]: weight[i][j] is 3 i + j.
static inline void check_matmul_runs(OrtSession* session) {
  float x[4] = {1, 2, 3, 4};
  const int64_t shape[] = {1, 4};
  OrtValue* input = floats_of(x, 4, shape, 2);
  const OrtValue* inputs[] = {input};
  const char* input_names[] = {"x"};
  const char* output_names[] = {"y"};
  OrtValue* output = NULL;
  CHECK_OK(OrtRun(session, NULL, input_names, inputs, 1, output_names, 1, &output));
  OrtReleaseValue(input);
  const float* y = floats_in(output);
  assert_true(y[0] == 60 && y[1] == 70 && y[2] == 80);
  OrtReleaseValue(output);
}

// y of the session's only output for x = `numbers`, [rows, columns].
static inline void run_rows(OrtSession* session, const OrtRunOptions* options, float* numbers,
                            int64_t rows, int64_t columns, float* y) {
  const int64_t shape[] = {rows, columns};
  OrtValue *input = floats_of(numbers, (size_t)(rows * columns), shape, 2), *output = NULL;
  const char* input_names[] = {"x"};
  const char* output_names[] = {"y"};
  const OrtValue* inputs[] = {input};
  CHECK_OK(OrtRun(session, options, input_names, inputs, 1, output_names, 1, &output));
  memcpy(y, floats_in(output), (size_t)(rows * columns) * sizeof(float));
  OrtReleaseValue(input);
  OrtReleaseValue(output);
}

static inline bool has_text(const char* bytes, size_t size, const char* text) {
  const size_t length = strlen(text);
  for (size_t i = 0; i + length <= size; ++i) {
    if (memcmp(bytes + i, text, length) == 0) return true;
  }
  return false;
}
