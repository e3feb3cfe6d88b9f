// SPDX-License-Identifier: MIT
// ort_c/sparse_tensor.h.
#include "tests/api/api_testing.h"

static const int64_t kDense[] = {3, 4};

static OrtValue* new_sparse(ONNXTensorElementDataType type) {
  OrtValue* value = NULL;
  CHECK_OK(OrtCreateSparseTensorAsOrtValue(allocator(), kDense, 2, type, &value));
  return value;
}

static enum OrtSparseFormat format_of(const OrtValue* value) {
  enum OrtSparseFormat format = ORT_SPARSE_UNDEFINED;
  CHECK_OK(OrtGetSparseTensorFormat(value, &format));
  return format;
}

static size_t rank_of(OrtTensorTypeAndShapeInfo* info, int64_t* first) {
  size_t rank = 0;
  CHECK_OK(OrtGetDimensionsCount(info, &rank));
  CHECK_OK(OrtGetDimensions(info, first, 1));
  OrtReleaseTensorTypeAndShapeInfo(info);
  return rank;
}

static void test_sparse_tensor__is_of_a_kind_of_its_own(void** state) {
  (void)state;
  OrtValue* value = new_sparse(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
  int answer = 0;
  enum ONNXType kind = ONNX_TYPE_UNKNOWN;
  CHECK_OK(OrtIsSparseTensor(value, &answer));
  assert_int_equal(answer, 1);
  CHECK_OK(OrtIsTensor(value, &answer));
  assert_int_equal(answer, 0);
  CHECK_OK(OrtGetValueType(value, &kind));
  assert_int_equal(kind, ONNX_TYPE_SPARSETENSOR);
  assert_int_equal(format_of(value), ORT_SPARSE_UNDEFINED);
  OrtTensorTypeAndShapeInfo* info = NULL;
  int64_t first = 0;
  CHECK_OK(OrtGetTensorTypeAndShape(value, &info));
  assert_int_equal(rank_of(info, &first), 2);
  assert_int_equal(first, 3);
  void* data = NULL;
  CHECK_FAILS(OrtGetTensorMutableData(value, &data), ORT_INVALID_ARGUMENT, "sparse(float32[3,4])");
  OrtReleaseValue(value);
}

// Its elements need fit no memory; that they can be counted is enough.
static void test_sparse_tensor__may_be_of_a_shape_that_no_dense_one_has(void** state) {
  (void)state;
  const int64_t huge[] = {INT64_C(1) << 31, INT64_C(1) << 31};
  const int64_t uncounted[] = {INT64_C(1) << 32, INT64_C(1) << 32};
  OrtValue* value = NULL;
  CHECK_FAILS(
      OrtCreateTensorAsOrtValue(allocator(), huge, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value),
      ORT_INVALID_ARGUMENT, "does not fit");
  CHECK_OK(OrtCreateSparseTensorAsOrtValue(allocator(), huge, 2,
                                           ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
  OrtMemoryInfo* memory = NULL;
  CHECK_OK(OrtCreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  const float numbers[] = {1, 2};
  const int64_t count = 2, places[] = {0, (INT64_C(1) << 62) - 1}, beyond[] = {0, INT64_C(1) << 62};
  CHECK_OK(OrtFillSparseTensorCoo(value, memory, &count, 1, numbers, places, 2));
  CHECK_FAILS(OrtFillSparseTensorCoo(value, memory, &count, 1, numbers, beyond, 2),
              ORT_INVALID_ARGUMENT, "index 1");
  OrtReleaseMemoryInfo(memory);
  OrtReleaseValue(value);
  CHECK_FAILS(OrtCreateSparseTensorAsOrtValue(allocator(), uncounted, 2,
                                              ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value),
              ORT_INVALID_ARGUMENT, "more elements than can be counted");
}

static void test_sparse_tensor__keeps_copies_when_filled(void** state) {
  (void)state;
  OrtMemoryInfo* memory = cpu_memory(OrtArenaAllocator);
  OrtValue* value = new_sparse(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
  float values[] = {1, 2, 3};
  int64_t pairs[] = {0, 1, 1, 3, 2, 0};
  const int64_t shape[] = {3};
  CHECK_OK(OrtFillSparseTensorCoo(value, memory, shape, 1, values, pairs, 6));
  values[0] = 9;
  pairs[0] = 9;
  assert_int_equal(format_of(value), ORT_SPARSE_COO);
  const void* data = NULL;
  size_t count = 0;
  CHECK_OK(OrtGetSparseTensorValues(value, &data));
  assert_true(((const float*)data)[0] == 1 && ((const float*)data)[2] == 3);
  CHECK_OK(OrtGetSparseTensorIndices(value, ORT_SPARSE_COO_INDICES, &count, &data));
  assert_int_equal(count, 6);
  assert_true(((const int64_t*)data)[0] == 0 && ((const int64_t*)data)[3] == 3);
  OrtTensorTypeAndShapeInfo* info = NULL;
  int64_t first = 0;
  CHECK_OK(OrtGetSparseTensorIndicesTypeShape(value, ORT_SPARSE_COO_INDICES, &info));
  assert_int_equal(rank_of(info, &first), 2);
  CHECK_OK(OrtGetSparseTensorValuesTypeAndShape(value, &info));
  assert_int_equal(rank_of(info, &first), 1);
  assert_int_equal(first, 3);
  CHECK_FAILS(OrtGetSparseTensorIndices(value, ORT_SPARSE_CSR_INNER_INDICES, &count, &data),
              ORT_INVALID_ARGUMENT, "no indices of format 1");
  OrtReleaseValue(value);
  OrtReleaseMemoryInfo(memory);
}

static void test_sparse_tensor__has_rows(void** state) {
  (void)state;
  OrtMemoryInfo* memory = cpu_memory(OrtArenaAllocator);
  OrtValue* value = new_sparse(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64);
  const int64_t values[] = {10, 20, 30};
  const int64_t shape[] = {3};
  const int64_t columns[] = {1, 3, 0};
  const int64_t starts[] = {0, 1, 1, 3};
  const int64_t falling[] = {0, 2, 1, 3};
  CHECK_OK(OrtFillSparseTensorCsr(value, memory, shape, 1, values, columns, 3, starts, 4));
  assert_int_equal(format_of(value), ORT_SPARSE_CSRC);
  size_t count = 0;
  const void* data = NULL;
  CHECK_OK(OrtGetSparseTensorIndices(value, ORT_SPARSE_CSR_OUTER_INDICES, &count, &data));
  assert_true(count == 4 && ((const int64_t*)data)[3] == 3);
  CHECK_FAILS(OrtFillSparseTensorCsr(value, memory, shape, 1, values, columns, 3, falling, 4),
              ORT_INVALID_ARGUMENT, "must ascend");
  CHECK_FAILS(OrtFillSparseTensorCsr(value, memory, shape, 1, values, columns, 2, starts, 4),
              ORT_INVALID_ARGUMENT, "found 2 and 4");
  assert_int_equal(format_of(value), ORT_SPARSE_CSRC);
  OrtReleaseValue(value);
  OrtReleaseMemoryInfo(memory);
}

static void test_sparse_tensor__has_blocks(void** state) {
  (void)state;
  OrtMemoryInfo* memory = cpu_memory(OrtArenaAllocator);
  OrtValue* value = new_sparse(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
  const float values[] = {1, 2, 3, 4};
  const int64_t shape[] = {1, 2, 2};
  const int64_t indices_shape[] = {2, 1};
  const int32_t indices[] = {0, 1};
  CHECK_OK(
      OrtFillSparseTensorBlockSparse(value, memory, shape, 3, values, indices_shape, 2, indices));
  assert_int_equal(format_of(value), ORT_SPARSE_BLOCK_SPARSE);
  size_t count = 0;
  const void* data = NULL;
  CHECK_OK(OrtGetSparseTensorIndices(value, ORT_SPARSE_BLOCK_SPARSE_INDICES, &count, &data));
  assert_true(count == 2 && ((const int32_t*)data)[1] == 1);
  OrtReleaseValue(value);
  OrtReleaseMemoryInfo(memory);
}

static void test_sparse_tensor__checks_the_indices_of_blocks(void** state) {
  (void)state;
  OrtMemoryInfo* memory = cpu_memory(OrtArenaAllocator);
  OrtValue* value = new_sparse(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
  const float values[] = {1, 2, 3, 4, 5, 6, 7, 8};
  const int64_t shape[] = {2, 2, 2}, shape_of_four[] = {1, 2, 2, 2}, none[] = {0};
  const int64_t two[] = {2, 2}, four[] = {2, 4}, rows[] = {4, 1}, flat[] = {4};
  const int32_t indices[] = {0, 1, 0, 3, 0, 0, 0, 0}, beyond[] = {0, 1, 0, 4},
                below[] = {0, -1, 0, 0};
  CHECK_OK(OrtFillSparseTensorBlockSparse(value, memory, shape, 3, values, two, 2, indices));
  // ONNX Runtime's number of blocks.
  CHECK_OK(
      OrtFillSparseTensorBlockSparse(value, memory, shape_of_four, 4, values, four, 2, indices));
  CHECK_OK(OrtFillSparseTensorBlockSparse(value, memory, none, 1, NULL, none, 1, NULL));
  CHECK_OK(OrtFillSparseTensorBlockSparse(value, memory, shape, 3, values, two, 2, indices));
  const int64_t* const wrong[] = {four, rows, flat};
  for (size_t i = 0; i < 3; ++i) {
    CHECK_FAILS(OrtFillSparseTensorBlockSparse(value, memory, shape, 3, values, wrong[i],
                                               i < 2 ? 2 : 1, indices),
                ORT_INVALID_ARGUMENT, "need indices of shape [2,2], found");
  }
  CHECK_FAILS(OrtFillSparseTensorBlockSparse(value, memory, none, 1, NULL, two, 2, indices),
              ORT_INVALID_ARGUMENT, "no blocks");
  CHECK_FAILS(OrtFillSparseTensorBlockSparse(value, memory, shape, 3, values, two, 2, beyond),
              ORT_INVALID_ARGUMENT, "block index 3 is 4, expected 0 to 3");
  CHECK_FAILS(OrtFillSparseTensorBlockSparse(value, memory, shape, 3, values, two, 2, below),
              ORT_INVALID_ARGUMENT, "block index 1 is -1");
  size_t count = 0;
  const void* data = NULL;
  CHECK_OK(OrtGetSparseTensorIndices(value, ORT_SPARSE_BLOCK_SPARSE_INDICES, &count, &data));
  assert_true(count == 4 && ((const int32_t*)data)[3] == 3);
  OrtReleaseValue(value);
  OrtReleaseMemoryInfo(memory);
}

static void test_sparse_tensor__uses_memory_of_the_caller(void** state) {
  (void)state;
  OrtMemoryInfo* memory = cpu_memory(OrtArenaAllocator);
  OrtValue* value = NULL;
  float values[] = {1, 2};
  const int64_t shape[] = {2};
  int64_t positions[] = {5, 11};
  int64_t outside[] = {5, 12};
  CHECK_OK(OrtCreateSparseTensorWithValuesAsOrtValue(memory, values, kDense, 2, shape, 1,
                                                     ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
  CHECK_FAILS(OrtUseCooIndices(value, outside, 2), ORT_INVALID_ARGUMENT, "index 1 is 12");
  CHECK_OK(OrtUseCooIndices(value, positions, 2));
  const void* data = NULL;
  size_t count = 0;
  CHECK_OK(OrtGetSparseTensorValues(value, &data));
  assert_ptr_equal(data, values);
  CHECK_OK(OrtGetSparseTensorIndices(value, ORT_SPARSE_COO_INDICES, &count, &data));
  assert_ptr_equal(data, positions);
  int64_t columns[] = {0, 3};
  int64_t starts[] = {0, 0, 1, 2};
  CHECK_OK(OrtUseCsrIndices(value, columns, 2, starts, 4));
  assert_int_equal(format_of(value), ORT_SPARSE_CSRC);
  int32_t blocks[] = {0, 0};
  const int64_t blocks_shape[] = {2, 1};
  CHECK_OK(OrtUseBlockSparseIndices(value, blocks_shape, 2, blocks));
  assert_int_equal(format_of(value), ORT_SPARSE_BLOCK_SPARSE);
  OrtReleaseValue(value);
  OrtReleaseMemoryInfo(memory);
}

static void test_sparse_tensor__may_hold_strings(void** state) {
  (void)state;
  OrtMemoryInfo* memory = cpu_memory(OrtArenaAllocator);
  OrtValue* value = new_sparse(ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
  const char* texts[] = {"one", "three"};
  const int64_t shape[] = {2};
  const int64_t positions[] = {0, 7};
  CHECK_OK(OrtFillSparseTensorCoo(value, memory, shape, 1, texts, positions, 2));
  char text[16] = {0};
  size_t length = 0;
  CHECK_OK(OrtGetStringTensorElementLength(value, 1, &length));
  assert_int_equal(length, 5);
  CHECK_OK(OrtGetStringTensorElement(value, sizeof(text), 1, text));
  CHECK_TEXT(text, "three");
  const void* data = NULL;
  CHECK_FAILS(OrtGetSparseTensorValues(value, &data), ORT_INVALID_ARGUMENT, "strings");
  CHECK_FAILS(OrtFillStringTensor(value, texts, 2), ORT_INVALID_ARGUMENT, "not a tensor");
  OrtReleaseValue(value);
  OrtReleaseMemoryInfo(memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sparse_tensor__is_of_a_kind_of_its_own),
      cmocka_unit_test(test_sparse_tensor__may_be_of_a_shape_that_no_dense_one_has),
      cmocka_unit_test(test_sparse_tensor__keeps_copies_when_filled),
      cmocka_unit_test(test_sparse_tensor__has_rows),
      cmocka_unit_test(test_sparse_tensor__has_blocks),
      cmocka_unit_test(test_sparse_tensor__checks_the_indices_of_blocks),
      cmocka_unit_test(test_sparse_tensor__uses_memory_of_the_caller),
      cmocka_unit_test(test_sparse_tensor__may_hold_strings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
