// SPDX-License-Identifier: MIT
// Every function that gives a status and is not about single nodes (null_graph_arguments_test.c),
// called with nothing but NULL and zeros: a status that says so, and never a crash.
#include "tests/api/null_testing.h"

static void test_null__is_refused_by_allocator(void** state) {
  (void)state;
  REFUSES(OrtGetAllocatorWithDefaultOptions(NULL));
  REFUSES(OrtAllocatorAlloc(NULL, 0, NULL));
  REFUSES(OrtAllocatorFree(NULL, NULL));
  REFUSES(OrtAllocatorGetInfo(NULL, NULL));
  REFUSES(OrtCreateCpuMemoryInfo((OrtAllocatorType)0, (OrtMemType)0, NULL));
  REFUSES(OrtCreateMemoryInfo(NULL, (OrtAllocatorType)0, 0, (OrtMemType)0, NULL));
  REFUSES(OrtCreateMemoryInfo_V2(NULL, (OrtMemoryInfoDeviceType)0, 0, 0, (OrtDeviceMemoryType)0, 0,
                                 (OrtAllocatorType)0, NULL));
  REFUSES(OrtCompareMemoryInfo(NULL, NULL, NULL));
  REFUSES(OrtMemoryInfoGetName(NULL, NULL));
  REFUSES(OrtMemoryInfoGetId(NULL, NULL));
  REFUSES(OrtMemoryInfoGetMemType(NULL, NULL));
  REFUSES(OrtMemoryInfoGetType(NULL, NULL));
  REFUSES(OrtCreateAllocator(NULL, NULL, NULL));
  REFUSES(OrtAllocatorGetStats(NULL, NULL));
}

static void test_null__is_refused_by_shared_allocators(void** state) {
  (void)state;
  REFUSES(OrtCreateArenaCfg(0, -1, -1, -1, NULL));
  REFUSES(OrtCreateArenaCfgV2(NULL, NULL, 0, NULL));
  REFUSES(OrtCreateAndRegisterAllocator(NULL, NULL, NULL));
  REFUSES(OrtCreateAndRegisterAllocatorV2(NULL, NULL, NULL, NULL, NULL, NULL, 0));
  REFUSES(OrtRegisterAllocator(NULL, NULL));
  REFUSES(OrtUnregisterAllocator(NULL, NULL));
  REFUSES(OrtGetSharedAllocator(NULL, NULL, NULL));
  REFUSES(OrtCreateSharedAllocator(NULL, NULL, (OrtDeviceMemoryType)0, (OrtAllocatorType)0, NULL,
                                   NULL));
  REFUSES(OrtReleaseSharedAllocator(NULL, NULL, (OrtDeviceMemoryType)0));
}

static void test_null__is_refused_by_provider_libraries(void** state) {
  (void)state;
  REFUSES(OrtRegisterExecutionProviderLibrary(NULL, NULL, NULL));
  REFUSES(OrtUnregisterExecutionProviderLibrary(NULL, NULL));
}

static void test_null__is_refused_by_io_binding(void** state) {
  (void)state;
  REFUSES(OrtCreateIoBinding(NULL, NULL));
  REFUSES(OrtBindInput(NULL, NULL, NULL));
  REFUSES(OrtBindOutput(NULL, NULL, NULL));
  REFUSES(OrtBindOutputToDevice(NULL, NULL, NULL));
  REFUSES(OrtRunWithBinding(NULL, NULL, NULL));
  REFUSES(OrtGetBoundOutputNames(NULL, NULL, NULL, NULL, NULL));
  REFUSES(OrtGetBoundOutputValues(NULL, NULL, NULL, NULL));
  REFUSES(OrtSynchronizeBoundInputs(NULL));
  REFUSES(OrtSynchronizeBoundOutputs(NULL));
}

static void test_null__is_refused_by_threading(void** state) {
  (void)state;
  REFUSES(OrtCreateThreadingOptions(NULL));
  REFUSES(OrtSetGlobalIntraOpNumThreads(NULL, 0));
  REFUSES(OrtSetGlobalInterOpNumThreads(NULL, 0));
  REFUSES(OrtSetGlobalSpinControl(NULL, 0));
  REFUSES(OrtSetGlobalDenormalAsZero(NULL));
  REFUSES(OrtSetGlobalIntraOpThreadAffinity(NULL, NULL));
  REFUSES(OrtSetGlobalCustomCreateThreadFn(NULL, NULL));
  REFUSES(OrtSetGlobalCustomThreadCreationOptions(NULL, NULL));
  REFUSES(OrtSetGlobalCustomJoinThreadFn(NULL, NULL));
  OrtThreadPoolCallbacksConfig config = {30, NULL, NULL, NULL, NULL, NULL};
  REFUSES(OrtSetPerSessionThreadPoolCallbacks(NULL, &config));
}

static void test_null__is_refused_by_smaller_nouns(void** state) {
  (void)state;
  REFUSES(OrtSession_GetEpGraphAssignmentInfo(NULL, NULL, NULL));
  REFUSES(OrtEpAssignedSubgraph_GetEpName(NULL, NULL));
  REFUSES(OrtEpAssignedSubgraph_GetNodes(NULL, NULL, NULL));
  REFUSES(OrtEpAssignedNode_GetName(NULL, NULL));
  REFUSES(OrtEpAssignedNode_GetDomain(NULL, NULL));
  REFUSES(OrtEpAssignedNode_GetOperatorType(NULL, NULL));
  REFUSES(OrtCreatePrepackedWeightsContainer(NULL));
  REFUSES(OrtCreateSessionWithPrepackedWeightsContainer(NULL, NULL, NULL, NULL, NULL));
  REFUSES(OrtCreateSessionFromArrayWithPrepackedWeightsContainer(NULL, NULL, 0, NULL, NULL, NULL));
  REFUSES(OrtCreateLoraAdapter(NULL, NULL, NULL));
  REFUSES(OrtCreateLoraAdapterFromArray(NULL, 0, NULL, NULL));
  REFUSES(OrtRunOptionsAddActiveLoraAdapter(NULL, NULL));
  REFUSES(OrtCreateSyncStreamForEpDevice(NULL, NULL, NULL));
  REFUSES(OrtCopyTensors(NULL, NULL, NULL, NULL, 0));
  REFUSES(OrtLogger_LogMessage(NULL, (OrtLoggingLevel)0, NULL, NULL, 0, NULL));
  REFUSES(OrtLogger_GetLoggingSeverityLevel(NULL, NULL));
}

static void test_null__is_refused_by_context(void** state) {
  (void)state;
  REFUSES(OrtGetCompatibilityInfoFromModel(NULL, NULL, NULL, NULL));
  REFUSES(OrtGetCompatibilityInfoFromModelBytes(NULL, 0, NULL, NULL, NULL));
  REFUSES(OrtGetModelCompatibilityForEpDevices(NULL, 0, NULL, NULL));
  REFUSES(OrtInspectFile(NULL, 0, NULL));
  REFUSES(OrtInspection_GetJson(NULL, NULL));
  REFUSES(OrtDiffFiles(NULL, NULL, NULL));
  REFUSES(OrtExposeModelValues(NULL, NULL, NULL, NULL));
  REFUSES(OrtPackModel(NULL, NULL, 0, NULL, NULL, NULL));
  REFUSES(OrtMergeModels(NULL, 0, NULL, 0, NULL, 0, NULL, NULL, NULL));
  REFUSES(OrtExtractContext(NULL, NULL, NULL, 0, NULL, NULL, NULL));
  REFUSES(OrtPrefixModel(NULL, NULL, NULL, 0, NULL, NULL, NULL));
  REFUSES(OrtCreateSessionFromCache(NULL, NULL, NULL, NULL, NULL));
  REFUSES(OrtListContextCache(NULL, NULL));
  REFUSES(OrtPruneContextCache(NULL, 0, NULL));
  REFUSES(OrtVerifyContextCache(NULL, NULL));
  REFUSES(OrtExplainContextCache(NULL, NULL, NULL, NULL, NULL));
}

static void test_null__is_refused_by_model_package(void** state) {
  (void)state;
  REFUSES(OrtCreateModelPackageContext(NULL, NULL));
  REFUSES(OrtCreateModelPackageOptionsFromSessionOptions(NULL, NULL, NULL));
  REFUSES(OrtModelPackage_GetSchemaVersion(NULL, NULL));
  REFUSES(OrtModelPackage_GetComponentCount(NULL, NULL));
  REFUSES(OrtModelPackage_GetComponentNames(NULL, NULL, NULL));
  REFUSES(OrtModelPackage_GetVariantCount(NULL, NULL, NULL));
  REFUSES(OrtModelPackage_GetVariantNames(NULL, NULL, NULL, NULL));
  REFUSES(OrtModelPackage_GetVariantEpName(NULL, NULL, NULL, NULL));
  REFUSES(OrtModelPackage_ResolveStringRef(NULL, NULL, NULL, 0, NULL));
  REFUSES(OrtModelPackage_SelectComponent(NULL, NULL, NULL, NULL));
  REFUSES(OrtModelPackageComponent_GetSelectedVariantName(NULL, NULL));
  REFUSES(OrtModelPackageComponent_GetSelectedVariantFolderPath(NULL, NULL));
  REFUSES(OrtModelPackage_CreateSession(NULL, NULL, NULL, NULL));
  REFUSES(OrtModelPackage_Describe(NULL, NULL, NULL));
  REFUSES(OrtModelPackage_Verify(NULL, NULL));
  REFUSES(OrtCreateModelPackageWriter(NULL, NULL));
  REFUSES(OrtModelPackageWriter_AddVariant(NULL, NULL, NULL, NULL, NULL));
  REFUSES(OrtModelPackageWriter_AddSharedAsset(NULL, NULL, NULL, NULL));
  REFUSES(OrtModelPackageWriter_Write(NULL, NULL, 0, NULL));
}

static void test_null__is_refused_by_devices(void** state) {
  (void)state;
  REFUSES(OrtGetEpDevices(NULL, NULL, NULL));
  REFUSES(OrtGetNumHardwareDevices(NULL, NULL));
  REFUSES(OrtGetHardwareDevices(NULL, NULL, 0));
  REFUSES(OrtGetHardwareDeviceEpIncompatibilityDetails(NULL, NULL, NULL, NULL));
  REFUSES(OrtDeviceEpIncompatibilityDetails_GetReasonsBitmask(NULL, NULL));
  REFUSES(OrtDeviceEpIncompatibilityDetails_GetNotes(NULL, NULL));
  REFUSES(OrtDeviceEpIncompatibilityDetails_GetErrorCode(NULL, NULL));
}

static void test_null__is_refused_by_interop(void** state) {
  (void)state;
  REFUSES(OrtCreateExternalResourceImporterForDevice(NULL, NULL));
  REFUSES(OrtCanImportMemory(NULL, (OrtExternalMemoryHandleType)0, NULL));
  REFUSES(OrtImportMemory(NULL, NULL, NULL));
  REFUSES(OrtCreateTensorFromMemory(NULL, NULL, NULL, NULL));
  REFUSES(OrtCanImportSemaphore(NULL, (OrtExternalSemaphoreType)0, NULL));
  REFUSES(OrtImportSemaphore(NULL, NULL, NULL));
  REFUSES(OrtWaitSemaphore(NULL, NULL, NULL, 0));
  REFUSES(OrtSignalSemaphore(NULL, NULL, NULL, 0));
  REFUSES(OrtInitGraphicsInteropForEpDevice(NULL, NULL));
  REFUSES(OrtDeinitGraphicsInteropForEpDevice(NULL));
}

static void test_null__is_refused_by_env(void** state) {
  (void)state;
  REFUSES(OrtCreateEnv((OrtLoggingLevel)0, NULL, NULL));
  REFUSES(OrtCreateEnvWithCustomLogger(NULL, NULL, (OrtLoggingLevel)0, NULL, NULL));
  REFUSES(OrtCreateEnvWithGlobalThreadPools((OrtLoggingLevel)0, NULL, NULL, NULL));
  REFUSES(OrtCreateEnvWithCustomLoggerAndGlobalThreadPools(NULL, NULL, (OrtLoggingLevel)0, NULL,
                                                           NULL, NULL));
  REFUSES(OrtCreateEnvWithOptions(NULL, NULL));
  REFUSES(OrtUpdateEnvWithCustomLogLevel(NULL, (OrtLoggingLevel)0));
  REFUSES(OrtSetLanguageProjection(NULL, (OrtLanguageProjection)0));
  REFUSES(OrtEnableTelemetryEvents(NULL));
  REFUSES(OrtDisableTelemetryEvents(NULL));
  REFUSES(OrtGetAvailableProviders(NULL, NULL));
}

static void test_null__is_refused_by_model_compiler(void** state) {
  (void)state;
  REFUSES(OrtCreateModelCompilationOptionsFromSessionOptions(NULL, NULL, NULL));
  REFUSES(OrtModelCompilationOptions_SetInputModelPath(NULL, NULL));
  REFUSES(OrtModelCompilationOptions_SetInputModelFromBuffer(NULL, NULL, 0));
  REFUSES(OrtModelCompilationOptions_SetOutputModelPath(NULL, NULL));
  REFUSES(OrtModelCompilationOptions_SetOutputModelBuffer(NULL, NULL, NULL, NULL));
  REFUSES(OrtModelCompilationOptions_SetOutputModelExternalInitializersFile(NULL, NULL, 0));
  REFUSES(OrtModelCompilationOptions_SetOutputModelExternalInitializersBuffer(NULL, NULL, 0, NULL,
                                                                              NULL, NULL));
  REFUSES(OrtModelCompilationOptions_SetOutputModelExternalInitializersAlignment(NULL, 0, 0));
  REFUSES(OrtModelCompilationOptions_SetEpContextEmbedMode(NULL, false));
  REFUSES(OrtModelCompilationOptions_SetEpContextBinaryInformation(NULL, NULL, NULL));
  REFUSES(OrtModelCompilationOptions_SetFlags(NULL, 0));
  REFUSES(OrtModelCompilationOptions_SetGraphOptimizationLevel(NULL, (GraphOptimizationLevel)0));
  REFUSES(OrtModelCompilationOptions_SetOutputModelWriteFunc(NULL, NULL, NULL));
  REFUSES(OrtModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(NULL, NULL, NULL));
  REFUSES(OrtModelCompilationOptions_SetEpContextDataWriteFunc(NULL, NULL, NULL));
  REFUSES(OrtModelCompilationOptions_SetWeightlessEnabled(NULL, false));
  REFUSES(OrtCompileModel(NULL, NULL));
  REFUSES(OrtCreateModelCompiler(NULL, NULL, NULL));
  REFUSES(OrtModelCompiler_SetProgress(NULL, NULL, NULL, NULL));
  REFUSES(OrtModelCompiler_SetDeadline(NULL, 0));
  REFUSES(OrtModelCompiler_Cancel(NULL));
  REFUSES(OrtModelCompiler_Compile(NULL));
  REFUSES(OrtModelCompiler_GetReportJson(NULL, NULL));
  REFUSES(OrtCreateSharingGroup(NULL, NULL));
  REFUSES(OrtSessionOptionsSetSharingGroup(NULL, NULL));
  REFUSES(OrtSharingGroup_Add(NULL, NULL));
  REFUSES(OrtSharingGroup_Commit(NULL));
  REFUSES(OrtSharingGroup_Abort(NULL));
  REFUSES(OrtSharingGroup_GetReportJson(NULL, NULL, NULL));
}

static void test_null__is_refused_by_model_metadata(void** state) {
  (void)state;
  REFUSES(OrtModelMetadataGetProducerName(NULL, NULL, NULL));
  REFUSES(OrtModelMetadataGetGraphName(NULL, NULL, NULL));
  REFUSES(OrtModelMetadataGetDomain(NULL, NULL, NULL));
  REFUSES(OrtModelMetadataGetDescription(NULL, NULL, NULL));
  REFUSES(OrtModelMetadataGetGraphDescription(NULL, NULL, NULL));
  REFUSES(OrtModelMetadataGetVersion(NULL, NULL));
  REFUSES(OrtModelMetadataLookupCustomMetadataMap(NULL, NULL, NULL, NULL));
  REFUSES(OrtModelMetadataGetCustomMetadataMapKeys(NULL, NULL, NULL, NULL));
}

static void test_null__is_refused_by_run_options(void** state) {
  (void)state;
  REFUSES(OrtCreateRunOptions(NULL));
  REFUSES(OrtRunOptionsSetTerminate(NULL));
  REFUSES(OrtRunOptionsUnsetTerminate(NULL));
  REFUSES(OrtRunOptionsSetRunTag(NULL, NULL));
  REFUSES(OrtRunOptionsGetRunTag(NULL, NULL));
  REFUSES(OrtRunOptionsSetRunLogSeverityLevel(NULL, 0));
  REFUSES(OrtRunOptionsGetRunLogSeverityLevel(NULL, NULL));
  REFUSES(OrtRunOptionsSetRunLogVerbosityLevel(NULL, 0));
  REFUSES(OrtRunOptionsGetRunLogVerbosityLevel(NULL, NULL));
  REFUSES(OrtAddRunConfigEntry(NULL, NULL, NULL));
  REFUSES(OrtRunOptionsEnableProfiling(NULL, NULL));
  REFUSES(OrtRunOptionsDisableProfiling(NULL));
}

static void test_null__is_refused_by_session(void** state) {
  (void)state;
  REFUSES(OrtCreateSession(NULL, NULL, NULL, NULL));
  REFUSES(OrtCreateSessionFromArray(NULL, NULL, 0, NULL, NULL));
  REFUSES(OrtRun(NULL, NULL, NULL, NULL, 0, NULL, 0, NULL));
  REFUSES(OrtRunAsync(NULL, NULL, NULL, NULL, 0, NULL, 0, NULL, NULL, NULL));
  REFUSES(OrtSessionReleaseCapturedGraph(NULL, 0));
  REFUSES(OrtSessionEndProfiling(NULL, NULL, NULL));
  REFUSES(OrtSessionGetProfilingStartTimeNs(NULL, NULL));
  REFUSES(OrtSessionGetMemoryInfoForInputs(NULL, NULL, 0));
  REFUSES(OrtSessionGetMemoryInfoForOutputs(NULL, NULL, 0));
  REFUSES(OrtSessionGetEpDeviceForInputs(NULL, NULL, 0));
  REFUSES(OrtSessionGetEpDeviceForOutputs(NULL, NULL, 0));
  REFUSES(OrtSetEpDynamicOptions(NULL, NULL, NULL, 0));
  REFUSES(OrtSessionGetInputCount(NULL, NULL));
  REFUSES(OrtSessionGetOutputCount(NULL, NULL));
  REFUSES(OrtSessionGetOverridableInitializerCount(NULL, NULL));
  REFUSES(OrtSessionGetInputName(NULL, 0, NULL, NULL));
  REFUSES(OrtSessionGetOutputName(NULL, 0, NULL, NULL));
  REFUSES(OrtSessionGetOverridableInitializerName(NULL, 0, NULL, NULL));
  REFUSES(OrtSessionGetInputTypeInfo(NULL, 0, NULL));
  REFUSES(OrtSessionGetOutputTypeInfo(NULL, 0, NULL));
  REFUSES(OrtSessionGetOverridableInitializerTypeInfo(NULL, 0, NULL));
  REFUSES(OrtSessionGetModelMetadata(NULL, NULL));
  REFUSES(OrtSession_GetReportJson(NULL, NULL, NULL));
  REFUSES(OrtSession_GetMemoryReportJson(NULL, NULL, NULL));
}

static void test_null__is_refused_by_session_options(void** state) {
  (void)state;
  REFUSES(OrtCreateSessionOptions(NULL));
  REFUSES(OrtCloneSessionOptions(NULL, NULL));
  REFUSES(OrtSessionOptionsAppendExecutionProvider(NULL, NULL, NULL, NULL, 0));
  REFUSES(OrtSessionOptionsAppendExecutionProvider_V2(NULL, NULL, NULL, 0, NULL, NULL, 0));
  REFUSES(OrtSessionOptionsSetEpSelectionPolicy(NULL, (OrtExecutionProviderDevicePolicy)0));
  REFUSES(OrtSessionOptionsSetEpSelectionPolicyDelegate(NULL, NULL, NULL));
  REFUSES(OrtAddSessionConfigEntry(NULL, NULL, NULL));
  REFUSES(OrtHasSessionConfigEntry(NULL, NULL, NULL));
  REFUSES(OrtGetSessionConfigEntry(NULL, NULL, NULL, NULL));
  REFUSES(OrtSetSessionGraphOptimizationLevel(NULL, (GraphOptimizationLevel)0));
  REFUSES(OrtSetIntraOpNumThreads(NULL, 0));
  REFUSES(OrtSetInterOpNumThreads(NULL, 0));
  REFUSES(OrtSetSessionExecutionMode(NULL, (ExecutionMode)0));
  REFUSES(OrtEnableMemPattern(NULL));
  REFUSES(OrtDisableMemPattern(NULL));
  REFUSES(OrtEnableCpuMemArena(NULL));
  REFUSES(OrtDisableCpuMemArena(NULL));
  REFUSES(OrtAddFreeDimensionOverride(NULL, NULL, 0));
  REFUSES(OrtAddFreeDimensionOverrideByName(NULL, NULL, 0));
  REFUSES(OrtSetSessionLogId(NULL, NULL));
  REFUSES(OrtSetSessionLogVerbosityLevel(NULL, 0));
  REFUSES(OrtSetSessionLogSeverityLevel(NULL, 0));
  REFUSES(OrtSetUserLoggingFunction(NULL, NULL, NULL));
  REFUSES(OrtSetOptimizedModelFilePath(NULL, NULL));
  REFUSES(OrtEnableProfiling(NULL, NULL));
  REFUSES(OrtDisableProfiling(NULL));
  REFUSES(OrtAddInitializer(NULL, NULL, NULL));
  REFUSES(OrtAddExternalInitializers(NULL, NULL, NULL, 0));
  REFUSES(OrtAddExternalInitializersFromFilesInMemory(NULL, NULL, NULL, NULL, 0));
  REFUSES(OrtSessionOptionsSetLoadProgress(NULL, NULL, NULL, NULL));
  REFUSES(OrtSessionOptionsSetEpContextDataReadFunc(NULL, NULL, NULL));
  REFUSES(OrtSessionOptionsSetWeightlessSourceModelBuffer(NULL, NULL, 0));
  REFUSES(OrtDisablePerSessionThreads(NULL));
  REFUSES(OrtSessionOptionsSetCustomCreateThreadFn(NULL, NULL));
  REFUSES(OrtSessionOptionsSetCustomThreadCreationOptions(NULL, NULL));
  REFUSES(OrtSessionOptionsSetCustomJoinThreadFn(NULL, NULL));
  REFUSES(OrtSetDeterministicCompute(NULL, false));
  REFUSES(OrtSessionOptionsSetLoadCancellationFlag(NULL, false));
  REFUSES(OrtGetSessionOptionsConfigEntries(NULL, NULL));
  REFUSES(OrtGetMemPatternEnabled(NULL, NULL));
  REFUSES(OrtGetSessionExecutionMode(NULL, NULL));
}

static void test_null__is_refused_by_type_info(void** state) {
  (void)state;
  REFUSES(OrtGetOnnxTypeFromTypeInfo(NULL, NULL));
  REFUSES(OrtCastTypeInfoToTensorInfo(NULL, NULL));
  REFUSES(OrtGetDenotationFromTypeInfo(NULL, NULL, NULL));
  REFUSES(OrtGetTensorElementType(NULL, NULL));
  REFUSES(OrtGetDimensionsCount(NULL, NULL));
  REFUSES(OrtGetDimensions(NULL, NULL, 0));
  REFUSES(OrtGetSymbolicDimensions(NULL, NULL, 0));
  REFUSES(OrtGetTensorShapeElementCount(NULL, NULL));
  REFUSES(OrtCastTypeInfoToMapTypeInfo(NULL, NULL));
  REFUSES(OrtCastTypeInfoToSequenceTypeInfo(NULL, NULL));
  REFUSES(OrtCastTypeInfoToOptionalTypeInfo(NULL, NULL));
  REFUSES(OrtGetMapKeyType(NULL, NULL));
  REFUSES(OrtGetMapValueType(NULL, NULL));
  REFUSES(OrtGetSequenceElementType(NULL, NULL));
  REFUSES(OrtGetOptionalContainedTypeInfo(NULL, NULL));
  REFUSES(OrtCreateTensorTypeAndShapeInfo(NULL));
  REFUSES(OrtSetTensorElementType(NULL, (ONNXTensorElementDataType)0));
  REFUSES(OrtSetDimensions(NULL, NULL, 0));
  REFUSES(OrtSetSymbolicDimensions(NULL, NULL, 0));
}

static void test_null__is_refused_by_value(void** state) {
  (void)state;
  REFUSES(OrtCreateTensorWithDataAsOrtValue(NULL, NULL, 0, NULL, 0, (ONNXTensorElementDataType)0,
                                            NULL));
  REFUSES(OrtCreateTensorAsOrtValue(NULL, NULL, 0, (ONNXTensorElementDataType)0, NULL));
  REFUSES(OrtGetTensorMutableData(NULL, NULL));
  REFUSES(OrtGetTensorData(NULL, NULL));
  REFUSES(OrtGetTensorSizeInBytes(NULL, NULL));
  REFUSES(OrtGetTensorTypeAndShape(NULL, NULL));
  REFUSES(OrtGetTypeInfo(NULL, NULL));
  REFUSES(OrtGetValueType(NULL, NULL));
  REFUSES(OrtIsTensor(NULL, NULL));
  REFUSES(OrtHasValue(NULL, NULL));
  REFUSES(OrtGetTensorMemoryInfo(NULL, NULL));
  REFUSES(OrtFillStringTensor(NULL, NULL, 0));
  REFUSES(OrtFillStringTensorElement(NULL, NULL, 0));
  REFUSES(OrtGetStringTensorDataLength(NULL, NULL));
  REFUSES(OrtGetStringTensorContent(NULL, NULL, 0, NULL, 0));
  REFUSES(OrtGetStringTensorElementLength(NULL, 0, NULL));
  REFUSES(OrtGetStringTensorElement(NULL, 0, 0, NULL));
  REFUSES(OrtGetResizedStringTensorElementBuffer(NULL, 0, 0, NULL));
  REFUSES(OrtCreateTensorWithDataAndDeleterAsOrtValue(NULL, NULL, 0, NULL, 0,
                                                      (ONNXTensorElementDataType)0, NULL));
  REFUSES(OrtTensorAt(NULL, NULL, 0, NULL));
  REFUSES(OrtGetTensorElementTypeAndShapeDataReference(NULL, NULL, NULL, NULL));
}

static void test_null__is_refused_by_container(void** state) {
  (void)state;
  REFUSES(OrtCreateValue(NULL, 0, (enum ONNXType)0, NULL));
  REFUSES(OrtCreateEmptyValue(NULL, NULL));
  REFUSES(OrtGetValueCount(NULL, NULL));
  REFUSES(OrtGetValue(NULL, 0, NULL, NULL));
  REFUSES(OrtCreateOpaqueValue(NULL, NULL, NULL, 0, NULL));
  ANSWERS(CHECK_FAILS(OrtGetOpaqueValue(NULL, NULL, NULL, NULL, 0), ORT_NOT_IMPLEMENTED, "opaque"));
}

static void test_null__is_refused_by_sparse_tensor(void** state) {
  (void)state;
  const ONNXTensorElementDataType type = (ONNXTensorElementDataType)0;
  const OrtSparseIndicesFormat format = (OrtSparseIndicesFormat)0;
  REFUSES(OrtIsSparseTensor(NULL, NULL));
  REFUSES(OrtCreateSparseTensorAsOrtValue(NULL, NULL, 0, type, NULL));
  REFUSES(OrtFillSparseTensorCoo(NULL, NULL, NULL, 0, NULL, NULL, 0));
  REFUSES(OrtFillSparseTensorCsr(NULL, NULL, NULL, 0, NULL, NULL, 0, NULL, 0));
  REFUSES(OrtFillSparseTensorBlockSparse(NULL, NULL, NULL, 0, NULL, NULL, 0, NULL));
  REFUSES(OrtCreateSparseTensorWithValuesAsOrtValue(NULL, NULL, NULL, 0, NULL, 0, type, NULL));
  REFUSES(OrtUseCooIndices(NULL, NULL, 0));
  REFUSES(OrtUseCsrIndices(NULL, NULL, 0, NULL, 0));
  REFUSES(OrtUseBlockSparseIndices(NULL, NULL, 0, NULL));
  REFUSES(OrtGetSparseTensorFormat(NULL, NULL));
  REFUSES(OrtGetSparseTensorValuesTypeAndShape(NULL, NULL));
  REFUSES(OrtGetSparseTensorValues(NULL, NULL));
  REFUSES(OrtGetSparseTensorIndicesTypeShape(NULL, format, NULL));
  REFUSES(OrtGetSparseTensorIndices(NULL, format, NULL, NULL));
}

static void test_null__was_given_to_every_function(void** state) {
  (void)state;
  // Without OrtCreateStatus() and OrtReleaseAvailableProviders(), which take no objects.
  assert_int_equal(calls, count_functions().others - 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_null__is_refused_by_allocator),
      cmocka_unit_test(test_null__is_refused_by_shared_allocators),
      cmocka_unit_test(test_null__is_refused_by_provider_libraries),
      cmocka_unit_test(test_null__is_refused_by_io_binding),
      cmocka_unit_test(test_null__is_refused_by_threading),
      cmocka_unit_test(test_null__is_refused_by_smaller_nouns),
      cmocka_unit_test(test_null__is_refused_by_context),
      cmocka_unit_test(test_null__is_refused_by_model_package),
      cmocka_unit_test(test_null__is_refused_by_devices),
      cmocka_unit_test(test_null__is_refused_by_interop),
      cmocka_unit_test(test_null__is_refused_by_env),
      cmocka_unit_test(test_null__is_refused_by_model_compiler),
      cmocka_unit_test(test_null__is_refused_by_model_metadata),
      cmocka_unit_test(test_null__is_refused_by_run_options),
      cmocka_unit_test(test_null__is_refused_by_session),
      cmocka_unit_test(test_null__is_refused_by_session_options),
      cmocka_unit_test(test_null__is_refused_by_type_info),
      cmocka_unit_test(test_null__is_refused_by_value),
      cmocka_unit_test(test_null__is_refused_by_container),
      cmocka_unit_test(test_null__is_refused_by_sparse_tensor),
      cmocka_unit_test(test_null__was_given_to_every_function),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
