// SPDX-License-Identifier: MIT
// Every function that gives no status, called with nothing but NULL and zeros: a quiet answer, and
// never a crash.
#include "tests/api/null_testing.h"

static void test_null__is_answered_quietly_by_functions_without_status(void** state) {
  (void)state;
  ANSWERS(OrtMemoryInfoGetDeviceType(NULL, NULL));
  ANSWERS(assert_int_equal(OrtMemoryInfoGetDeviceMemType(NULL), 0));
  ANSWERS(assert_int_equal(OrtMemoryInfoGetVendorId(NULL), 0));
  ANSWERS(OrtReleaseMemoryInfo(NULL));
  ANSWERS(OrtReleaseAllocator(NULL));
  ANSWERS(OrtReleaseArenaCfg(NULL));
  ANSWERS(OrtReleaseIoBinding(NULL));
  ANSWERS(OrtClearBoundInputs(NULL));
  ANSWERS(OrtClearBoundOutputs(NULL));
  ANSWERS(OrtReleaseThreadingOptions(NULL));
  ANSWERS(OrtReleasePrepackedWeightsContainer(NULL));
  ANSWERS(OrtReleaseLoraAdapter(NULL));
  ANSWERS(assert_null(OrtSyncStream_GetHandle(NULL)));
  ANSWERS(OrtReleaseSyncStream(NULL));
  ANSWERS(OrtRunOptionsSetSyncStream(NULL, NULL));
  ANSWERS(OrtReleaseDeviceEpIncompatibilityDetails(NULL));
  ANSWERS(OrtReleaseExternalResourceImporter(NULL));
  ANSWERS(OrtReleaseExternalMemoryHandle(NULL));
  ANSWERS(OrtReleaseExternalSemaphoreHandle(NULL));
  ANSWERS(assert_null(OrtEpDevice_MemoryInfo(NULL, (OrtDeviceMemoryType)0)));
  ANSWERS(OrtReleaseInspection(NULL));
  ANSWERS(assert_null(OrtEpDevice_EpName(NULL)));
  ANSWERS(assert_null(OrtEpDevice_EpVendor(NULL)));
  ANSWERS(assert_null(OrtEpDevice_EpMetadata(NULL)));
  ANSWERS(assert_null(OrtEpDevice_EpOptions(NULL)));
  ANSWERS(assert_null(OrtEpDevice_Device(NULL)));
  ANSWERS(assert_int_equal(OrtHardwareDevice_Type(NULL), 0));
  ANSWERS(assert_int_equal(OrtHardwareDevice_VendorId(NULL), 0));
  ANSWERS(assert_null(OrtHardwareDevice_Vendor(NULL)));
  ANSWERS(assert_int_equal(OrtHardwareDevice_DeviceId(NULL), 0));
  ANSWERS(assert_null(OrtHardwareDevice_Metadata(NULL)));
  ANSWERS(OrtcGetApiBase());
  ANSWERS(OrtReleaseEnv(NULL));
  ANSWERS(OrtCreateKeyValuePairs(NULL));
  ANSWERS(OrtAddKeyValuePair(NULL, NULL, NULL));
  ANSWERS(assert_null(OrtGetKeyValue(NULL, NULL)));
  ANSWERS(OrtGetKeyValuePairs(NULL, NULL, NULL, NULL));
  ANSWERS(OrtRemoveKeyValuePair(NULL, NULL));
  ANSWERS(OrtReleaseKeyValuePairs(NULL));
  ANSWERS(OrtReleaseModelCompilationOptions(NULL));
  ANSWERS(OrtReleaseModelCompiler(NULL));
  ANSWERS(OrtReleaseSharingGroup(NULL));
  ANSWERS(OrtReleaseModelPackageContext(NULL));
  ANSWERS(OrtReleaseModelPackageOptions(NULL));
  ANSWERS(OrtReleaseModelPackageComponentContext(NULL));
  ANSWERS(OrtReleaseModelPackageWriter(NULL));
  ANSWERS(OrtReleaseModelMetadata(NULL));
  ANSWERS(OrtReleaseRunOptions(NULL));
  ANSWERS(assert_null(OrtGetRunConfigEntry(NULL, NULL)));
  ANSWERS(OrtReleaseSession(NULL));
  ANSWERS(OrtReleaseSessionOptions(NULL));
  ANSWERS(assert_int_equal(OrtGetErrorCode(NULL), 0));
  ANSWERS(CHECK_TEXT(OrtGetErrorMessage(NULL), ""));
  ANSWERS(OrtReleaseStatus(NULL));
  ANSWERS(OrtReleaseTypeInfo(NULL));
  ANSWERS(OrtReleaseMapTypeInfo(NULL));
  ANSWERS(OrtReleaseSequenceTypeInfo(NULL));
  ANSWERS(assert_int_equal(OrtTensorTypeAndShape_HasShape(NULL), 0));
  ANSWERS(OrtReleaseTensorTypeAndShapeInfo(NULL));
  ANSWERS(OrtReleaseValue(NULL));
  ANSWERS(OrtReleaseGraph(NULL));
  ANSWERS(OrtReleaseNode(NULL));
  ANSWERS(OrtReleaseValueInfo(NULL));
  ANSWERS(OrtReleaseExternalInitializerInfo(NULL));
  ANSWERS(assert_null(OrtExternalInitializerInfo_GetFilePath(NULL)));
  ANSWERS(assert_int_equal(OrtExternalInitializerInfo_GetFileOffset(NULL), 0));
  ANSWERS(assert_int_equal(OrtExternalInitializerInfo_GetByteSize(NULL), 0));
  ANSWERS(OrtReleaseOpAttr(NULL));
  ANSWERS(OrtReleaseModel(NULL));
  ANSWERS(OrtReleaseCustomOpDomain(NULL));
  ANSWERS(OrtReleaseKernelInfo(NULL));
  ANSWERS(OrtReleaseOp(NULL));
}

static void test_null__was_given_to_every_function(void** state) {
  (void)state;
  // Without the two that take nothing.
  assert_int_equal(calls, count_functions().without_status - 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_null__is_answered_quietly_by_functions_without_status),
      cmocka_unit_test(test_null__was_given_to_every_function),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
