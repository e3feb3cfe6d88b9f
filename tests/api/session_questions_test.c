// SPDX-License-Identifier: MIT
// What environments and sessions are asked beside running: descriptions of environments, places of
// values, options while a session lives, copies between tensors.
#include "tests/api/api_testing.h"

typedef struct {
  int count;
  char log_id[32];
} Lines;

static void keep_line(void* param, OrtLoggingLevel severity, const char* category,
                      const char* logid, const char* code_location, const char* message) {
  Lines* lines = (Lines*)param;
  (void)severity, (void)category, (void)code_location, (void)message;
  lines->count++;
  snprintf(lines->log_id, sizeof(lines->log_id), "%s", logid);
}

// A session with a key that means nothing here warns once in each environment.
static OrtSession* session_that_warns(OrtEnv* env, const char* key) {
  OrtSessionOptions* options = new_options(NULL);
  OrtSession* session = NULL;
  CHECK_OK(OrtAddSessionConfigEntry(options, key, "1"));
  CHECK_OK(OrtCreateSession(env, DATA("matmul.onnx"), options, &session));
  OrtReleaseSessionOptions(options);
  return session;
}

static void test_env__is_made_from_a_description(void** state) {
  (void)state;
  Lines lines;
  memset(&lines, 0, sizeof(lines));
  OrtThreadingOptions* threading = NULL;
  OrtKeyValuePairs* entries = NULL;
  OrtEnv* env = NULL;
  CHECK_OK(OrtCreateThreadingOptions(&threading));
  OrtCreateKeyValuePairs(&entries);
  OrtAddKeyValuePair(entries, "allow_virtual_devices", "1");
  OrtAddKeyValuePair(entries, "ep_factory.some.key", "x");
  OrtEnvCreationOptions options;
  memset(&options, 0, sizeof(options));
  options.logging_severity_level = ORT_LOGGING_LEVEL_WARNING;
  options.log_id = "described";
  options.custom_logging_function = keep_line;
  options.custom_logging_param = &lines;
  options.threading_options = threading;
  options.config_entries = entries;
  CHECK_FAILS(OrtCreateEnvWithOptions(&options, &env), ORT_INVALID_ARGUMENT, "version");
  options.version = 24;
  CHECK_OK(OrtCreateEnvWithOptions(&options, &env));
  OrtReleaseSession(session_that_warns(env, "session.disable_prepacking"));
  assert_int_equal(lines.count, 1);
  CHECK_TEXT(lines.log_id, "described");
  // Its threads are there.
  OrtSessionOptions* session_options = new_options(NULL);
  OrtSession* session = NULL;
  CHECK_OK(OrtDisablePerSessionThreads(session_options));
  CHECK_OK(OrtCreateSession(env, DATA("matmul.onnx"), session_options, &session));
  check_matmul_runs(session);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(session_options);
  OrtReleaseEnv(env);
  OrtReleaseThreadingOptions(threading);

  options.threading_options = NULL;
  OrtAddKeyValuePair(entries, "allow_virtual_device", "1");
  CHECK_FAILS(OrtCreateEnvWithOptions(&options, &env), ORT_INVALID_ARGUMENT,
              "allow_virtual_devices");
  OrtReleaseKeyValuePairs(entries);
  options.config_entries = NULL;
  options.log_id = NULL;
  CHECK_FAILS(OrtCreateEnvWithOptions(&options, &env), ORT_INVALID_ARGUMENT, "log_id");
  assert_null(env);
}

static void test_env__changes_its_severity_for_later_sessions(void** state) {
  (void)state;
  Lines lines;
  memset(&lines, 0, sizeof(lines));
  OrtEnv* env = NULL;
  CHECK_OK(OrtCreateEnvWithCustomLogger(keep_line, &lines, ORT_LOGGING_LEVEL_ERROR, "x", &env));
  OrtReleaseSession(session_that_warns(env, "session.disable_prepacking"));
  assert_int_equal(lines.count, 0);
  CHECK_OK(OrtUpdateEnvWithCustomLogLevel(env, ORT_LOGGING_LEVEL_WARNING));
  OrtReleaseSession(session_that_warns(env, "session.dynamic_block_base"));
  assert_int_equal(lines.count, 1);
  CHECK_FAILS(OrtUpdateEnvWithCustomLogLevel(env, (OrtLoggingLevel)9), ORT_INVALID_ARGUMENT, "9");
  CHECK_OK(OrtSetLanguageProjection(env, ORT_PROJECTION_CSHARP));
  CHECK_FAILS(OrtSetLanguageProjection(env, (OrtLanguageProjection)7), ORT_INVALID_ARGUMENT, "7");
  CHECK_OK(OrtEnableTelemetryEvents(env));
  CHECK_OK(OrtDisableTelemetryEvents(env));
  OrtReleaseEnv(env);
}

static void test_session__tells_where_values_are(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateSession(env, DATA("sums.onnx"), NULL, &session));
  const OrtMemoryInfo* memories[3] = {NULL};
  const OrtEpDevice* devices[3] = {NULL};
  CHECK_OK(OrtSessionGetMemoryInfoForInputs(session, memories, 3));
  CHECK_OK(OrtSessionGetEpDeviceForInputs(session, devices, 3));
  for (int i = 0; i < 3; ++i) {
    const char* name = NULL;
    CHECK_OK(OrtMemoryInfoGetName(memories[i], &name));
    CHECK_TEXT(name, "Cpu");
    CHECK_TEXT(OrtEpDevice_EpName(devices[i]), "CPUExecutionProvider");
    assert_null(OrtEpDevice_MemoryInfo(devices[i], OrtDeviceMemoryType_DEFAULT));
  }
  const OrtEpDevice* const* known = NULL;
  size_t count = 0, hardware_count = 0;
  CHECK_OK(OrtGetEpDevices(env, &known, &count));
  assert_ptr_equal(known[count - 1], devices[0]);
  CHECK_OK(OrtSessionGetMemoryInfoForOutputs(session, memories, 1));
  CHECK_OK(OrtSessionGetEpDeviceForOutputs(session, devices, 1));
  CHECK_FAILS(OrtSessionGetMemoryInfoForInputs(session, memories, 2), ORT_INVALID_ARGUMENT,
              "room for 2");
  CHECK_FAILS(OrtSessionGetEpDeviceForOutputs(session, NULL, 1), ORT_INVALID_ARGUMENT, "NULL");

  CHECK_OK(OrtGetNumHardwareDevices(env, &hardware_count));
  assert_int_equal(hardware_count, 1);
  const OrtHardwareDevice* hardware[1] = {NULL};
  CHECK_OK(OrtGetHardwareDevices(env, hardware, 1));
  assert_ptr_equal(hardware[0], OrtEpDevice_Device(known[0]));
  CHECK_FAILS(OrtGetHardwareDevices(env, hardware, 0), ORT_INVALID_ARGUMENT, "there are 1");
  OrtSyncStream* stream = (OrtSyncStream*)1;
  CHECK_FAILS(OrtCreateSyncStreamForEpDevice(known[0], NULL, &stream), ORT_INVALID_ARGUMENT,
              "no streams");
  assert_null(stream);
  OrtReleaseEnv(env);
  OrtReleaseSession(session);
}

static void test_session__tells_which_provider_runs_which_node(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  const char* providers[] = {NULL, "AOT"};
  for (int i = 0; i < 2; ++i) {
    OrtSessionOptions* options = new_options(providers[i]);
    OrtSession* session = NULL;
    const OrtEpAssignedSubgraph* const* parts = NULL;
    const OrtEpAssignedNode* const* nodes = NULL;
    size_t count = 1;
    const char* text = NULL;
    CHECK_OK(OrtCreateSession(env, DATA("layers.onnx"), options, &session));
    CHECK_FAILS(OrtSession_GetEpGraphAssignmentInfo(session, &parts, &count), ORT_FAIL,
                "session.record_ep_graph_assignment_info");
    assert_int_equal(count, 0);
    OrtReleaseSession(session);
    CHECK_OK(OrtAddSessionConfigEntry(options, "session.record_ep_graph_assignment_info", "1"));
    CHECK_OK(OrtCreateSession(env, DATA("layers.onnx"), options, &session));
    CHECK_OK(OrtSession_GetEpGraphAssignmentInfo(session, &parts, &count));
    assert_int_equal(count, i == 0 ? 3 : 1);
    CHECK_OK(OrtEpAssignedSubgraph_GetEpName(parts[0], &text));
    CHECK_TEXT(text, i == 0 ? "CPUExecutionProvider" : "AotExecutionProvider");
    CHECK_OK(OrtEpAssignedSubgraph_GetNodes(parts[0], &nodes, &count));
    assert_int_equal(count, i == 0 ? 1 : 3);
    CHECK_OK(OrtEpAssignedNode_GetName(nodes[0], &text));
    CHECK_TEXT(text, "first");
    CHECK_OK(OrtEpAssignedNode_GetDomain(nodes[0], &text));
    CHECK_TEXT(text, "");
    CHECK_OK(OrtEpAssignedNode_GetOperatorType(nodes[0], &text));
    CHECK_TEXT(text, "MatMul");
    OrtReleaseSession(session);
    OrtReleaseSessionOptions(options);
  }
  OrtReleaseEnv(env);
}

static void test_session__checks_dynamic_options(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateSession(env, DATA("matmul.onnx"), NULL, &session));
  const char* const key[] = {"ep.dynamic.workload_type"};
  const char* const wrong_key[] = {"ep.dynamic.workload"};
  const char* const value[] = {"Efficient"};
  const char* const wrong_value[] = {"Lazy"};
  CHECK_OK(OrtSetEpDynamicOptions(session, key, value, 1));
  CHECK_FAILS(OrtSetEpDynamicOptions(session, wrong_key, value, 1), ORT_INVALID_ARGUMENT,
              "ep.dynamic.workload_type");
  CHECK_FAILS(OrtSetEpDynamicOptions(session, key, wrong_value, 1), ORT_INVALID_ARGUMENT, "Lazy");
  CHECK_FAILS(OrtSetEpDynamicOptions(session, key, value, 0), ORT_INVALID_ARGUMENT, "'kv_len'");
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
}

static void test_tensors__are_copied(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {0};
  const int64_t shape[] = {2, 3}, other[] = {3, 2};
  OrtValue* from[] = {floats_of(a, 6, shape, 2), floats_of(a, 6, other, 2)};
  OrtValue* to[] = {floats_of(b, 6, shape, 2), floats_of(b, 6, shape, 2)};
  const OrtValue* const sources[] = {from[0], from[1]};
  CHECK_OK(OrtCopyTensors(env, sources, to, NULL, 1));
  assert_memory_equal(a, b, sizeof(a));
  CHECK_FAILS(OrtCopyTensors(env, sources, to, NULL, 2), ORT_INVALID_ARGUMENT, "[3,2]");
  CHECK_FAILS(OrtCopyTensors(env, sources, from, NULL, 1), ORT_INVALID_ARGUMENT, "overlap");
  CHECK_FAILS(OrtCopyTensors(env, sources, to, (OrtSyncStream*)1, 1), ORT_INVALID_ARGUMENT,
              "'stream'");
  CHECK_FAILS(OrtCopyTensors(env, sources, to, NULL, 0), ORT_INVALID_ARGUMENT, "'num_tensors'");
  for (int i = 0; i < 2; ++i) {
    OrtReleaseValue(from[i]);
    OrtReleaseValue(to[i]);
  }
  OrtReleaseEnv(env);
}

static void test_options__are_told_again(void** state) {
  (void)state;
  OrtSessionOptions *options = new_options(NULL), *copy = NULL;
  OrtKeyValuePairs* entries = NULL;
  int is_on = 0;
  ExecutionMode mode = ORT_SEQUENTIAL;
  CHECK_OK(OrtAddSessionConfigEntry(options, "session.log_id", "me"));
  CHECK_OK(OrtSetSessionExecutionMode(options, ORT_PARALLEL));
  CHECK_OK(OrtSetDeterministicCompute(options, true));
  CHECK_OK(OrtGetMemPatternEnabled(options, &is_on));
  assert_int_equal(is_on, 1);
  CHECK_OK(OrtDisableMemPattern(options));
  CHECK_OK(OrtDisableCpuMemArena(options));
  CHECK_OK(OrtCloneSessionOptions(options, &copy));
  OrtReleaseSessionOptions(options);
  CHECK_OK(OrtGetSessionOptionsConfigEntries(copy, &entries));
  CHECK_TEXT(OrtGetKeyValue(entries, "session.log_id"), "me");
  OrtReleaseKeyValuePairs(entries);
  CHECK_OK(OrtGetMemPatternEnabled(copy, &is_on));
  assert_int_equal(is_on, 0);
  CHECK_OK(OrtGetSessionExecutionMode(copy, &mode));
  assert_int_equal(mode, ORT_PARALLEL);
  // Neither plan nor memory is kept, and it runs all the same.
  OrtEnv* env = new_env();
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateSession(env, DATA("matmul.onnx"), copy, &session));
  for (int i = 0; i < 3; ++i) check_matmul_runs(session);
  char* report = NULL;
  CHECK_OK(OrtSession_GetReportJson(session, allocator(), &report));
  CHECK_CONTAINS(report, "\"arena_bytes\":0");
  free_text(report);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(copy);
  OrtReleaseEnv(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_env__is_made_from_a_description),
      cmocka_unit_test(test_env__changes_its_severity_for_later_sessions),
      cmocka_unit_test(test_session__tells_where_values_are),
      cmocka_unit_test(test_session__tells_which_provider_runs_which_node),
      cmocka_unit_test(test_session__checks_dynamic_options),
      cmocka_unit_test(test_tensors__are_copied),
      cmocka_unit_test(test_options__are_told_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
