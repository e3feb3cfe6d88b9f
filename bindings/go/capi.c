// SPDX-License-Identifier: MIT
// The C side of callbacks: functions with the signatures that the library wants, which hand over to
// the exported Go functions.
#include "capi.h"

#include <string.h>

#include "_cgo_export.h"

static void release_state(void* state) { ortcGoReleaseState((uintptr_t)state); }

// Values.

static OrtStatus* check_on_host(const OrtValue* value) {
  const OrtMemoryInfo* info = NULL;
  OrtMemoryInfoDeviceType device = OrtMemoryInfoDeviceType_CPU;
  OrtStatus* status = OrtGetTensorMemoryInfo(value, &info);
  if (status != NULL) return status;
  OrtMemoryInfoGetDeviceType(info, &device);
  if (device == OrtMemoryInfoDeviceType_CPU ||
      OrtMemoryInfoGetDeviceMemType(info) == OrtDeviceMemoryType_HOST_ACCESSIBLE) {
    return NULL;
  }
  return OrtCreateStatus(ORT_INVALID_ARGUMENT,
                         "the tensor lies in memory of a device: copy it to one of the host first");
}

OrtStatus* ortc_host_data(OrtValue* value, void** data) {
  OrtStatus* status = check_on_host(value);
  return status != NULL ? status : OrtGetTensorMutableData(value, data);
}

OrtStatus* ortc_host_bytes(const OrtValue* value, const void** data, size_t* size) {
  OrtStatus* status = check_on_host(value);
  if (status == NULL) status = OrtGetTensorSizeInBytes(value, size);
  return status != NULL ? status : OrtGetTensorData(value, data);
}

// Logging.

static void log_line(void* state, OrtLoggingLevel severity, const char* category, const char* id,
                     const char* location, const char* message) {
  ortcGoLog((uintptr_t)state, severity, (char*)category, (char*)id, (char*)location,
            (char*)message);
}

OrtStatus* ortc_create_env_with_logger(uintptr_t state, OrtLoggingLevel level, const char* id,
                                       OrtEnv** out) {
  return OrtCreateEnvWithCustomLogger(log_line, (void*)state, level, id, out);
}

OrtStatus* ortc_create_env_with_logger_and_threads(uintptr_t state, OrtLoggingLevel level,
                                                   const char* id,
                                                   const OrtThreadingOptions* threads,
                                                   OrtEnv** out) {
  return OrtCreateEnvWithCustomLoggerAndGlobalThreadPools(log_line, (void*)state, level, id,
                                                          threads, out);
}

OrtStatus* ortc_create_env_with_options(uintptr_t state, OrtLoggingLevel level, const char* id,
                                        const OrtThreadingOptions* threads,
                                        const OrtKeyValuePairs* entries, OrtEnv** out) {
  OrtEnvCreationOptions options;
  memset(&options, 0, sizeof(options));
  options.version = 24;
  options.logging_severity_level = (int32_t)level;
  options.log_id = id;
  options.custom_logging_function = state == 0 ? NULL : log_line;
  options.custom_logging_param = (void*)state;
  options.threading_options = threads;
  options.config_entries = entries;
  return OrtCreateEnvWithOptions(&options, out);
}

OrtStatus* ortc_set_session_logger(OrtSessionOptions* options, uintptr_t state) {
  return OrtSetUserLoggingFunction(options, log_line, (void*)state);
}

// Threads.

static OrtCustomThreadHandle start_thread(void* state, OrtThreadWorkerFn work, void* parameter) {
  return (OrtCustomThreadHandle)ortcGoStartThread((uintptr_t)state, (void*)work, parameter);
}

static void join_thread(OrtCustomThreadHandle thread) { ortcGoJoinThread((uintptr_t)thread); }

void ortc_work(OrtThreadWorkerFn work, void* parameter) { work(parameter); }

OrtStatus* ortc_set_global_threads(OrtThreadingOptions* options, uintptr_t state) {
  OrtStatus* status = OrtSetGlobalCustomCreateThreadFn(options, start_thread);
  if (status == NULL) status = OrtSetGlobalCustomThreadCreationOptions(options, (void*)state);
  if (status == NULL) status = OrtSetGlobalCustomJoinThreadFn(options, join_thread);
  return status;
}

OrtStatus* ortc_set_session_threads(OrtSessionOptions* options, uintptr_t state) {
  OrtStatus* status = OrtSessionOptionsSetCustomCreateThreadFn(options, start_thread);
  if (status == NULL) {
    status = OrtSessionOptionsSetCustomThreadCreationOptions(options, (void*)state);
  }
  if (status == NULL) status = OrtSessionOptionsSetCustomJoinThreadFn(options, join_thread);
  return status;
}

static void* enqueue_work(void* state) { return (void*)ortcGoEnqueueWork((uintptr_t)state); }

static void start_work(void* state, void* work) {
  ortcGoStartWork((uintptr_t)state, (uintptr_t)work);
}

static void stop_work(void* state, void* work) {
  ortcGoStopWork((uintptr_t)state, (uintptr_t)work);
}

static void abandon_work(void* state, void* work) {
  ortcGoAbandonWork((uintptr_t)state, (uintptr_t)work);
}

OrtStatus* ortc_set_thread_pool_callbacks(OrtEnv* env, uintptr_t state) {
  OrtThreadPoolCallbacksConfig config = {25, NULL, NULL, NULL, NULL, NULL};
  if (state != 0) {
    config.on_enqueue = enqueue_work;
    config.on_start_work = start_work;
    config.on_stop_work = stop_work;
    config.on_abandon = abandon_work;
    config.user_context = (void*)state;
  }
  return OrtSetPerSessionThreadPoolCallbacks(env, &config);
}

// Progress.

static OrtStatus* progress(void* state, const char* stage, const char* detail, double fraction) {
  return ortcGoProgress((uintptr_t)state, (char*)stage, (char*)detail, fraction);
}

OrtStatus* ortc_set_load_progress(OrtSessionOptions* options, uintptr_t state) {
  return OrtSessionOptionsSetLoadProgress(options, progress, (void*)state, release_state);
}

OrtStatus* ortc_set_compile_progress(OrtModelCompiler* compiler, uintptr_t state) {
  return OrtModelCompiler_SetProgress(compiler, progress, (void*)state, release_state);
}

static OrtProgressFn heard_by(uintptr_t state) { return state == 0 ? NULL : progress; }

OrtStatus* ortc_pack_model(const char* model, const char* output, uint32_t flags, uintptr_t state,
                           OrtInspection** out) {
  return OrtPackModel(model, output, flags, heard_by(state), (void*)state, out);
}

OrtStatus* ortc_merge_models(const char* const* models, size_t model_count,
                             const char* const* connections, size_t connection_count,
                             const char* output, uint32_t flags, uintptr_t state,
                             OrtInspection** out) {
  return OrtMergeModels(models, model_count, connections, connection_count, output, flags,
                        heard_by(state), (void*)state, out);
}

OrtStatus* ortc_extract_context(const char* model, const char* node, const char* output,
                                uint32_t flags, uintptr_t state, OrtInspection** out) {
  return OrtExtractContext(model, node, output, flags, heard_by(state), (void*)state, out);
}

OrtStatus* ortc_prefix_model(const char* model, const char* prefix, const char* output,
                             uint32_t flags, uintptr_t state, OrtInspection** out) {
  return OrtPrefixModel(model, prefix, output, flags, heard_by(state), (void*)state, out);
}

// Context data and compiled models.

static OrtStatus* read_context(void* state, const char* name, OrtAllocator* allocator,
                               void** buffer, size_t* size) {
  return ortcGoReadContext((uintptr_t)state, (char*)name, allocator, buffer, size);
}

OrtStatus* ortc_set_context_reader(OrtSessionOptions* options, uintptr_t state) {
  return OrtSessionOptionsSetEpContextDataReadFunc(options, state == 0 ? NULL : read_context,
                                                   (void*)state);
}

static OrtStatus* choose_devices(const OrtEpDevice** devices, size_t device_count,
                                 const OrtKeyValuePairs* model, const OrtKeyValuePairs* runtime,
                                 const OrtEpDevice** selected, size_t room, size_t* count,
                                 void* state) {
  return ortcGoChooseDevices((uintptr_t)state, (OrtEpDevice**)devices, device_count,
                             (OrtKeyValuePairs*)model, (OrtKeyValuePairs*)runtime,
                             (OrtEpDevice**)selected, room, count);
}

OrtStatus* ortc_set_device_chooser(OrtSessionOptions* options, uintptr_t state) {
  return OrtSessionOptionsSetEpSelectionPolicyDelegate(
      options, state == 0 ? NULL : choose_devices, (void*)state);
}

static OrtStatus* write_context(void* state, const char* name, const void* buffer, size_t size) {
  return ortcGoWriteContext((uintptr_t)state, (char*)name, (void*)buffer, size);
}

OrtStatus* ortc_set_context_writer(OrtModelCompilationOptions* options, uintptr_t state) {
  return OrtModelCompilationOptions_SetEpContextDataWriteFunc(
      options, state == 0 ? NULL : write_context, (void*)state);
}

static OrtStatus* write_model(void* state, const void* buffer, size_t size) {
  return ortcGoWriteModel((uintptr_t)state, (void*)buffer, size);
}

OrtStatus* ortc_set_output_writer(OrtModelCompilationOptions* options, uintptr_t state) {
  return OrtModelCompilationOptions_SetOutputModelWriteFunc(options, write_model, (void*)state);
}

static OrtStatus* locate_initializer(void* state, const char* name, const OrtValue* value,
                                     const OrtExternalInitializerInfo* external,
                                     OrtExternalInitializerInfo** location) {
  return ortcGoLocateInitializer((uintptr_t)state, (char*)name, (OrtValue*)value,
                                 (OrtExternalInitializerInfo*)external, location);
}

OrtStatus* ortc_set_initializer_locator(OrtModelCompilationOptions* options, uintptr_t state) {
  return OrtModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(
      options, locate_initializer, (void*)state);
}

// Runs on threads of the session.

static void run_is_over(void* state, OrtValue** outputs, size_t count, OrtStatus* status) {
  (void)outputs;
  (void)count;
  ortcGoRunIsOver((uintptr_t)state, status);
}

OrtStatus* ortc_run_async(OrtSession* session, const OrtRunOptions* options,
                          const char* const* input_names, const OrtValue* const* inputs,
                          size_t input_count, const char* const* output_names,
                          size_t output_count, OrtValue** outputs, uintptr_t state) {
  return OrtRunAsync(session, options, input_names, inputs, input_count, output_names,
                     output_count, outputs, run_is_over, (void*)state);
}

// Allocators of the program.

static void* allocate(OrtAllocator* self, size_t size) {
  return ortcGoAllocate(((OrtcGoAllocator*)self)->state, size);
}

static void* reserve(OrtAllocator* self, size_t size) {
  return ortcGoReserve(((OrtcGoAllocator*)self)->state, size);
}

static void give_back(OrtAllocator* self, void* block) {
  ortcGoFree(((OrtcGoAllocator*)self)->state, block);
}

static const OrtMemoryInfo* info_of(const OrtAllocator* self) {
  return ((const OrtcGoAllocator*)self)->info;
}

static OrtStatus* stats_of(const OrtAllocator* self, OrtKeyValuePairs** out) {
  return ortcGoAllocatorStats(((const OrtcGoAllocator*)self)->state, out);
}

OrtcGoAllocator* ortc_new_allocator(uintptr_t state, OrtMemoryInfo* info) {
  OrtcGoAllocator* allocator = calloc(1, sizeof(*allocator));
  if (allocator == NULL) return NULL;
  allocator->base.version = 23;
  allocator->base.Alloc = allocate;
  allocator->base.Reserve = reserve;
  allocator->base.Free = give_back;
  allocator->base.Info = info_of;
  allocator->base.GetStats = stats_of;
  allocator->state = state;
  allocator->info = info;
  return allocator;
}

// Tensors.

OrtStatus* ortc_new_tensor(const int64_t* shape, size_t rank, ONNXTensorElementDataType type,
                           OrtValue** out, void** data, size_t* bytes) {
  OrtAllocator* allocator = NULL;
  OrtStatus* status = OrtGetAllocatorWithDefaultOptions(&allocator);
  if (status == NULL) status = OrtCreateTensorAsOrtValue(allocator, shape, rank, type, out);
  if (status != NULL || type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) return status;
  status = OrtGetTensorMutableData(*out, data);
  if (status == NULL) status = OrtGetTensorSizeInBytes(*out, bytes);
  if (status == NULL && *bytes != 0) memset(*data, 0, *bytes);
  if (status != NULL) {
    OrtReleaseValue(*out);
    *out = NULL;
  }
  return status;
}

// Tables.

const char* ortc_table_version(const OrtApiBase* base) { return base->GetVersionString(); }

const void* ortc_table(const OrtApiBase* base, uint32_t version) { return base->GetApi(version); }
