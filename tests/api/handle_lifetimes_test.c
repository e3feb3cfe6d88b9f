// SPDX-License-Identifier: MIT
// Handles in every order of release: whatever is still used stays.
#include <pthread.h>

#include "tests/api/api_testing.h"

static OrtValue* value_from(OrtAllocator* source, size_t count) {
  const int64_t shape[] = {(int64_t)count};
  OrtValue* value = NULL;
  CHECK_OK(
      OrtCreateTensorAsOrtValue(source, shape, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
  void* data = NULL;
  CHECK_OK(OrtGetTensorMutableData(value, &data));
  for (size_t i = 0; i < count; ++i) ((float*)data)[i] = (float)i;
  return value;
}

static void check_content(const OrtValue* value, size_t count) {
  for (size_t i = 0; i < count; ++i) assert_true(floats_in(value)[i] == (float)i);
}

static void test_values__outlive_the_allocator_they_came_from(void** state) {
  (void)state;
  const OrtAllocatorType types[] = {OrtArenaAllocator, OrtDeviceAllocator};
  for (int i = 0; i < 2; ++i) {
    OrtEnv* env = new_env();
    OrtSession* session = new_session(env, DATA("matmul.onnx"), NULL);
    OrtMemoryInfo* memory = cpu_memory(types[i]);
    OrtAllocator* made = NULL;
    CHECK_OK(OrtCreateAllocator(session, memory, &made));
    OrtValue* value = value_from(made, 5000);
    OrtValue *sequence = NULL, *item = NULL;
    const OrtValue* items[] = {value};
    CHECK_OK(OrtCreateValue(items, 1, ONNX_TYPE_SEQUENCE, &sequence));
    CHECK_OK(OrtGetValue(sequence, 0, made, &item));
    OrtReleaseValue(sequence);
    OrtReleaseAllocator(made);
    OrtReleaseSession(session);
    OrtReleaseEnv(env);
    OrtReleaseMemoryInfo(memory);
    check_content(value, 5000);
    check_content(item, 5000);
    OrtReleaseValue(value);
    OrtReleaseValue(item);
  }
}

static void test_values__outlive_the_environment_and_its_arena(void** state) {
  (void)state;
  for (int unregisters = 0; unregisters < 2; ++unregisters) {
    OrtEnv* env = new_env();
    OrtMemoryInfo* memory = cpu_memory(OrtArenaAllocator);
    OrtAllocator* shared = NULL;
    CHECK_OK(OrtCreateAndRegisterAllocator(env, memory, NULL));
    CHECK_OK(OrtGetSharedAllocator(env, memory, &shared));
    OrtValue* value = value_from(shared, 5000);
    if (unregisters) {
      CHECK_OK(OrtUnregisterAllocator(env, memory));
      // Who asked for it before may go on until the environment ends.
      OrtValue* later = value_from(shared, 10);
      OrtReleaseValue(later);
      OrtAllocator* found = NULL;
      CHECK_OK(OrtGetSharedAllocator(env, memory, &found));
      assert_ptr_equal(found, allocator());
    }
    OrtReleaseEnv(env);
    OrtReleaseMemoryInfo(memory);
    check_content(value, 5000);
    OrtReleaseValue(value);
  }
}

// An allocator of the program that asks the library when it is asked.
typedef struct {
  OrtAllocator base;
  OrtEnv* env;
  OrtMemoryInfo* info;
  int given, taken;
} Curious;

static void* curious_alloc(OrtAllocator* self, size_t size) {
  ((Curious*)self)->given++;
  return malloc(size == 0 ? 1 : size);
}

static void curious_free(OrtAllocator* self, void* block) {
  if (block != NULL) ((Curious*)self)->taken++;
  free(block);
}

static const OrtMemoryInfo* curious_info(const OrtAllocator* self) {
  const Curious* curious = (const Curious*)self;
  OrtAllocator* found = NULL;
  if (curious->env != NULL) CHECK_OK(OrtGetSharedAllocator(curious->env, curious->info, &found));
  return curious->info;
}

static Curious new_curious(OrtEnv* env) {
  Curious curious;
  memset(&curious, 0, sizeof(curious));
  curious.base.version = 17;
  curious.base.Alloc = curious_alloc;
  curious.base.Free = curious_free;
  curious.base.Info = curious_info;
  curious.env = env;
  curious.info = cpu_memory(OrtDeviceAllocator);
  return curious;
}

static void test_info__of_an_allocator_may_call_the_library(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  Curious first = new_curious(env), second = new_curious(env);
  CHECK_OK(OrtRegisterAllocator(env, &first.base));
  CHECK_OK(OrtRegisterAllocator(env, &second.base));
  OrtAllocator* found = NULL;
  CHECK_OK(OrtGetSharedAllocator(env, first.info, &found));
  assert_ptr_equal(found, &second.base);
  CHECK_OK(OrtUnregisterAllocator(env, first.info));
  OrtReleaseEnv(env);
  OrtReleaseMemoryInfo(first.info);
  OrtReleaseMemoryInfo(second.info);
}

static void test_memory__that_a_value_takes_over_is_freed_by_it_alone(void** state) {
  (void)state;
  Curious owner = new_curious(NULL);
  const int64_t shape[] = {4}, too_large[] = {100};
  OrtValue* value = NULL;
  void* block = owner.base.Alloc(&owner.base, 16);
  CHECK_FAILS(
      OrtCreateTensorWithDataAndDeleterAsOrtValue(&owner.base, block, 16, too_large, 1,
                                                  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value),
      ORT_INVALID_ARGUMENT, "100");
  assert_int_equal(owner.taken, 0);
  CHECK_OK(OrtCreateTensorWithDataAndDeleterAsOrtValue(
      &owner.base, block, 16, shape, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
  assert_int_equal(owner.taken, 0);
  OrtReleaseValue(value);
  assert_int_equal(owner.taken, 1);
  OrtReleaseMemoryInfo(owner.info);
}

typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  const Curious* source;
  OrtSession* session;
  OrtStatus* status;
  int freed_before;
  bool is_released, is_done;
} Answer;

// Inputs went back to their allocator before this, and the session may end here. Waits until the
// program has released its own handle of the input.
static void answer(void* user_data, OrtValue** outputs, size_t num_outputs, OrtStatus* status) {
  Answer* to = (Answer*)user_data;
  (void)outputs;
  (void)num_outputs;
  OrtReleaseSession(to->session);
  pthread_mutex_lock(&to->mutex);
  while (!to->is_released) pthread_cond_wait(&to->changed, &to->mutex);
  to->status = status;
  to->freed_before = to->source->taken;
  to->is_done = true;
  pthread_cond_broadcast(&to->changed);
  pthread_mutex_unlock(&to->mutex);
}

static void test_async__keeps_no_input_and_no_session_when_it_calls_back(void** state) {
  (void)state;
  const char* names[][2] = {{"x", "y"}, {"wrong", "y"}};
  for (int i = 0; i < 2; ++i) {
    OrtEnv* env = new_env();
    OrtSessionOptions* options = new_options(NULL);
    CHECK_OK(OrtSetIntraOpNumThreads(options, 2));
    Curious source = new_curious(NULL);
    OrtValue *input = NULL, *output = NULL;
    const int64_t shape[] = {1, 4};
    CHECK_OK(OrtCreateTensorAsOrtValue(&source.base, shape, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                       &input));
    Answer to = {.source = &source, .session = new_session(env, DATA("matmul.onnx"), options)};
    pthread_mutex_init(&to.mutex, NULL);
    pthread_cond_init(&to.changed, NULL);
    OrtValue* const given = input;
    CHECK_OK(OrtRunAsync(to.session, NULL, &names[i][0], (const OrtValue* const*)&given, 1,
                         &names[i][1], 1, &output, answer, &to));
    OrtReleaseValue(input);
    pthread_mutex_lock(&to.mutex);
    to.is_released = true;
    pthread_cond_broadcast(&to.changed);
    while (!to.is_done) pthread_cond_wait(&to.changed, &to.mutex);
    pthread_mutex_unlock(&to.mutex);
    assert_int_equal(to.freed_before, 1);
    if (i == 0) CHECK_OK(to.status);
    if (i == 1) CHECK_FAILS(to.status, ORT_INVALID_ARGUMENT, "wrong");
    OrtReleaseValue(output);
    OrtReleaseSessionOptions(options);
    OrtReleaseEnv(env);
    OrtReleaseMemoryInfo(source.info);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values__outlive_the_allocator_they_came_from),
      cmocka_unit_test(test_values__outlive_the_environment_and_its_arena),
      cmocka_unit_test(test_info__of_an_allocator_may_call_the_library),
      cmocka_unit_test(test_memory__that_a_value_takes_over_is_freed_by_it_alone),
      cmocka_unit_test(test_async__keeps_no_input_and_no_session_when_it_calls_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
