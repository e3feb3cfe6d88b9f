// SPDX-License-Identifier: MIT
// ort_c/session_options.h and ort_c/run_options.h.
#include "tests/api/api_testing.h"

static void test_config__keeps_entries_and_copies_them_out(void** state) {
  (void)state;
  OrtSessionOptions* options = new_options(NULL);
  const char* key = kOrtSessionOptionEpContextFilePath;
  int has = 5;
  char value[32];
  size_t size = sizeof(value);
  CHECK_OK(OrtHasSessionConfigEntry(options, key, &has));
  assert_int_equal(has, 0);
  CHECK_FAILS(OrtGetSessionConfigEntry(options, key, value, &size), ORT_FAIL, key);
  CHECK_OK(OrtAddSessionConfigEntry(options, key, "first.onnx"));
  CHECK_OK(OrtAddSessionConfigEntry(options, key, "m_ctx.onnx"));
  CHECK_OK(OrtHasSessionConfigEntry(options, key, &has));
  assert_int_equal(has, 1);
  size = 0;
  CHECK_OK(OrtGetSessionConfigEntry(options, key, NULL, &size));
  assert_int_equal(size, 11);
  size = 10;
  CHECK_FAILS(OrtGetSessionConfigEntry(options, key, value, &size), ORT_INVALID_ARGUMENT,
              "11 bytes");
  assert_int_equal(size, 11);
  CHECK_OK(OrtGetSessionConfigEntry(options, key, value, &size));
  CHECK_TEXT(value, "m_ctx.onnx");
  OrtReleaseSessionOptions(options);
}

static void test_config__names_the_nearest_key(void** state) {
  (void)state;
  OrtSessionOptions* options = new_options(NULL);
  CHECK_FAILS(OrtAddSessionConfigEntry(options, "ep.contxt_enable", "1"), ORT_INVALID_ARGUMENT,
              "unknown session config key 'ep.contxt_enable'; did you mean 'ep.context_enable'?");
  CHECK_FAILS(OrtAddSessionConfigEntry(options, "session.execution_mode", "paralel"),
              ORT_INVALID_ARGUMENT, "did you mean 'parallel'?");
  CHECK_FAILS(OrtAddSessionConfigEntry(options, "completely different", "1"), ORT_INVALID_ARGUMENT,
              "unknown session config key 'completely different'");
  int has = 5;
  CHECK_OK(OrtHasSessionConfigEntry(options, "ep.contxt_enable", &has));
  assert_int_equal(has, 0);
  OrtReleaseSessionOptions(options);
}

static void test_config__takes_words_in_any_case(void** state) {
  (void)state;
  static const char* const right[][2] = {
      {"session.execution_mode", "ORT_Parallel"},
      {"session.execution_mode", "sequential"},
      {"session.graph_optimization_level", "99"},
      {"session.graph_optimization_level", "enable_ALL"},
      {"session.enable_mem_pattern", "False"},
      {"session.use_per_session_threads", "TRUE"},
      {"session.graph_optimization_level", "disable_all"},
  };
  OrtSessionOptions* options = new_options(NULL);
  for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); ++i) {
    CHECK_OK(OrtAddSessionConfigEntry(options, right[i][0], right[i][1]));
  }
  ExecutionMode mode = ORT_PARALLEL;
  int pattern = 1;
  CHECK_OK(OrtGetSessionExecutionMode(options, &mode));
  CHECK_OK(OrtGetMemPatternEnabled(options, &pattern));
  assert_true(mode == ORT_SEQUENTIAL && pattern == 0);
  CHECK_OK(OrtAddSessionConfigEntry(options, "session.execution_mode", "parallel"));
  CHECK_OK(OrtGetSessionExecutionMode(options, &mode));
  assert_int_equal(mode, ORT_PARALLEL);
  OrtReleaseSessionOptions(options);
}

static void test_config__enables_profiling_by_the_prefix(void** state) {
  (void)state;
  const char* prefix = temp_path("trace");
  OrtEnv* env = new_env();
  OrtSessionOptions* options = new_options(NULL);
  OrtSession* session = NULL;
  char* path = NULL;
  CHECK_OK(OrtAddSessionConfigEntry(options, "session.enable_profiling", prefix));
  CHECK_OK(OrtCreateSession(env, DATA("matmul.onnx"), options, &session));
  CHECK_OK(OrtSessionEndProfiling(session, allocator(), &path));
  CHECK_CONTAINS(path, prefix);
  assert_true(file_exists(path));
  free_text(path);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

static void test_config__refuses_wrong_values(void** state) {
  (void)state;
  static const char* const wrong[][2] = {
      {"ep.context_enable", "yes"},
      {"ep.context_embed_mode", "2"},
      {"session.disable_model_compile", ""},
      {"session.disable_cpu_ep_fallback", "true"},
      {"session.intra_op_num_threads", "-1"},
      {"session.intra_op_num_threads", "two"},
      {"session.graph_optimization_level", "4"},
      {"session.enable_mem_pattern", "on"},
      {"session.enable_mem_pattern", "2"},
      {"session.execution_mode", "at once"},
      {"session.execution_mode", "2"},
      {"session.graph_optimization_level", "all"},
  };
  OrtSessionOptions* options = new_options(NULL);
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
    CHECK_FAILS(OrtAddSessionConfigEntry(options, wrong[i][0], wrong[i][1]), ORT_INVALID_ARGUMENT,
                wrong[i][0]);
  }
  OrtReleaseSessionOptions(options);
}

static void test_config__limits_the_size_of_keys_and_values(void** state) {
  (void)state;
  OrtSessionOptions* options = new_options(NULL);
  char key[1026];
  char value[8194];
  memset(key, 'k', sizeof(key));
  memset(value, 'v', sizeof(value));
  key[1025] = 0;
  value[8193] = 0;
  CHECK_FAILS(OrtAddSessionConfigEntry(options, key, "1"), ORT_INVALID_ARGUMENT, "1024");
  CHECK_FAILS(OrtAddSessionConfigEntry(options, "ep.context_file_path", value),
              ORT_INVALID_ARGUMENT, "8192");
  value[8192] = 0;
  CHECK_OK(OrtAddSessionConfigEntry(options, "ep.context_file_path", value));
  CHECK_FAILS(OrtAddSessionConfigEntry(options, "", "1"), ORT_INVALID_ARGUMENT, "empty");
  CHECK_FAILS(OrtAddSessionConfigEntry(options, NULL, "1"), ORT_INVALID_ARGUMENT, "'config_key'");
  CHECK_FAILS(OrtAddSessionConfigEntry(options, "ep.context_enable", NULL), ORT_INVALID_ARGUMENT,
              "'config_value'");
  CHECK_FAILS(OrtAddSessionConfigEntry(NULL, "ep.context_enable", "1"), ORT_INVALID_ARGUMENT,
              "'options'");
  OrtReleaseSessionOptions(options);
}

static void test_config__accepts_every_session_key_of_the_header(void** state) {
  (void)state;
  // One of each kind: a key without effect here, an option of somebody else's provider.
  OrtSessionOptions* options = new_options(NULL);
  CHECK_OK(OrtAddSessionConfigEntry(options, kOrtSessionOptionsConfigDisablePrepacking, "1"));
  CHECK_OK(OrtAddSessionConfigEntry(options, kOrtSessionOptionsConfigNnapiEpPartitioningStopOps,
                                    "Conv"));
  CHECK_OK(OrtAddSessionConfigEntry(options, "ep.qnnexecutionprovider.backend_path", "x"));
  OrtReleaseSessionOptions(options);
}

static void test_config__judges_options_of_other_providers_when_the_session_is_made(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSessionOptions* options = new_options(NULL);
  OrtSession* session = (OrtSession*)1;
  CHECK_OK(OrtAddSessionConfigEntry(options, "ep.qnnexecutionprovider.backend_path", "x"));
  CHECK_OK(OrtCreateSession(env, DATA("matmul.onnx"), options, &session));
  OrtReleaseSession(session);
  CHECK_OK(OrtAddSessionConfigEntry(options, "ep.aott.target", "x"));
  CHECK_FAILS(OrtCreateSession(env, DATA("matmul.onnx"), options, &session), ORT_INVALID_ARGUMENT,
              "unknown session config key 'ep.aott.target': the environment has no execution "
              "provider whose options begin with 'ep.aott.'; did you mean 'ep.aot.'?");
  assert_null(session);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

static void test_config__lets_the_provider_judge_its_options(void** state) {
  (void)state;
  OrtSessionOptions* options = new_options(NULL);
  CHECK_FAILS(OrtAddSessionConfigEntry(options, "ep.aotexecutionprovider.targt", "host"),
              ORT_INVALID_ARGUMENT, "did you mean 'target'?");
  CHECK_FAILS(OrtAddSessionConfigEntry(options, "ep.aot.target", "no such machine"),
              ORT_INVALID_ARGUMENT, "no such machine");
  CHECK_FAILS(OrtAddSessionConfigEntry(options, "ep.aot.excluded_operators", "Matmul"),
              ORT_INVALID_ARGUMENT, "found 'Matmul'; did you mean 'MatMul'?");
  CHECK_OK(OrtAddSessionConfigEntry(options, "ep.aot.target", "host"));
  int has = 0;
  CHECK_OK(OrtHasSessionConfigEntry(options, "ep.aotexecutionprovider.target", &has));
  assert_int_equal(has, 1);
  has = 0;
  CHECK_OK(OrtHasSessionConfigEntry(options, "ep.aot.target", &has));
  assert_int_equal(has, 1);
  OrtReleaseSessionOptions(options);
}

static void test_options__add_providers_by_either_name(void** state) {
  (void)state;
  static const char* const names[] = {"AOT", "AotExecutionProvider", "CPU", "CPUExecutionProvider"};
  for (size_t i = 0; i < 4; ++i) {
    OrtSessionOptions* options = new_options(names[i]);
    CHECK_FAILS(OrtSessionOptionsAppendExecutionProvider(options, names[i], NULL, NULL, 0),
                ORT_INVALID_ARGUMENT, "added already");
    OrtReleaseSessionOptions(options);
  }
  OrtSessionOptions* options = new_options(NULL);
  CHECK_FAILS(OrtSessionOptionsAppendExecutionProvider(options, "CUDA", NULL, NULL, 0),
              ORT_INVALID_ARGUMENT,
              "no execution provider is called 'CUDA'; there are AotExecutionProvider (AOT), "
              "CPUExecutionProvider (CPU)");
  CHECK_FAILS(OrtSessionOptionsAppendExecutionProvider(options, NULL, NULL, NULL, 0),
              ORT_INVALID_ARGUMENT, "'provider_name'");
  OrtReleaseSessionOptions(options);
}

static void test_options__keep_provider_options_as_config_entries(void** state) {
  (void)state;
  OrtSessionOptions* options = new_options(NULL);
  const char* keys[] = {"target", NULL};
  const char* values[] = {"host", "x"};
  CHECK_FAILS(OrtSessionOptionsAppendExecutionProvider(options, "AOT", keys, values, 2),
              ORT_INVALID_ARGUMENT, "'provider_options_keys[1]'");
  CHECK_FAILS(OrtSessionOptionsAppendExecutionProvider(options, "AOT", NULL, values, 1),
              ORT_INVALID_ARGUMENT, "'provider_options_keys'");
  keys[1] = "unknown";
  CHECK_FAILS(OrtSessionOptionsAppendExecutionProvider(options, "AOT", keys, values, 2),
              ORT_INVALID_ARGUMENT, "unknown");
  int has = 5;
  CHECK_OK(OrtHasSessionConfigEntry(options, "ep.aotexecutionprovider.target", &has));
  assert_int_equal(has, 0);
  CHECK_OK(OrtSessionOptionsAppendExecutionProvider(options, "AOT", keys, values, 1));
  CHECK_OK(OrtHasSessionConfigEntry(options, "ep.aotexecutionprovider.target", &has));
  assert_int_equal(has, 1);
  OrtReleaseSessionOptions(options);
}

static void test_options__add_providers_by_devices_of_one_provider(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtEnv* other = new_env();
  const OrtEpDevice* const* devices = NULL;
  const OrtEpDevice* const* others = NULL;
  size_t count = 0;
  CHECK_OK(OrtGetEpDevices(env, &devices, &count));
  CHECK_OK(OrtGetEpDevices(other, &others, &count));
  OrtSessionOptions* options = new_options(NULL);
  CHECK_FAILS(OrtSessionOptionsAppendExecutionProvider_V2(options, env, devices, 2, NULL, NULL, 0),
              ORT_INVALID_ARGUMENT, "two execution providers");
  CHECK_FAILS(OrtSessionOptionsAppendExecutionProvider_V2(options, env, devices, 0, NULL, NULL, 0),
              ORT_INVALID_ARGUMENT, "'num_ep_devices'");
  CHECK_FAILS(OrtSessionOptionsAppendExecutionProvider_V2(options, env, others, 1, NULL, NULL, 0),
              ORT_INVALID_ARGUMENT, "'ep_devices[0]'");
  CHECK_FAILS(OrtSessionOptionsAppendExecutionProvider_V2(options, NULL, devices, 1, NULL, NULL, 0),
              ORT_INVALID_ARGUMENT, "'env'");
  const char* keys[] = {"target"};
  const char* values[] = {"host"};
  CHECK_OK(OrtSessionOptionsAppendExecutionProvider_V2(options, env, devices, 1, keys, values, 1));
  OrtReleaseEnv(other);
  OrtReleaseEnv(env);
  env = new_env();
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateSession(env, DATA("matmul.onnx"), options, &session));
  check_matmul_runs(session);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

static bool uses_aot(OrtEnv* env, const OrtSessionOptions* options) {
  OrtSession* session = NULL;
  char* report = NULL;
  CHECK_OK(OrtCreateSession(env, DATA("matmul.onnx"), options, &session));
  CHECK_OK(OrtSession_GetReportJson(session, allocator(), &report));
  const bool uses = strstr(report, "\"AotExecutionProvider\"") != NULL;
  free_text(report);
  OrtReleaseSession(session);
  return uses;
}

static void test_options__choose_providers_by_policy(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  for (int policy = OrtExecutionProviderDevicePolicy_DEFAULT;
       policy <= OrtExecutionProviderDevicePolicy_MIN_OVERALL_POWER; ++policy) {
    OrtSessionOptions* options = new_options(NULL);
    CHECK_OK(
        OrtSessionOptionsSetEpSelectionPolicy(options, (OrtExecutionProviderDevicePolicy)policy));
    assert_int_equal(uses_aot(env, options), policy != OrtExecutionProviderDevicePolicy_DEFAULT);
    OrtReleaseSessionOptions(options);
  }
  OrtSessionOptions* options = new_options("CPU");
  CHECK_OK(OrtSessionOptionsSetEpSelectionPolicy(options,
                                                 OrtExecutionProviderDevicePolicy_MAX_PERFORMANCE));
  assert_false(uses_aot(env, options));
  CHECK_FAILS(OrtSessionOptionsSetEpSelectionPolicy(options, (OrtExecutionProviderDevicePolicy)99),
              ORT_INVALID_ARGUMENT, "99");
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

static void test_options__clone_is_independent(void** state) {
  (void)state;
  OrtSessionOptions* options = new_options("AOT");
  OrtSessionOptions* clone = NULL;
  CHECK_OK(OrtAddSessionConfigEntry(options, "ep.context_enable", "1"));
  CHECK_OK(OrtCloneSessionOptions(options, &clone));
  CHECK_OK(OrtAddSessionConfigEntry(clone, "ep.context_embed_mode", "1"));
  OrtReleaseSessionOptions(options);
  int has = 0;
  CHECK_OK(OrtHasSessionConfigEntry(clone, "ep.context_enable", &has));
  assert_int_equal(has, 1);
  OrtReleaseSessionOptions(clone);
  CHECK_FAILS(OrtCloneSessionOptions(NULL, &clone), ORT_INVALID_ARGUMENT, "'in_options'");
  assert_null(clone);
  OrtReleaseSessionOptions(NULL);
}

static void test_options__setters_check_their_values(void** state) {
  (void)state;
  OrtSessionOptions* options = new_options(NULL);
  CHECK_OK(OrtSetSessionGraphOptimizationLevel(options, ORT_ENABLE_LAYOUT));
  CHECK_FAILS(OrtSetSessionGraphOptimizationLevel(options, (GraphOptimizationLevel)5),
              ORT_INVALID_ARGUMENT, "5");
  CHECK_OK(OrtSetIntraOpNumThreads(options, 2));
  CHECK_FAILS(OrtSetIntraOpNumThreads(options, -1), ORT_INVALID_ARGUMENT, "-1");
  // What no pool has is refused by whichever way it comes.
  CHECK_OK(OrtSetIntraOpNumThreads(options, 1024));
  CHECK_FAILS(OrtSetIntraOpNumThreads(options, 1025), ORT_INVALID_ARGUMENT, "0 to 1024");
  CHECK_FAILS(OrtAddSessionConfigEntry(options, "session.intra_op_num_threads", "1025"),
              ORT_INVALID_ARGUMENT, "0 to 1024");
  CHECK_FAILS(OrtSetInterOpNumThreads(options, 1025), ORT_INVALID_ARGUMENT, "0 to 1024");
  CHECK_OK(OrtSetIntraOpNumThreads(options, 2));
  CHECK_OK(OrtSetInterOpNumThreads(options, 0));
  CHECK_FAILS(OrtSetInterOpNumThreads(options, -1), ORT_INVALID_ARGUMENT, "-1");
  CHECK_OK(OrtSetSessionExecutionMode(options, ORT_PARALLEL));
  CHECK_FAILS(OrtSetSessionExecutionMode(options, (ExecutionMode)2), ORT_INVALID_ARGUMENT, "2");
  CHECK_OK(OrtEnableMemPattern(options));
  CHECK_OK(OrtDisableMemPattern(options));
  CHECK_OK(OrtEnableCpuMemArena(options));
  CHECK_OK(OrtDisableCpuMemArena(options));
  CHECK_OK(OrtAddFreeDimensionOverride(options, "DATA_BATCH", 0));
  CHECK_FAILS(OrtAddFreeDimensionOverride(options, "DATA_BATCH", -1), ORT_INVALID_ARGUMENT, "-1");
  CHECK_OK(OrtAddFreeDimensionOverrideByName(options, "rows", 3));
  CHECK_FAILS(OrtAddFreeDimensionOverrideByName(options, NULL, 3), ORT_INVALID_ARGUMENT,
              "'dim_name'");
  CHECK_OK(OrtSetSessionLogId(options, "mine"));
  CHECK_FAILS(OrtSetSessionLogId(options, NULL), ORT_INVALID_ARGUMENT, "'logid'");
  CHECK_OK(OrtSetSessionLogVerbosityLevel(options, 3));
  CHECK_OK(OrtSetSessionLogSeverityLevel(options, ORT_LOGGING_LEVEL_ERROR));
  CHECK_FAILS(OrtSetSessionLogSeverityLevel(options, 5), ORT_INVALID_ARGUMENT, "5");
  CHECK_FAILS(OrtEnableMemPattern(NULL), ORT_INVALID_ARGUMENT, "'options'");
  OrtReleaseSessionOptions(options);
}

static void test_options__fix_free_dimensions(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSessionOptions* options = new_options(NULL);
  CHECK_OK(OrtAddFreeDimensionOverrideByName(options, "rows", 5));
  CHECK_OK(OrtAddFreeDimensionOverrideByName(options, "rows", 1));
  OrtSession* session = NULL;
  OrtTypeInfo* type = NULL;
  const OrtTensorTypeAndShapeInfo* tensor = NULL;
  int64_t dims[2] = {0, 0};
  CHECK_OK(OrtCreateSession(env, DATA("matmul.onnx"), options, &session));
  CHECK_OK(OrtSessionGetInputTypeInfo(session, 0, &type));
  CHECK_OK(OrtCastTypeInfoToTensorInfo(type, &tensor));
  CHECK_OK(OrtGetDimensions(tensor, dims, 2));
  assert_true(dims[0] == 1 && dims[1] == 4);
  check_matmul_runs(session);
  OrtReleaseTypeInfo(type);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

static void test_options__refuse_what_no_session_can_do(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSessionOptions* options = new_options("AOT");
  OrtSession* session = (OrtSession*)1;
  CHECK_OK(OrtAddSessionConfigEntry(options, "ep.enable_weightless", "1"));
  CHECK_FAILS(OrtCreateSession(env, DATA("matmul.onnx"), options, &session), ORT_EP_FAIL,
              "ep.enable_weightless");
  assert_null(session);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

static void test_run_options__keep_what_was_set(void** state) {
  (void)state;
  OrtRunOptions* options = NULL;
  const char* tag = NULL;
  int level = 9;
  CHECK_OK(OrtCreateRunOptions(&options));
  CHECK_OK(OrtRunOptionsGetRunTag(options, &tag));
  CHECK_TEXT(tag, "");
  CHECK_OK(OrtRunOptionsSetRunTag(options, "first run"));
  CHECK_OK(OrtRunOptionsGetRunTag(options, &tag));
  CHECK_TEXT(tag, "first run");
  CHECK_OK(OrtRunOptionsSetRunTag(options, NULL));
  CHECK_OK(OrtRunOptionsGetRunTag(options, &tag));
  CHECK_TEXT(tag, "");
  CHECK_OK(OrtRunOptionsGetRunLogSeverityLevel(options, &level));
  assert_int_equal(level, -1);
  CHECK_OK(OrtRunOptionsSetRunLogSeverityLevel(options, ORT_LOGGING_LEVEL_INFO));
  CHECK_OK(OrtRunOptionsGetRunLogSeverityLevel(options, &level));
  assert_int_equal(level, ORT_LOGGING_LEVEL_INFO);
  CHECK_FAILS(OrtRunOptionsSetRunLogSeverityLevel(options, 7), ORT_INVALID_ARGUMENT, "7");
  CHECK_OK(OrtRunOptionsSetRunLogVerbosityLevel(options, 2));
  CHECK_OK(OrtRunOptionsGetRunLogVerbosityLevel(options, &level));
  assert_int_equal(level, 2);
  CHECK_OK(OrtAddRunConfigEntry(options, "gpu_graph_id", "-1"));
  CHECK_TEXT(OrtGetRunConfigEntry(options, "gpu_graph_id"), "-1");
  assert_null(OrtGetRunConfigEntry(options, "qnn.lora_config"));
  assert_null(OrtGetRunConfigEntry(NULL, "gpu_graph_id"));
  assert_null(OrtGetRunConfigEntry(options, NULL));
  CHECK_FAILS(OrtAddRunConfigEntry(options, "gpu_graph_ident", "1"), ORT_INVALID_ARGUMENT,
              "did you mean 'gpu_graph_id'?");
  CHECK_FAILS(OrtAddRunConfigEntry(options, "ep.context_enable", "1"), ORT_INVALID_ARGUMENT,
              "unknown run config key");
  CHECK_FAILS(OrtAddRunConfigEntry(options, "", "1"), ORT_INVALID_ARGUMENT, "empty");
  OrtReleaseRunOptions(options);
  OrtReleaseRunOptions(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_config__keeps_entries_and_copies_them_out),
      cmocka_unit_test(test_config__names_the_nearest_key),
      cmocka_unit_test(test_config__takes_words_in_any_case),
      cmocka_unit_test(test_config__enables_profiling_by_the_prefix),
      cmocka_unit_test(test_config__refuses_wrong_values),
      cmocka_unit_test(test_config__limits_the_size_of_keys_and_values),
      cmocka_unit_test(test_config__accepts_every_session_key_of_the_header),
      cmocka_unit_test(test_config__judges_options_of_other_providers_when_the_session_is_made),
      cmocka_unit_test(test_config__lets_the_provider_judge_its_options),
      cmocka_unit_test(test_options__add_providers_by_either_name),
      cmocka_unit_test(test_options__keep_provider_options_as_config_entries),
      cmocka_unit_test(test_options__add_providers_by_devices_of_one_provider),
      cmocka_unit_test(test_options__choose_providers_by_policy),
      cmocka_unit_test(test_options__clone_is_independent),
      cmocka_unit_test(test_options__setters_check_their_values),
      cmocka_unit_test(test_options__fix_free_dimensions),
      cmocka_unit_test(test_options__refuse_what_no_session_can_do),
      cmocka_unit_test(test_run_options__keep_what_was_set),
  };
  return cmocka_run_group_tests(tests, make_temp_folder, remove_temp_folder);
}
