// SPDX-License-Identifier: MIT
// Targets of the AOT provider as devices that are not there: offered when the environment allows
// it, to compile for.
#include "ort_c/ort_api.h"
#include "tests/api/api_testing.h"

static OrtEnv* new_env_that_allows(const char* value) {
  OrtKeyValuePairs* entries = NULL;
  OrtCreateKeyValuePairs(&entries);
  OrtAddKeyValuePair(entries, kOrtEnvAllowVirtualDevices, value);
  OrtEnvCreationOptions options;
  memset(&options, 0, sizeof(options));
  options.version = 24;
  options.logging_severity_level = ORT_LOGGING_LEVEL_ERROR;
  options.log_id = "test";
  options.config_entries = entries;
  OrtEnv* env = NULL;
  CHECK_OK(OrtCreateEnvWithOptions(&options, &env));
  OrtReleaseKeyValuePairs(entries);
  return env;
}

static const char* hardware_fact(const OrtEpDevice* device, const char* key) {
  return OrtGetKeyValue(OrtHardwareDevice_Metadata(OrtEpDevice_Device(device)), key);
}

// NULL when the environment has none.
static const OrtEpDevice* device_for(const OrtEnv* env, const char* target) {
  const OrtEpDevice* const* devices = NULL;
  size_t count = 0;
  CHECK_OK(OrtGetEpDevices(env, &devices, &count));
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(hardware_fact(devices[i], "is_virtual"), "1") != 0) continue;
    if (strcmp(hardware_fact(devices[i], "target"), target) == 0) return devices[i];
  }
  return NULL;
}

static const char* foreign_target(void) {
#if defined(__aarch64__)
  return "x86-64-v3";
#else
  return "aarch64";
#endif
}

static OrtSessionOptions* options_for(OrtEnv* env, const OrtEpDevice* const* devices, size_t count,
                                      const char* target) {
  OrtSessionOptions* options = new_options(NULL);
  const char* const key = "target";
  CHECK_OK(OrtSessionOptionsAppendExecutionProvider_V2(options, env, devices, count, &key, &target,
                                                       target != NULL ? 1 : 0));
  return options;
}

// matmul.onnx, of whose compiled form inspection says `fact`.
static void check_compiles(OrtEnv* env, const OrtSessionOptions* options, const char* output,
                           const char* fact) {
  OrtModelCompilationOptions* compile = NULL;
  CHECK_OK(OrtCreateModelCompilationOptionsFromSessionOptions(env, options, &compile));
  CHECK_OK(OrtModelCompilationOptions_SetInputModelPath(compile, DATA("matmul.onnx")));
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelPath(compile, output));
  CHECK_OK(OrtCompileModel(env, compile));
  OrtReleaseModelCompilationOptions(compile);
  OrtInspection* inspection = NULL;
  const char* text = NULL;
  CHECK_OK(OrtInspectFile(output, 0, &inspection));
  CHECK_OK(OrtInspection_GetJson(inspection, &text));
  CHECK_CONTAINS(text, fact);
  OrtReleaseInspection(inspection);
}

static void test_virtual_devices__are_there_when_the_environment_allows_them(void** state) {
  (void)state;
  static const char* const kTargets[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"};
  OrtEnv* plain = new_env();
  OrtEnv* closed = new_env_that_allows("0");
  OrtEnv* open = new_env_that_allows("1");
  for (size_t i = 0; i < 4; ++i) {
    assert_null(device_for(plain, kTargets[i]));
    assert_null(device_for(closed, kTargets[i]));
    const OrtEpDevice* device = device_for(open, kTargets[i]);
    assert_non_null(device);
    CHECK_TEXT(OrtEpDevice_EpName(device), "AotExecutionProvider");
    CHECK_TEXT(OrtGetKeyValue(OrtEpDevice_EpOptions(device), "target"), kTargets[i]);
    CHECK_TEXT(OrtGetKeyValue(OrtEpDevice_EpMetadata(device), "target"), kTargets[i]);
    assert_non_null(OrtGetKeyValue(OrtEpDevice_EpMetadata(device), "version"));
    assert_int_equal(OrtHardwareDevice_Type(OrtEpDevice_Device(device)), OrtHardwareDeviceType_CPU);
  }
  // What is there comes first, and says so.
  const OrtEpDevice* const* devices = NULL;
  size_t count = 0;
  CHECK_OK(OrtGetEpDevices(open, &devices, &count));
  assert_int_equal(count, 6);
  CHECK_TEXT(OrtEpDevice_EpName(devices[0]), "AotExecutionProvider");
  CHECK_TEXT(hardware_fact(devices[0], "is_virtual"), "0");
  CHECK_TEXT(OrtEpDevice_EpName(devices[5]), "CPUExecutionProvider");
  CHECK_TEXT(hardware_fact(devices[5], "is_virtual"), "0");
  OrtReleaseEnv(open);
  OrtReleaseEnv(closed);
  OrtReleaseEnv(plain);
}

static void test_virtual_devices__say_what_is_compiled_for(void** state) {
  (void)state;
  OrtEnv* env = new_env_that_allows("1");
  const OrtEpDevice* devices[2] = {device_for(env, "x86-64-v3"), device_for(env, "aarch64")};
  OrtSessionOptions* one = options_for(env, &devices[1], 1, NULL);
  check_compiles(env, one, temp_path("one_ctx.onnx"), "\"targets\":[\"aarch64\"]");
  // Two devices are one file for both.
  OrtSessionOptions* two = options_for(env, devices, 2, NULL);
  check_compiles(env, two, temp_path("two_ctx.onnx"), "\"targets\":[\"x86-64-v3\",\"aarch64\"]");
  // What the program says goes before what a device suggests.
  OrtSessionOptions* other = options_for(env, &devices[1], 1, "x86-64-v4+avx512vnni");
  check_compiles(env, other, temp_path("other_ctx.onnx"), "\"target\":\"x86-64-v4+avx512vnni\"");
  OrtReleaseSessionOptions(one);
  OrtReleaseSessionOptions(two);
  OrtReleaseSessionOptions(other);
  OrtReleaseEnv(env);
}

static void test_virtual_devices__run_nothing_that_this_processor_does_not(void** state) {
  (void)state;
  OrtEnv* env = new_env_that_allows("1");
  const OrtEpDevice* device = device_for(env, foreign_target());
  OrtSessionOptions* options = options_for(env, &device, 1, NULL);
  OrtSession* session = NULL;
  CHECK_FAILS(OrtCreateSession(env, DATA("matmul.onnx"), options, &session), ORT_INVALID_ARGUMENT,
              "compile for it without running");
  assert_null(session);
  // Made to be written, not to run, it is.
  check_compiles(env, options, temp_path("foreign_ctx.onnx"), foreign_target());
  OrtSessionOptions* here = new_options("AOT");
  CHECK_FAILS(OrtCreateSession(env, temp_path("foreign_ctx.onnx"), here, &session), ORT_FAIL,
              foreign_target());
  OrtReleaseSessionOptions(here);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

static OrtCompiledModelCompatibility verdict_of(const OrtEpDevice* device, const char* model) {
  char* info = NULL;
  OrtCompiledModelCompatibility verdict = OrtCompiledModelCompatibility_EP_NOT_APPLICABLE;
  CHECK_OK(OrtGetCompatibilityInfoFromModel(model, "AotExecutionProvider", allocator(), &info));
  CHECK_OK(OrtGetModelCompatibilityForEpDevices(&device, 1, info, &verdict));
  free_text(info);
  return verdict;
}

static void test_virtual_devices__are_asked_as_if_they_were_there(void** state) {
  (void)state;
  OrtEnv* env = new_env_that_allows("1");
  const OrtEpDevice* device = device_for(env, foreign_target());
  OrtSessionOptions* options = options_for(env, &device, 1, NULL);
  const char* path = temp_path("judged_ctx.onnx");
  check_compiles(env, options, path, foreign_target());
  const OrtEpDevice* const* devices = NULL;
  size_t count = 0;
  CHECK_OK(OrtGetEpDevices(env, &devices, &count));
  assert_int_equal(verdict_of(device, path), OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL);
  assert_int_equal(verdict_of(devices[0], path), OrtCompiledModelCompatibility_EP_UNSUPPORTED);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

static void test_virtual_devices__are_chosen_by_no_policy(void** state) {
  (void)state;
  OrtEnv* env = new_env_that_allows("1");
  for (int policy = OrtExecutionProviderDevicePolicy_DEFAULT;
       policy <= OrtExecutionProviderDevicePolicy_MIN_OVERALL_POWER; ++policy) {
    OrtSessionOptions* options = new_options(NULL);
    CHECK_OK(
        OrtSessionOptionsSetEpSelectionPolicy(options, (OrtExecutionProviderDevicePolicy)policy));
    OrtSession* session = NULL;
    CHECK_OK(OrtCreateSession(env, DATA("matmul.onnx"), options, &session));
    check_matmul_runs(session);
    OrtReleaseSession(session);
    OrtReleaseSessionOptions(options);
  }
  OrtReleaseEnv(env);
}

// The way of programs that were written for ONNX Runtime.
static void test_virtual_devices__are_in_onnxruntimes_table(void** state) {
  (void)state;
  const OrtApi* api = OrtcGetApiBase()->GetApi(ORTC_ORT_API_VERSION);
  OrtKeyValuePairs* entries = NULL;
  api->CreateKeyValuePairs(&entries);
  api->AddKeyValuePair(entries, "allow_virtual_devices", "1");
  OrtEnvCreationOptions creation;
  memset(&creation, 0, sizeof(creation));
  creation.version = ORTC_ORT_API_VERSION;
  creation.logging_severity_level = ORT_LOGGING_LEVEL_ERROR;
  creation.log_id = "test";
  creation.config_entries = entries;
  OrtEnv* env = NULL;
  CHECK_OK(api->CreateEnvWithOptions(&creation, &env));
  api->ReleaseKeyValuePairs(entries);
  const OrtEpDevice* const* devices = NULL;
  size_t count = 0;
  CHECK_OK(api->GetEpDevices(env, &devices, &count));
  const OrtEpDevice* foreign = NULL;
  for (size_t i = 0; i < count; ++i) {
    const OrtKeyValuePairs* facts = api->HardwareDevice_Metadata(api->EpDevice_Device(devices[i]));
    const bool is_virtual = strcmp(api->GetKeyValue(facts, "is_virtual"), "1") == 0;
    if (is_virtual && strcmp(api->GetKeyValue(facts, "target"), foreign_target()) == 0) {
      foreign = devices[i];
    }
  }
  assert_non_null(foreign);
  OrtSessionOptions* options = NULL;
  CHECK_OK(api->CreateSessionOptions(&options));
  CHECK_OK(api->SessionOptionsAppendExecutionProvider_V2(options, env, &foreign, 1, NULL, NULL, 0));
  OrtSession* session = NULL;
  CHECK_FAILS(api->CreateSession(env, DATA("matmul.onnx"), options, &session), ORT_INVALID_ARGUMENT,
              foreign_target());
  api->ReleaseSessionOptions(options);
  api->ReleaseEnv(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_virtual_devices__are_there_when_the_environment_allows_them),
      cmocka_unit_test(test_virtual_devices__say_what_is_compiled_for),
      cmocka_unit_test(test_virtual_devices__run_nothing_that_this_processor_does_not),
      cmocka_unit_test(test_virtual_devices__are_asked_as_if_they_were_there),
      cmocka_unit_test(test_virtual_devices__are_chosen_by_no_policy),
      cmocka_unit_test(test_virtual_devices__are_in_onnxruntimes_table),
  };
  return cmocka_run_group_tests(tests, make_temp_folder, remove_temp_folder);
}
