// SPDX-License-Identifier: MIT
// What Go cannot say itself: functions of the library that take callbacks, with Go functions behind
// them, and several calls in one crossing of the border. `state` is a handle of runtime/cgo.
#pragma once

#include <stdint.h>
#include <stdlib.h>

#include "ort_c/ort_c.h"

// Environments.
OrtStatus* ortc_create_env_with_logger(uintptr_t state, OrtLoggingLevel level, const char* id,
                                       OrtEnv** out);
OrtStatus* ortc_create_env_with_logger_and_threads(uintptr_t state, OrtLoggingLevel level,
                                                   const char* id,
                                                   const OrtThreadingOptions* threads,
                                                   OrtEnv** out);
OrtStatus* ortc_create_env_with_options(uintptr_t state, OrtLoggingLevel level, const char* id,
                                        const OrtThreadingOptions* threads,
                                        const OrtKeyValuePairs* entries, OrtEnv** out);

// Threads. The handle is of a function that starts threads.
OrtStatus* ortc_set_global_threads(OrtThreadingOptions* options, uintptr_t state);
// The handle is of functions that are told about work; 0: none.
OrtStatus* ortc_set_thread_pool_callbacks(OrtEnv* env, uintptr_t state);
OrtStatus* ortc_set_session_threads(OrtSessionOptions* options, uintptr_t state);
void ortc_work(OrtThreadWorkerFn work, void* parameter);

// Session options.
OrtStatus* ortc_set_session_logger(OrtSessionOptions* options, uintptr_t state);
OrtStatus* ortc_set_load_progress(OrtSessionOptions* options, uintptr_t state);
OrtStatus* ortc_set_context_reader(OrtSessionOptions* options, uintptr_t state);
OrtStatus* ortc_set_device_chooser(OrtSessionOptions* options, uintptr_t state);

// Runs.
OrtStatus* ortc_run_async(OrtSession* session, const OrtRunOptions* options,
                          const char* const* input_names, const OrtValue* const* inputs,
                          size_t input_count, const char* const* output_names, size_t output_count,
                          OrtValue** outputs, uintptr_t state);

// Memory and semaphores that somebody else made.
OrtStatus* ortc_import_memory(OrtExternalResourceImporter* importer,
                              OrtExternalMemoryHandleType type, uintptr_t handle, size_t size,
                              size_t offset, OrtExternalMemoryHandle** out);
OrtStatus* ortc_import_semaphore(OrtExternalResourceImporter* importer,
                                 OrtExternalSemaphoreType type, uintptr_t handle,
                                 OrtExternalSemaphoreHandle** out);
OrtStatus* ortc_tensor_in_memory(OrtExternalResourceImporter* importer,
                                 const OrtExternalMemoryHandle* memory,
                                 ONNXTensorElementDataType type, const int64_t* shape, size_t rank,
                                 size_t offset, OrtValue** out);
OrtStatus* ortc_init_graphics(const OrtEpDevice* device, OrtGraphicsApi api, void* command_queue,
                              const OrtKeyValuePairs* options);

// The elements of a tensor, where this program may touch them.
OrtStatus* ortc_host_data(OrtValue* value, void** data);
OrtStatus* ortc_host_bytes(const OrtValue* value, const void** data, size_t* size);

// Compiles.
OrtStatus* ortc_set_output_writer(OrtModelCompilationOptions* options, uintptr_t state);
OrtStatus* ortc_set_initializer_locator(OrtModelCompilationOptions* options, uintptr_t state);
OrtStatus* ortc_set_context_writer(OrtModelCompilationOptions* options, uintptr_t state);
OrtStatus* ortc_set_compile_progress(OrtModelCompiler* compiler, uintptr_t state);

// Changes of compiled models. A state of 0: nobody hears about progress.
OrtStatus* ortc_pack_model(const char* model, const char* output, uint32_t flags, uintptr_t state,
                           OrtInspection** out);
OrtStatus* ortc_merge_models(const char* const* models, size_t model_count,
                             const char* const* connections, size_t connection_count,
                             const char* output, uint32_t flags, uintptr_t state,
                             OrtInspection** out);
OrtStatus* ortc_extract_context(const char* model, const char* node, const char* output,
                                uint32_t flags, uintptr_t state, OrtInspection** out);
OrtStatus* ortc_prefix_model(const char* model, const char* prefix, const char* output,
                             uint32_t flags, uintptr_t state, OrtInspection** out);

// An allocator of the program.
typedef struct {
  OrtAllocator base;
  uintptr_t state;
  OrtMemoryInfo* info;
} OrtcGoAllocator;
OrtcGoAllocator* ortc_new_allocator(uintptr_t state, OrtMemoryInfo* info);

// A new dense tensor, its elements zeros.
OrtStatus* ortc_new_tensor(const int64_t* shape, size_t rank, ONNXTensorElementDataType type,
                           OrtValue** out, void** data, size_t* bytes);

// ONNX Runtime's tables.
const char* ortc_table_version(const OrtApiBase* base);
const void* ortc_table(const OrtApiBase* base, uint32_t version);

// Operators of the program. The handle is of one; what it declares is copied here.
typedef struct {
  ONNXTensorElementDataType type;
  OrtCustomOpInputOutputCharacteristic kind;
} OrtcGoFormal;
typedef struct {
  OrtcGoFormal* formals;
  size_t count;
  int least, is_of_one_type;  // of a variadic one
} OrtcGoSide;
typedef struct {
  OrtCustomOp base;
  uintptr_t state;
  char *name, *provider;
  OrtcGoSide inputs, outputs;
  int first_version, last_version;
} OrtcGoOperator;
OrtcGoOperator* ortc_new_operator(uintptr_t state, int infers_shapes);
OrtcGoFormal* ortc_new_formals(OrtcGoSide* side, size_t count);
void ortc_free_operator(OrtcGoOperator* op);
OrtStatus* ortc_add_operator(OrtCustomOpDomain* domain, const OrtcGoOperator* op);
OrtStatus* ortc_parallel_for(const OrtKernelContext* context, size_t total, size_t batches,
                             uintptr_t state);
