// SPDX-License-Identifier: MIT
// Memory that runs out while a session is made, runs or is released, or while a model is compiled:
// each allocation in turn fails. What comes is a status; nothing is lost, no file is left behind,
// and the next attempt works.
#include <unistd.h>

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

// Compiling ahead.

enum { kFolderTextMax = 4096 };

// Every entry's name, inode and size; the order is the same as long as nothing changes.
static void describe_folder(const char* path, char* text) {
  DIR* folder = opendir(path);
  size_t length = 0;
  assert_non_null(folder);
  text[0] = 0;
  for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
    struct stat info;
    char inner[1024];
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
    assert_int_equal(stat(inner, &info), 0);
    length +=
        (size_t)snprintf(text + length, kFolderTextMax - length, "%s %llu %llu\n", entry->d_name,
                         (unsigned long long)info.st_ino, (unsigned long long)info.st_size);
    assert_true(length < kFolderTextMax);
  }
  closedir(folder);
}

typedef struct {
  const char* model;
  char folder[512], output[600];
  char expected[kFolderTextMax];  // of the folder after a failure
  OrtAllocator* allocator;
  bool to_memory, is_fresh;  // into an empty folder
} CompileCase;

static OrtModelCompilationOptions* new_compile(const OrtEnv* env, const CompileCase* c, void** made,
                                               size_t* made_size) {
  OrtSessionOptions* options = NULL;
  OrtModelCompilationOptions* compile = NULL;
  const bool ok =
      is_ok(OrtCreateSessionOptions(&options)) &&
      is_ok(OrtSessionOptionsAppendExecutionProvider(options, "AOTExecutionProvider", NULL, NULL,
                                                     0)) &&
      is_ok(OrtCreateModelCompilationOptionsFromSessionOptions(env, options, &compile)) &&
      is_ok(OrtModelCompilationOptions_SetInputModelPath(compile, c->model)) &&
      (c->to_memory ? is_ok(OrtModelCompilationOptions_SetEpContextEmbedMode(compile, true)) &&
                          is_ok(OrtModelCompilationOptions_SetOutputModelBuffer(
                              compile, c->allocator, made, made_size))
                    : is_ok(OrtModelCompilationOptions_SetOutputModelPath(compile, c->output)));
  OrtReleaseSessionOptions(options);
  if (ok) return compile;
  OrtReleaseModelCompilationOptions(compile);
  return NULL;
}

static bool compile_once(const CompileCase* c) {
  OrtEnv* env = NULL;
  void* made = NULL;
  size_t made_size = 0;
  OrtModelCompilationOptions* compile = NULL;
  bool ok = is_ok(OrtCreateEnv(ORT_LOGGING_LEVEL_FATAL, "test", &env));
  if (ok) compile = new_compile(env, c, &made, &made_size);
  ok = compile != NULL && is_ok(OrtCompileModel(env, compile));
  assert_true((made != NULL) == (ok && c->to_memory));
  assert_true((made_size != 0) == (ok && c->to_memory));
  if (made != NULL) CHECK_OK(OrtAllocatorFree(c->allocator, made));
  OrtReleaseModelCompilationOptions(compile);
  OrtReleaseEnv(env);
  return ok;
}

static void check_compiled_runs(const char* path) {
  Case c = {new_env(), NULL, path, "AOTExecutionProvider", false};
  assert_true(make_session(&c, &c.session));
  assert_true(run_twice(c.session, 3));
  OrtReleaseSession(c.session);
  OrtReleaseEnv(c.env);
}

// Begins with memory that is short, so what the folder held is known from the attempt before.
static bool compile_all_or_nothing(void* context) {
  CompileCase* c = (CompileCase*)context;
  char found[kFolderTextMax];
  const bool ok = compile_once(c);
  stop_failing_allocations();
  describe_folder(c->folder, found);
  if (!ok && strcmp(found, c->expected) == 0) return false;
  if (c->to_memory) CHECK_TEXT(found, c->expected);
  // A failure may have come when the new files were published: then all of them are there.
  if (!c->to_memory) check_compiled_runs(c->output);
  if (c->is_fresh) {
    remove_tree(c->folder);
    assert_int_equal(mkdir(c->folder, 0700), 0);
  }
  describe_folder(c->folder, c->expected);
  return ok;
}

static void try_compiling(const char* what, CompileCase* c, const char* folder) {
  c->model = DATA("layers.onnx");
  c->allocator = allocator();
  snprintf(c->folder, sizeof(c->folder), "%s", new_folder(folder));
  snprintf(c->output, sizeof(c->output), "%s/out.onnx", c->folder);
  assert_true(compile_all_or_nothing(c));
  try_every_allocation(what, compile_all_or_nothing, c);
}

static void test_memory_runs_out__while_a_model_is_compiled_to_files(void** state) {
  (void)state;
  CompileCase fresh = {.is_fresh = true}, over = {.is_fresh = false};
  try_compiling("a compile to files", &fresh, "fresh");
  try_compiling("a compile over other files", &over, "over");
}

static void test_memory_runs_out__while_a_model_is_compiled_to_memory(void** state) {
  (void)state;
  CompileCase c = {.to_memory = true};
  try_compiling("a compile to memory", &c, "memory");
  assert_int_equal(count_files(c.folder), 0);
}

int main(void) {
  // Nothing here is about the device, and each of a thousand compiles would wait for it.
  if (access("/dev/shm", W_OK) == 0) setenv("TMPDIR", "/dev/shm", 0);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memory_runs_out__while_a_session_is_made_from_source),
      cmocka_unit_test(test_memory_runs_out__while_a_session_is_made_from_a_context),
      cmocka_unit_test(test_memory_runs_out__while_a_session_runs),
      cmocka_unit_test(test_memory_runs_out__while_a_loop_runs),
      cmocka_unit_test(test_memory_runs_out__while_a_model_is_compiled_to_files),
      cmocka_unit_test(test_memory_runs_out__while_a_model_is_compiled_to_memory),
  };
  return cmocka_run_group_tests(tests, make_temp_folder, remove_temp_folder);
}
