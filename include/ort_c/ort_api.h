// SPDX-License-Identifier: MIT
// ONNX Runtime's binary interface as this library offers it: the tables of functions in their
// binary order, for programs and provider libraries that were compiled for them. An entry X does
// what the function OrtX of the other headers does, if there is one, and otherwise fails with
// NOT_IMPLEMENTED; no entry is NULL. New programs need none of this: they call OrtX().
// Made by tools/generate_functions.py from core/api/abi/ort_tables.tsv, do not edit.
#pragma once

#include "ort_c/env.h"
#include "ort_c/interop.h"
#include "ort_c/logger.h"
#include "ort_c/model_compiler.h"
#include "ort_c/op_attr.h"
#include "ort_c/session.h"
#include "ort_c/session_options.h"
#include "ort_c/threading.h"
#include "ort_c/types.h"

/// The newest version of the interface that the tables below have entries for.
#define ORTC_ORT_API_VERSION 31

#ifdef __cplusplus
extern "C" {
#endif

// clang-format off

// Handles, tables, and structs that their own headers define.

typedef struct OrtAllocator OrtAllocator;
typedef struct OrtApi OrtApi;
typedef struct OrtApiBase OrtApiBase;
typedef struct OrtArenaCfg OrtArenaCfg;
typedef struct OrtCANNProviderOptions OrtCANNProviderOptions;
typedef struct OrtCUDAProviderOptions OrtCUDAProviderOptions;
typedef struct OrtCUDAProviderOptionsV2 OrtCUDAProviderOptionsV2;
typedef struct OrtCompileApi OrtCompileApi;
typedef struct OrtCustomHandleType OrtCustomHandleType;
typedef struct OrtCustomOp OrtCustomOp;
typedef struct OrtCustomOpDomain OrtCustomOpDomain;
typedef struct OrtDataTransferImpl OrtDataTransferImpl;
typedef struct OrtDataType OrtDataType;
typedef struct OrtDeviceEpIncompatibilityDetails OrtDeviceEpIncompatibilityDetails;
typedef struct OrtDnnlProviderOptions OrtDnnlProviderOptions;
typedef struct OrtEnvCreationOptions OrtEnvCreationOptions;
typedef struct OrtEp OrtEp;
typedef struct OrtEpApi OrtEpApi;
typedef struct OrtEpAssignedNode OrtEpAssignedNode;
typedef struct OrtEpAssignedSubgraph OrtEpAssignedSubgraph;
typedef struct OrtEpContextConfig OrtEpContextConfig;
typedef struct OrtEpFactory OrtEpFactory;
typedef struct OrtEpGraphSupportInfo OrtEpGraphSupportInfo;
typedef struct OrtEpProfilerImpl OrtEpProfilerImpl;
typedef struct OrtExternalMemoryDescriptor OrtExternalMemoryDescriptor;
typedef struct OrtExternalMemoryHandle OrtExternalMemoryHandle;
typedef struct OrtExternalResourceImporter OrtExternalResourceImporter;
typedef struct OrtExternalResourceImporterImpl OrtExternalResourceImporterImpl;
typedef struct OrtExternalSemaphoreDescriptor OrtExternalSemaphoreDescriptor;
typedef struct OrtExternalSemaphoreHandle OrtExternalSemaphoreHandle;
typedef struct OrtExternalTensorDescriptor OrtExternalTensorDescriptor;
typedef struct OrtGraph OrtGraph;
typedef struct OrtGraphicsInteropConfig OrtGraphicsInteropConfig;
typedef struct OrtInteropApi OrtInteropApi;
typedef struct OrtIoBinding OrtIoBinding;
typedef struct OrtKernelContext OrtKernelContext;
typedef struct OrtKernelDef OrtKernelDef;
typedef struct OrtKernelDefBuilder OrtKernelDefBuilder;
typedef struct OrtKernelImpl OrtKernelImpl;
typedef struct OrtKernelInfo OrtKernelInfo;
typedef struct OrtKernelRegistry OrtKernelRegistry;
typedef struct OrtLogger OrtLogger;
typedef struct OrtLoopKernelHelper OrtLoopKernelHelper;
typedef struct OrtLoraAdapter OrtLoraAdapter;
typedef struct OrtMIGraphXProviderOptions OrtMIGraphXProviderOptions;
typedef struct OrtMemoryDevice OrtMemoryDevice;
typedef struct OrtModel OrtModel;
typedef struct OrtModelEditorApi OrtModelEditorApi;
typedef struct OrtModelPackageApi OrtModelPackageApi;
typedef struct OrtNode OrtNode;
typedef struct OrtNodeComputeContext OrtNodeComputeContext;
typedef struct OrtNodeComputeInfo OrtNodeComputeInfo;
typedef struct OrtNodeFusionOptions OrtNodeFusionOptions;
typedef struct OrtOp OrtOp;
typedef struct OrtOpAttr OrtOpAttr;
typedef struct OrtOpSchema OrtOpSchema;
typedef struct OrtOpSchemaTypeConstraint OrtOpSchemaTypeConstraint;
typedef struct OrtOpenVINOProviderOptions OrtOpenVINOProviderOptions;
typedef struct OrtPrepackedWeightsContainer OrtPrepackedWeightsContainer;
typedef struct OrtProfilingEvent OrtProfilingEvent;
typedef struct OrtProfilingEventsContainer OrtProfilingEventsContainer;
typedef struct OrtROCMProviderOptions OrtROCMProviderOptions;
typedef struct OrtResourceCount OrtResourceCount;
typedef struct OrtScanKernelHelper OrtScanKernelHelper;
typedef struct OrtShapeInferContext OrtShapeInferContext;
typedef struct OrtSharedPrePackedWeightCache OrtSharedPrePackedWeightCache;
typedef struct OrtSyncNotificationImpl OrtSyncNotificationImpl;
typedef struct OrtSyncStreamImpl OrtSyncStreamImpl;
typedef struct OrtTensorRTProviderOptions OrtTensorRTProviderOptions;
typedef struct OrtTensorRTProviderOptionsV2 OrtTensorRTProviderOptionsV2;
typedef struct OrtThreadPoolCallbacksConfig OrtThreadPoolCallbacksConfig;
typedef struct OrtThreadingOptions OrtThreadingOptions;
typedef struct OrtTrainingApi OrtTrainingApi;
typedef struct OrtValueInfo OrtValueInfo;

// Enumerations with ONNX Runtime's names and values.

typedef enum OrtEpDataLayout {
  OrtEpDataLayout_NCHW = 0,
  OrtEpDataLayout_NHWC = 1,
  OrtEpDataLayout_Default = OrtEpDataLayout_NCHW,
} OrtEpDataLayout;

typedef enum OrtGraphCaptureNodeAssignmentPolicy {
  OrtGraphCaptureNodeAssignmentPolicy_ALL_NODES_ON_EP = 0,
  OrtGraphCaptureNodeAssignmentPolicy_ALLOW_CPU_FOR_SHAPES = 1,
} OrtGraphCaptureNodeAssignmentPolicy;

typedef enum OrtProfilingEventCategory {
  OrtProfilingEventCategory_SESSION = 0,
  OrtProfilingEventCategory_NODE = 1,
  OrtProfilingEventCategory_KERNEL = 2,
  OrtProfilingEventCategory_API = 3,
} OrtProfilingEventCategory;

typedef enum OrtWeightlessSupport {
  OrtWeightlessSupport_NONE = 0,
  OrtWeightlessSupport_EXTERNAL_ONLY = 1,
  OrtWeightlessSupport_ALL = 2,
} OrtWeightlessSupport;

// Callbacks.

typedef void (*OrtExperimentalFnPtr)(void);
typedef const OrtCustomHandleType* OrtCustomThreadHandle;
typedef OrtStatus* (*OrtKernelCreateFunc)(void* kernel_create_func_state, const OrtKernelInfo* info,
      OrtKernelImpl** kernel_out);

// The tables.

/// The main table.
struct OrtApi {
  // Since version 1.
  OrtStatus* (*CreateStatus)(OrtErrorCode code, const char* msg);
  OrtErrorCode (*GetErrorCode)(const OrtStatus* status);
  const char* (*GetErrorMessage)(const OrtStatus* status);
  OrtStatus* (*CreateEnv)(OrtLoggingLevel log_severity_level, const char* logid, OrtEnv** out);
  OrtStatus* (*CreateEnvWithCustomLogger)(OrtLoggingFunction logging_function, void* logger_param,
      OrtLoggingLevel log_severity_level, const char* logid, OrtEnv** out);
  OrtStatus* (*EnableTelemetryEvents)(const OrtEnv* env);
  OrtStatus* (*DisableTelemetryEvents)(const OrtEnv* env);
  OrtStatus* (*CreateSession)(const OrtEnv* env, const char* model_path,
      const OrtSessionOptions* options, OrtSession** out);
  OrtStatus* (*CreateSessionFromArray)(const OrtEnv* env, const void* model_data,
      size_t model_data_length, const OrtSessionOptions* options, OrtSession** out);
  OrtStatus* (*Run)(OrtSession* session, const OrtRunOptions* run_options,
      const char* const* input_names, const OrtValue* const* inputs, size_t input_len,
      const char* const* output_names, size_t output_names_len, OrtValue** outputs);
  OrtStatus* (*CreateSessionOptions)(OrtSessionOptions** options);
  OrtStatus* (*SetOptimizedModelFilePath)(OrtSessionOptions* options,
      const char* optimized_model_filepath);
  OrtStatus* (*CloneSessionOptions)(const OrtSessionOptions* in_options,
      OrtSessionOptions** out_options);
  OrtStatus* (*SetSessionExecutionMode)(OrtSessionOptions* options, ExecutionMode execution_mode);
  OrtStatus* (*EnableProfiling)(OrtSessionOptions* options, const char* profile_file_prefix);
  OrtStatus* (*DisableProfiling)(OrtSessionOptions* options);
  OrtStatus* (*EnableMemPattern)(OrtSessionOptions* options);
  OrtStatus* (*DisableMemPattern)(OrtSessionOptions* options);
  OrtStatus* (*EnableCpuMemArena)(OrtSessionOptions* options);
  OrtStatus* (*DisableCpuMemArena)(OrtSessionOptions* options);
  OrtStatus* (*SetSessionLogId)(OrtSessionOptions* options, const char* logid);
  OrtStatus* (*SetSessionLogVerbosityLevel)(OrtSessionOptions* options,
      int session_log_verbosity_level);
  OrtStatus* (*SetSessionLogSeverityLevel)(OrtSessionOptions* options,
      int session_log_severity_level);
  OrtStatus* (*SetSessionGraphOptimizationLevel)(OrtSessionOptions* options,
      GraphOptimizationLevel graph_optimization_level);
  OrtStatus* (*SetIntraOpNumThreads)(OrtSessionOptions* options, int intra_op_num_threads);
  OrtStatus* (*SetInterOpNumThreads)(OrtSessionOptions* options, int inter_op_num_threads);
  OrtStatus* (*CreateCustomOpDomain)(const char* domain, OrtCustomOpDomain** out);
  OrtStatus* (*CustomOpDomain_Add)(OrtCustomOpDomain* custom_op_domain, const OrtCustomOp* op);
  OrtStatus* (*AddCustomOpDomain)(OrtSessionOptions* options, OrtCustomOpDomain* custom_op_domain);
  OrtStatus* (*RegisterCustomOpsLibrary)(OrtSessionOptions* options, const char* library_path,
      void** library_handle);
  OrtStatus* (*SessionGetInputCount)(const OrtSession* session, size_t* out);
  OrtStatus* (*SessionGetOutputCount)(const OrtSession* session, size_t* out);
  OrtStatus* (*SessionGetOverridableInitializerCount)(const OrtSession* session, size_t* out);
  OrtStatus* (*SessionGetInputTypeInfo)(const OrtSession* session, size_t index,
      OrtTypeInfo** type_info);
  OrtStatus* (*SessionGetOutputTypeInfo)(const OrtSession* session, size_t index,
      OrtTypeInfo** type_info);
  OrtStatus* (*SessionGetOverridableInitializerTypeInfo)(const OrtSession* session, size_t index,
      OrtTypeInfo** type_info);
  OrtStatus* (*SessionGetInputName)(const OrtSession* session, size_t index,
      OrtAllocator* allocator, char** value);
  OrtStatus* (*SessionGetOutputName)(const OrtSession* session, size_t index,
      OrtAllocator* allocator, char** value);
  OrtStatus* (*SessionGetOverridableInitializerName)(const OrtSession* session, size_t index,
      OrtAllocator* allocator, char** value);
  OrtStatus* (*CreateRunOptions)(OrtRunOptions** out);
  OrtStatus* (*RunOptionsSetRunLogVerbosityLevel)(OrtRunOptions* options, int log_verbosity_level);
  OrtStatus* (*RunOptionsSetRunLogSeverityLevel)(OrtRunOptions* options, int log_severity_level);
  OrtStatus* (*RunOptionsSetRunTag)(OrtRunOptions* options, const char* run_tag);
  OrtStatus* (*RunOptionsGetRunLogVerbosityLevel)(const OrtRunOptions* options,
      int* log_verbosity_level);
  OrtStatus* (*RunOptionsGetRunLogSeverityLevel)(const OrtRunOptions* options,
      int* log_severity_level);
  OrtStatus* (*RunOptionsGetRunTag)(const OrtRunOptions* options, const char** run_tag);
  OrtStatus* (*RunOptionsSetTerminate)(OrtRunOptions* options);
  OrtStatus* (*RunOptionsUnsetTerminate)(OrtRunOptions* options);
  OrtStatus* (*CreateTensorAsOrtValue)(OrtAllocator* allocator, const int64_t* shape,
      size_t shape_len, ONNXTensorElementDataType type, OrtValue** out);
  OrtStatus* (*CreateTensorWithDataAsOrtValue)(const OrtMemoryInfo* info, void* p_data,
      size_t p_data_len, const int64_t* shape, size_t shape_len, ONNXTensorElementDataType type,
      OrtValue** out);
  OrtStatus* (*IsTensor)(const OrtValue* value, int* out);
  OrtStatus* (*GetTensorMutableData)(OrtValue* value, void** out);
  OrtStatus* (*FillStringTensor)(OrtValue* value, const char* const* s, size_t s_len);
  OrtStatus* (*GetStringTensorDataLength)(const OrtValue* value, size_t* len);
  OrtStatus* (*GetStringTensorContent)(const OrtValue* value, void* s, size_t s_len,
      size_t* offsets, size_t offsets_len);
  OrtStatus* (*CastTypeInfoToTensorInfo)(const OrtTypeInfo* type_info,
      const OrtTensorTypeAndShapeInfo** out);
  OrtStatus* (*GetOnnxTypeFromTypeInfo)(const OrtTypeInfo* type_info, ONNXType* out);
  OrtStatus* (*CreateTensorTypeAndShapeInfo)(OrtTensorTypeAndShapeInfo** out);
  OrtStatus* (*SetTensorElementType)(OrtTensorTypeAndShapeInfo* info,
      ONNXTensorElementDataType type);
  OrtStatus* (*SetDimensions)(OrtTensorTypeAndShapeInfo* info, const int64_t* dim_values,
      size_t dim_count);
  OrtStatus* (*GetTensorElementType)(const OrtTensorTypeAndShapeInfo* info,
      ONNXTensorElementDataType* out);
  OrtStatus* (*GetDimensionsCount)(const OrtTensorTypeAndShapeInfo* info, size_t* out);
  OrtStatus* (*GetDimensions)(const OrtTensorTypeAndShapeInfo* info, int64_t* dim_values,
      size_t dim_values_length);
  OrtStatus* (*GetSymbolicDimensions)(const OrtTensorTypeAndShapeInfo* info,
      const char* dim_params[], size_t dim_params_length);
  OrtStatus* (*GetTensorShapeElementCount)(const OrtTensorTypeAndShapeInfo* info, size_t* out);
  OrtStatus* (*GetTensorTypeAndShape)(const OrtValue* value, OrtTensorTypeAndShapeInfo** out);
  OrtStatus* (*GetTypeInfo)(const OrtValue* value, OrtTypeInfo** out);
  OrtStatus* (*GetValueType)(const OrtValue* value, ONNXType* out);
  OrtStatus* (*CreateMemoryInfo)(const char* name, OrtAllocatorType type, int id,
      OrtMemType mem_type, OrtMemoryInfo** out);
  OrtStatus* (*CreateCpuMemoryInfo)(OrtAllocatorType type, OrtMemType mem_type,
      OrtMemoryInfo** out);
  OrtStatus* (*CompareMemoryInfo)(const OrtMemoryInfo* info1, const OrtMemoryInfo* info2, int* out);
  OrtStatus* (*MemoryInfoGetName)(const OrtMemoryInfo* ptr, const char** out);
  OrtStatus* (*MemoryInfoGetId)(const OrtMemoryInfo* ptr, int* out);
  OrtStatus* (*MemoryInfoGetMemType)(const OrtMemoryInfo* ptr, OrtMemType* out);
  OrtStatus* (*MemoryInfoGetType)(const OrtMemoryInfo* ptr, OrtAllocatorType* out);
  OrtStatus* (*AllocatorAlloc)(OrtAllocator* ort_allocator, size_t size, void** out);
  OrtStatus* (*AllocatorFree)(OrtAllocator* ort_allocator, void* p);
  OrtStatus* (*AllocatorGetInfo)(const OrtAllocator* ort_allocator, const OrtMemoryInfo** out);
  OrtStatus* (*GetAllocatorWithDefaultOptions)(OrtAllocator** out);
  OrtStatus* (*AddFreeDimensionOverride)(OrtSessionOptions* options, const char* dim_denotation,
      int64_t dim_value);
  OrtStatus* (*GetValue)(const OrtValue* value, int index, OrtAllocator* allocator, OrtValue** out);
  OrtStatus* (*GetValueCount)(const OrtValue* value, size_t* out);
  OrtStatus* (*CreateValue)(const OrtValue* const* in, size_t num_values, ONNXType value_type,
      OrtValue** out);
  OrtStatus* (*CreateOpaqueValue)(const char* domain_name, const char* type_name,
      const void* data_container, size_t data_container_size, OrtValue** out);
  OrtStatus* (*GetOpaqueValue)(const char* domain_name, const char* type_name, const OrtValue* in,
      void* data_container, size_t data_container_size);
  OrtStatus* (*KernelInfoGetAttribute_float)(const OrtKernelInfo* info, const char* name,
      float* out);
  OrtStatus* (*KernelInfoGetAttribute_int64)(const OrtKernelInfo* info, const char* name,
      int64_t* out);
  OrtStatus* (*KernelInfoGetAttribute_string)(const OrtKernelInfo* info, const char* name,
      char* out, size_t* size);
  OrtStatus* (*KernelContext_GetInputCount)(const OrtKernelContext* context, size_t* out);
  OrtStatus* (*KernelContext_GetOutputCount)(const OrtKernelContext* context, size_t* out);
  OrtStatus* (*KernelContext_GetInput)(const OrtKernelContext* context, size_t index,
      const OrtValue** out);
  OrtStatus* (*KernelContext_GetOutput)(OrtKernelContext* context, size_t index,
      const int64_t* dim_values, size_t dim_count, OrtValue** out);
  void (*ReleaseEnv)(OrtEnv* input);
  void (*ReleaseStatus)(OrtStatus* input);
  void (*ReleaseMemoryInfo)(OrtMemoryInfo* input);
  void (*ReleaseSession)(OrtSession* input);
  void (*ReleaseValue)(OrtValue* input);
  void (*ReleaseRunOptions)(OrtRunOptions* input);
  void (*ReleaseTypeInfo)(OrtTypeInfo* input);
  void (*ReleaseTensorTypeAndShapeInfo)(OrtTensorTypeAndShapeInfo* input);
  void (*ReleaseSessionOptions)(OrtSessionOptions* input);
  void (*ReleaseCustomOpDomain)(OrtCustomOpDomain* input);
  // Since version 2.
  OrtStatus* (*GetDenotationFromTypeInfo)(const OrtTypeInfo* type_info,
      const char** const denotation, size_t* len);
  OrtStatus* (*CastTypeInfoToMapTypeInfo)(const OrtTypeInfo* type_info, const OrtMapTypeInfo** out);
  OrtStatus* (*CastTypeInfoToSequenceTypeInfo)(const OrtTypeInfo* type_info,
      const OrtSequenceTypeInfo** out);
  OrtStatus* (*GetMapKeyType)(const OrtMapTypeInfo* map_type_info, ONNXTensorElementDataType* out);
  OrtStatus* (*GetMapValueType)(const OrtMapTypeInfo* map_type_info, OrtTypeInfo** type_info);
  OrtStatus* (*GetSequenceElementType)(const OrtSequenceTypeInfo* sequence_type_info,
      OrtTypeInfo** type_info);
  void (*ReleaseMapTypeInfo)(OrtMapTypeInfo* input);
  void (*ReleaseSequenceTypeInfo)(OrtSequenceTypeInfo* input);
  OrtStatus* (*SessionEndProfiling)(OrtSession* session, OrtAllocator* allocator, char** out);
  OrtStatus* (*SessionGetModelMetadata)(const OrtSession* session, OrtModelMetadata** out);
  OrtStatus* (*ModelMetadataGetProducerName)(const OrtModelMetadata* model_metadata,
      OrtAllocator* allocator, char** value);
  OrtStatus* (*ModelMetadataGetGraphName)(const OrtModelMetadata* model_metadata,
      OrtAllocator* allocator, char** value);
  OrtStatus* (*ModelMetadataGetDomain)(const OrtModelMetadata* model_metadata,
      OrtAllocator* allocator, char** value);
  OrtStatus* (*ModelMetadataGetDescription)(const OrtModelMetadata* model_metadata,
      OrtAllocator* allocator, char** value);
  OrtStatus* (*ModelMetadataLookupCustomMetadataMap)(const OrtModelMetadata* model_metadata,
      OrtAllocator* allocator, const char* key, char** value);
  OrtStatus* (*ModelMetadataGetVersion)(const OrtModelMetadata* model_metadata, int64_t* value);
  void (*ReleaseModelMetadata)(OrtModelMetadata* input);
  // Since version 3.
  OrtStatus* (*CreateEnvWithGlobalThreadPools)(OrtLoggingLevel log_severity_level,
      const char* logid, const OrtThreadingOptions* tp_options, OrtEnv** out);
  OrtStatus* (*DisablePerSessionThreads)(OrtSessionOptions* options);
  OrtStatus* (*CreateThreadingOptions)(OrtThreadingOptions** out);
  void (*ReleaseThreadingOptions)(OrtThreadingOptions* input);
  OrtStatus* (*ModelMetadataGetCustomMetadataMapKeys)(const OrtModelMetadata* model_metadata,
      OrtAllocator* allocator, char*** keys, int64_t* num_keys);
  OrtStatus* (*AddFreeDimensionOverrideByName)(OrtSessionOptions* options, const char* dim_name,
      int64_t dim_value);
  // Since version 4.
  OrtStatus* (*GetAvailableProviders)(char*** out_ptr, int* provider_length);
  OrtStatus* (*ReleaseAvailableProviders)(char** ptr, int providers_length);
  // Since version 5.
  OrtStatus* (*GetStringTensorElementLength)(const OrtValue* value, size_t index, size_t* out);
  OrtStatus* (*GetStringTensorElement)(const OrtValue* value, size_t s_len, size_t index, void* s);
  OrtStatus* (*FillStringTensorElement)(OrtValue* value, const char* s, size_t index);
  OrtStatus* (*AddSessionConfigEntry)(OrtSessionOptions* options, const char* config_key,
      const char* config_value);
  OrtStatus* (*CreateAllocator)(const OrtSession* session, const OrtMemoryInfo* mem_info,
      OrtAllocator** out);
  void (*ReleaseAllocator)(OrtAllocator* input);
  OrtStatus* (*RunWithBinding)(OrtSession* session, const OrtRunOptions* run_options,
      const OrtIoBinding* binding_ptr);
  OrtStatus* (*CreateIoBinding)(OrtSession* session, OrtIoBinding** out);
  void (*ReleaseIoBinding)(OrtIoBinding* input);
  OrtStatus* (*BindInput)(OrtIoBinding* binding_ptr, const char* name, const OrtValue* val_ptr);
  OrtStatus* (*BindOutput)(OrtIoBinding* binding_ptr, const char* name, const OrtValue* val_ptr);
  OrtStatus* (*BindOutputToDevice)(OrtIoBinding* binding_ptr, const char* name,
      const OrtMemoryInfo* mem_info_ptr);
  OrtStatus* (*GetBoundOutputNames)(const OrtIoBinding* binding_ptr, OrtAllocator* allocator,
      char** buffer, size_t** lengths, size_t* count);
  OrtStatus* (*GetBoundOutputValues)(const OrtIoBinding* binding_ptr, OrtAllocator* allocator,
      OrtValue*** output, size_t* output_count);
  void (*ClearBoundInputs)(OrtIoBinding* binding_ptr);
  void (*ClearBoundOutputs)(OrtIoBinding* binding_ptr);
  OrtStatus* (*TensorAt)(OrtValue* value, const int64_t* location_values,
      size_t location_values_count, void** out);
  OrtStatus* (*CreateAndRegisterAllocator)(OrtEnv* env, const OrtMemoryInfo* mem_info,
      const OrtArenaCfg* arena_cfg);
  OrtStatus* (*SetLanguageProjection)(const OrtEnv* ort_env, OrtLanguageProjection projection);
  OrtStatus* (*SessionGetProfilingStartTimeNs)(const OrtSession* session, uint64_t* out);
  OrtStatus* (*SetGlobalIntraOpNumThreads)(OrtThreadingOptions* tp_options,
      int intra_op_num_threads);
  OrtStatus* (*SetGlobalInterOpNumThreads)(OrtThreadingOptions* tp_options,
      int inter_op_num_threads);
  OrtStatus* (*SetGlobalSpinControl)(OrtThreadingOptions* tp_options, int allow_spinning);
  // Since version 6.
  OrtStatus* (*AddInitializer)(OrtSessionOptions* options, const char* name, const OrtValue* val);
  OrtStatus* (*CreateEnvWithCustomLoggerAndGlobalThreadPools)(OrtLoggingFunction logging_function,
      void* logger_param, OrtLoggingLevel log_severity_level, const char* logid,
      const OrtThreadingOptions* tp_options, OrtEnv** out);
  OrtStatus* (*SessionOptionsAppendExecutionProvider_CUDA)(OrtSessionOptions* options,
      const OrtCUDAProviderOptions* cuda_options);
  OrtStatus* (*SessionOptionsAppendExecutionProvider_ROCM)(OrtSessionOptions* options,
      const OrtROCMProviderOptions* rocm_options);
  OrtStatus* (*SessionOptionsAppendExecutionProvider_OpenVINO)(OrtSessionOptions* options,
      const OrtOpenVINOProviderOptions* provider_options);
  OrtStatus* (*SetGlobalDenormalAsZero)(OrtThreadingOptions* tp_options);
  OrtStatus* (*CreateArenaCfg)(size_t max_mem, int arena_extend_strategy,
      int initial_chunk_size_bytes, int max_dead_bytes_per_chunk, OrtArenaCfg** out);
  void (*ReleaseArenaCfg)(OrtArenaCfg* input);
  // Since version 7.
  OrtStatus* (*ModelMetadataGetGraphDescription)(const OrtModelMetadata* model_metadata,
      OrtAllocator* allocator, char** value);
  OrtStatus* (*SessionOptionsAppendExecutionProvider_TensorRT)(OrtSessionOptions* options,
      const OrtTensorRTProviderOptions* tensorrt_options);
  OrtStatus* (*SetCurrentGpuDeviceId)(int device_id);
  OrtStatus* (*GetCurrentGpuDeviceId)(int* device_id);
  // Since version 8.
  OrtStatus* (*KernelInfoGetAttributeArray_float)(const OrtKernelInfo* info, const char* name,
      float* out, size_t* size);
  OrtStatus* (*KernelInfoGetAttributeArray_int64)(const OrtKernelInfo* info, const char* name,
      int64_t* out, size_t* size);
  OrtStatus* (*CreateArenaCfgV2)(const char* const* arena_config_keys,
      const size_t* arena_config_values, size_t num_keys, OrtArenaCfg** out);
  OrtStatus* (*AddRunConfigEntry)(OrtRunOptions* options, const char* config_key,
      const char* config_value);
  OrtStatus* (*CreatePrepackedWeightsContainer)(OrtPrepackedWeightsContainer** out);
  void (*ReleasePrepackedWeightsContainer)(OrtPrepackedWeightsContainer* input);
  OrtStatus* (*CreateSessionWithPrepackedWeightsContainer)(const OrtEnv* env,
      const char* model_path, const OrtSessionOptions* options,
      OrtPrepackedWeightsContainer* prepacked_weights_container, OrtSession** out);
  OrtStatus* (*CreateSessionFromArrayWithPrepackedWeightsContainer)(const OrtEnv* env,
      const void* model_data, size_t model_data_length, const OrtSessionOptions* options,
      OrtPrepackedWeightsContainer* prepacked_weights_container, OrtSession** out);
  // Since version 9.
  OrtStatus* (*SessionOptionsAppendExecutionProvider_TensorRT_V2)(OrtSessionOptions* options,
      const OrtTensorRTProviderOptionsV2* tensorrt_options);
  OrtStatus* (*CreateTensorRTProviderOptions)(OrtTensorRTProviderOptionsV2** out);
  OrtStatus* (*UpdateTensorRTProviderOptions)(OrtTensorRTProviderOptionsV2* tensorrt_options,
      const char* const* provider_options_keys, const char* const* provider_options_values,
      size_t num_keys);
  OrtStatus* (*GetTensorRTProviderOptionsAsString)(
      const OrtTensorRTProviderOptionsV2* tensorrt_options, OrtAllocator* allocator, char** ptr);
  void (*ReleaseTensorRTProviderOptions)(OrtTensorRTProviderOptionsV2* input);
  OrtStatus* (*EnableOrtCustomOps)(OrtSessionOptions* options);
  OrtStatus* (*RegisterAllocator)(OrtEnv* env, OrtAllocator* allocator);
  OrtStatus* (*UnregisterAllocator)(OrtEnv* env, const OrtMemoryInfo* mem_info);
  OrtStatus* (*IsSparseTensor)(const OrtValue* value, int* out);
  OrtStatus* (*CreateSparseTensorAsOrtValue)(OrtAllocator* allocator, const int64_t* dense_shape,
      size_t dense_shape_len, ONNXTensorElementDataType type, OrtValue** out);
  OrtStatus* (*FillSparseTensorCoo)(OrtValue* ort_value, const OrtMemoryInfo* data_mem_info,
      const int64_t* values_shape, size_t values_shape_len, const void* values,
      const int64_t* indices_data, size_t indices_num);
  OrtStatus* (*FillSparseTensorCsr)(OrtValue* ort_value, const OrtMemoryInfo* data_mem_info,
      const int64_t* values_shape, size_t values_shape_len, const void* values,
      const int64_t* inner_indices_data, size_t inner_indices_num,
      const int64_t* outer_indices_data, size_t outer_indices_num);
  OrtStatus* (*FillSparseTensorBlockSparse)(OrtValue* ort_value, const OrtMemoryInfo* data_mem_info,
      const int64_t* values_shape, size_t values_shape_len, const void* values,
      const int64_t* indices_shape_data, size_t indices_shape_len, const int32_t* indices_data);
  OrtStatus* (*CreateSparseTensorWithValuesAsOrtValue)(const OrtMemoryInfo* info, void* p_data,
      const int64_t* dense_shape, size_t dense_shape_len, const int64_t* values_shape,
      size_t values_shape_len, ONNXTensorElementDataType type, OrtValue** out);
  OrtStatus* (*UseCooIndices)(OrtValue* ort_value, int64_t* indices_data, size_t indices_num);
  OrtStatus* (*UseCsrIndices)(OrtValue* ort_value, int64_t* inner_data, size_t inner_num,
      int64_t* outer_data, size_t outer_num);
  OrtStatus* (*UseBlockSparseIndices)(OrtValue* ort_value, const int64_t* indices_shape,
      size_t indices_shape_len, int32_t* indices_data);
  OrtStatus* (*GetSparseTensorFormat)(const OrtValue* ort_value, OrtSparseFormat* out);
  OrtStatus* (*GetSparseTensorValuesTypeAndShape)(const OrtValue* ort_value,
      OrtTensorTypeAndShapeInfo** out);
  OrtStatus* (*GetSparseTensorValues)(const OrtValue* ort_value, const void** out);
  OrtStatus* (*GetSparseTensorIndicesTypeShape)(const OrtValue* ort_value,
      OrtSparseIndicesFormat indices_format, OrtTensorTypeAndShapeInfo** out);
  OrtStatus* (*GetSparseTensorIndices)(const OrtValue* ort_value,
      OrtSparseIndicesFormat indices_format, size_t* num_indices, const void** indices);
  // Since version 10.
  OrtStatus* (*HasValue)(const OrtValue* value, int* out);
  OrtStatus* (*KernelContext_GetGPUComputeStream)(const OrtKernelContext* context, void** out);
  OrtStatus* (*GetTensorMemoryInfo)(const OrtValue* value, const OrtMemoryInfo** mem_info);
  OrtStatus* (*GetExecutionProviderApi)(const char* provider_name, uint32_t version,
      const void** provider_api);
  OrtStatus* (*SessionOptionsSetCustomCreateThreadFn)(OrtSessionOptions* options,
      OrtCustomCreateThreadFn ort_custom_create_thread_fn);
  OrtStatus* (*SessionOptionsSetCustomThreadCreationOptions)(OrtSessionOptions* options,
      void* ort_custom_thread_creation_options);
  OrtStatus* (*SessionOptionsSetCustomJoinThreadFn)(OrtSessionOptions* options,
      OrtCustomJoinThreadFn ort_custom_join_thread_fn);
  OrtStatus* (*SetGlobalCustomCreateThreadFn)(OrtThreadingOptions* tp_options,
      OrtCustomCreateThreadFn ort_custom_create_thread_fn);
  OrtStatus* (*SetGlobalCustomThreadCreationOptions)(OrtThreadingOptions* tp_options,
      void* ort_custom_thread_creation_options);
  OrtStatus* (*SetGlobalCustomJoinThreadFn)(OrtThreadingOptions* tp_options,
      OrtCustomJoinThreadFn ort_custom_join_thread_fn);
  OrtStatus* (*SynchronizeBoundInputs)(OrtIoBinding* binding_ptr);
  OrtStatus* (*SynchronizeBoundOutputs)(OrtIoBinding* binding_ptr);
  // Since version 11.
  OrtStatus* (*SessionOptionsAppendExecutionProvider_CUDA_V2)(OrtSessionOptions* options,
      const OrtCUDAProviderOptionsV2* cuda_options);
  OrtStatus* (*CreateCUDAProviderOptions)(OrtCUDAProviderOptionsV2** out);
  OrtStatus* (*UpdateCUDAProviderOptions)(OrtCUDAProviderOptionsV2* cuda_options,
      const char* const* provider_options_keys, const char* const* provider_options_values,
      size_t num_keys);
  OrtStatus* (*GetCUDAProviderOptionsAsString)(const OrtCUDAProviderOptionsV2* cuda_options,
      OrtAllocator* allocator, char** ptr);
  void (*ReleaseCUDAProviderOptions)(OrtCUDAProviderOptionsV2* input);
  OrtStatus* (*SessionOptionsAppendExecutionProvider_MIGraphX)(OrtSessionOptions* options,
      const OrtMIGraphXProviderOptions* migraphx_options);
  // Since version 12.
  OrtStatus* (*AddExternalInitializers)(OrtSessionOptions* options,
      const char* const* initializer_names, const OrtValue* const* initializers,
      size_t num_initializers);
  OrtStatus* (*CreateOpAttr)(const char* name, const void* data, int len, OrtOpAttrType type,
      OrtOpAttr** op_attr);
  void (*ReleaseOpAttr)(OrtOpAttr* input);
  OrtStatus* (*CreateOp)(const OrtKernelInfo* info, const char* op_name, const char* domain,
      int version, const char** type_constraint_names,
      const ONNXTensorElementDataType* type_constraint_values, int type_constraint_count,
      const OrtOpAttr* const* attr_values, int attr_count, int input_count, int output_count,
      OrtOp** ort_op);
  OrtStatus* (*InvokeOp)(const OrtKernelContext* context, const OrtOp* ort_op,
      const OrtValue* const* input_values, int input_count, OrtValue* const* output_values,
      int output_count);
  void (*ReleaseOp)(OrtOp* input);
  OrtStatus* (*SessionOptionsAppendExecutionProvider)(OrtSessionOptions* options,
      const char* provider_name, const char* const* provider_options_keys,
      const char* const* provider_options_values, size_t num_keys);
  OrtStatus* (*CopyKernelInfo)(const OrtKernelInfo* info, OrtKernelInfo** info_copy);
  void (*ReleaseKernelInfo)(OrtKernelInfo* input);
  // Since version 13.
  const OrtTrainingApi* (*GetTrainingApi)(uint32_t version);
  OrtStatus* (*SessionOptionsAppendExecutionProvider_CANN)(OrtSessionOptions* options,
      const OrtCANNProviderOptions* cann_options);
  OrtStatus* (*CreateCANNProviderOptions)(OrtCANNProviderOptions** out);
  OrtStatus* (*UpdateCANNProviderOptions)(OrtCANNProviderOptions* cann_options,
      const char* const* provider_options_keys, const char* const* provider_options_values,
      size_t num_keys);
  OrtStatus* (*GetCANNProviderOptionsAsString)(const OrtCANNProviderOptions* cann_options,
      OrtAllocator* allocator, char** ptr);
  void (*ReleaseCANNProviderOptions)(OrtCANNProviderOptions* input);
  // Since version 14.
  void (*MemoryInfoGetDeviceType)(const OrtMemoryInfo* ptr, OrtMemoryInfoDeviceType* out);
  OrtStatus* (*UpdateEnvWithCustomLogLevel)(OrtEnv* ort_env, OrtLoggingLevel log_severity_level);
  OrtStatus* (*SetGlobalIntraOpThreadAffinity)(OrtThreadingOptions* tp_options,
      const char* affinity_string);
  OrtStatus* (*RegisterCustomOpsLibrary_V2)(OrtSessionOptions* options, const char* library_name);
  OrtStatus* (*RegisterCustomOpsUsingFunction)(OrtSessionOptions* options,
      const char* registration_func_name);
  OrtStatus* (*KernelInfo_GetInputCount)(const OrtKernelInfo* info, size_t* out);
  OrtStatus* (*KernelInfo_GetOutputCount)(const OrtKernelInfo* info, size_t* out);
  OrtStatus* (*KernelInfo_GetInputName)(const OrtKernelInfo* info, size_t index, char* out,
      size_t* size);
  OrtStatus* (*KernelInfo_GetOutputName)(const OrtKernelInfo* info, size_t index, char* out,
      size_t* size);
  OrtStatus* (*KernelInfo_GetInputTypeInfo)(const OrtKernelInfo* info, size_t index,
      OrtTypeInfo** type_info);
  OrtStatus* (*KernelInfo_GetOutputTypeInfo)(const OrtKernelInfo* info, size_t index,
      OrtTypeInfo** type_info);
  OrtStatus* (*KernelInfoGetAttribute_tensor)(const OrtKernelInfo* info, const char* name,
      OrtAllocator* allocator, OrtValue** out);
  OrtStatus* (*HasSessionConfigEntry)(const OrtSessionOptions* options, const char* config_key,
      int* out);
  OrtStatus* (*GetSessionConfigEntry)(const OrtSessionOptions* options, const char* config_key,
      char* config_value, size_t* size);
  // Since version 15.
  OrtStatus* (*SessionOptionsAppendExecutionProvider_Dnnl)(OrtSessionOptions* options,
      const OrtDnnlProviderOptions* dnnl_options);
  OrtStatus* (*CreateDnnlProviderOptions)(OrtDnnlProviderOptions** out);
  OrtStatus* (*UpdateDnnlProviderOptions)(OrtDnnlProviderOptions* dnnl_options,
      const char* const* provider_options_keys, const char* const* provider_options_values,
      size_t num_keys);
  OrtStatus* (*GetDnnlProviderOptionsAsString)(const OrtDnnlProviderOptions* dnnl_options,
      OrtAllocator* allocator, char** ptr);
  void (*ReleaseDnnlProviderOptions)(OrtDnnlProviderOptions* input);
  OrtStatus* (*KernelInfo_GetNodeName)(const OrtKernelInfo* info, char* out, size_t* size);
  OrtStatus* (*KernelInfo_GetLogger)(const OrtKernelInfo* info, const OrtLogger** logger);
  OrtStatus* (*KernelContext_GetLogger)(const OrtKernelContext* context, const OrtLogger** logger);
  OrtStatus* (*Logger_LogMessage)(const OrtLogger* logger, OrtLoggingLevel log_severity_level,
      const char* message, const char* file_path, int line_number, const char* func_name);
  OrtStatus* (*Logger_GetLoggingSeverityLevel)(const OrtLogger* logger, OrtLoggingLevel* out);
  OrtStatus* (*KernelInfoGetConstantInput_tensor)(const OrtKernelInfo* info, size_t index,
      int* is_constant, const OrtValue** out);
  OrtStatus* (*CastTypeInfoToOptionalTypeInfo)(const OrtTypeInfo* type_info,
      const OrtOptionalTypeInfo** out);
  OrtStatus* (*GetOptionalContainedTypeInfo)(const OrtOptionalTypeInfo* optional_type_info,
      OrtTypeInfo** out);
  OrtStatus* (*GetResizedStringTensorElementBuffer)(OrtValue* value, size_t index,
      size_t length_in_bytes, char** buffer);
  OrtStatus* (*KernelContext_GetAllocator)(const OrtKernelContext* context,
      const OrtMemoryInfo* mem_info, OrtAllocator** out);
  const char* (*GetBuildInfoString)(void);
  // Since version 16.
  OrtStatus* (*CreateROCMProviderOptions)(OrtROCMProviderOptions** out);
  OrtStatus* (*UpdateROCMProviderOptions)(OrtROCMProviderOptions* rocm_options,
      const char* const* provider_options_keys, const char* const* provider_options_values,
      size_t num_keys);
  OrtStatus* (*GetROCMProviderOptionsAsString)(const OrtROCMProviderOptions* rocm_options,
      OrtAllocator* allocator, char** ptr);
  void (*ReleaseROCMProviderOptions)(OrtROCMProviderOptions* input);
  OrtStatus* (*CreateAndRegisterAllocatorV2)(OrtEnv* env, const char* provider_type,
      const OrtMemoryInfo* mem_info, const OrtArenaCfg* arena_cfg,
      const char* const* provider_options_keys, const char* const* provider_options_values,
      size_t num_keys);
  OrtStatus* (*RunAsync)(OrtSession* session, const OrtRunOptions* run_options,
      const char* const* input_names, const OrtValue* const* input, size_t input_len,
      const char* const* output_names, size_t output_names_len, OrtValue** output,
      RunAsyncCallbackFn run_async_callback, void* user_data);
  OrtStatus* (*UpdateTensorRTProviderOptionsWithValue)(
      OrtTensorRTProviderOptionsV2* tensorrt_options, const char* key, void* value);
  OrtStatus* (*GetTensorRTProviderOptionsByName)(
      const OrtTensorRTProviderOptionsV2* tensorrt_options, const char* key, void** ptr);
  OrtStatus* (*UpdateCUDAProviderOptionsWithValue)(OrtCUDAProviderOptionsV2* cuda_options,
      const char* key, void* value);
  OrtStatus* (*GetCUDAProviderOptionsByName)(const OrtCUDAProviderOptionsV2* cuda_options,
      const char* key, void** ptr);
  OrtStatus* (*KernelContext_GetResource)(const OrtKernelContext* context, int resource_version,
      int resource_id, void** resource);
  // Since version 17.
  OrtStatus* (*SetUserLoggingFunction)(OrtSessionOptions* options,
      OrtLoggingFunction user_logging_function, void* user_logging_param);
  OrtStatus* (*ShapeInferContext_GetInputCount)(const OrtShapeInferContext* context, size_t* out);
  OrtStatus* (*ShapeInferContext_GetInputTypeShape)(const OrtShapeInferContext* context,
      size_t index, OrtTensorTypeAndShapeInfo** info);
  OrtStatus* (*ShapeInferContext_GetAttribute)(const OrtShapeInferContext* context,
      const char* attr_name, const OrtOpAttr** attr);
  OrtStatus* (*ShapeInferContext_SetOutputTypeShape)(const OrtShapeInferContext* context,
      size_t index, const OrtTensorTypeAndShapeInfo* info);
  OrtStatus* (*SetSymbolicDimensions)(OrtTensorTypeAndShapeInfo* info, const char* dim_params[],
      size_t dim_params_length);
  OrtStatus* (*ReadOpAttr)(const OrtOpAttr* op_attr, OrtOpAttrType type, void* data, size_t len,
      size_t* out);
  OrtStatus* (*SetDeterministicCompute)(OrtSessionOptions* options, bool value);
  OrtStatus* (*KernelContext_ParallelFor)(const OrtKernelContext* context,
      void (*fn)(void*, size_t), size_t total, size_t num_batch, void* usr_data);
  OrtStatus* (*SessionOptionsAppendExecutionProvider_OpenVINO_V2)(OrtSessionOptions* options,
      const char* const* provider_options_keys, const char* const* provider_options_values,
      size_t num_keys);
  // Since version 18.
  OrtStatus* (*SessionOptionsAppendExecutionProvider_VitisAI)(OrtSessionOptions* options,
      const char* const* provider_options_keys, const char* const* provider_options_values,
      size_t num_keys);
  OrtStatus* (*KernelContext_GetScratchBuffer)(const OrtKernelContext* context,
      const OrtMemoryInfo* mem_info, size_t count_or_bytes, void** out);
  OrtStatus* (*KernelInfoGetAllocator)(const OrtKernelInfo* info, OrtMemType mem_type,
      OrtAllocator** out);
  OrtStatus* (*AddExternalInitializersFromFilesInMemory)(OrtSessionOptions* options,
      const char* const* external_initializer_file_names,
      char* const* external_initializer_file_buffer_array,
      const size_t* external_initializer_file_lengths, size_t num_external_initializer_files);
  // Since version 20.
  OrtStatus* (*CreateLoraAdapter)(const char* adapter_file_path, OrtAllocator* allocator,
      OrtLoraAdapter** out);
  OrtStatus* (*CreateLoraAdapterFromArray)(const void* bytes, size_t num_bytes,
      OrtAllocator* allocator, OrtLoraAdapter** out);
  void (*ReleaseLoraAdapter)(OrtLoraAdapter* input);
  OrtStatus* (*RunOptionsAddActiveLoraAdapter)(OrtRunOptions* options,
      const OrtLoraAdapter* adapter);
  OrtStatus* (*SetEpDynamicOptions)(OrtSession* sess, const char* const* keys,
      const char* const* values, size_t kv_len);
  // Since version 22.
  void (*ReleaseValueInfo)(OrtValueInfo* input);
  void (*ReleaseNode)(OrtNode* input);
  void (*ReleaseGraph)(OrtGraph* input);
  void (*ReleaseModel)(OrtModel* input);
  OrtStatus* (*GetValueInfoName)(const OrtValueInfo* value_info, const char** name);
  OrtStatus* (*GetValueInfoTypeInfo)(const OrtValueInfo* value_info, const OrtTypeInfo** type_info);
  const OrtModelEditorApi* (*GetModelEditorApi)(void);
  OrtStatus* (*CreateTensorWithDataAndDeleterAsOrtValue)(OrtAllocator* deleter, void* p_data,
      size_t p_data_len, const int64_t* shape, size_t shape_len, ONNXTensorElementDataType type,
      OrtValue** out);
  OrtStatus* (*SessionOptionsSetLoadCancellationFlag)(OrtSessionOptions* options, bool cancel);
  const OrtCompileApi* (*GetCompileApi)(void);
  void (*CreateKeyValuePairs)(OrtKeyValuePairs** out);
  void (*AddKeyValuePair)(OrtKeyValuePairs* kvps, const char* key, const char* value);
  const char* (*GetKeyValue)(const OrtKeyValuePairs* kvps, const char* key);
  void (*GetKeyValuePairs)(const OrtKeyValuePairs* kvps, const char* const** keys,
      const char* const** values, size_t* num_entries);
  void (*RemoveKeyValuePair)(OrtKeyValuePairs* kvps, const char* key);
  void (*ReleaseKeyValuePairs)(OrtKeyValuePairs* input);
  OrtStatus* (*RegisterExecutionProviderLibrary)(OrtEnv* env, const char* registration_name,
      const char* path);
  OrtStatus* (*UnregisterExecutionProviderLibrary)(OrtEnv* env, const char* registration_name);
  OrtStatus* (*GetEpDevices)(const OrtEnv* env, const OrtEpDevice* const** ep_devices,
      size_t* num_ep_devices);
  OrtStatus* (*SessionOptionsAppendExecutionProvider_V2)(OrtSessionOptions* session_options,
      OrtEnv* env, const OrtEpDevice* const* ep_devices, size_t num_ep_devices,
      const char* const* ep_option_keys, const char* const* ep_option_vals, size_t num_ep_options);
  OrtStatus* (*SessionOptionsSetEpSelectionPolicy)(OrtSessionOptions* session_options,
      OrtExecutionProviderDevicePolicy policy);
  OrtStatus* (*SessionOptionsSetEpSelectionPolicyDelegate)(OrtSessionOptions* session_options,
      EpSelectionDelegate delegate, void* delegate_state);
  OrtHardwareDeviceType (*HardwareDevice_Type)(const OrtHardwareDevice* device);
  uint32_t (*HardwareDevice_VendorId)(const OrtHardwareDevice* device);
  const char* (*HardwareDevice_Vendor)(const OrtHardwareDevice* device);
  uint32_t (*HardwareDevice_DeviceId)(const OrtHardwareDevice* device);
  const OrtKeyValuePairs* (*HardwareDevice_Metadata)(const OrtHardwareDevice* device);
  const char* (*EpDevice_EpName)(const OrtEpDevice* ep_device);
  const char* (*EpDevice_EpVendor)(const OrtEpDevice* ep_device);
  const OrtKeyValuePairs* (*EpDevice_EpMetadata)(const OrtEpDevice* ep_device);
  const OrtKeyValuePairs* (*EpDevice_EpOptions)(const OrtEpDevice* ep_device);
  const OrtHardwareDevice* (*EpDevice_Device)(const OrtEpDevice* ep_device);
  const OrtEpApi* (*GetEpApi)(void);
  // Since version 23.
  OrtStatus* (*GetTensorSizeInBytes)(const OrtValue* ort_value, size_t* size);
  OrtStatus* (*AllocatorGetStats)(const OrtAllocator* ort_allocator, OrtKeyValuePairs** out);
  OrtStatus* (*CreateMemoryInfo_V2)(const char* name, OrtMemoryInfoDeviceType device_type,
      uint32_t vendor_id, int32_t device_id, OrtDeviceMemoryType mem_type, size_t alignment,
      OrtAllocatorType allocator_type, OrtMemoryInfo** out);
  OrtDeviceMemoryType (*MemoryInfoGetDeviceMemType)(const OrtMemoryInfo* ptr);
  uint32_t (*MemoryInfoGetVendorId)(const OrtMemoryInfo* ptr);
  OrtStatus* (*ValueInfo_GetValueProducer)(const OrtValueInfo* value_info,
      const OrtNode** producer_node, size_t* producer_output_index);
  OrtStatus* (*ValueInfo_GetValueNumConsumers)(const OrtValueInfo* value_info,
      size_t* num_consumers);
  OrtStatus* (*ValueInfo_GetValueConsumers)(const OrtValueInfo* value_info, const OrtNode** nodes,
      int64_t* input_indices, size_t num_consumers);
  OrtStatus* (*ValueInfo_GetInitializerValue)(const OrtValueInfo* value_info,
      const OrtValue** initializer_value);
  OrtStatus* (*ValueInfo_GetExternalInitializerInfo)(const OrtValueInfo* value_info,
      OrtExternalInitializerInfo** info);
  OrtStatus* (*ValueInfo_IsRequiredGraphInput)(const OrtValueInfo* value_info,
      bool* is_required_graph_input);
  OrtStatus* (*ValueInfo_IsOptionalGraphInput)(const OrtValueInfo* value_info,
      bool* is_optional_graph_input);
  OrtStatus* (*ValueInfo_IsGraphOutput)(const OrtValueInfo* value_info, bool* is_graph_output);
  OrtStatus* (*ValueInfo_IsConstantInitializer)(const OrtValueInfo* value_info,
      bool* is_constant_initializer);
  OrtStatus* (*ValueInfo_IsFromOuterScope)(const OrtValueInfo* value_info,
      bool* is_from_outer_scope);
  OrtStatus* (*Graph_GetName)(const OrtGraph* graph, const char** graph_name);
  OrtStatus* (*Graph_GetModelPath)(const OrtGraph* graph, const char** model_path);
  OrtStatus* (*Graph_GetOnnxIRVersion)(const OrtGraph* graph, int64_t* onnx_ir_version);
  OrtStatus* (*Graph_GetNumOperatorSets)(const OrtGraph* graph, size_t* num_operator_sets);
  OrtStatus* (*Graph_GetOperatorSets)(const OrtGraph* graph, const char** domains,
      int64_t* opset_versions, size_t num_operator_sets);
  OrtStatus* (*Graph_GetNumInputs)(const OrtGraph* graph, size_t* num_inputs);
  OrtStatus* (*Graph_GetInputs)(const OrtGraph* graph, const OrtValueInfo** inputs,
      size_t num_inputs);
  OrtStatus* (*Graph_GetNumOutputs)(const OrtGraph* graph, size_t* num_outputs);
  OrtStatus* (*Graph_GetOutputs)(const OrtGraph* graph, const OrtValueInfo** outputs,
      size_t num_outputs);
  OrtStatus* (*Graph_GetNumInitializers)(const OrtGraph* graph, size_t* num_initializers);
  OrtStatus* (*Graph_GetInitializers)(const OrtGraph* graph, const OrtValueInfo** initializers,
      size_t num_initializers);
  OrtStatus* (*Graph_GetNumNodes)(const OrtGraph* graph, size_t* num_nodes);
  OrtStatus* (*Graph_GetNodes)(const OrtGraph* graph, const OrtNode** nodes, size_t num_nodes);
  OrtStatus* (*Graph_GetParentNode)(const OrtGraph* graph, const OrtNode** node);
  OrtStatus* (*Graph_GetGraphView)(const OrtGraph* src_graph, const OrtNode** nodes,
      size_t num_nodes, OrtGraph** dst_graph);
  OrtStatus* (*Node_GetId)(const OrtNode* node, size_t* node_id);
  OrtStatus* (*Node_GetName)(const OrtNode* node, const char** node_name);
  OrtStatus* (*Node_GetOperatorType)(const OrtNode* node, const char** operator_type);
  OrtStatus* (*Node_GetDomain)(const OrtNode* node, const char** domain_name);
  OrtStatus* (*Node_GetSinceVersion)(const OrtNode* node, int* since_version);
  OrtStatus* (*Node_GetNumInputs)(const OrtNode* node, size_t* num_inputs);
  OrtStatus* (*Node_GetInputs)(const OrtNode* node, const OrtValueInfo** inputs, size_t num_inputs);
  OrtStatus* (*Node_GetNumOutputs)(const OrtNode* node, size_t* num_outputs);
  OrtStatus* (*Node_GetOutputs)(const OrtNode* node, const OrtValueInfo** outputs,
      size_t num_outputs);
  OrtStatus* (*Node_GetNumImplicitInputs)(const OrtNode* node, size_t* num_implicit_inputs);
  OrtStatus* (*Node_GetImplicitInputs)(const OrtNode* node, const OrtValueInfo** implicit_inputs,
      size_t num_implicit_inputs);
  OrtStatus* (*Node_GetNumAttributes)(const OrtNode* node, size_t* num_attributes);
  OrtStatus* (*Node_GetAttributes)(const OrtNode* node, const OrtOpAttr** attributes,
      size_t num_attributes);
  OrtStatus* (*Node_GetAttributeByName)(const OrtNode* node, const char* attribute_name,
      const OrtOpAttr** attribute);
  OrtStatus* (*OpAttr_GetTensorAttributeAsOrtValue)(const OrtOpAttr* attribute,
      OrtValue** attr_tensor);
  OrtStatus* (*OpAttr_GetType)(const OrtOpAttr* attribute, OrtOpAttrType* type);
  OrtStatus* (*OpAttr_GetName)(const OrtOpAttr* attribute, const char** name);
  OrtStatus* (*Node_GetNumSubgraphs)(const OrtNode* node, size_t* num_subgraphs);
  OrtStatus* (*Node_GetSubgraphs)(const OrtNode* node, const OrtGraph** subgraphs,
      size_t num_subgraphs, const char** attribute_names);
  OrtStatus* (*Node_GetGraph)(const OrtNode* node, const OrtGraph** graph);
  OrtStatus* (*Node_GetEpName)(const OrtNode* node, const char** out);
  void (*ReleaseExternalInitializerInfo)(OrtExternalInitializerInfo* input);
  const char* (*ExternalInitializerInfo_GetFilePath)(const OrtExternalInitializerInfo* info);
  int64_t (*ExternalInitializerInfo_GetFileOffset)(const OrtExternalInitializerInfo* info);
  size_t (*ExternalInitializerInfo_GetByteSize)(const OrtExternalInitializerInfo* info);
  const char* (*GetRunConfigEntry)(const OrtRunOptions* options, const char* config_key);
  const OrtMemoryInfo* (*EpDevice_MemoryInfo)(const OrtEpDevice* ep_device,
      OrtDeviceMemoryType memory_type);
  OrtStatus* (*CreateSharedAllocator)(OrtEnv* env, const OrtEpDevice* ep_device,
      OrtDeviceMemoryType mem_type, OrtAllocatorType allocator_type,
      const OrtKeyValuePairs* allocator_options, OrtAllocator** allocator);
  OrtStatus* (*GetSharedAllocator)(OrtEnv* env, const OrtMemoryInfo* mem_info,
      OrtAllocator** allocator);
  OrtStatus* (*ReleaseSharedAllocator)(OrtEnv* env, const OrtEpDevice* ep_device,
      OrtDeviceMemoryType mem_type);
  OrtStatus* (*GetTensorData)(const OrtValue* value, const void** out);
  OrtStatus* (*GetSessionOptionsConfigEntries)(const OrtSessionOptions* options,
      OrtKeyValuePairs** out);
  OrtStatus* (*SessionGetMemoryInfoForInputs)(const OrtSession* session,
      const OrtMemoryInfo** inputs_memory_info, size_t num_inputs);
  OrtStatus* (*SessionGetMemoryInfoForOutputs)(const OrtSession* session,
      const OrtMemoryInfo** outputs_memory_info, size_t num_outputs);
  OrtStatus* (*SessionGetEpDeviceForInputs)(const OrtSession* session,
      const OrtEpDevice** inputs_ep_devices, size_t num_inputs);
  OrtStatus* (*CreateSyncStreamForEpDevice)(const OrtEpDevice* ep_device,
      const OrtKeyValuePairs* stream_options, OrtSyncStream** stream);
  void* (*SyncStream_GetHandle)(OrtSyncStream* stream);
  void (*ReleaseSyncStream)(OrtSyncStream* input);
  OrtStatus* (*CopyTensors)(const OrtEnv* env, const OrtValue* const* src_tensors,
      OrtValue* const* dst_tensors, OrtSyncStream* stream, size_t num_tensors);
  OrtStatus* (*Graph_GetModelMetadata)(const OrtGraph* graph, OrtModelMetadata** out);
  OrtStatus* (*GetModelCompatibilityForEpDevices)(const OrtEpDevice* const* ep_devices,
      size_t num_ep_devices, const char* compatibility_info,
      OrtCompiledModelCompatibility* out_status);
  OrtStatus* (*CreateExternalInitializerInfo)(const char* filepath, int64_t file_offset,
      size_t byte_size, OrtExternalInitializerInfo** out);
  // Since version 24.
  bool (*TensorTypeAndShape_HasShape)(const OrtTensorTypeAndShapeInfo* info);
  OrtStatus* (*KernelInfo_GetConfigEntries)(const OrtKernelInfo* info, OrtKeyValuePairs** out);
  OrtStatus* (*KernelInfo_GetOperatorDomain)(const OrtKernelInfo* info, char* out, size_t* size);
  OrtStatus* (*KernelInfo_GetOperatorType)(const OrtKernelInfo* info, char* out, size_t* size);
  OrtStatus* (*KernelInfo_GetOperatorSinceVersion)(const OrtKernelInfo* info, int* since_version);
  const OrtInteropApi* (*GetInteropApi)(void);
  OrtStatus* (*SessionGetEpDeviceForOutputs)(const OrtSession* session,
      const OrtEpDevice** outputs_ep_devices, size_t num_outputs);
  OrtStatus* (*GetNumHardwareDevices)(const OrtEnv* env, size_t* num_devices);
  OrtStatus* (*GetHardwareDevices)(const OrtEnv* env, const OrtHardwareDevice** devices,
      size_t num_devices);
  OrtStatus* (*GetHardwareDeviceEpIncompatibilityDetails)(const OrtEnv* env, const char* ep_name,
      const OrtHardwareDevice* hw, OrtDeviceEpIncompatibilityDetails** details);
  OrtStatus* (*DeviceEpIncompatibilityDetails_GetReasonsBitmask)(
      const OrtDeviceEpIncompatibilityDetails* details, uint32_t* reasons_bitmask);
  OrtStatus* (*DeviceEpIncompatibilityDetails_GetNotes)(
      const OrtDeviceEpIncompatibilityDetails* details, const char** notes);
  OrtStatus* (*DeviceEpIncompatibilityDetails_GetErrorCode)(
      const OrtDeviceEpIncompatibilityDetails* details, int32_t* error_code);
  void (*ReleaseDeviceEpIncompatibilityDetails)(OrtDeviceEpIncompatibilityDetails* input);
  OrtStatus* (*GetCompatibilityInfoFromModel)(const char* model_path, const char* ep_type,
      OrtAllocator* allocator, char** compatibility_info);
  OrtStatus* (*GetCompatibilityInfoFromModelBytes)(const void* model_data, size_t model_data_length,
      const char* ep_type, OrtAllocator* allocator, char** compatibility_info);
  OrtStatus* (*CreateEnvWithOptions)(const OrtEnvCreationOptions* options, OrtEnv** out);
  OrtStatus* (*Session_GetEpGraphAssignmentInfo)(const OrtSession* session,
      const OrtEpAssignedSubgraph* const** ep_subgraphs, size_t* num_ep_subgraphs);
  OrtStatus* (*EpAssignedSubgraph_GetEpName)(const OrtEpAssignedSubgraph* ep_subgraph,
      const char** out);
  OrtStatus* (*EpAssignedSubgraph_GetNodes)(const OrtEpAssignedSubgraph* ep_subgraph,
      const OrtEpAssignedNode* const** ep_nodes, size_t* num_ep_nodes);
  OrtStatus* (*EpAssignedNode_GetName)(const OrtEpAssignedNode* ep_node, const char** out);
  OrtStatus* (*EpAssignedNode_GetDomain)(const OrtEpAssignedNode* ep_node, const char** out);
  OrtStatus* (*EpAssignedNode_GetOperatorType)(const OrtEpAssignedNode* ep_node, const char** out);
  void (*RunOptionsSetSyncStream)(OrtRunOptions* options, OrtSyncStream* sync_stream);
  OrtStatus* (*GetTensorElementTypeAndShapeDataReference)(const OrtValue* value,
      ONNXTensorElementDataType* elem_type, const int64_t** shape_data, size_t* shape_data_count);
  // Since version 25.
  OrtStatus* (*RunOptionsEnableProfiling)(OrtRunOptions* options, const char* profile_file_prefix);
  OrtStatus* (*RunOptionsDisableProfiling)(OrtRunOptions* options);
  OrtStatus* (*KernelInfoGetAttributeArray_string)(const OrtKernelInfo* info, const char* name,
      OrtAllocator* allocator, char*** out, size_t* size);
  OrtStatus* (*SetPerSessionThreadPoolCallbacks)(OrtEnv* env,
      const OrtThreadPoolCallbacksConfig* config);
  // Since version 27.
  OrtStatus* (*GetMemPatternEnabled)(const OrtSessionOptions* options, int* out);
  OrtStatus* (*GetSessionExecutionMode)(const OrtSessionOptions* options, ExecutionMode* out);
  OrtStatus* (*SessionReleaseCapturedGraph)(OrtSession* session, int graph_annotation_id);
  // Since version 28.
  OrtExperimentalFnPtr (*GetExperimentalFunction)(const char* name);
  OrtStatus* (*KernelContext_GetSyncStream)(const OrtKernelContext* context, OrtSyncStream** out);
  // Since version 29.
  OrtStatus* (*SessionOptionsSetWeightlessSourceModelBuffer)(OrtSessionOptions* options,
      const void* source_model_data, size_t source_model_data_length);
  // Since version 30.
  OrtStatus* (*KernelContext_GetPreallocatedOutput)(const OrtKernelContext* context,
      size_t output_index, OrtValue** output);
  // Since version 31.
  OrtStatus* (*SessionOptionsSetEpContextDataReadFunc)(OrtSessionOptions* options,
      OrtReadNamedBufferFunc read_func, void* state);
  const OrtModelPackageApi* (*GetModelPackageApi)(void);
};

/// What execution providers call.
struct OrtEpApi {
  // Since version 22.
  OrtStatus* (*CreateEpDevice)(OrtEpFactory* ep_factory, const OrtHardwareDevice* hardware_device,
      const OrtKeyValuePairs* ep_metadata, const OrtKeyValuePairs* ep_options,
      OrtEpDevice** ep_device);
  void (*ReleaseEpDevice)(OrtEpDevice* input);
  // Since version 23.
  OrtStatus* (*EpGraphSupportInfo_AddNodesToFuse)(OrtEpGraphSupportInfo* graph_support_info,
      const OrtNode* const* nodes, size_t num_nodes,
      const OrtNodeFusionOptions* node_fusion_options);
  OrtStatus* (*EpGraphSupportInfo_AddSingleNode)(OrtEpGraphSupportInfo* graph_support_info,
      const OrtNode* node);
  const char* (*NodeComputeContext_NodeName)(const OrtNodeComputeContext* context);
  OrtStatus* (*EpDevice_AddAllocatorInfo)(OrtEpDevice* ep_device,
      const OrtMemoryInfo* allocator_memory_info);
  const OrtMemoryDevice* (*MemoryInfo_GetMemoryDevice)(const OrtMemoryInfo* memory_info);
  const OrtMemoryDevice* (*Value_GetMemoryDevice)(const OrtValue* value);
  bool (*MemoryDevice_AreEqual)(const OrtMemoryDevice* a, const OrtMemoryDevice* b);
  OrtMemoryInfoDeviceType (*MemoryDevice_GetDeviceType)(const OrtMemoryDevice* memory_device);
  OrtDeviceMemoryType (*MemoryDevice_GetMemoryType)(const OrtMemoryDevice* memory_device);
  uint32_t (*MemoryDevice_GetVendorId)(const OrtMemoryDevice* memory_device);
  uint32_t (*MemoryDevice_GetDeviceId)(const OrtMemoryDevice* memory_device);
  const OrtSyncStreamImpl* (*SyncStream_GetImpl)(const OrtSyncStream* stream);
  uint64_t (*SyncStream_GetSyncId)(const OrtSyncStream* stream);
  uint64_t (*GetSyncIdForLastWaitOnSyncStream)(const OrtSyncStream* producer_stream,
      const OrtSyncStream* consumer_stream);
  // Since version 24.
  OrtStatus* (*CreateHardwareDevice)(OrtHardwareDeviceType type, uint32_t vendor_id,
      uint32_t device_id, const char* vendor_name, const OrtKeyValuePairs* metadata,
      OrtHardwareDevice** hardware_device);
  void (*ReleaseHardwareDevice)(OrtHardwareDevice* input);
  OrtStatus* (*CreateKernelRegistry)(OrtKernelRegistry** kernel_registry);
  void (*ReleaseKernelRegistry)(OrtKernelRegistry* input);
  OrtStatus* (*KernelRegistry_AddKernel)(OrtKernelRegistry* kernel_registry,
      const OrtKernelDef* kernel_def, OrtKernelCreateFunc kernel_create_func,
      void* kernel_create_func_state);
  OrtStatus* (*CreateKernelDefBuilder)(OrtKernelDefBuilder** kernel_def_builder_out);
  void (*ReleaseKernelDefBuilder)(OrtKernelDefBuilder* input);
  OrtStatus* (*KernelDefBuilder_SetOperatorType)(OrtKernelDefBuilder* kernel_def_builder,
      const char* op_type);
  OrtStatus* (*KernelDefBuilder_SetDomain)(OrtKernelDefBuilder* kernel_def_builder,
      const char* domain);
  OrtStatus* (*KernelDefBuilder_SetSinceVersion)(OrtKernelDefBuilder* kernel_def_builder,
      int since_version_start, int since_version_end);
  OrtStatus* (*KernelDefBuilder_SetExecutionProvider)(OrtKernelDefBuilder* kernel_def_builder,
      const char* ep_name);
  OrtStatus* (*KernelDefBuilder_SetInputMemType)(OrtKernelDefBuilder* kernel_def_builder,
      size_t input_index, OrtMemType mem_type);
  OrtStatus* (*KernelDefBuilder_SetOutputMemType)(OrtKernelDefBuilder* kernel_def_builder,
      size_t output_index, OrtMemType mem_type);
  OrtStatus* (*KernelDefBuilder_AddTypeConstraint)(OrtKernelDefBuilder* kernel_def_builder,
      const char* arg_name, const OrtDataType* const* types, size_t num_types);
  OrtStatus* (*KernelDefBuilder_AddInputOutputAliases)(OrtKernelDefBuilder* kernel_def_builder,
      const int* input_indices, const int* output_indices, size_t num_io_indices);
  OrtStatus* (*KernelDefBuilder_AddInputOutputMutableAliases)(
      OrtKernelDefBuilder* kernel_def_builder, const int* input_indices, const int* output_indices,
      size_t num_io_indices);
  OrtStatus* (*KernelDefBuilder_Build)(OrtKernelDefBuilder* kernel_def_builder,
      OrtKernelDef** kernel_def_out);
  void (*ReleaseKernelDef)(OrtKernelDef* input);
  const char* (*KernelDef_GetOperatorType)(const OrtKernelDef* kernel_def);
  const char* (*KernelDef_GetDomain)(const OrtKernelDef* kernel_def);
  OrtStatus* (*KernelDef_GetSinceVersion)(const OrtKernelDef* kernel_def, int* start_version,
      int* end_version);
  const char* (*KernelDef_GetExecutionProvider)(const OrtKernelDef* kernel_def);
  OrtStatus* (*KernelDef_GetInputMemType)(const OrtKernelDef* kernel_def, size_t input_index,
      OrtMemType* mem_type);
  OrtStatus* (*KernelDef_GetOutputMemType)(const OrtKernelDef* kernel_def, size_t output_index,
      OrtMemType* mem_type);
  OrtStatus* (*GetTensorDataType)(ONNXTensorElementDataType elem_type, const OrtDataType** out);
  OrtStatus* (*EpGraphSupportInfo_LookUpKernel)(OrtEpGraphSupportInfo* graph_support_info,
      const OrtNode* node, const OrtKernelDef** out_kernel_def);
  OrtStatus* (*SharedPrePackedWeightCache_StoreWeightData)(
      OrtSharedPrePackedWeightCache* prepacked_weight_cache, void** buffer_data_ptrs,
      size_t* buffer_data_sizes, size_t num_buffers);
  OrtStatus* (*KernelInfo_GetEp)(const OrtKernelInfo* info, const OrtEp** ep);
  OrtStatus* (*DeviceEpIncompatibilityDetails_SetDetails)(
      OrtDeviceEpIncompatibilityDetails* details, uint32_t reasons_bitmask, int32_t error_code,
      const char* notes);
  OrtStatus* (*CreateIfKernel)(const OrtKernelInfo* kernel_info, OrtKernelImpl** kernel_out);
  OrtStatus* (*CreateLoopKernel)(const OrtKernelInfo* kernel_info, OrtLoopKernelHelper* helper,
      OrtKernelImpl** kernel_out);
  OrtStatus* (*CreateScanKernel)(const OrtKernelInfo* kernel_info, OrtScanKernelHelper* helper,
      OrtKernelImpl** kernel_out);
  void (*ReleaseKernelImpl)(OrtKernelImpl* input);
  OrtStatus* (*GetEnvConfigEntries)(OrtKeyValuePairs** config_entries);
  // Since version 25.
  OrtStatus* (*GetOpSchema)(const char* name, int max_inclusive_version, const char* domain,
      OrtOpSchema** out_schema);
  void (*ReleaseOpSchema)(OrtOpSchema* input);
  OrtStatus* (*OpSchema_GetSinceVersion)(const OrtOpSchema* schema, int* out);
  OrtStatus* (*OpSchema_GetNumInputs)(const OrtOpSchema* schema, size_t* out);
  OrtStatus* (*OpSchema_GetInputName)(const OrtOpSchema* schema, size_t index, const char** out);
  OrtStatus* (*OpSchema_GetInputTypeConstraint)(const OrtOpSchema* schema, size_t index,
      const OrtOpSchemaTypeConstraint** out);
  OrtStatus* (*OpSchema_GetNumOutputs)(const OrtOpSchema* schema, size_t* out);
  OrtStatus* (*OpSchema_GetOutputName)(const OrtOpSchema* schema, size_t index, const char** out);
  OrtStatus* (*OpSchema_GetOutputTypeConstraint)(const OrtOpSchema* schema, size_t index,
      const OrtOpSchemaTypeConstraint** out);
  OrtStatus* (*OpSchema_GetTypeConstraintCount)(const OrtOpSchema* schema, size_t* out);
  OrtStatus* (*OpSchema_GetTypeConstraint)(const OrtOpSchema* schema, size_t index,
      const OrtOpSchemaTypeConstraint** out);
  OrtStatus* (*OpSchemaTypeConstraint_GetTypeParamName)(
      const OrtOpSchemaTypeConstraint* type_constraint, const char** out);
  OrtStatus* (*OpSchemaTypeConstraint_GetAllowedTypes)(
      const OrtOpSchemaTypeConstraint* type_constraint, const char* const** out_types,
      size_t* num_types);
  OrtStatus* (*OpSchemaTypeConstraint_GetInputIndices)(
      const OrtOpSchemaTypeConstraint* type_constraint, const size_t** out_indices, size_t* count);
  OrtStatus* (*OpSchemaTypeConstraint_GetOutputIndices)(
      const OrtOpSchemaTypeConstraint* type_constraint, const size_t** out_indices, size_t* count);
  OrtStatus* (*CreateProfilingEvent)(OrtProfilingEventCategory category, int32_t process_id,
      int32_t thread_id, const char* event_name, int64_t timestamp_us, int64_t duration_us,
      const char* const* arg_keys, const char* const* arg_values, size_t num_args,
      OrtProfilingEvent** out);
  void (*ReleaseProfilingEvent)(OrtProfilingEvent* input);
  OrtStatus* (*ProfilingEvent_GetCategory)(const OrtProfilingEvent* event,
      OrtProfilingEventCategory* out);
  OrtStatus* (*ProfilingEvent_GetName)(const OrtProfilingEvent* event, const char** out);
  OrtStatus* (*ProfilingEvent_GetTimestampUs)(const OrtProfilingEvent* event, int64_t* out);
  OrtStatus* (*ProfilingEvent_GetDurationUs)(const OrtProfilingEvent* event, int64_t* out);
  OrtStatus* (*ProfilingEvent_GetArgValue)(const OrtProfilingEvent* event, const char* key,
      const char** out);
  OrtStatus* (*ProfilingEventsContainer_AddEvents)(OrtProfilingEventsContainer* events_container,
      const OrtProfilingEvent* const* events, size_t num_events);
  // Since version 29.
  OrtStatus* (*SessionOptionsGetWeightlessSourceModelBuffer)(
      const OrtSessionOptions* session_options, const void** source_model_data,
      size_t* source_model_data_length);
  // Since version 31.
  OrtStatus* (*SessionOptionsGetEpContextConfig)(const OrtSessionOptions* session_options,
      OrtEpContextConfig** config);
  void (*ReleaseEpContextConfig)(OrtEpContextConfig* input);
  OrtStatus* (*EpContextConfigGetEpContextDataReadFunc)(const OrtEpContextConfig* config,
      OrtReadNamedBufferFunc* read_func, void** state);
  OrtStatus* (*EpContextConfigGetEpContextDataWriteFunc)(const OrtEpContextConfig* config,
      OrtWriteNamedBufferFunc* write_func, void** state);
};

/// Building and changing models.
struct OrtModelEditorApi {
  // Since version 22.
  OrtStatus* (*CreateTensorTypeInfo)(const OrtTensorTypeAndShapeInfo* tensor_info,
      OrtTypeInfo** type_info);
  OrtStatus* (*CreateSparseTensorTypeInfo)(const OrtTensorTypeAndShapeInfo* tensor_info,
      OrtTypeInfo** type_info);
  OrtStatus* (*CreateMapTypeInfo)(ONNXTensorElementDataType map_key_type,
      const OrtTypeInfo* map_value_type, OrtTypeInfo** type_info);
  OrtStatus* (*CreateSequenceTypeInfo)(const OrtTypeInfo* sequence_type, OrtTypeInfo** type_info);
  OrtStatus* (*CreateOptionalTypeInfo)(const OrtTypeInfo* contained_type, OrtTypeInfo** type_info);
  OrtStatus* (*CreateValueInfo)(const char* name, const OrtTypeInfo* type_info,
      OrtValueInfo** value_info);
  OrtStatus* (*CreateNode)(const char* operator_name, const char* domain_name,
      const char* node_name, const char* const* input_names, size_t input_names_len,
      const char* const* output_names, size_t output_names_len, OrtOpAttr** attributes,
      size_t attribs_len, OrtNode** node);
  OrtStatus* (*CreateGraph)(OrtGraph** graph);
  OrtStatus* (*SetGraphInputs)(OrtGraph* graph, OrtValueInfo** inputs, size_t inputs_len);
  OrtStatus* (*SetGraphOutputs)(OrtGraph* graph, OrtValueInfo** outputs, size_t outputs_len);
  OrtStatus* (*AddInitializerToGraph)(OrtGraph* graph, const char* name, OrtValue* tensor,
      bool data_is_external);
  OrtStatus* (*AddNodeToGraph)(OrtGraph* graph, OrtNode* node);
  OrtStatus* (*CreateModel)(const char* const* domain_names, const int* opset_versions,
      size_t opset_entries_len, OrtModel** model);
  OrtStatus* (*AddGraphToModel)(OrtModel* model, OrtGraph* graph);
  OrtStatus* (*CreateSessionFromModel)(const OrtEnv* env, const OrtModel* model,
      const OrtSessionOptions* options, OrtSession** out);
  OrtStatus* (*CreateModelEditorSession)(const OrtEnv* env, const char* model_path,
      const OrtSessionOptions* options, OrtSession** out);
  OrtStatus* (*CreateModelEditorSessionFromArray)(const OrtEnv* env, const void* model_data,
      size_t model_data_length, const OrtSessionOptions* options, OrtSession** out);
  OrtStatus* (*SessionGetOpsetForDomain)(const OrtSession* session, const char* domain, int* opset);
  OrtStatus* (*ApplyModelToModelEditorSession)(OrtSession* session, OrtModel* model);
  OrtStatus* (*FinalizeModelEditorSession)(OrtSession* session, const OrtSessionOptions* options,
      OrtPrepackedWeightsContainer* prepacked_weights_container);
};

/// Compiling models to models with contexts.
struct OrtCompileApi {
  // Since version 22.
  void (*ReleaseModelCompilationOptions)(OrtModelCompilationOptions* input);
  OrtStatus* (*CreateModelCompilationOptionsFromSessionOptions)(const OrtEnv* env,
      const OrtSessionOptions* session_options, OrtModelCompilationOptions** out);
  OrtStatus* (*ModelCompilationOptions_SetInputModelPath)(
      OrtModelCompilationOptions* model_compile_options, const char* input_model_path);
  OrtStatus* (*ModelCompilationOptions_SetInputModelFromBuffer)(
      OrtModelCompilationOptions* model_compile_options, const void* input_model_data,
      size_t input_model_data_size);
  OrtStatus* (*ModelCompilationOptions_SetOutputModelPath)(
      OrtModelCompilationOptions* model_compile_options, const char* output_model_path);
  OrtStatus* (*ModelCompilationOptions_SetOutputModelExternalInitializersFile)(
      OrtModelCompilationOptions* model_compile_options,
      const char* external_initializers_file_path, size_t external_initializers_size_threshold);
  OrtStatus* (*ModelCompilationOptions_SetOutputModelBuffer)(
      OrtModelCompilationOptions* model_compile_options, OrtAllocator* allocator,
      void** output_model_buffer_ptr, size_t* output_model_buffer_size_ptr);
  OrtStatus* (*ModelCompilationOptions_SetEpContextEmbedMode)(
      OrtModelCompilationOptions* model_compile_options, bool embed_ep_context_in_model);
  OrtStatus* (*CompileModel)(const OrtEnv* env, const OrtModelCompilationOptions* model_options);
  // Since version 23.
  OrtStatus* (*ModelCompilationOptions_SetFlags)(OrtModelCompilationOptions* model_compile_options,
      uint32_t flags);
  OrtStatus* (*ModelCompilationOptions_SetEpContextBinaryInformation)(
      OrtModelCompilationOptions* model_compile_options, const char* output_directory,
      const char* model_name);
  OrtStatus* (*ModelCompilationOptions_SetGraphOptimizationLevel)(
      OrtModelCompilationOptions* model_compile_options,
      GraphOptimizationLevel graph_optimization_level);
  OrtStatus* (*ModelCompilationOptions_SetOutputModelWriteFunc)(
      OrtModelCompilationOptions* model_compile_options, OrtWriteBufferFunc write_func,
      void* state);
  OrtStatus* (*ModelCompilationOptions_SetOutputModelGetInitializerLocationFunc)(
      OrtModelCompilationOptions* model_compile_options,
      OrtGetInitializerLocationFunc get_initializer_location_func, void* state);
  // Since version 24.
  OrtStatus* (*ModelCompilationOptions_SetInputModel)(
      OrtModelCompilationOptions* model_compile_options, const OrtModel* model);
  // Since version 29.
  OrtStatus* (*ModelCompilationOptions_SetWeightlessEnabled)(
      OrtModelCompilationOptions* model_compile_options, bool use_weightless);
  // Since version 31.
  OrtStatus* (*ModelCompilationOptions_SetEpContextDataWriteFunc)(
      OrtModelCompilationOptions* model_compile_options, OrtWriteNamedBufferFunc write_func,
      void* state);
  OrtStatus* (*ModelCompilationOptions_SetOutputModelExternalInitializersBuffer)(
      OrtModelCompilationOptions* model_compile_options, const char* logical_file_name,
      size_t external_initializers_size_threshold, OrtAllocator* allocator,
      void** output_buffer_ptr, size_t* output_buffer_size_ptr);
  OrtStatus* (*ModelCompilationOptions_SetOutputModelExternalInitializersAlignment)(
      OrtModelCompilationOptions* model_compile_options, size_t alignment, size_t minimum_size);
};

/// Memory and semaphores shared with graphics interfaces.
struct OrtInteropApi {
  // Since version 24.
  OrtStatus* (*CreateExternalResourceImporterForDevice)(const OrtEpDevice* ep_device,
      OrtExternalResourceImporter** out_importer);
  void (*ReleaseExternalResourceImporter)(OrtExternalResourceImporter* input);
  OrtStatus* (*CanImportMemory)(const OrtExternalResourceImporter* importer,
      OrtExternalMemoryHandleType handle_type, bool* out_supported);
  OrtStatus* (*ImportMemory)(OrtExternalResourceImporter* importer,
      const OrtExternalMemoryDescriptor* desc, OrtExternalMemoryHandle** out_handle);
  void (*ReleaseExternalMemoryHandle)(OrtExternalMemoryHandle* input);
  OrtStatus* (*CreateTensorFromMemory)(OrtExternalResourceImporter* importer,
      const OrtExternalMemoryHandle* mem_handle, const OrtExternalTensorDescriptor* tensor_desc,
      OrtValue** out_tensor);
  OrtStatus* (*CanImportSemaphore)(const OrtExternalResourceImporter* importer,
      OrtExternalSemaphoreType type, bool* out_supported);
  OrtStatus* (*ImportSemaphore)(OrtExternalResourceImporter* importer,
      const OrtExternalSemaphoreDescriptor* desc, OrtExternalSemaphoreHandle** out_handle);
  void (*ReleaseExternalSemaphoreHandle)(OrtExternalSemaphoreHandle* input);
  OrtStatus* (*WaitSemaphore)(OrtExternalResourceImporter* importer,
      OrtExternalSemaphoreHandle* semaphore_handle, OrtSyncStream* stream, uint64_t value);
  OrtStatus* (*SignalSemaphore)(OrtExternalResourceImporter* importer,
      OrtExternalSemaphoreHandle* semaphore_handle, OrtSyncStream* stream, uint64_t value);
  // Since version 25.
  OrtStatus* (*InitGraphicsInteropForEpDevice)(const OrtEpDevice* ep_device,
      const OrtGraphicsInteropConfig* config);
  OrtStatus* (*DeinitGraphicsInteropForEpDevice)(const OrtEpDevice* ep_device);
};

/// Model packages: what they have, what runs here, and sessions of it.
struct OrtModelPackageApi {
  // Since version 31.
  OrtStatus* (*CreateModelPackageOptionsFromSessionOptions)(const OrtEnv* env,
      const OrtSessionOptions* session_options, OrtModelPackageOptions** out);
  void (*ReleaseModelPackageOptions)(OrtModelPackageOptions* input);
  OrtStatus* (*CreateModelPackageContext)(const char* package_root, OrtModelPackageContext** out);
  void (*ReleaseModelPackageContext)(OrtModelPackageContext* input);
  OrtStatus* (*ModelPackage_GetSchemaVersion)(const OrtModelPackageContext* ctx,
      int64_t* out_version);
  OrtStatus* (*ModelPackage_GetComponentCount)(const OrtModelPackageContext* ctx,
      size_t* out_count);
  OrtStatus* (*ModelPackage_GetComponentNames)(const OrtModelPackageContext* ctx,
      const char* const** out_names, size_t* out_count);
  OrtStatus* (*ModelPackage_GetVariantCount)(const OrtModelPackageContext* ctx,
      const char* component_name, size_t* out_count);
  OrtStatus* (*ModelPackage_GetVariantNames)(const OrtModelPackageContext* ctx,
      const char* component_name, const char* const** out_variant_names, size_t* out_count);
  OrtStatus* (*ModelPackage_GetVariantEpName)(const OrtModelPackageContext* ctx,
      const char* component_name, const char* variant_name, const char** out_ep);
  OrtStatus* (*ModelPackage_ResolveStringRef)(const OrtModelPackageContext* ctx,
      const char* base_dir, const char* input, int must_exist, const char** out_path);
  OrtStatus* (*SelectComponent)(const OrtModelPackageContext* context, const char* component_name,
      const OrtModelPackageOptions* options, OrtModelPackageComponentContext** out);
  void (*ReleaseModelPackageComponentContext)(OrtModelPackageComponentContext* input);
  OrtStatus* (*ModelPackageComponent_GetSelectedVariantName)(
      const OrtModelPackageComponentContext* ctx, const char** out_name);
  OrtStatus* (*ModelPackageComponent_GetSelectedVariantFolderPath)(
      const OrtModelPackageComponentContext* ctx, const char** folder_path);
  OrtStatus* (*CreateSession)(const OrtEnv* env, OrtModelPackageComponentContext* context,
      const OrtSessionOptions* session_options, OrtSession** session);
};

/// Where everything begins: the tables by version.
struct OrtApiBase {
  // Since version 1.
  const OrtApi* (*GetApi)(uint32_t version);
  const char* (*GetVersionString)(void);
};

// What libraries of execution providers fill in. Members that are younger than the
// version that such a struct names are never read.

/// How nodes become one.
struct OrtNodeFusionOptions {
  // Since version 23.
  uint32_t ort_version_supported;
  bool drop_constant_initializers;
};

/// What runs in place of fused nodes.
struct OrtNodeComputeInfo {
  // Since version 23.
  uint32_t ort_version_supported;
  OrtStatus* (*CreateState)(OrtNodeComputeInfo* this_ptr, OrtNodeComputeContext* compute_context,
      void** compute_state);
  OrtStatus* (*Compute)(OrtNodeComputeInfo* this_ptr, void* compute_state,
      OrtKernelContext* kernel_context);
  void (*ReleaseState)(OrtNodeComputeInfo* this_ptr, void* compute_state);
};

/// Copies between memories of a device and the host's.
struct OrtDataTransferImpl {
  // Since version 23.
  uint32_t ort_version_supported;
  void (*Release)(OrtDataTransferImpl* this_ptr);
  bool (*CanCopy)(const OrtDataTransferImpl* this_ptr, const OrtMemoryDevice* src_memory_device,
      const OrtMemoryDevice* dst_memory_device);
  OrtStatus* (*CopyTensors)(OrtDataTransferImpl* this_ptr, const OrtValue** src_tensors,
      OrtValue** dst_tensors, OrtSyncStream** streams, size_t num_tensors);
};

/// A point in the work of a stream that others wait for.
struct OrtSyncNotificationImpl {
  // Since version 23.
  uint32_t ort_version_supported;
  void (*Release)(OrtSyncNotificationImpl* this_ptr);
  OrtStatus* (*Activate)(OrtSyncNotificationImpl* this_ptr);
  OrtStatus* (*WaitOnDevice)(OrtSyncNotificationImpl* this_ptr, OrtSyncStream* consumer_stream);
  OrtStatus* (*WaitOnHost)(OrtSyncNotificationImpl* this_ptr);
};

/// Work that a device does in order.
struct OrtSyncStreamImpl {
  // Since version 23.
  uint32_t ort_version_supported;
  void (*Release)(OrtSyncStreamImpl* this_ptr);
  void* (*GetHandle)(OrtSyncStreamImpl* this_ptr);
  OrtStatus* (*CreateNotification)(OrtSyncStreamImpl* this_ptr,
      OrtSyncNotificationImpl** notification);
  OrtStatus* (*Flush)(OrtSyncStreamImpl* this_ptr);
  OrtStatus* (*OnSessionRunEnd)(OrtSyncStreamImpl* this_ptr);
};

/// What imports memory and semaphores for a device.
struct OrtExternalResourceImporterImpl {
  uint32_t ort_version_supported;
  bool (*CanImportMemory)(const OrtExternalResourceImporterImpl* this_ptr,
      OrtExternalMemoryHandleType handle_type);
  OrtStatus* (*ImportMemory)(OrtExternalResourceImporterImpl* this_ptr,
      const OrtExternalMemoryDescriptor* desc, OrtExternalMemoryHandle** out_handle);
  void (*ReleaseMemory)(OrtExternalResourceImporterImpl* this_ptr, OrtExternalMemoryHandle* handle);
  OrtStatus* (*CreateTensorFromMemory)(OrtExternalResourceImporterImpl* this_ptr,
      const OrtExternalMemoryHandle* mem_handle, const OrtExternalTensorDescriptor* tensor_desc,
      OrtValue** out_tensor);
  bool (*CanImportSemaphore)(const OrtExternalResourceImporterImpl* this_ptr,
      OrtExternalSemaphoreType type);
  OrtStatus* (*ImportSemaphore)(OrtExternalResourceImporterImpl* this_ptr,
      const OrtExternalSemaphoreDescriptor* desc, OrtExternalSemaphoreHandle** out_handle);
  void (*ReleaseSemaphore)(OrtExternalResourceImporterImpl* this_ptr,
      OrtExternalSemaphoreHandle* handle);
  OrtStatus* (*WaitSemaphore)(OrtExternalResourceImporterImpl* this_ptr,
      OrtExternalSemaphoreHandle* handle, OrtSyncStream* stream, uint64_t value);
  OrtStatus* (*SignalSemaphore)(OrtExternalResourceImporterImpl* this_ptr,
      OrtExternalSemaphoreHandle* handle, OrtSyncStream* stream, uint64_t value);
  void (*Release)(OrtExternalResourceImporterImpl* this_ptr);
};

/// A kernel of a provider's own.
struct OrtKernelImpl {
  uint32_t ort_version_supported;
  uint32_t flags;
  OrtStatus* (*Compute)(OrtKernelImpl* this_ptr, OrtKernelContext* context);
  void (*Release)(OrtKernelImpl* this_ptr);
  OrtStatus* (*PrePackWeight)(OrtKernelImpl* this_ptr, const OrtValue* tensor, int input_index,
      OrtAllocator* allocator, OrtSharedPrePackedWeightCache* prepacked_weight_cache,
      bool* is_packed);
  OrtStatus* (*SetSharedPrePackedWeight)(OrtKernelImpl* this_ptr,
      const void* const* buffer_data_ptrs, const size_t* buffer_data_sizes, size_t num_buffers,
      int input_index);
};

/// What a provider gives a Loop kernel.
struct OrtLoopKernelHelper {
  uint32_t ort_version_supported;
  void (*Release)(OrtLoopKernelHelper* this_ptr);
  OrtStatus* (*ConcatOutput)(OrtLoopKernelHelper* this_ptr, void* stream_handle,
      const OrtValue* const* per_iteration_outputs, size_t num_per_iteration_outputs, void* output,
      size_t output_size_in_bytes);
};

/// What a provider gives a Scan kernel.
struct OrtScanKernelHelper {
  uint32_t ort_version_supported;
  void (*Release)(OrtScanKernelHelper* this_ptr);
  OrtStatus* (*Transpose)(OrtScanKernelHelper* this_ptr, const size_t* permutation,
      size_t num_permutation_elems, const OrtValue* input, OrtSyncStream* stream, OrtValue* output);
};

/// What is told about a profile, and adds to it.
struct OrtEpProfilerImpl {
  uint32_t ort_version_supported;
  void (*Release)(OrtEpProfilerImpl* this_ptr);
  OrtStatus* (*StartProfiling)(OrtEpProfilerImpl* this_ptr, int64_t ep_profiling_start_offset_ns);
  OrtStatus* (*StartEvent)(OrtEpProfilerImpl* this_ptr, uint64_t ort_event_correlation_id);
  OrtStatus* (*StopEvent)(OrtEpProfilerImpl* this_ptr, uint64_t ort_event_correlation_id,
      const OrtProfilingEvent* ort_event);
  OrtStatus* (*EndProfiling)(OrtEpProfilerImpl* this_ptr,
      OrtProfilingEventsContainer* events_container);
};

/// An execution provider, made for one session.
struct OrtEp {
  // Since version 22.
  uint32_t ort_version_supported;
  const char* (*GetName)(const OrtEp* this_ptr);
  // Since version 23.
  OrtStatus* (*GetCapability)(OrtEp* this_ptr, const OrtGraph* graph,
      OrtEpGraphSupportInfo* graph_support_info);
  OrtStatus* (*Compile)(OrtEp* this_ptr, const OrtGraph** graphs, const OrtNode** fused_nodes,
      size_t count, OrtNodeComputeInfo** node_compute_infos, OrtNode** ep_context_nodes);
  void (*ReleaseNodeComputeInfos)(OrtEp* this_ptr, OrtNodeComputeInfo** node_compute_infos,
      size_t num_node_compute_infos);
  OrtStatus* (*GetPreferredDataLayout)(OrtEp* this_ptr, OrtEpDataLayout* preferred_data_layout);
  OrtStatus* (*ShouldConvertDataLayoutForOp)(OrtEp* this_ptr, const char* domain,
      const char* op_type, OrtEpDataLayout target_data_layout, int* should_convert);
  OrtStatus* (*SetDynamicOptions)(OrtEp* this_ptr, const char* const* option_keys,
      const char* const* option_values, size_t num_options);
  OrtStatus* (*OnRunStart)(OrtEp* this_ptr, const OrtRunOptions* run_options);
  OrtStatus* (*OnRunEnd)(OrtEp* this_ptr, const OrtRunOptions* run_options, bool sync_stream);
  OrtStatus* (*CreateAllocator)(OrtEp* this_ptr, const OrtMemoryInfo* memory_info,
      OrtAllocator** allocator);
  OrtStatus* (*CreateSyncStreamForDevice)(OrtEp* this_ptr, const OrtMemoryDevice* memory_device,
      OrtSyncStreamImpl** stream);
  const char* (*GetCompiledModelCompatibilityInfo)(OrtEp* this_ptr, const OrtGraph* graph);
  // Since version 24.
  OrtStatus* (*GetKernelRegistry)(OrtEp* this_ptr, const OrtKernelRegistry** kernel_registry);
  OrtStatus* (*IsConcurrentRunSupported)(OrtEp* this_ptr, bool* is_supported);
  // Since version 25.
  OrtStatus* (*Sync)(OrtEp* this_ptr);
  OrtStatus* (*CreateProfiler)(OrtEp* this_ptr, OrtEpProfilerImpl** profiler);
  // Since version 26.
  bool (*IsGraphCaptureEnabled)(const OrtEp* this_ptr);
  bool (*IsGraphCaptured)(const OrtEp* this_ptr, int graph_annotation_id);
  OrtStatus* (*ReplayGraph)(OrtEp* this_ptr, int graph_annotation_id);
  OrtGraphCaptureNodeAssignmentPolicy (*GetGraphCaptureNodeAssignmentPolicy)(const OrtEp* this_ptr);
  OrtStatus* (*GetAvailableResource)(const OrtEp* this_ptr, OrtResourceCount* available);
  // Since version 27.
  OrtStatus* (*OnSessionInitializationEnd)(OrtEp* this_ptr);
  OrtStatus* (*GetDefaultMemoryDevice)(const OrtEp* this_ptr, const OrtMemoryDevice** device);
  OrtStatus* (*ReleaseCapturedGraph)(OrtEp* this_ptr, int graph_annotation_id);
  // Since version 29.
  OrtStatus* (*GetWeightlessSupport)(const OrtEp* this_ptr, OrtWeightlessSupport* support);
  // Since version 31.
  OrtStatus* (*GetEpContextDataCallbackSupport)(const OrtEp* this_ptr, uint32_t* supported_flags);
};

/// What a provider's library offers.
struct OrtEpFactory {
  // Since version 22.
  uint32_t ort_version_supported;
  const char* (*GetName)(const OrtEpFactory* this_ptr);
  const char* (*GetVendor)(const OrtEpFactory* this_ptr);
  OrtStatus* (*GetSupportedDevices)(OrtEpFactory* this_ptr, const OrtHardwareDevice* const* devices,
      size_t num_devices, OrtEpDevice** ep_devices, size_t max_ep_devices, size_t* num_ep_devices);
  OrtStatus* (*CreateEp)(OrtEpFactory* this_ptr, const OrtHardwareDevice* const* devices,
      const OrtKeyValuePairs* const* ep_metadata_pairs, size_t num_devices,
      const OrtSessionOptions* session_options, const OrtLogger* logger, OrtEp** ep);
  void (*ReleaseEp)(OrtEpFactory* this_ptr, OrtEp* ep);
  // Since version 23.
  uint32_t (*GetVendorId)(const OrtEpFactory* this_ptr);
  const char* (*GetVersion)(const OrtEpFactory* this_ptr);
  OrtStatus* (*ValidateCompiledModelCompatibilityInfo)(OrtEpFactory* this_ptr,
      const OrtHardwareDevice* const* devices, size_t num_devices, const char* compatibility_info,
      OrtCompiledModelCompatibility* model_compatibility);
  OrtStatus* (*CreateAllocator)(OrtEpFactory* this_ptr, const OrtMemoryInfo* memory_info,
      const OrtKeyValuePairs* allocator_options, OrtAllocator** allocator);
  void (*ReleaseAllocator)(OrtEpFactory* this_ptr, OrtAllocator* allocator);
  OrtStatus* (*CreateDataTransfer)(OrtEpFactory* this_ptr, OrtDataTransferImpl** data_transfer);
  bool (*IsStreamAware)(const OrtEpFactory* this_ptr);
  OrtStatus* (*CreateSyncStreamForDevice)(OrtEpFactory* this_ptr,
      const OrtMemoryDevice* memory_device, const OrtKeyValuePairs* stream_options,
      OrtSyncStreamImpl** stream);
  // Since version 24.
  OrtStatus* (*GetHardwareDeviceIncompatibilityDetails)(OrtEpFactory* this_ptr,
      const OrtHardwareDevice* hw, OrtDeviceEpIncompatibilityDetails* details);
  OrtStatus* (*CreateExternalResourceImporterForDevice)(OrtEpFactory* this_ptr,
      const OrtEpDevice* ep_device, OrtExternalResourceImporterImpl** out_importer);
  OrtStatus* (*GetNumCustomOpDomains)(OrtEpFactory* this_ptr, size_t* num_domains);
  OrtStatus* (*GetCustomOpDomains)(OrtEpFactory* this_ptr, OrtCustomOpDomain** domains,
      size_t num_domains);
  // Since version 25.
  OrtStatus* (*InitGraphicsInterop)(OrtEpFactory* this_ptr, const OrtEpDevice* ep_device,
      const OrtGraphicsInteropConfig* config);
  OrtStatus* (*DeinitGraphicsInterop)(OrtEpFactory* this_ptr, const OrtEpDevice* ep_device);
  // Since version 28.
  OrtStatus* (*SelectBestModelCandidate)(OrtEpFactory* this_ptr, const OrtHardwareDevice* device,
      const OrtKeyValuePairs* const* candidates, size_t num_candidates,
      const OrtSessionOptions* session_options, size_t* selected_index);
};

// clang-format on

/// Gives what ONNX Runtime's OrtGetApiBase gives: the way to all tables. GetApi answers each
/// version up to ORTC_ORT_API_VERSION with the same table, others with NULL and a line on stderr;
/// GetVersionString tells the release of ONNX Runtime that the tables correspond to.
///
/// Where the tables differ from the functions: environments are one counted object per process,
/// and config keys that are unknown are warnings.
///
/// Borrowed: one constant object for the whole process. Thread-safe. Since 1.0.
ORTC_API const OrtApiBase* OrtcGetApiBase(void);

#ifdef __cplusplus
}
#endif
