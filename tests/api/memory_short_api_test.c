// SPDX-License-Identifier: MIT
// Memory that runs out at each allocation in turn: every function says so by a status, nothing is
// lost, and what was there before is as it was.
#include <pthread.h>

#include "tests/api/model_editing.h"
#include "tests/support/failing_allocations.h"

// Made once, while memory is there.
static OrtEnv* env;
static OrtSession* session;
static OrtValue* input;
static OrtMemoryInfo* cpu;
static float numbers[64];
static const int64_t kMatrix[] = {1, 4};

// True for success; a failure must have a text and is given back.
static bool is_ok(OrtStatus* status) {
  if (status == NULL) return true;
  if (OrtGetErrorMessage(status)[0] == 0) complain(__FILE__, __LINE__, "no text", "");
  OrtReleaseStatus(status);
  return false;
}

// Goes on while everything succeeds.
#define STEP(call) ok = ok && is_ok(call)

static bool make_values(void* context) {
  (void)context;
  bool ok = true;
  const char* texts[] = {"short", "a text that is too long for the object itself"};
  const int64_t two[] = {2};
  OrtValue *view = NULL, *own = NULL, *strings = NULL, *sequence = NULL, *map = NULL, *part = NULL;
  OrtValue* keys = NULL;
  OrtTensorTypeAndShapeInfo* shape = NULL;
  OrtTypeInfo* type = NULL;
  char* buffer = NULL;
  STEP(OrtCreateTensorWithDataAsOrtValue(cpu, numbers, sizeof(float) * 4, kMatrix, 2,
                                         ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &view));
  STEP(OrtCreateTensorAsOrtValue(allocator(), two, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &own));
  STEP(OrtCreateTensorAsOrtValue(allocator(), two, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING,
                                 &strings));
  STEP(OrtFillStringTensor(strings, texts, 2));
  STEP(OrtGetResizedStringTensorElementBuffer(strings, 0, 100, &buffer));
  STEP(OrtFillStringTensorElement(strings, texts[1], 0));
  const OrtValue* items[] = {view, view};
  STEP(OrtCreateValue(items, 2, ONNX_TYPE_SEQUENCE, &sequence));
  STEP(OrtGetValue(sequence, 1, allocator(), &part));
  STEP(OrtCreateTensorAsOrtValue(allocator(), two, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &keys));
  if (ok) memset((void*)floats_in(keys), 0, 16);
  const OrtValue* pair[] = {keys, own};
  STEP(OrtCreateValue(pair, 2, ONNX_TYPE_MAP, &map));
  STEP(OrtGetTensorTypeAndShape(view, &shape));
  STEP(OrtGetTypeInfo(sequence, &type));
  OrtReleaseTypeInfo(type);
  OrtReleaseTensorTypeAndShapeInfo(shape);
  OrtValue* values[] = {view, own, strings, sequence, map, part, keys};
  for (size_t i = 0; i < sizeof values / sizeof *values; ++i) OrtReleaseValue(values[i]);
  return ok;
}

static bool make_sparse(void* context) {
  (void)context;
  bool ok = true;
  const int64_t dense[] = {4, 4}, count[] = {2}, places[] = {1, 5};
  int64_t inner[] = {1, 1}, outer[] = {0, 1, 2, 2, 2};
  OrtValue *filled = NULL, *over = NULL;
  OrtTensorTypeAndShapeInfo* shape = NULL;
  const void* data = NULL;
  STEP(OrtCreateSparseTensorAsOrtValue(allocator(), dense, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                       &filled));
  STEP(OrtFillSparseTensorCoo(filled, cpu, count, 1, numbers, places, 2));
  STEP(OrtFillSparseTensorCsr(filled, cpu, count, 1, numbers, inner, 2, outer, 5));
  STEP(OrtGetSparseTensorValues(filled, &data));
  STEP(OrtGetSparseTensorValuesTypeAndShape(filled, &shape));
  STEP(OrtCreateSparseTensorWithValuesAsOrtValue(cpu, numbers, dense, 2, count, 1,
                                                 ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &over));
  STEP(OrtUseCsrIndices(over, inner, 2, outer, 5));
  OrtReleaseTensorTypeAndShapeInfo(shape);
  OrtReleaseValue(filled);
  OrtReleaseValue(over);
  return ok;
}

// A failure must leave the memory to the caller: it is freed here then.
static bool take_memory_over(void* context) {
  (void)context;
  void* block = NULL;
  OrtValue* value = NULL;
  if (!is_ok(OrtAllocatorAlloc(allocator(), 16, &block))) return false;
  const bool ok = is_ok(OrtCreateTensorWithDataAndDeleterAsOrtValue(
      allocator(), block, 16, kMatrix, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
  if (!ok) OrtAllocatorFree(allocator(), block);
  OrtReleaseValue(value);
  return ok;
}

static bool keep_pairs(void* context) {
  (void)context;
  OrtKeyValuePairs* pairs = NULL;
  const char *const *keys = NULL, *const *values = NULL;
  size_t count = 0, set = 0;
  OrtCreateKeyValuePairs(&pairs);
  if (pairs == NULL) return false;
  for (int i = 0; i < 9; ++i) {
    char key[8];
    snprintf(key, sizeof key, "key %d", i);
    OrtAddKeyValuePair(pairs, key, i % 2 == 0 ? "short" : "a text that needs memory of its own");
    set += OrtGetKeyValue(pairs, key) != NULL;
    OrtGetKeyValuePairs(pairs, &keys, &values, &count);
    if (count != set) complain(__FILE__, __LINE__, "pairs are missing from the lists", key);
    for (size_t k = 0; k < count; ++k) {
      if (OrtGetKeyValue(pairs, keys[k]) != values[k]) complain(__FILE__, __LINE__, "stale", key);
    }
  }
  OrtRemoveKeyValuePair(pairs, "key 3");
  OrtReleaseKeyValuePairs(pairs);
  return set == 9;
}

static bool make_environment(void* context) {
  (void)context;
  bool ok = true;
  OrtEnv* made = NULL;
  OrtThreadingOptions* threads = NULL;
  OrtArenaCfg* config = NULL;
  OrtMemoryInfo *arena = NULL, *named = NULL;
  OrtAllocator* shared = NULL;
  OrtValue* value = NULL;
  OrtKeyValuePairs* stats = NULL;
  char** names = NULL;
  int count = 0;
  STEP(OrtCreateThreadingOptions(&threads));
  STEP(OrtSetGlobalDenormalAsZero(threads));
  STEP(OrtCreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_FATAL, "x", threads, &made));
  STEP(OrtCreateMemoryInfo("Cpu", OrtDeviceAllocator, 0, OrtMemTypeDefault, &named));
  STEP(OrtCreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &arena));
  STEP(OrtCreateArenaCfg(0, -1, -1, -1, &config));
  STEP(OrtCreateAndRegisterAllocator(made, arena, config));
  STEP(OrtGetSharedAllocator(made, arena, &shared));
  STEP(OrtCreateTensorAsOrtValue(shared, kMatrix, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
  STEP(OrtAllocatorGetStats(shared, &stats));
  STEP(OrtUnregisterAllocator(made, arena));
  STEP(OrtGetAvailableProviders(&names, &count));
  if (ok) is_ok(OrtReleaseAvailableProviders(names, count));
  OrtReleaseKeyValuePairs(stats);
  OrtReleaseArenaCfg(config);
  OrtReleaseMemoryInfo(arena);
  OrtReleaseMemoryInfo(named);
  OrtReleaseThreadingOptions(threads);
  OrtReleaseEnv(made);
  OrtReleaseValue(value);
  return ok;
}

// Blocks of an arena, given back in another order, so that neighbours split and join.
static bool use_arena(void* context) {
  OrtAllocator* arena = (OrtAllocator*)context;
  void* blocks[12] = {NULL};
  bool ok = true;
  for (size_t i = 0; i < 12 && ok; ++i) {
    blocks[i] = i % 5 == 4 ? arena->Reserve(arena, 5000) : arena->Alloc(arena, 100 + 7000 * i);
    ok = blocks[i] != NULL;
  }
  for (size_t i = 0; i < 12; ++i) arena->Free(arena, blocks[i * 5 % 12]);
  is_ok(arena->Shrink(arena));
  return ok;
}

static bool set_options(void* context) {
  (void)context;
  bool ok = true;
  const char* names[] = {"one", "two"};
  const OrtValue* values[] = {input, input};
  char bytes[8] = {0};
  char* const files[] = {bytes, bytes};
  const size_t sizes[] = {8, 8};
  const char *keys[] = {"target"}, *targets[] = {"host"};
  OrtSessionOptions *options = NULL, *clone = NULL;
  OrtKeyValuePairs* entries = NULL;
  STEP(OrtCreateSessionOptions(&options));
  STEP(OrtAddSessionConfigEntry(options, "session.disable_prepacking", "1"));
  STEP(OrtSessionOptionsAppendExecutionProvider(options, "AOT", keys, targets, 1));
  STEP(OrtSetSessionLogId(options, "a text that is too long for the object itself"));
  STEP(OrtAddFreeDimensionOverrideByName(options, "a symbol of more than fifteen", 4));
  STEP(OrtAddInitializer(options, "three", input));
  STEP(OrtAddExternalInitializers(options, names, values, 2));
  STEP(OrtAddExternalInitializersFromFilesInMemory(options, names, files, sizes, 2));
  STEP(OrtCloneSessionOptions(options, &clone));
  STEP(OrtGetSessionOptionsConfigEntries(options, &entries));
  OrtReleaseKeyValuePairs(entries);
  OrtReleaseSessionOptions(clone);
  OrtReleaseSessionOptions(options);
  return ok;
}

static bool ask_session(void* context) {
  (void)context;
  bool ok = true;
  char *name = NULL, *report = NULL, *places = NULL, *producer = NULL, *profile = NULL;
  OrtTypeInfo* type = NULL;
  OrtModelMetadata* metadata = NULL;
  OrtAllocator* own = NULL;
  const OrtMemoryInfo* memory = NULL;
  STEP(OrtSessionGetInputName(session, 0, allocator(), &name));
  STEP(OrtSessionGetOutputTypeInfo(session, 0, &type));
  STEP(OrtSession_GetReportJson(session, allocator(), &report));
  STEP(OrtSession_GetMemoryReportJson(session, allocator(), &places));
  STEP(OrtSessionGetModelMetadata(session, &metadata));
  STEP(OrtModelMetadataGetProducerName(metadata, allocator(), &producer));
  STEP(OrtSessionEndProfiling(session, allocator(), &profile));
  STEP(OrtCreateAllocator(session, cpu, &own));
  STEP(OrtSessionGetMemoryInfoForInputs(session, &memory, 1));
  char* texts[] = {name, report, places, producer, profile};
  for (size_t i = 0; i < 5; ++i) is_ok(OrtAllocatorFree(allocator(), texts[i]));
  OrtReleaseTypeInfo(type);
  OrtReleaseModelMetadata(metadata);
  OrtReleaseAllocator(own);
  return ok;
}

static bool bind_and_run(void* context) {
  (void)context;
  bool ok = true;
  OrtIoBinding* binding = NULL;
  OrtValue *output = NULL, **values = NULL;
  char* names = NULL;
  size_t *lengths = NULL, count = 0;
  const int64_t shape[] = {1, 3};
  STEP(OrtCreateTensorAsOrtValue(allocator(), shape, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                 &output));
  STEP(OrtCreateIoBinding(session, &binding));
  // Each is tried again and again: what a failure leaves behind must not hurt the run.
  for (int i = 0; i < 3 && binding != NULL && output != NULL; ++i) {
    ok = is_ok(OrtBindInput(binding, "x", input)) && ok;
    ok = is_ok(OrtBindOutputToDevice(binding, "y", cpu)) && ok;
    ok = is_ok(OrtBindOutput(binding, "y", output)) && ok;
    ok = is_ok(OrtBindOutput(binding, "a name that no output of the model has", output)) && ok;
    is_ok(OrtRunWithBinding(session, NULL, binding));
    OrtClearBoundOutputs(binding);
  }
  STEP(OrtBindOutputToDevice(binding, "y", cpu));
  STEP(OrtRunWithBinding(session, NULL, binding));
  STEP(OrtGetBoundOutputNames(binding, allocator(), &names, &lengths, &count));
  STEP(OrtGetBoundOutputValues(binding, allocator(), &values, &count));
  if (ok && (count != 1 || floats_in(values[0])[0] != 60)) {
    complain(__FILE__, __LINE__, "wrong result", "");
  }
  if (values != NULL) OrtReleaseValue(values[0]);
  is_ok(OrtAllocatorFree(allocator(), values));
  is_ok(OrtAllocatorFree(allocator(), names));
  is_ok(OrtAllocatorFree(allocator(), lengths));
  OrtReleaseIoBinding(binding);
  OrtReleaseValue(output);
  return ok;
}

static bool run_once(void* context) {
  (void)context;
  const char *input_name = "x", *output_name = "y";
  const OrtValue* inputs[] = {input};
  OrtValue* output = NULL;
  const bool ok = is_ok(OrtRun(session, NULL, &input_name, inputs, 1, &output_name, 1, &output));
  if (ok && floats_in(output)[0] != 60) complain(__FILE__, __LINE__, "wrong result", "");
  OrtReleaseValue(output);
  return ok;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_called, has_result;

static void hear(void* user_data, OrtValue** outputs, size_t count, OrtStatus* status) {
  (void)user_data;
  (void)count;
  pthread_mutex_lock(&mutex);
  is_called = true;
  has_result = is_ok(status) && outputs != NULL;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

// The session ends afterwards: it must not wait for a run that never began.
static bool run_elsewhere(void* context) {
  OrtSession* threaded = (OrtSession*)context;
  const char *input_name = "x", *output_name = "y";
  const OrtValue* inputs[] = {input};
  OrtValue* output = NULL;
  is_called = has_result = false;
  const long before = live_allocations();
  if (!is_ok(OrtRunAsync(threaded, NULL, &input_name, inputs, 1, &output_name, 1, &output, hear,
                         NULL))) {
    return false;
  }
  pthread_mutex_lock(&mutex);
  while (!is_called) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  OrtReleaseValue(output);
  // The other thread puts the rest away after the callback.
  for (int i = 0; i < 2000 && live_allocations() > before; ++i) usleep(1000);
  return has_result;
}

// What was not taken over is given back here; a graph that has taken a thing ends it itself.
static bool edit_model(void* context) {
  (void)context;
  bool ok = true;
  OrtGraph* graph = NULL;
  OrtModel* model = NULL;
  OrtTensorTypeAndShapeInfo* shape = NULL;
  OrtTypeInfo* type = NULL;
  OrtValueInfo *inputs[] = {NULL}, *outputs[] = {NULL};
  OrtNode* nodes[5] = {NULL};
  OrtValue* weight = NULL;
  OrtOpAttr* attributes[] = {NULL};
  const float alpha = 0.5f;
  const char *domain = "", *names[] = {"x", "a node's output with a long name"};
  const int opset = 17;
  STEP(OrtCreateTensorTypeAndShapeInfo(&shape));
  STEP(OrtSetTensorElementType(shape, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT));
  STEP(OrtSetDimensions(shape, kMatrix, 2));
  STEP(OrtSetSymbolicDimensions(shape, names, 2));
  STEP(OrtCreateTensorTypeInfo(shape, &type));
  STEP(OrtCreateValueInfo("x", type, &inputs[0]));
  STEP(OrtCreateValueInfo("y", type, &outputs[0]));
  STEP(OrtCreateGraph(&graph));
  STEP(OrtSetGraphInputs(graph, inputs, 1));
  STEP(OrtSetGraphOutputs(graph, outputs, 1));
  for (int i = 0; i < 5 && ok; ++i) {
    char name[40];
    snprintf(name, sizeof name, "a node with a rather long name %d", i);
    const char* output = name;
    STEP(OrtCreateOpAttr("alpha", &alpha, 1, ORT_OP_ATTR_FLOAT, &attributes[0]));
    STEP(OrtCreateNode("LeakyRelu", "", name, names, 1, &output, 1, attributes, 1, &nodes[i]));
    OrtReleaseOpAttr(attributes[0]);
    attributes[0] = NULL;
    STEP(OrtAddNodeToGraph(graph, nodes[i]));
    if (!ok) OrtReleaseNode(nodes[i]);
  }
  for (int i = 0; i < 5 && ok; ++i) {
    char name[40];
    snprintf(name, sizeof name, "an initializer with a long name %d", i);
    weight = NULL;
    STEP(OrtCreateTensorAsOrtValue(allocator(), kMatrix, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                   &weight));
    STEP(OrtAddInitializerToGraph(graph, name, weight, false));
    if (!ok) OrtReleaseValue(weight);
  }
  STEP(OrtCreateModel(&domain, &opset, 1, &model));
  STEP(OrtAddGraphToModel(model, graph));
  if (!ok) OrtReleaseGraph(graph);
  OrtReleaseModel(model);
  OrtReleaseValueInfo(inputs[0]);
  OrtReleaseValueInfo(outputs[0]);
  OrtReleaseTypeInfo(type);
  OrtReleaseTensorTypeAndShapeInfo(shape);
  return ok;
}

static bool look_at_graph(void* context) {
  (void)context;
  bool ok = true;
  OrtGraph *graph = NULL, *part = NULL;
  const OrtNode* node = NULL;
  const OrtValueInfo* values[4] = {NULL};
  const OrtGraph* inner = NULL;
  const char* attribute = NULL;
  const OrtTypeInfo* type = NULL;
  const OrtValue* weight = NULL;
  OrtModelMetadata* metadata = NULL;
  STEP(OrtLoadGraph(env, DATA("matmul.onnx"), &graph));
  STEP(OrtGraph_GetNodes(graph, &node, 1));
  STEP(OrtNode_GetInputs(node, values, 4));
  STEP(OrtNode_GetSubgraphs(node, &inner, 1, &attribute));
  STEP(OrtGetValueInfoTypeInfo(values[0], &type));
  STEP(OrtValueInfo_GetInitializerValue(values[1], &weight));
  STEP(OrtGraph_GetGraphView(graph, &node, 1, &part));
  STEP(OrtGraph_GetModelMetadata(graph, &metadata));
  OrtReleaseModelMetadata(metadata);
  OrtReleaseGraph(part);
  OrtReleaseGraph(graph);
  return ok;
}

static bool use_adapter(void* context) {
  (void)context;
  bool ok = true;
  OrtLoraAdapter* adapter = NULL;
  OrtRunOptions* options = NULL;
  STEP(OrtCreateRunOptions(&options));
  STEP(OrtRunOptionsSetRunTag(options, "a tag that is too long for the object itself"));
  STEP(OrtAddRunConfigEntry(options, "memory.enable_memory_arena_shrinkage", "cpu:0"));
  STEP(OrtCreateLoraAdapter(DATA("bias.onnx_adapter"), NULL, &adapter));
  STEP(OrtRunOptionsAddActiveLoraAdapter(options, adapter));
  OrtReleaseLoraAdapter(adapter);
  OrtReleaseRunOptions(options);
  return ok;
}

static bool prepare_compiler(void* context) {
  (void)context;
  bool ok = true;
  OrtSessionOptions* options = NULL;
  OrtModelCompilationOptions* compile = NULL;
  OrtModelCompiler* compiler = NULL;
  void* buffer = NULL;
  size_t size = 0;
  STEP(OrtCreateSessionOptions(&options));
  STEP(OrtCreateModelCompilationOptionsFromSessionOptions(env, options, &compile));
  STEP(OrtModelCompilationOptions_SetInputModelPath(compile, DATA("matmul.onnx")));
  STEP(OrtModelCompilationOptions_SetOutputModelPath(compile, "a path that is rather long.onnx"));
  STEP(OrtModelCompilationOptions_SetOutputModelBuffer(compile, allocator(), &buffer, &size));
  STEP(OrtCreateModelCompiler(env, compile, &compiler));
  OrtReleaseModelCompiler(compiler);
  OrtReleaseModelCompilationOptions(compile);
  OrtReleaseSessionOptions(options);
  return ok;
}

static int begin(void** state) {
  (void)state;
  for (int i = 0; i < 64; ++i) numbers[i] = (float)(i + 1);
  env = new_env();
  session = new_session(env, DATA("matmul.onnx"), NULL);
  input = floats_of(numbers, 4, kMatrix, 2);
  CHECK_OK(OrtCreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &cpu));
  check_matmul_runs(session);
  return 0;
}

static int end(void** state) {
  (void)state;
  OrtReleaseMemoryInfo(cpu);
  OrtReleaseValue(input);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
  return 0;
}

#define EVERY_ALLOCATION(name, attempt)                                   \
  static void test_memory_short__leaves_##name##_as_they_were(void** s) { \
    (void)s;                                                              \
    try_every_allocation(#attempt, attempt, NULL);                        \
  }

EVERY_ALLOCATION(values, make_values)
EVERY_ALLOCATION(sparse_tensors, make_sparse)
EVERY_ALLOCATION(blocks_that_are_taken_over, take_memory_over)
EVERY_ALLOCATION(pairs, keep_pairs)
EVERY_ALLOCATION(environments, make_environment)
EVERY_ALLOCATION(options, set_options)
EVERY_ALLOCATION(sessions_that_are_asked, ask_session)
EVERY_ALLOCATION(runs, run_once)
EVERY_ALLOCATION(bindings, bind_and_run)
EVERY_ALLOCATION(models_under_construction, edit_model)
EVERY_ALLOCATION(graph_views, look_at_graph)
EVERY_ALLOCATION(adapters, use_adapter)
EVERY_ALLOCATION(compilers, prepare_compiler)

static void test_memory_short__is_a_null_block_of_an_arena(void** state) {
  (void)state;
  OrtAllocator* arena = NULL;
  CHECK_OK(OrtCreateAllocator(session, cpu, &arena));
  try_every_allocation("use_arena", use_arena, arena);
  OrtReleaseAllocator(arena);
}

static void test_memory_short__leaves_no_run_under_way(void** state) {
  (void)state;
  OrtSessionOptions* options = new_options(NULL);
  CHECK_OK(OrtSetIntraOpNumThreads(options, 2));
  OrtSession* threaded = new_session(env, DATA("matmul.onnx"), options);
  OrtReleaseSessionOptions(options);
  // Its threads start with the first run.
  assert_true(run_elsewhere(threaded));
  try_every_allocation("run_elsewhere", run_elsewhere, threaded);
  OrtReleaseSession(threaded);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memory_short__leaves_values_as_they_were),
      cmocka_unit_test(test_memory_short__leaves_sparse_tensors_as_they_were),
      cmocka_unit_test(test_memory_short__leaves_blocks_that_are_taken_over_as_they_were),
      cmocka_unit_test(test_memory_short__leaves_pairs_as_they_were),
      cmocka_unit_test(test_memory_short__leaves_environments_as_they_were),
      cmocka_unit_test(test_memory_short__leaves_options_as_they_were),
      cmocka_unit_test(test_memory_short__leaves_sessions_that_are_asked_as_they_were),
      cmocka_unit_test(test_memory_short__leaves_models_under_construction_as_they_were),
      cmocka_unit_test(test_memory_short__leaves_graph_views_as_they_were),
      cmocka_unit_test(test_memory_short__leaves_adapters_as_they_were),
      cmocka_unit_test(test_memory_short__leaves_compilers_as_they_were),
      cmocka_unit_test(test_memory_short__is_a_null_block_of_an_arena),
      cmocka_unit_test(test_memory_short__leaves_runs_as_they_were),
      cmocka_unit_test(test_memory_short__leaves_bindings_as_they_were),
      cmocka_unit_test(test_memory_short__leaves_no_run_under_way),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
