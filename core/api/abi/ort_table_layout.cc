// SPDX-License-Identifier: MIT
// Where the entries of the tables must be, checked when this compiles: the last entry of each
// version of ONNX Runtime's interface, and the number of entries. Written by hand, unlike the
// tables.
#include "ort_c/ort_api.h"

namespace {

#define ORTC_INDEX(table, member) (offsetof(table, member) / sizeof(void (*)()))
#define ORTC_LAST(table, version, member, entries) \
  static_assert(ORTC_INDEX(table, member) == (entries)-1, "version " #version)
#define ORTC_ENTRIES(table, entries) static_assert(sizeof(table) == (entries) * sizeof(void (*)()))

ORTC_LAST(OrtApi, 1, ReleaseCustomOpDomain, 102);
ORTC_LAST(OrtApi, 2, ReleaseModelMetadata, 119);
ORTC_LAST(OrtApi, 3, AddFreeDimensionOverrideByName, 125);
ORTC_LAST(OrtApi, 4, ReleaseAvailableProviders, 127);
ORTC_LAST(OrtApi, 5, SetGlobalSpinControl, 150);
ORTC_LAST(OrtApi, 6, ReleaseArenaCfg, 158);
ORTC_LAST(OrtApi, 7, GetCurrentGpuDeviceId, 162);
ORTC_LAST(OrtApi, 8, CreateSessionFromArrayWithPrepackedWeightsContainer, 170);
ORTC_LAST(OrtApi, 9, GetSparseTensorIndices, 192);
ORTC_LAST(OrtApi, 10, SynchronizeBoundOutputs, 204);
ORTC_LAST(OrtApi, 11, SessionOptionsAppendExecutionProvider_MIGraphX, 210);
ORTC_LAST(OrtApi, 12, ReleaseKernelInfo, 219);
ORTC_LAST(OrtApi, 13, ReleaseCANNProviderOptions, 225);
ORTC_LAST(OrtApi, 14, GetSessionConfigEntry, 239);
ORTC_LAST(OrtApi, 15, GetBuildInfoString, 255);
ORTC_LAST(OrtApi, 16, KernelContext_GetResource, 266);
ORTC_LAST(OrtApi, 17, SessionOptionsAppendExecutionProvider_OpenVINO_V2, 276);
ORTC_LAST(OrtApi, 18, AddExternalInitializersFromFilesInMemory, 280);
ORTC_LAST(OrtApi, 20, SetEpDynamicOptions, 285);
ORTC_LAST(OrtApi, 22, GetEpApi, 318);
ORTC_LAST(OrtApi, 23, CreateExternalInitializerInfo, 390);
ORTC_LAST(OrtApi, 24, GetTensorElementTypeAndShapeDataReference, 415);
ORTC_LAST(OrtApi, 25, SetPerSessionThreadPoolCallbacks, 419);
ORTC_LAST(OrtApi, 27, SessionReleaseCapturedGraph, 422);
ORTC_LAST(OrtApi, 28, KernelContext_GetSyncStream, 424);
ORTC_LAST(OrtApi, 29, SessionOptionsSetWeightlessSourceModelBuffer, 425);
ORTC_LAST(OrtApi, 30, KernelContext_GetPreallocatedOutput, 426);
ORTC_LAST(OrtApi, 31, GetModelPackageApi, 428);
ORTC_ENTRIES(OrtApi, 428);

ORTC_LAST(OrtEpApi, 22, ReleaseEpDevice, 2);
ORTC_LAST(OrtEpApi, 23, GetSyncIdForLastWaitOnSyncStream, 16);
ORTC_LAST(OrtEpApi, 24, GetEnvConfigEntries, 50);
ORTC_LAST(OrtEpApi, 25, ProfilingEventsContainer_AddEvents, 73);
ORTC_LAST(OrtEpApi, 29, SessionOptionsGetWeightlessSourceModelBuffer, 74);
ORTC_LAST(OrtEpApi, 31, EpContextConfigGetEpContextDataWriteFunc, 78);
ORTC_ENTRIES(OrtEpApi, 78);

ORTC_LAST(OrtModelEditorApi, 22, FinalizeModelEditorSession, 20);
ORTC_ENTRIES(OrtModelEditorApi, 20);

ORTC_LAST(OrtCompileApi, 22, CompileModel, 9);
ORTC_LAST(OrtCompileApi, 23, ModelCompilationOptions_SetOutputModelGetInitializerLocationFunc, 14);
ORTC_LAST(OrtCompileApi, 24, ModelCompilationOptions_SetInputModel, 15);
ORTC_LAST(OrtCompileApi, 29, ModelCompilationOptions_SetWeightlessEnabled, 16);
ORTC_LAST(OrtCompileApi, 31, ModelCompilationOptions_SetOutputModelExternalInitializersAlignment,
          19);
ORTC_ENTRIES(OrtCompileApi, 19);

ORTC_LAST(OrtInteropApi, 24, SignalSemaphore, 11);
ORTC_LAST(OrtInteropApi, 25, DeinitGraphicsInteropForEpDevice, 13);
ORTC_ENTRIES(OrtInteropApi, 13);

ORTC_LAST(OrtApiBase, 1, GetVersionString, 2);
ORTC_ENTRIES(OrtApiBase, 2);

}  // namespace
