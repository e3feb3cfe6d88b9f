// SPDX-License-Identifier: MIT
// ort_c/value.h.
#include "tests/api/api_testing.h"

static void test_value__uses_the_callers_memory(void** state) {
  (void)state;
  float numbers[6] = {1, 2, 3, 4, 5, 6};
  const int64_t shape[] = {2, 3};
  OrtValue* value = floats_of(numbers, 6, shape, 2);
  void* data = NULL;
  size_t size = 0;
  CHECK_OK(OrtGetTensorMutableData(value, &data));
  assert_ptr_equal(data, numbers);
  CHECK_OK(OrtGetTensorSizeInBytes(value, &size));
  assert_int_equal(size, 24);
  OrtTensorTypeAndShapeInfo* info = NULL;
  CHECK_OK(OrtGetTensorTypeAndShape(value, &info));
  int64_t dims[2] = {0, 0};
  CHECK_OK(OrtGetDimensions(info, dims, 2));
  assert_true(dims[0] == 2 && dims[1] == 3);
  OrtReleaseTensorTypeAndShapeInfo(info);
  OrtReleaseValue(value);
  assert_true(numbers[5] == 6);
}

static void test_value__needs_as_many_bytes_as_type_and_shape_say(void** state) {
  (void)state;
  OrtMemoryInfo* memory = cpu_memory(OrtArenaAllocator);
  float numbers[6] = {0};
  const int64_t shape[] = {2, 3};
  const int64_t negative[] = {2, -1};
  const int64_t huge[] = {INT64_MAX, INT64_MAX};
  OrtValue* value = (OrtValue*)1;
  CHECK_FAILS(OrtCreateTensorWithDataAsOrtValue(memory, numbers, 23, shape, 2,
                                                ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value),
              ORT_INVALID_ARGUMENT, "takes 24 bytes");
  assert_null(value);
  CHECK_FAILS(OrtCreateTensorWithDataAsOrtValue(memory, numbers, 24, negative, 2,
                                                ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value),
              ORT_INVALID_ARGUMENT, "'shape[1]' is -1");
  CHECK_FAILS(OrtCreateTensorWithDataAsOrtValue(memory, numbers, 24, huge, 2,
                                                ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value),
              ORT_INVALID_ARGUMENT, "does not fit");
  CHECK_FAILS(OrtCreateTensorWithDataAsOrtValue(memory, NULL, 24, shape, 2,
                                                ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value),
              ORT_INVALID_ARGUMENT, "'p_data'");
  CHECK_FAILS(OrtCreateTensorWithDataAsOrtValue(NULL, numbers, 24, shape, 2,
                                                ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value),
              ORT_INVALID_ARGUMENT, "'info'");
  CHECK_FAILS(OrtCreateTensorWithDataAsOrtValue(memory, numbers, 24, NULL, 2,
                                                ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value),
              ORT_INVALID_ARGUMENT, "'shape'");
  CHECK_FAILS(OrtCreateTensorWithDataAsOrtValue(memory, numbers, 24, shape, 2,
                                                ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED, &value),
              ORT_INVALID_ARGUMENT, "not an element type");
  CHECK_FAILS(OrtCreateTensorWithDataAsOrtValue(memory, numbers, 24, shape, 2,
                                                (ONNXTensorElementDataType)-5, &value),
              ORT_INVALID_ARGUMENT, "'type' is -5");
  CHECK_FAILS(OrtCreateTensorWithDataAsOrtValue(memory, numbers, 24, shape, 2,
                                                ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, &value),
              ORT_INVALID_ARGUMENT, "strings");
  CHECK_FAILS(OrtCreateTensorWithDataAsOrtValue(memory, numbers, 24, shape, 2,
                                                ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, NULL),
              ORT_INVALID_ARGUMENT, "'out'");
  OrtReleaseMemoryInfo(memory);
}

static void test_value__refuses_memory_that_elements_cannot_stand_in(void** state) {
  (void)state;
  OrtMemoryInfo* memory = cpu_memory(OrtArenaAllocator);
  OrtMemoryInfo* device = NULL;
  _Alignas(16) char bytes[64] = {0};
  const int64_t shape[] = {2};
  OrtValue* value = NULL;
  CHECK_FAILS(OrtCreateTensorWithDataAsOrtValue(memory, bytes + 1, 8, shape, 1,
                                                ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value),
              ORT_INVALID_ARGUMENT, "aligned to 4");
  CHECK_OK(OrtCreateTensorWithDataAsOrtValue(memory, bytes + 4, 8, shape, 1,
                                             ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
  OrtReleaseValue(value);
  CHECK_OK(OrtCreateTensorWithDataAsOrtValue(memory, bytes + 1, 8, shape, 1,
                                             ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, &value));
  OrtReleaseValue(value);
  CHECK_OK(OrtCreateMemoryInfo("Cuda", OrtDeviceAllocator, 0, OrtMemTypeDefault, &device));
  // Memory of a device is the program's to know; nobody here looks into it.
  CHECK_OK(OrtCreateTensorWithDataAsOrtValue(device, bytes, 8, shape, 1,
                                             ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
  const OrtValue* list[] = {value};
  OrtValue* sequence = NULL;
  CHECK_FAILS(OrtCreateValue(list, 1, ONNX_TYPE_SEQUENCE, &sequence), ORT_INVALID_ARGUMENT,
              "'Cuda'");
  OrtReleaseValue(value);
  OrtReleaseMemoryInfo(device);
  OrtReleaseMemoryInfo(memory);
}

static void test_value__knows_every_element_type(void** state) {
  (void)state;
  static const size_t bytes_of_8[] = {0,  32,  8,  8, 16, 16, 32, 64, 0, 8, 16, 64, 32, 64,
                                      64, 128, 16, 8, 8,  8,  8,  4,  4, 4, 2,  2,  8};
  const int64_t shape[] = {8};
  for (int type = 1; type <= ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0; ++type) {
    OrtValue* value = NULL;
    OrtTensorTypeAndShapeInfo* info = NULL;
    ONNXTensorElementDataType found = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    CHECK_OK(
        OrtCreateTensorAsOrtValue(allocator(), shape, 1, (ONNXTensorElementDataType)type, &value));
    CHECK_OK(OrtGetTensorTypeAndShape(value, &info));
    CHECK_OK(OrtGetTensorElementType(info, &found));
    assert_int_equal(found, type);
    if (type != ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
      size_t size = 0;
      CHECK_OK(OrtGetTensorSizeInBytes(value, &size));
      assert_int_equal(size, bytes_of_8[type]);
    }
    OrtReleaseTensorTypeAndShapeInfo(info);
    OrtReleaseValue(value);
  }
}

static void test_value__may_be_a_scalar_or_empty(void** state) {
  (void)state;
  OrtMemoryInfo* memory = cpu_memory(OrtArenaAllocator);
  const int64_t empty[] = {0, 4};
  OrtValue* value = NULL;
  size_t size = 9;
  CHECK_OK(OrtCreateTensorWithDataAsOrtValue(memory, NULL, 0, empty, 2,
                                             ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &value));
  CHECK_OK(OrtGetTensorSizeInBytes(value, &size));
  assert_int_equal(size, 0);
  OrtReleaseValue(value);
  CHECK_OK(
      OrtCreateTensorAsOrtValue(allocator(), NULL, 0, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &value));
  CHECK_OK(OrtGetTensorSizeInBytes(value, &size));
  assert_int_equal(size, 8);
  OrtReleaseValue(value);
  OrtReleaseMemoryInfo(memory);
}

static void test_value__says_what_it_is(void** state) {
  (void)state;
  const int64_t shape[] = {1};
  float number = 1;
  OrtValue* value = floats_of(&number, 1, shape, 1);
  int answer = 0;
  ONNXType kind = ONNX_TYPE_UNKNOWN;
  const OrtMemoryInfo* memory = NULL;
  const char* name = NULL;
  CHECK_OK(OrtIsTensor(value, &answer));
  assert_int_equal(answer, 1);
  answer = 0;
  CHECK_OK(OrtHasValue(value, &answer));
  assert_int_equal(answer, 1);
  CHECK_OK(OrtGetValueType(value, &kind));
  assert_int_equal(kind, ONNX_TYPE_TENSOR);
  CHECK_OK(OrtGetTensorMemoryInfo(value, &memory));
  CHECK_OK(OrtMemoryInfoGetName(memory, &name));
  CHECK_TEXT(name, "Cpu");
  CHECK_FAILS(OrtIsTensor(NULL, &answer), ORT_INVALID_ARGUMENT, "'value'");
  assert_int_equal(answer, 0);
  OrtReleaseValue(value);
  OrtReleaseValue(NULL);
}

// Counts what an allocator of the caller has given and not yet got back.
typedef struct {
  OrtAllocator base;
  int alive;
} Counting;

static void* counting_alloc(OrtAllocator* self, size_t size) {
  ((Counting*)self)->alive++;
  return malloc(size);
}
static void counting_free(OrtAllocator* self, void* block) {
  if (block == NULL) return;
  ((Counting*)self)->alive--;
  free(block);
}

static void test_value__takes_and_gives_back_the_allocators_memory(void** state) {
  (void)state;
  Counting counting;
  memset(&counting, 0, sizeof(counting));
  counting.base.version = 1;
  counting.base.Alloc = counting_alloc;
  counting.base.Free = counting_free;
  const int64_t shape[] = {100};
  OrtValue* value = NULL;
  CHECK_OK(OrtCreateTensorAsOrtValue(&counting.base, shape, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                     &value));
  assert_int_equal(counting.alive, 1);
  void* data = NULL;
  CHECK_OK(OrtGetTensorMutableData(value, &data));
  memset(data, 0, 400);
  OrtReleaseValue(value);
  assert_int_equal(counting.alive, 0);
}

static OrtValue* three_texts(void) {
  const int64_t shape[] = {3};
  const char* texts[] = {"one", "", "drei \xe2\x82\xac"};
  OrtValue* value = NULL;
  CHECK_OK(OrtCreateTensorAsOrtValue(allocator(), shape, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING,
                                     &value));
  CHECK_OK(OrtFillStringTensor(value, texts, 3));
  return value;
}

static void test_string_tensor__gives_its_texts_back(void** state) {
  (void)state;
  OrtValue* value = three_texts();
  size_t length = 0;
  CHECK_OK(OrtGetStringTensorDataLength(value, &length));
  assert_int_equal(length, 11);
  char all[11];
  size_t offsets[3] = {9, 9, 9};
  CHECK_OK(OrtGetStringTensorContent(value, all, sizeof(all), offsets, 3));
  assert_memory_equal(all, "onedrei \xe2\x82\xac", 11);
  assert_true(offsets[0] == 0 && offsets[1] == 3 && offsets[2] == 3);
  CHECK_OK(OrtGetStringTensorElementLength(value, 2, &length));
  assert_int_equal(length, 8);
  char one[8];
  CHECK_OK(OrtGetStringTensorElement(value, 8, 2, one));
  assert_memory_equal(one, "drei \xe2\x82\xac", 8);
  CHECK_OK(OrtGetStringTensorElement(value, 0, 1, NULL));
  CHECK_OK(OrtFillStringTensorElement(value, "two", 1));
  CHECK_OK(OrtGetStringTensorElementLength(value, 1, &length));
  assert_int_equal(length, 3);
  OrtReleaseValue(value);
}

static void test_string_tensor__checks_room_and_numbers(void** state) {
  (void)state;
  OrtValue* value = three_texts();
  const char* texts[] = {"a", NULL, "c"};
  char room[16];
  size_t offsets[3];
  size_t length = 5;
  void* data = &data;
  CHECK_FAILS(OrtGetStringTensorContent(value, room, 10, offsets, 3), ORT_FAIL, "11 bytes");
  CHECK_FAILS(OrtGetStringTensorContent(value, room, 16, offsets, 2), ORT_FAIL, "'offsets_len'");
  CHECK_FAILS(OrtGetStringTensorElement(value, 2, 0, room), ORT_FAIL, "3 bytes");
  CHECK_FAILS(OrtGetStringTensorElementLength(value, 3, &length), ORT_INVALID_ARGUMENT,
              "'index' is 3");
  assert_int_equal(length, 0);
  CHECK_FAILS(OrtFillStringTensor(value, texts, 3), ORT_INVALID_ARGUMENT, "'s[1]'");
  CHECK_FAILS(OrtFillStringTensor(value, texts, 2), ORT_INVALID_ARGUMENT, "3 elements");
  CHECK_FAILS(OrtGetTensorMutableData(value, &data), ORT_INVALID_ARGUMENT, "strings");
  assert_null(data);
  CHECK_OK(OrtGetStringTensorElementLength(value, 0, &length));
  assert_int_equal(length, 3);
  OrtReleaseValue(value);
  float number = 0;
  OrtValue* numbers = floats_of(&number, 1, NULL, 0);
  CHECK_FAILS(OrtFillStringTensorElement(numbers, "x", 0), ORT_INVALID_ARGUMENT,
              "expected a tensor of strings, found float32");
  OrtReleaseValue(numbers);
}

static void test_value__shows_single_elements(void** state) {
  (void)state;
  float numbers[6] = {1, 2, 3, 4, 5, 6};
  const int64_t shape[] = {2, 3};
  const int64_t location[] = {1, 2};
  const int64_t outside[] = {1, 3};
  const int64_t negative[] = {-1, 0};
  OrtValue* value = floats_of(numbers, 6, shape, 2);
  void* element = NULL;
  CHECK_OK(OrtTensorAt(value, location, 2, &element));
  assert_ptr_equal(element, &numbers[5]);
  CHECK_FAILS(OrtTensorAt(value, outside, 2, &element), ORT_INVALID_ARGUMENT,
              "'location_values[1]' is 3");
  assert_null(element);
  CHECK_FAILS(OrtTensorAt(value, negative, 2, &element), ORT_INVALID_ARGUMENT, "is -1");
  CHECK_FAILS(OrtTensorAt(value, location, 1, &element), ORT_INVALID_ARGUMENT, "2 dimensions");
  OrtReleaseValue(value);
}

static void test_value__shows_type_and_shape_without_making_anything(void** state) {
  (void)state;
  float numbers[6] = {0};
  const int64_t shape[] = {2, 3};
  OrtValue* value = floats_of(numbers, 6, shape, 2);
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  const int64_t* dims = NULL;
  size_t count = 0;
  CHECK_OK(OrtGetTensorElementTypeAndShapeDataReference(value, &type, &dims, &count));
  assert_int_equal(type, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
  assert_true(count == 2 && dims[0] == 2 && dims[1] == 3);
  OrtReleaseValue(value);
}

static int frees;
static void count_free(OrtAllocator* self, void* block) {
  (void)self;
  ++frees;
  free(block);
}
static const OrtMemoryInfo* info_of_cpu(const OrtAllocator* self) {
  (void)self;
  const OrtMemoryInfo* info = NULL;
  CHECK_OK(OrtAllocatorGetInfo(allocator(), &info));
  return info;
}

static void test_value__frees_memory_that_it_took_over(void** state) {
  (void)state;
  OrtAllocator deleter;
  memset(&deleter, 0, sizeof(deleter));
  deleter.version = 1;
  deleter.Free = count_free;
  deleter.Info = info_of_cpu;
  float* numbers = (float*)calloc(4, sizeof(float));
  const int64_t shape[] = {4};
  OrtValue* value = NULL;
  frees = 0;
  CHECK_FAILS(OrtCreateTensorWithDataAndDeleterAsOrtValue(
                  &deleter, numbers, 12, shape, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value),
              ORT_INVALID_ARGUMENT, "takes 16 bytes");
  assert_int_equal(frees, 0);
  CHECK_OK(OrtCreateTensorWithDataAndDeleterAsOrtValue(
      &deleter, numbers, 16, shape, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
  assert_ptr_equal(floats_in(value), numbers);
  assert_int_equal(frees, 0);
  OrtReleaseValue(value);
  assert_int_equal(frees, 1);
}

static void test_string_tensor__gives_room_for_an_element(void** state) {
  (void)state;
  OrtValue* value = NULL;
  const int64_t shape[] = {2};
  char* buffer = NULL;
  char text[16] = {0};
  CHECK_OK(OrtCreateTensorAsOrtValue(allocator(), shape, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING,
                                     &value));
  CHECK_OK(OrtGetResizedStringTensorElementBuffer(value, 1, 5, &buffer));
  memcpy(buffer, "hello", 5);
  CHECK_OK(OrtGetStringTensorElement(value, sizeof(text), 1, text));
  CHECK_TEXT(text, "hello");
  CHECK_FAILS(OrtGetResizedStringTensorElementBuffer(value, 2, 5, &buffer), ORT_INVALID_ARGUMENT,
              "'index' is 2");
  assert_null(buffer);
  OrtReleaseValue(value);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_value__uses_the_callers_memory),
      cmocka_unit_test(test_value__needs_as_many_bytes_as_type_and_shape_say),
      cmocka_unit_test(test_value__refuses_memory_that_elements_cannot_stand_in),
      cmocka_unit_test(test_value__knows_every_element_type),
      cmocka_unit_test(test_value__may_be_a_scalar_or_empty),
      cmocka_unit_test(test_value__says_what_it_is),
      cmocka_unit_test(test_value__takes_and_gives_back_the_allocators_memory),
      cmocka_unit_test(test_string_tensor__gives_its_texts_back),
      cmocka_unit_test(test_string_tensor__checks_room_and_numbers),
      cmocka_unit_test(test_value__shows_single_elements),
      cmocka_unit_test(test_value__shows_type_and_shape_without_making_anything),
      cmocka_unit_test(test_value__frees_memory_that_it_took_over),
      cmocka_unit_test(test_string_tensor__gives_room_for_an_element),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
