// SPDX-License-Identifier: MIT
// ort_c/shared_allocators.h: arenas, allocators of the program, and what sessions take from them.
#include "tests/api/api_testing.h"

// An allocator of the program that counts.
typedef struct {
  OrtAllocator base;
  OrtMemoryInfo* info;
  int given, taken;
} Counting;

static void* counting_alloc(OrtAllocator* self, size_t size) {
  ((Counting*)self)->given++;
  return malloc(size == 0 ? 1 : size);
}

static void counting_free(OrtAllocator* self, void* block) {
  if (block != NULL) ((Counting*)self)->taken++;
  free(block);
}

static const OrtMemoryInfo* counting_info(const OrtAllocator* self) {
  return ((const Counting*)self)->info;
}

static Counting new_counting(OrtAllocatorType type) {
  Counting counting;
  memset(&counting, 0, sizeof(counting));
  counting.base.version = 17;
  counting.base.Alloc = counting_alloc;
  counting.base.Free = counting_free;
  counting.base.Info = counting_info;
  counting.info = cpu_memory(type);
  return counting;
}

static OrtValue* run_matmul(OrtSession* session) {
  static float x[4] = {1, 2, 3, 4};
  const int64_t shape[] = {1, 4};
  OrtValue *input = floats_of(x, 4, shape, 2), *output = NULL;
  const OrtValue* inputs[] = {input};
  const char* input_names[] = {"x"};
  const char* output_names[] = {"y"};
  CHECK_OK(OrtRun(session, NULL, input_names, inputs, 1, output_names, 1, &output));
  OrtReleaseValue(input);
  assert_true(floats_in(output)[0] == 60);
  return output;
}

static OrtSession* session_with(OrtEnv* env, const char* provider, const char* uses_env) {
  OrtSessionOptions* options = new_options(provider);
  OrtSession* session = NULL;
  CHECK_OK(OrtAddSessionConfigEntry(options, "session.use_env_allocators", uses_env));
  CHECK_OK(OrtCreateSession(env, DATA("matmul.onnx"), options, &session));
  OrtReleaseSessionOptions(options);
  return session;
}

static void test_allocator__of_the_program_holds_results(void** state) {
  (void)state;
  const char* providers[] = {NULL, "AOT"};
  for (int i = 0; i < 2; ++i) {
    OrtEnv* env = new_env();
    Counting counting = new_counting(OrtDeviceAllocator);
    CHECK_OK(OrtRegisterAllocator(env, &counting.base));
    OrtAllocator* shared = NULL;
    CHECK_OK(OrtGetSharedAllocator(env, counting.info, &shared));
    assert_ptr_equal(shared, &counting.base);
    OrtSession* other = session_with(env, providers[i], "0");
    OrtReleaseValue(run_matmul(other));
    OrtReleaseSession(other);
    assert_int_equal(counting.given, 0);
    OrtSession* session = session_with(env, providers[i], "1");
    CHECK_OK(OrtUnregisterAllocator(env, counting.info));
    OrtValue* output = run_matmul(session);
    assert_true(counting.given >= 1);
    const OrtMemoryInfo* memory = NULL;
    int differs = 1;
    CHECK_OK(OrtGetTensorMemoryInfo(output, &memory));
    CHECK_OK(OrtCompareMemoryInfo(memory, counting.info, &differs));
    assert_int_equal(differs, 0);
    OrtReleaseSession(session);
    OrtReleaseValue(output);
    assert_int_equal(counting.taken, counting.given);
    OrtReleaseEnv(env);
    OrtReleaseMemoryInfo(counting.info);
  }
}

static OrtMemoryInfo* memory_called(const char* name) {
  OrtMemoryInfo* memory = NULL;
  CHECK_OK(OrtCreateMemoryInfo_V2(name, OrtMemoryInfoDeviceType_CPU, 0, 0,
                                  OrtDeviceMemoryType_DEFAULT, 0, OrtDeviceAllocator, &memory));
  return memory;
}

static const OrtMemoryInfo* memory_of_output(const OrtSession* session) {
  const OrtMemoryInfo* memory = NULL;
  CHECK_OK(OrtSessionGetMemoryInfoForOutputs(session, &memory, 1));
  return memory;
}

// The description of results does not end with the session that gave it.
static void test_allocator__of_the_program_is_described_for_ever(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  Counting counting = new_counting(OrtDeviceAllocator);
  OrtReleaseMemoryInfo(counting.info);
  counting.info = memory_called("a name that is too long to lie in place");
  CHECK_OK(OrtRegisterAllocator(env, &counting.base));
  OrtSession *first = session_with(env, NULL, "1"), *second = session_with(env, NULL, "1");
  const OrtMemoryInfo* memory = memory_of_output(first);
  OrtReleaseSession(first);
  assert_ptr_equal(memory, memory_of_output(second));
  OrtReleaseSession(second);
  OrtReleaseEnv(env);
  OrtReleaseMemoryInfo(counting.info);
  const char* name = NULL;
  CHECK_OK(OrtMemoryInfoGetName(memory, &name));
  CHECK_TEXT(name, "a name that is too long to lie in place");
}

static void check_memory(const OrtValue* value, const OrtMemoryInfo* expected) {
  const OrtMemoryInfo* memory = NULL;
  int differs = 1;
  CHECK_OK(OrtGetTensorMemoryInfo(value, &memory));
  CHECK_OK(OrtCompareMemoryInfo(memory, expected, &differs));
  assert_int_equal(differs, 0);
}

static OrtValue* run_bound_matmul(OrtSession* session) {
  static float x[4] = {1, 2, 3, 4};
  const int64_t shape[] = {1, 4};
  OrtValue *input = floats_of(x, 4, shape, 2), *output = NULL, **outputs = NULL;
  OrtMemoryInfo* memory = cpu_memory(OrtDeviceAllocator);
  OrtIoBinding* binding = NULL;
  size_t count = 0;
  CHECK_OK(OrtCreateIoBinding(session, &binding));
  CHECK_OK(OrtBindInput(binding, "x", input));
  CHECK_OK(OrtBindOutputToDevice(binding, "y", memory));
  CHECK_OK(OrtRunWithBinding(session, NULL, binding));
  CHECK_OK(OrtGetBoundOutputValues(binding, allocator(), &outputs, &count));
  output = outputs[0];
  CHECK_OK(OrtAllocatorFree(allocator(), outputs));
  OrtReleaseIoBinding(binding);
  OrtReleaseMemoryInfo(memory);
  OrtReleaseValue(input);
  return output;
}

static void test_allocator__of_the_program_is_told_by_all_values_that_it_holds(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  Counting counting = new_counting(OrtDeviceAllocator);
  OrtReleaseMemoryInfo(counting.info);
  counting.info = memory_called("mine");
  CHECK_OK(OrtRegisterAllocator(env, &counting.base));
  OrtSession* session = session_with(env, NULL, "1");
  OrtValue *direct = run_matmul(session), *bound = run_bound_matmul(session);
  check_memory(direct, counting.info);
  check_memory(bound, counting.info);
  OrtValue *sequence = NULL, *element = NULL;
  CHECK_OK(OrtCreateValue((const OrtValue* const*)&bound, 1, ONNX_TYPE_SEQUENCE, &sequence));
  CHECK_OK(OrtGetValue(sequence, 0, &counting.base, &element));
  check_memory(element, counting.info);
  OrtValue* values[] = {direct, bound, sequence, element};
  for (int i = 0; i < 4; ++i) OrtReleaseValue(values[i]);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
  OrtReleaseMemoryInfo(counting.info);
}

// Nobody registered one: not an allocator that sessions would use, but one that programs find.
static void test_allocator__of_plain_memory_is_shared_unasked(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  const OrtAllocatorType types[] = {OrtDeviceAllocator, OrtArenaAllocator};
  for (int i = 0; i < 2; ++i) {
    OrtMemoryInfo* memory = cpu_memory(types[i]);
    OrtAllocator *shared = NULL, *standard = NULL;
    CHECK_OK(OrtGetSharedAllocator(env, memory, &shared));
    CHECK_OK(OrtGetAllocatorWithDefaultOptions(&standard));
    assert_ptr_equal(shared, standard);
    void* block = NULL;
    CHECK_OK(OrtAllocatorAlloc(shared, 100, &block));
    assert_non_null(block);
    CHECK_OK(OrtAllocatorFree(shared, block));
    CHECK_FAILS(OrtUnregisterAllocator(env, memory), ORT_INVALID_ARGUMENT, "no allocator");
    OrtReleaseMemoryInfo(memory);
  }
  Counting counting = new_counting(OrtDeviceAllocator);
  CHECK_OK(OrtRegisterAllocator(env, &counting.base));
  OrtAllocator* shared = NULL;
  CHECK_OK(OrtGetSharedAllocator(env, counting.info, &shared));
  assert_ptr_equal(shared, &counting.base);
  OrtReleaseEnv(env);
  OrtReleaseMemoryInfo(counting.info);
}

static const char* stat_of(OrtKeyValuePairs* stats, const char* key) {
  const char* text = OrtGetKeyValue(stats, key);
  return text == NULL ? "absent" : text;
}

static void test_arena__of_the_environment_counts_what_sessions_take(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtMemoryInfo* memory = cpu_memory(OrtArenaAllocator);
  OrtArenaCfg* config = NULL;
  OrtAllocator* shared = NULL;
  OrtKeyValuePairs* stats = NULL;
  CHECK_OK(OrtCreateArenaCfg(1 << 20, 1, 4096, -1, &config));
  CHECK_OK(OrtCreateAndRegisterAllocator(env, memory, config));
  CHECK_OK(
      OrtCreateAndRegisterAllocatorV2(env, "CPUExecutionProvider", memory, config, NULL, NULL, 0));
  OrtReleaseArenaCfg(config);
  OrtSession* session = session_with(env, NULL, "1");
  OrtValue* output = run_matmul(session);
  CHECK_OK(OrtGetSharedAllocator(env, memory, &shared));
  CHECK_OK(OrtAllocatorGetStats(shared, &stats));
  CHECK_TEXT(stat_of(stats, "NumAllocs"), "1");
  CHECK_TEXT(stat_of(stats, "InUse"), "64");
  CHECK_TEXT(stat_of(stats, "Limit"), "1048576");
  OrtReleaseKeyValuePairs(stats);
  OrtReleaseValue(output);
  CHECK_OK(OrtAllocatorGetStats(shared, &stats));
  CHECK_TEXT(stat_of(stats, "InUse"), "0");
  CHECK_TEXT(stat_of(stats, "MaxInUse"), "64");
  OrtReleaseKeyValuePairs(stats);
  // Its limit holds.
  void* block = NULL;
  CHECK_FAILS(OrtAllocatorAlloc(shared, 2 << 20, &block), ORT_RUNTIME_EXCEPTION, "no memory");
  CHECK_OK(OrtAllocatorAlloc(shared, 100000, &block));
  memset(block, 1, 100000);
  CHECK_OK(OrtAllocatorFree(shared, block));
  CHECK_OK(shared->Shrink(shared));
  CHECK_OK(OrtAllocatorGetStats(shared, &stats));
  CHECK_TEXT(stat_of(stats, "TotalAllocated"), "0");
  OrtReleaseKeyValuePairs(stats);
  OrtReleaseSession(session);
  OrtReleaseMemoryInfo(memory);
  OrtReleaseEnv(env);
}

static void test_registration__says_what_is_wrong(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtMemoryInfo *memory = cpu_memory(OrtArenaAllocator), *plain = cpu_memory(OrtDeviceAllocator),
                *cuda = NULL;
  CHECK_OK(OrtCreateMemoryInfo("Cuda", OrtDeviceAllocator, 0, OrtMemTypeDefault, &cuda));
  OrtArenaCfg* config = NULL;
  const char* keys[] = {"max_mem", "bogus"};
  const size_t values[] = {1024, 1};
  CHECK_FAILS(OrtCreateArenaCfg(0, 7, -1, -1, &config), ORT_INVALID_ARGUMENT, "strategy");
  CHECK_FAILS(OrtCreateArenaCfg(0, -1, -2, -1, &config), ORT_INVALID_ARGUMENT, "initial_chunk");
  CHECK_FAILS(OrtCreateArenaCfgV2(keys, values, 2, &config), ORT_INVALID_ARGUMENT, "bogus");
  assert_null(config);
  CHECK_OK(OrtCreateArenaCfgV2(keys, values, 1, &config));
  CHECK_FAILS(OrtCreateAndRegisterAllocator(env, plain, config), ORT_INVALID_ARGUMENT,
              "'arena_cfg'");
  CHECK_FAILS(OrtCreateAndRegisterAllocator(env, cuda, NULL), ORT_INVALID_ARGUMENT, "Cuda");
  CHECK_FAILS(OrtCreateAndRegisterAllocatorV2(env, "Foo", memory, NULL, NULL, NULL, 0),
              ORT_INVALID_ARGUMENT, "Foo");
  CHECK_FAILS(OrtUnregisterAllocator(env, memory), ORT_INVALID_ARGUMENT, "Cpu");
  OrtAllocator* shared = (OrtAllocator*)1;
  CHECK_OK(OrtGetSharedAllocator(env, cuda, &shared));
  assert_null(shared);
  Counting counting = new_counting(OrtArenaAllocator);
  CHECK_FAILS(OrtRegisterAllocator(env, &counting.base), ORT_INVALID_ARGUMENT,
              "OrtDeviceAllocator");
  counting.base.Free = NULL;
  CHECK_FAILS(OrtRegisterAllocator(env, &counting.base), ORT_INVALID_ARGUMENT, "Free");
  const OrtEpDevice* const* devices = NULL;
  size_t count = 0;
  CHECK_OK(OrtGetEpDevices(env, &devices, &count));
  CHECK_FAILS(OrtCreateSharedAllocator(env, devices[0], OrtDeviceMemoryType_DEFAULT,
                                       OrtDeviceAllocator, NULL, &shared),
              ORT_INVALID_ARGUMENT, "no memory of its own");
  CHECK_FAILS(OrtReleaseSharedAllocator(env, devices[0], OrtDeviceMemoryType_DEFAULT),
              ORT_INVALID_ARGUMENT, "no memory of its own");
  OrtReleaseMemoryInfo(counting.info);
  OrtReleaseArenaCfg(config);
  OrtReleaseMemoryInfo(memory);
  OrtReleaseMemoryInfo(plain);
  OrtReleaseMemoryInfo(cuda);
  OrtReleaseEnv(env);
}

static void test_allocator__of_a_session_outlives_it(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = session_with(env, NULL, "0");
  OrtMemoryInfo *cuda = NULL,
                *infos[] = {cpu_memory(OrtArenaAllocator), cpu_memory(OrtDeviceAllocator)};
  CHECK_OK(OrtCreateMemoryInfo("Cuda", OrtDeviceAllocator, 0, OrtMemTypeDefault, &cuda));
  OrtAllocator *refused = (OrtAllocator*)1, *made[2] = {NULL};
  CHECK_FAILS(OrtCreateAllocator(session, cuda, &refused), ORT_INVALID_ARGUMENT, "Cuda");
  assert_null(refused);
  for (int i = 0; i < 2; ++i) CHECK_OK(OrtCreateAllocator(session, infos[i], &made[i]));
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
  for (int i = 0; i < 2; ++i) {
    void* blocks[50];
    for (int k = 0; k < 50; ++k) {
      CHECK_OK(OrtAllocatorAlloc(made[i], (size_t)(k * 977), &blocks[k]));
      assert_true((uintptr_t)blocks[k] % 64 == 0);
      memset(blocks[k], k, (size_t)(k * 977));
    }
    for (int k = 0; k < 50; ++k) {
      const unsigned char* bytes = (const unsigned char*)blocks[(k * 7) % 50];
      for (int b = 0; b < (k * 7) % 50 * 977; b += 976) assert_int_equal(bytes[b], (k * 7) % 50);
      CHECK_OK(OrtAllocatorFree(made[i], blocks[(k * 7) % 50]));
    }
    OrtKeyValuePairs* stats = NULL;
    CHECK_OK(OrtAllocatorGetStats(made[i], &stats));
    CHECK_TEXT(stat_of(stats, "NumAllocs"), "50");
    OrtReleaseKeyValuePairs(stats);
    const OrtMemoryInfo* info = NULL;
    OrtAllocatorType type = OrtInvalidAllocator;
    CHECK_OK(OrtAllocatorGetInfo(made[i], &info));
    CHECK_OK(OrtMemoryInfoGetType(info, &type));
    assert_int_equal(type, i == 0 ? OrtArenaAllocator : OrtDeviceAllocator);
    OrtReleaseAllocator(made[i]);
    OrtReleaseMemoryInfo(infos[i]);
  }
  OrtReleaseMemoryInfo(cuda);
  // The library's own allocator counts nothing, and stays.
  OrtReleaseAllocator(allocator());
  OrtKeyValuePairs* stats = NULL;
  CHECK_OK(OrtAllocatorGetStats(allocator(), &stats));
  assert_null(OrtGetKeyValue(stats, "NumAllocs"));
  OrtReleaseKeyValuePairs(stats);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_allocator__of_the_program_holds_results),
      cmocka_unit_test(test_allocator__of_the_program_is_described_for_ever),
      cmocka_unit_test(test_allocator__of_the_program_is_told_by_all_values_that_it_holds),
      cmocka_unit_test(test_allocator__of_plain_memory_is_shared_unasked),
      cmocka_unit_test(test_arena__of_the_environment_counts_what_sessions_take),
      cmocka_unit_test(test_registration__says_what_is_wrong),
      cmocka_unit_test(test_allocator__of_a_session_outlives_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
