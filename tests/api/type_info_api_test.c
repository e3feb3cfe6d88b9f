// SPDX-License-Identifier: MIT
// ort_c/type_info.h.
#include "tests/api/api_testing.h"

static OrtTensorTypeAndShapeInfo* new_info(void) {
  OrtTensorTypeAndShapeInfo* info = NULL;
  CHECK_OK(OrtCreateTensorTypeAndShapeInfo(&info));
  assert_non_null(info);
  return info;
}

static void test_tensor_info__starts_empty_and_without_shape(void** state) {
  (void)state;
  OrtTensorTypeAndShapeInfo* info = new_info();
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  size_t count = 5;
  CHECK_OK(OrtGetTensorElementType(info, &type));
  assert_int_equal(type, ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED);
  assert_false(OrtTensorTypeAndShape_HasShape(info));
  CHECK_OK(OrtGetDimensionsCount(info, &count));
  assert_int_equal(count, 0);
  CHECK_OK(OrtGetTensorShapeElementCount(info, &count));
  assert_int_equal(count, SIZE_MAX);
  OrtReleaseTensorTypeAndShapeInfo(info);
}

static void test_tensor_info__gives_back_what_was_set(void** state) {
  (void)state;
  OrtTensorTypeAndShapeInfo* info = new_info();
  const int64_t dims[] = {2, -1, 3};
  const char* names[] = {"", "batch", NULL};
  CHECK_OK(OrtSetTensorElementType(info, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4));
  CHECK_OK(OrtSetDimensions(info, dims, 3));
  CHECK_OK(OrtSetSymbolicDimensions(info, names, 3));
  int64_t found[4] = {9, 9, 9, 9};
  const char* texts[4] = {"?", "?", "?", "?"};
  CHECK_OK(OrtGetDimensions(info, found, 4));
  assert_true(found[0] == 2 && found[1] == -1 && found[2] == 3 && found[3] == 9);
  CHECK_OK(OrtGetSymbolicDimensions(info, texts, 4));
  CHECK_TEXT(texts[0], "");
  CHECK_TEXT(texts[1], "batch");
  CHECK_TEXT(texts[2], "");
  CHECK_TEXT(texts[3], "?");
  found[0] = found[1] = 9;
  CHECK_OK(OrtGetDimensions(info, found, 1));
  assert_true(found[0] == 2 && found[1] == 9);
  size_t count = 0;
  CHECK_OK(OrtGetTensorShapeElementCount(info, &count));
  assert_int_equal(count, SIZE_MAX);
  assert_true(OrtTensorTypeAndShape_HasShape(info));
  OrtReleaseTensorTypeAndShapeInfo(info);
}

static void test_tensor_info__counts_elements(void** state) {
  (void)state;
  OrtTensorTypeAndShapeInfo* info = new_info();
  const int64_t dims[] = {2, 5, 3};
  const int64_t empty[] = {2, 0, 3};
  const int64_t huge[] = {INT64_MAX, 2};
  size_t count = 0;
  CHECK_OK(OrtSetDimensions(info, dims, 3));
  CHECK_OK(OrtGetTensorShapeElementCount(info, &count));
  assert_int_equal(count, 30);
  CHECK_OK(OrtSetDimensions(info, empty, 3));
  CHECK_OK(OrtGetTensorShapeElementCount(info, &count));
  assert_int_equal(count, 0);
  CHECK_OK(OrtSetDimensions(info, NULL, 0));
  CHECK_OK(OrtGetTensorShapeElementCount(info, &count));
  assert_int_equal(count, 1);
  CHECK_OK(OrtSetDimensions(info, huge, 2));
  CHECK_FAILS(OrtGetTensorShapeElementCount(info, &count), ORT_INVALID_ARGUMENT, "64 bits");
  assert_int_equal(count, 0);
  OrtReleaseTensorTypeAndShapeInfo(info);
}

static void test_tensor_info__refuses_impossible_arguments(void** state) {
  (void)state;
  OrtTensorTypeAndShapeInfo* info = new_info();
  const int64_t negative[] = {2, -2};
  size_t count = 0;
  CHECK_FAILS(OrtSetDimensions(info, negative, 2), ORT_INVALID_ARGUMENT,
              "dim_values must be -1 (symbolic dimension) or larger.; 'dim_values[1]' is -2");
  CHECK_FAILS(OrtSetDimensions(info, NULL, 2), ORT_INVALID_ARGUMENT, "'dim_values'");
  CHECK_FAILS(OrtSetSymbolicDimensions(info, NULL, 1), ORT_INVALID_ARGUMENT, "'dim_params'");
  CHECK_FAILS(OrtSetTensorElementType(info, (ONNXTensorElementDataType)27), ORT_INVALID_ARGUMENT,
              "27");
  CHECK_FAILS(OrtSetTensorElementType(info, ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED),
              ORT_INVALID_ARGUMENT, "not an element type");
  CHECK_FAILS(OrtGetDimensionsCount(NULL, &count), ORT_INVALID_ARGUMENT, "'info'");
  CHECK_FAILS(OrtGetDimensionsCount(info, NULL), ORT_INVALID_ARGUMENT, "'out'");
  assert_false(OrtTensorTypeAndShape_HasShape(NULL));
  OrtReleaseTensorTypeAndShapeInfo(info);
  OrtReleaseTensorTypeAndShapeInfo(NULL);
}

static void test_type_info__shows_the_tensor_side(void** state) {
  (void)state;
  float number = 1;
  const int64_t shape[] = {1};
  OrtValue* value = floats_of(&number, 1, shape, 1);
  OrtTypeInfo* info = NULL;
  CHECK_OK(OrtGetTypeInfo(value, &info));
  ONNXType kind = ONNX_TYPE_UNKNOWN;
  const OrtTensorTypeAndShapeInfo* tensor = NULL;
  const char* denotation = NULL;
  size_t length = 9;
  CHECK_OK(OrtGetOnnxTypeFromTypeInfo(info, &kind));
  assert_int_equal(kind, ONNX_TYPE_TENSOR);
  CHECK_OK(OrtCastTypeInfoToTensorInfo(info, &tensor));
  assert_non_null(tensor);
  CHECK_OK(OrtGetDenotationFromTypeInfo(info, &denotation, &length));
  CHECK_TEXT(denotation, "");
  assert_int_equal(length, 0);
  CHECK_FAILS(OrtCastTypeInfoToTensorInfo(NULL, &tensor), ORT_INVALID_ARGUMENT, "'type_info'");
  assert_null(tensor);
  OrtReleaseTypeInfo(info);
  OrtReleaseTypeInfo(NULL);
  OrtReleaseValue(value);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tensor_info__starts_empty_and_without_shape),
      cmocka_unit_test(test_tensor_info__gives_back_what_was_set),
      cmocka_unit_test(test_tensor_info__counts_elements),
      cmocka_unit_test(test_tensor_info__refuses_impossible_arguments),
      cmocka_unit_test(test_type_info__shows_the_tensor_side),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
