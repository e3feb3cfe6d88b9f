// SPDX-License-Identifier: MIT
// ort_c/allocator.h.
#include "tests/api/api_testing.h"

static void test_allocator__aligns_blocks_to_64_bytes(void** state) {
  (void)state;
  for (size_t size = 1; size < 5000; size = size * 3 + 1) {
    void* block = NULL;
    CHECK_OK(OrtAllocatorAlloc(allocator(), size, &block));
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % 64, 0);
    memset(block, 0xab, size);
    CHECK_OK(OrtAllocatorFree(allocator(), block));
  }
  CHECK_OK(OrtAllocatorFree(allocator(), NULL));
}

static void test_allocator__is_one_object_with_cpu_memory(void** state) {
  (void)state;
  assert_ptr_equal(allocator(), allocator());
  assert_true(allocator()->version >= 18);
  const OrtMemoryInfo* info = NULL;
  CHECK_OK(OrtAllocatorGetInfo(allocator(), &info));
  const char* name = NULL;
  CHECK_OK(OrtMemoryInfoGetName(info, &name));
  CHECK_TEXT(name, "Cpu");
  void* block = allocator()->Reserve(allocator(), 100);
  assert_non_null(block);
  allocator()->Free(allocator(), block);
}

static void test_allocator__reports_what_it_cannot_give(void** state) {
  (void)state;
  void* block = &block;
  CHECK_FAILS(OrtAllocatorAlloc(allocator(), SIZE_MAX, &block), ORT_RUNTIME_EXCEPTION, "memory");
  assert_null(block);
  CHECK_FAILS(OrtAllocatorAlloc(NULL, 1, &block), ORT_INVALID_ARGUMENT, "'ort_allocator'");
  CHECK_FAILS(OrtAllocatorAlloc(allocator(), 1, NULL), ORT_INVALID_ARGUMENT, "'out'");
  CHECK_FAILS(OrtAllocatorFree(NULL, NULL), ORT_INVALID_ARGUMENT, "'ort_allocator'");
  CHECK_FAILS(OrtGetAllocatorWithDefaultOptions(NULL), ORT_INVALID_ARGUMENT, "'out'");
  OrtAllocator empty;
  memset(&empty, 0, sizeof(empty));
  CHECK_FAILS(OrtAllocatorAlloc(&empty, 1, &block), ORT_INVALID_ARGUMENT, "Alloc");
  const OrtMemoryInfo* info = NULL;
  CHECK_FAILS(OrtAllocatorGetInfo(&empty, &info), ORT_INVALID_ARGUMENT, "Info");
}

static void test_memory_info__tells_what_it_was_made_of(void** state) {
  (void)state;
  OrtMemoryInfo* info = NULL;
  CHECK_OK(OrtCreateMemoryInfo_V2("mine", OrtMemoryInfoDeviceType_NPU, 0x8086, 3,
                                  OrtDeviceMemoryType_HOST_ACCESSIBLE, 4096, OrtArenaAllocator,
                                  &info));
  const char* name = NULL;
  int id = 0;
  OrtMemType mem_type = OrtMemTypeCPUInput;
  OrtAllocatorType type = OrtInvalidAllocator;
  OrtMemoryInfoDeviceType device = OrtMemoryInfoDeviceType_CPU;
  CHECK_OK(OrtMemoryInfoGetName(info, &name));
  CHECK_OK(OrtMemoryInfoGetId(info, &id));
  CHECK_OK(OrtMemoryInfoGetMemType(info, &mem_type));
  CHECK_OK(OrtMemoryInfoGetType(info, &type));
  OrtMemoryInfoGetDeviceType(info, &device);
  CHECK_TEXT(name, "mine");
  assert_int_equal(id, 3);
  assert_int_equal(mem_type, OrtMemTypeDefault);
  assert_int_equal(type, OrtArenaAllocator);
  assert_int_equal(device, OrtMemoryInfoDeviceType_NPU);
  assert_int_equal(OrtMemoryInfoGetDeviceMemType(info), OrtDeviceMemoryType_HOST_ACCESSIBLE);
  assert_int_equal(OrtMemoryInfoGetVendorId(info), 0x8086);
  OrtReleaseMemoryInfo(info);
}

static void test_memory_info__knows_names_of_memory(void** state) {
  (void)state;
  OrtMemoryInfo* info = NULL;
  CHECK_OK(OrtCreateMemoryInfo("Cuda", OrtDeviceAllocator, 1, OrtMemTypeDefault, &info));
  OrtMemoryInfoDeviceType device = OrtMemoryInfoDeviceType_CPU;
  OrtMemoryInfoGetDeviceType(info, &device);
  assert_int_equal(device, OrtMemoryInfoDeviceType_GPU);
  OrtReleaseMemoryInfo(info);
  CHECK_FAILS(OrtCreateMemoryInfo("Cudo", OrtDeviceAllocator, 0, OrtMemTypeDefault, &info),
              ORT_INVALID_ARGUMENT, "did you mean 'Cuda'?");
  assert_null(info);
}

static void test_memory_info__compares(void** state) {
  (void)state;
  OrtMemoryInfo* a = NULL;
  OrtMemoryInfo* b = NULL;
  OrtMemoryInfo* c = NULL;
  CHECK_OK(OrtCreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &a));
  CHECK_OK(OrtCreateMemoryInfo("Cpu", OrtArenaAllocator, 0, OrtMemTypeDefault, &b));
  CHECK_OK(OrtCreateMemoryInfo("Hip", OrtArenaAllocator, 0, OrtMemTypeDefault, &c));
  int order = 5;
  CHECK_OK(OrtCompareMemoryInfo(a, b, &order));
  assert_int_equal(order, 0);
  CHECK_OK(OrtCompareMemoryInfo(a, c, &order));
  assert_int_equal(order, -1);
  CHECK_FAILS(OrtCompareMemoryInfo(a, NULL, &order), ORT_INVALID_ARGUMENT, "'info2'");
  OrtReleaseMemoryInfo(a);
  OrtReleaseMemoryInfo(b);
  OrtReleaseMemoryInfo(c);
  OrtReleaseMemoryInfo(NULL);
}

static void test_memory_info__refuses_impossible_arguments(void** state) {
  (void)state;
  OrtMemoryInfo* info = (OrtMemoryInfo*)1;
  CHECK_FAILS(OrtCreateCpuMemoryInfo((OrtAllocatorType)9, OrtMemTypeDefault, &info),
              ORT_INVALID_ARGUMENT, "OrtAllocatorType");
  assert_null(info);
  CHECK_FAILS(OrtCreateCpuMemoryInfo(OrtArenaAllocator, (OrtMemType)9, &info), ORT_INVALID_ARGUMENT,
              "OrtMemType");
  CHECK_FAILS(OrtCreateMemoryInfo_V2("x", OrtMemoryInfoDeviceType_CPU, 0, 0,
                                     OrtDeviceMemoryType_DEFAULT, 3, OrtDeviceAllocator, &info),
              ORT_INVALID_ARGUMENT, "power of two");
  CHECK_FAILS(OrtCreateMemoryInfo_V2("x", (OrtMemoryInfoDeviceType)7, 0, 0,
                                     OrtDeviceMemoryType_DEFAULT, 0, OrtDeviceAllocator, &info),
              ORT_INVALID_ARGUMENT, "device_type");
  CHECK_FAILS(OrtCreateMemoryInfo(NULL, OrtDeviceAllocator, 0, OrtMemTypeDefault, &info),
              ORT_INVALID_ARGUMENT, "'name'");
}

static void test_memory_info__accessors_survive_null(void** state) {
  (void)state;
  OrtMemoryInfoDeviceType device = OrtMemoryInfoDeviceType_FPGA;
  OrtMemoryInfoGetDeviceType(NULL, &device);
  assert_int_equal(device, OrtMemoryInfoDeviceType_FPGA);
  OrtMemoryInfoGetDeviceType(NULL, NULL);
  assert_int_equal(OrtMemoryInfoGetDeviceMemType(NULL), OrtDeviceMemoryType_DEFAULT);
  assert_int_equal(OrtMemoryInfoGetVendorId(NULL), 0);
  const char* name = "x";
  CHECK_FAILS(OrtMemoryInfoGetName(NULL, &name), ORT_INVALID_ARGUMENT, "'ptr'");
  assert_null(name);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_allocator__aligns_blocks_to_64_bytes),
      cmocka_unit_test(test_allocator__is_one_object_with_cpu_memory),
      cmocka_unit_test(test_allocator__reports_what_it_cannot_give),
      cmocka_unit_test(test_memory_info__tells_what_it_was_made_of),
      cmocka_unit_test(test_memory_info__knows_names_of_memory),
      cmocka_unit_test(test_memory_info__compares),
      cmocka_unit_test(test_memory_info__refuses_impossible_arguments),
      cmocka_unit_test(test_memory_info__accessors_survive_null),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
