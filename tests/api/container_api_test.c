// SPDX-License-Identifier: MIT
// ort_c/container.h, and runs that take and give sequences, maps and optionals.
#include "tests/api/api_testing.h"

static OrtValue* numbers_of(float a, float b) {
  const int64_t shape[] = {2};
  OrtValue* value = NULL;
  void* data = NULL;
  CHECK_OK(OrtCreateTensorAsOrtValue(allocator(), shape, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                     &value));
  CHECK_OK(OrtGetTensorMutableData(value, &data));
  ((float*)data)[0] = a;
  ((float*)data)[1] = b;
  return value;
}

static OrtValue* texts_of(const char* a, const char* b) {
  const int64_t shape[] = {2};
  const char* texts[] = {a, b};
  OrtValue* value = NULL;
  CHECK_OK(OrtCreateTensorAsOrtValue(allocator(), shape, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING,
                                     &value));
  CHECK_OK(OrtFillStringTensor(value, texts, 2));
  return value;
}

static OrtValue* sequence_of(size_t count, OrtValue* a, OrtValue* b) {
  const OrtValue* in[] = {a, b};
  OrtValue* value = NULL;
  CHECK_OK(OrtCreateValue(in, count, ONNX_TYPE_SEQUENCE, &value));
  OrtReleaseValue(a);
  OrtReleaseValue(b);
  return value;
}

static OrtValue* part_of(const OrtValue* value, int index) {
  OrtValue* part = NULL;
  CHECK_OK(OrtGetValue(value, index, allocator(), &part));
  assert_non_null(part);
  return part;
}

static size_t count_of(const OrtValue* value) {
  size_t count = 99;
  CHECK_OK(OrtGetValueCount(value, &count));
  return count;
}

static enum ONNXType kind_of(const OrtValue* value) {
  enum ONNXType kind = ONNX_TYPE_UNKNOWN;
  CHECK_OK(OrtGetValueType(value, &kind));
  return kind;
}

static void check_element(const OrtValue* value, size_t index, const char* expected) {
  char text[32] = {0};
  CHECK_OK(OrtGetStringTensorElement(value, sizeof(text), index, text));
  CHECK_TEXT(text, expected);
}

static void test_sequence__holds_copies_of_its_elements(void** state) {
  (void)state;
  OrtValue* a = numbers_of(1, 2);
  OrtValue* b = numbers_of(3, 4);
  const OrtValue* in[] = {a, b};
  OrtValue* sequence = NULL;
  CHECK_OK(OrtCreateValue(in, 2, ONNX_TYPE_SEQUENCE, &sequence));
  void* data = NULL;
  CHECK_OK(OrtGetTensorMutableData(a, &data));
  ((float*)data)[0] = 9;
  OrtReleaseValue(a);
  OrtReleaseValue(b);
  assert_int_equal(count_of(sequence), 2);
  OrtValue* first = part_of(sequence, 0);
  OrtValue* second = part_of(sequence, 1);
  OrtReleaseValue(sequence);
  assert_true(floats_in(first)[0] == 1 && floats_in(first)[1] == 2);
  assert_true(floats_in(second)[0] == 3 && floats_in(second)[1] == 4);
  OrtReleaseValue(first);
  OrtReleaseValue(second);
}

static void test_sequence__says_its_type(void** state) {
  (void)state;
  OrtValue* sequence = sequence_of(1, texts_of("a", "b"), NULL);
  int answer = 1;
  CHECK_OK(OrtIsTensor(sequence, &answer));
  assert_int_equal(answer, 0);
  CHECK_OK(OrtHasValue(sequence, &answer));
  assert_int_equal(answer, 1);
  assert_int_equal(kind_of(sequence), ONNX_TYPE_SEQUENCE);
  OrtTypeInfo* type = NULL;
  OrtTypeInfo* element = NULL;
  const OrtSequenceTypeInfo* side = NULL;
  const OrtMapTypeInfo* other = (const OrtMapTypeInfo*)1;
  const OrtTensorTypeAndShapeInfo* tensor = NULL;
  ONNXTensorElementDataType dtype = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  CHECK_OK(OrtGetTypeInfo(sequence, &type));
  CHECK_OK(OrtCastTypeInfoToSequenceTypeInfo(type, &side));
  CHECK_OK(OrtCastTypeInfoToMapTypeInfo(type, &other));
  assert_null(other);
  CHECK_OK(OrtGetSequenceElementType(side, &element));
  OrtReleaseTypeInfo(type);
  CHECK_OK(OrtCastTypeInfoToTensorInfo(element, &tensor));
  CHECK_OK(OrtGetTensorElementType(tensor, &dtype));
  assert_int_equal(dtype, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
  OrtReleaseTypeInfo(element);
  OrtTensorTypeAndShapeInfo* shape = NULL;
  CHECK_FAILS(OrtGetTensorTypeAndShape(sequence, &shape), ORT_INVALID_ARGUMENT,
              "sequence of 1 string");
  OrtReleaseValue(sequence);
}

static void test_sequence__needs_elements_of_one_type(void** state) {
  (void)state;
  OrtValue* numbers = numbers_of(1, 2);
  OrtValue* texts = texts_of("a", "b");
  const OrtValue* mixed[] = {numbers, texts};
  const OrtValue* missing[] = {numbers, NULL};
  OrtValue* value = (OrtValue*)1;
  CHECK_FAILS(OrtCreateValue(mixed, 2, ONNX_TYPE_SEQUENCE, &value), ORT_FAIL, "element 1");
  assert_null(value);
  CHECK_FAILS(OrtCreateValue(missing, 2, ONNX_TYPE_SEQUENCE, &value), ORT_INVALID_ARGUMENT,
              "'in[1]'");
  CHECK_FAILS(OrtCreateValue(mixed, 0, ONNX_TYPE_SEQUENCE, &value), ORT_FAIL, "'num_values'");
  CHECK_FAILS(OrtCreateValue(mixed, 2, ONNX_TYPE_TENSOR, &value), ORT_FAIL, "'value_type'");
  size_t count = 1;
  CHECK_FAILS(OrtGetValueCount(numbers, &count), ORT_FAIL, "neither a sequence nor a map");
  CHECK_FAILS(OrtGetValue(numbers, 0, allocator(), &value), ORT_FAIL, "neither");
  OrtReleaseValue(numbers);
  OrtReleaseValue(texts);
}

static void test_sequence__has_no_part_beyond_its_end(void** state) {
  (void)state;
  OrtValue* sequence = sequence_of(2, numbers_of(1, 2), numbers_of(3, 4));
  OrtValue* part = NULL;
  CHECK_FAILS(OrtGetValue(sequence, 2, allocator(), &part), ORT_RUNTIME_EXCEPTION, "'index' is 2");
  CHECK_FAILS(OrtGetValue(sequence, -1, allocator(), &part), ORT_RUNTIME_EXCEPTION,
              "'index' is -1");
  OrtReleaseValue(sequence);
}

static void test_map__sorts_its_keys_and_keeps_the_first_of_equal_ones(void** state) {
  (void)state;
  int64_t keys[] = {7, -2, 7};
  double values[] = {0.5, 1.5, 2.5};
  const int64_t shape[] = {3};
  OrtMemoryInfo* memory = NULL;
  OrtValue* parts[2] = {NULL, NULL};
  CHECK_OK(OrtCreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  CHECK_OK(OrtCreateTensorWithDataAsOrtValue(memory, keys, sizeof(keys), shape, 1,
                                             ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &parts[0]));
  CHECK_OK(OrtCreateTensorWithDataAsOrtValue(memory, values, sizeof(values), shape, 1,
                                             ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, &parts[1]));
  OrtReleaseMemoryInfo(memory);
  const OrtValue* in[] = {parts[0], parts[1]};
  OrtValue* map = NULL;
  CHECK_OK(OrtCreateValue(in, 2, ONNX_TYPE_MAP, &map));
  OrtReleaseValue(parts[0]);
  OrtReleaseValue(parts[1]);
  assert_int_equal(count_of(map), 2);
  assert_int_equal(kind_of(map), ONNX_TYPE_MAP);
  OrtValue* found_keys = part_of(map, 0);
  OrtValue* found_values = part_of(map, 1);
  const void* data = NULL;
  size_t size = 0;
  CHECK_OK(OrtGetTensorSizeInBytes(found_keys, &size));
  assert_int_equal(size, 16);
  CHECK_OK(OrtGetTensorData(found_keys, &data));
  assert_true(((const int64_t*)data)[0] == -2 && ((const int64_t*)data)[1] == 7);
  CHECK_OK(OrtGetTensorData(found_values, &data));
  assert_true(((const double*)data)[0] == 1.5 && ((const double*)data)[1] == 0.5);
  OrtReleaseValue(found_keys);
  OrtReleaseValue(found_values);
  OrtTypeInfo* type = NULL;
  const OrtMapTypeInfo* side = NULL;
  ONNXTensorElementDataType key = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  CHECK_OK(OrtGetTypeInfo(map, &type));
  CHECK_OK(OrtCastTypeInfoToMapTypeInfo(type, &side));
  CHECK_OK(OrtGetMapKeyType(side, &key));
  assert_int_equal(key, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64);
  OrtTypeInfo* value = NULL;
  CHECK_OK(OrtGetMapValueType(side, &value));
  OrtReleaseTypeInfo(value);
  OrtReleaseTypeInfo(type);
  OrtReleaseValue(map);
}

static void test_map__needs_two_vectors_of_one_length(void** state) {
  (void)state;
  OrtValue* keys = texts_of("a", "b");
  OrtValue* values = numbers_of(1, 2);
  float one = 1;
  OrtValue* scalar = floats_of(&one, 1, NULL, 0);
  const OrtValue* good[] = {keys, values};
  const OrtValue* uneven[] = {keys, scalar};
  const OrtValue* swapped[] = {values, keys};
  OrtValue* map = NULL;
  CHECK_FAILS(OrtCreateValue(good, 1, ONNX_TYPE_MAP, &map), ORT_FAIL, "expected 2");
  CHECK_FAILS(OrtCreateValue(uneven, 2, ONNX_TYPE_MAP, &map), ORT_FAIL, "equal length");
  CHECK_FAILS(OrtCreateValue(swapped, 2, ONNX_TYPE_MAP, &map), ORT_FAIL, "keys of a map");
  CHECK_OK(OrtCreateValue(good, 2, ONNX_TYPE_MAP, &map));
  const OrtValue* maps[] = {map, map};
  OrtValue* sequence = NULL;
  CHECK_OK(OrtCreateValue(maps, 2, ONNX_TYPE_SEQUENCE, &sequence));
  assert_int_equal(count_of(sequence), 2);
  OrtReleaseValue(sequence);
  OrtReleaseValue(map);
  OrtReleaseValue(keys);
  OrtReleaseValue(values);
  OrtReleaseValue(scalar);
}

static void test_opaque__is_not_implemented(void** state) {
  (void)state;
  OrtValue* value = (OrtValue*)1;
  CHECK_FAILS(OrtCreateOpaqueValue("d", "t", "x", 1, &value), ORT_NOT_IMPLEMENTED, "opaque");
  assert_null(value);
}

// containers.onnx: (many, maybe) -> first, rest, there.
static OrtTypeInfo* input_type(const OrtSession* session, size_t index) {
  OrtTypeInfo* type = NULL;
  CHECK_OK(OrtSessionGetInputTypeInfo(session, index, &type));
  return type;
}

static OrtStatus* run_containers(OrtSession* session, const OrtValue* many, const OrtValue* maybe,
                                 OrtValue* outputs[3]) {
  const char* input_names[] = {"many", "maybe"};
  const char* output_names[] = {"first", "rest", "there"};
  const OrtValue* inputs[] = {many, maybe};
  outputs[0] = outputs[1] = outputs[2] = NULL;
  return OrtRun(session, NULL, input_names, inputs, 2, output_names, 3, outputs);
}

static void release_all(OrtValue* outputs[3]) {
  for (int i = 0; i < 3; ++i) OrtReleaseValue(outputs[i]);
}

static bool says_there(const OrtValue* value) {
  const void* data = NULL;
  CHECK_OK(OrtGetTensorData(value, &data));
  return *(const bool*)data;
}

static void test_run__takes_and_gives_sequences_and_optionals(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  for (int i = 0; i < 2; ++i) {
    OrtSessionOptions* options = new_options(i == 0 ? NULL : "AOT");
    OrtSession* session = NULL;
    CHECK_OK(OrtCreateSession(env, DATA("containers.onnx"), options, &session));
    OrtReleaseSessionOptions(options);
    OrtTypeInfo* type = input_type(session, 1);
    OrtValue* nothing = NULL;
    CHECK_OK(OrtCreateEmptyValue(type, &nothing));
    int has = 1;
    CHECK_OK(OrtHasValue(nothing, &has));
    assert_int_equal(has, 0);
    OrtValue* many = sequence_of(2, numbers_of(1, 2), numbers_of(3, 4));
    OrtValue* outputs[3];
    CHECK_OK(run_containers(session, many, nothing, outputs));
    assert_true(floats_in(outputs[0])[1] == 2);
    assert_int_equal(count_of(outputs[1]), 1);
    assert_false(says_there(outputs[2]));
    release_all(outputs);
    OrtValue* something = numbers_of(5, 6);
    CHECK_OK(run_containers(session, many, something, outputs));
    assert_true(says_there(outputs[2]));
    OrtReleaseSession(session);
    OrtReleaseValue(many);
    OrtValue* rest = part_of(outputs[1], 0);
    assert_true(floats_in(rest)[0] == 3);
    OrtReleaseValue(rest);
    release_all(outputs);
    OrtReleaseValue(nothing);
    OrtReleaseValue(something);
    OrtReleaseTypeInfo(type);
  }
  OrtReleaseEnv(env);
}

static void test_run__checks_the_types_of_containers(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateSession(env, DATA("containers.onnx"), NULL, &session));
  OrtTypeInfo* sequence_type = input_type(session, 0);
  OrtTypeInfo* optional_type = input_type(session, 1);
  const OrtOptionalTypeInfo* optional = NULL;
  OrtTypeInfo* contained = NULL;
  CHECK_OK(OrtCastTypeInfoToOptionalTypeInfo(optional_type, &optional));
  CHECK_OK(OrtGetOptionalContainedTypeInfo(optional, &contained));
  OrtValue* none = NULL;
  CHECK_FAILS(OrtCreateEmptyValue(contained, &none), ORT_INVALID_ARGUMENT, "expected a sequence");
  CHECK_OK(OrtCreateEmptyValue(optional_type, &none));
  OrtValue* empty = NULL;
  CHECK_OK(OrtCreateEmptyValue(sequence_type, &empty));
  assert_int_equal(count_of(empty), 0);
  OrtValue* texts = sequence_of(1, texts_of("a", "b"), NULL);
  OrtValue* tensor = numbers_of(1, 2);
  OrtValue* outputs[3];
  CHECK_FAILS(run_containers(session, tensor, none, outputs), ORT_INVALID_ARGUMENT,
              "expected seq(float32), found float32[2]");
  CHECK_FAILS(run_containers(session, texts, none, outputs), ORT_INVALID_ARGUMENT,
              "found sequence of 1 string");
  CHECK_FAILS(run_containers(session, none, none, outputs), ORT_INVALID_ARGUMENT,
              "'many' has no value");
  CHECK_FAILS(run_containers(session, empty, texts, outputs), ORT_INVALID_ARGUMENT, "'maybe'");
  CHECK_FAILS(run_containers(session, empty, none, outputs), ORT_INVALID_ARGUMENT,
              "outside a sequence of 0");
  assert_null(outputs[0]);
  OrtReleaseValue(none);
  OrtReleaseValue(empty);
  OrtReleaseValue(texts);
  OrtReleaseValue(tensor);
  OrtReleaseTypeInfo(contained);
  OrtReleaseTypeInfo(sequence_type);
  OrtReleaseTypeInfo(optional_type);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
}

static void test_run__gives_a_map_of_each_row(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateSession(env, DATA("labels.onnx"), NULL, &session));
  OrtTypeInfo* type = NULL;
  enum ONNXType kind = ONNX_TYPE_UNKNOWN;
  CHECK_OK(OrtSessionGetOutputTypeInfo(session, 0, &type));
  CHECK_OK(OrtGetOnnxTypeFromTypeInfo(type, &kind));
  assert_int_equal(kind, ONNX_TYPE_SEQUENCE);
  OrtReleaseTypeInfo(type);
  float scores[4] = {0.25f, 0.75f, 0.5f, 0.5f};
  const int64_t shape[] = {2, 2};
  OrtValue* input = floats_of(scores, 4, shape, 2);
  const OrtValue* inputs[] = {input};
  const char* input_names[] = {"scores"};
  const char* output_names[] = {"maps"};
  OrtValue* maps = NULL;
  CHECK_OK(OrtRun(session, NULL, input_names, inputs, 1, output_names, 1, &maps));
  OrtReleaseValue(input);
  assert_int_equal(count_of(maps), 2);
  OrtValue* map = part_of(maps, 0);
  OrtValue* keys = part_of(map, 0);
  OrtValue* values = part_of(map, 1);
  check_element(keys, 0, "cat");
  check_element(keys, 1, "dog");
  assert_true(floats_in(values)[0] == 0.75f && floats_in(values)[1] == 0.25f);
  OrtReleaseValue(keys);
  OrtReleaseValue(values);
  OrtReleaseValue(map);
  OrtReleaseValue(maps);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sequence__holds_copies_of_its_elements),
      cmocka_unit_test(test_sequence__says_its_type),
      cmocka_unit_test(test_sequence__needs_elements_of_one_type),
      cmocka_unit_test(test_sequence__has_no_part_beyond_its_end),
      cmocka_unit_test(test_map__sorts_its_keys_and_keeps_the_first_of_equal_ones),
      cmocka_unit_test(test_map__needs_two_vectors_of_one_length),
      cmocka_unit_test(test_opaque__is_not_implemented),
      cmocka_unit_test(test_run__takes_and_gives_sequences_and_optionals),
      cmocka_unit_test(test_run__checks_the_types_of_containers),
      cmocka_unit_test(test_run__gives_a_map_of_each_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
