// SPDX-License-Identifier: MIT
// ort_c/env.h, ort_c/logger.h and ort_c/devices.h.
#include "tests/api/api_testing.h"

typedef struct {
  int count;
  OrtLoggingLevel severity;
  char category[64], log_id[64], location[128], message[512];
} Lines;

static void keep_line(void* param, OrtLoggingLevel severity, const char* category,
                      const char* logid, const char* code_location, const char* message) {
  Lines* lines = (Lines*)param;
  lines->count++;
  lines->severity = severity;
  snprintf(lines->category, sizeof(lines->category), "%s", category);
  snprintf(lines->log_id, sizeof(lines->log_id), "%s", logid);
  snprintf(lines->location, sizeof(lines->location), "%s", code_location);
  snprintf(lines->message, sizeof(lines->message), "%s", message);
}

static void make_a_session_that_warns(OrtEnv* env) {
  OrtSessionOptions* options = new_options(NULL);
  OrtSession* session = NULL;
  CHECK_OK(OrtAddSessionConfigEntry(options, "session.disable_prepacking", "1"));
  CHECK_OK(OrtCreateSession(env, DATA("matmul.onnx"), options, &session));
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
}

static void test_env__says_once_that_a_key_has_no_effect(void** state) {
  (void)state;
  Lines lines;
  memset(&lines, 0, sizeof(lines));
  OrtEnv* env = NULL;
  CHECK_OK(
      OrtCreateEnvWithCustomLogger(keep_line, &lines, ORT_LOGGING_LEVEL_WARNING, "my log", &env));
  make_a_session_that_warns(env);
  assert_int_equal(lines.count, 1);
  assert_int_equal(lines.severity, ORT_LOGGING_LEVEL_WARNING);
  CHECK_TEXT(lines.log_id, "my log");
  CHECK_TEXT(lines.category, "config");
  CHECK_CONTAINS(lines.message, "session.disable_prepacking");
  assert_true(lines.location[0] != 0);
  make_a_session_that_warns(env);
  assert_int_equal(lines.count, 1);
  OrtReleaseEnv(env);
}

static void test_env__drops_lines_below_its_severity(void** state) {
  (void)state;
  Lines lines;
  memset(&lines, 0, sizeof(lines));
  OrtEnv* env = NULL;
  CHECK_OK(OrtCreateEnvWithCustomLogger(keep_line, &lines, ORT_LOGGING_LEVEL_ERROR, "", &env));
  make_a_session_that_warns(env);
  assert_int_equal(lines.count, 0);
  OrtReleaseEnv(env);
}

static void test_env__refuses_impossible_arguments(void** state) {
  (void)state;
  OrtEnv* env = (OrtEnv*)1;
  CHECK_FAILS(OrtCreateEnv(ORT_LOGGING_LEVEL_WARNING, NULL, &env), ORT_INVALID_ARGUMENT, "'logid'");
  assert_null(env);
  CHECK_FAILS(OrtCreateEnv((OrtLoggingLevel)5, "x", &env), ORT_INVALID_ARGUMENT,
              "'log_severity_level' is 5");
  CHECK_FAILS(OrtCreateEnv(ORT_LOGGING_LEVEL_WARNING, "x", NULL), ORT_INVALID_ARGUMENT, "'out'");
  CHECK_FAILS(OrtCreateEnvWithCustomLogger(NULL, NULL, ORT_LOGGING_LEVEL_WARNING, "x", &env),
              ORT_INVALID_ARGUMENT, "'logging_function'");
  OrtReleaseEnv(NULL);
}

static void test_env__each_is_its_own(void** state) {
  (void)state;
  OrtEnv* first = new_env();
  OrtEnv* second = new_env();
  assert_ptr_not_equal(first, second);
  OrtReleaseEnv(first);
  OrtReleaseEnv(second);
}

static void test_env__may_go_before_its_sessions(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateSession(env, DATA("matmul.onnx"), NULL, &session));
  OrtReleaseEnv(env);
  check_matmul_runs(session);
  OrtReleaseSession(session);
}

static void test_library__tells_its_version(void** state) {
  (void)state;
  char version[32];
  snprintf(version, sizeof(version), "%d.%d.%d", ORTC_VERSION_MAJOR, ORTC_VERSION_MINOR,
           ORTC_VERSION_PATCH);
  CHECK_TEXT(OrtGetVersionString(), version);
  CHECK_CONTAINS(OrtGetBuildInfoString(), version);
  assert_null(strchr(OrtGetBuildInfoString(), '\n'));
}

static void test_library__lists_its_providers_with_the_cpu_last(void** state) {
  (void)state;
  char** names = NULL;
  int count = 0;
  CHECK_OK(OrtGetAvailableProviders(&names, &count));
  assert_int_equal(count, 2);
  CHECK_TEXT(names[0], "AotExecutionProvider");
  CHECK_TEXT(names[1], "CPUExecutionProvider");
  CHECK_OK(OrtReleaseAvailableProviders(names, count));
  CHECK_OK(OrtReleaseAvailableProviders(NULL, 0));
  names = (char**)1;
  CHECK_FAILS(OrtGetAvailableProviders(&names, NULL), ORT_INVALID_ARGUMENT, "'provider_length'");
  assert_null(names);
}

static void test_devices__pair_providers_with_the_cpu(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  const OrtEpDevice* const* devices = NULL;
  size_t count = 0;
  CHECK_OK(OrtGetEpDevices(env, &devices, &count));
  assert_int_equal(count, 2);
  CHECK_TEXT(OrtEpDevice_EpName(devices[0]), "AotExecutionProvider");
  CHECK_TEXT(OrtEpDevice_EpName(devices[1]), "CPUExecutionProvider");
  for (size_t i = 0; i < count; ++i) {
    assert_true(strlen(OrtEpDevice_EpVendor(devices[i])) > 0);
    assert_non_null(OrtGetKeyValue(OrtEpDevice_EpMetadata(devices[i]), "version"));
    assert_non_null(OrtEpDevice_EpOptions(devices[i]));
    const OrtHardwareDevice* hardware = OrtEpDevice_Device(devices[i]);
    assert_int_equal(OrtHardwareDevice_Type(hardware), OrtHardwareDeviceType_CPU);
    assert_non_null(OrtHardwareDevice_Vendor(hardware));
    CHECK_TEXT(OrtGetKeyValue(OrtHardwareDevice_Metadata(hardware), "is_virtual"), "0");
    OrtHardwareDevice_VendorId(hardware);
    OrtHardwareDevice_DeviceId(hardware);
  }
  assert_ptr_equal(OrtEpDevice_Device(devices[0]), OrtEpDevice_Device(devices[1]));
  const OrtEpDevice* const* again = NULL;
  CHECK_OK(OrtGetEpDevices(env, &again, &count));
  assert_ptr_equal(devices, again);
  OrtReleaseEnv(env);
}

static void test_devices__accessors_survive_null(void** state) {
  (void)state;
  assert_null(OrtEpDevice_EpName(NULL));
  assert_null(OrtEpDevice_EpVendor(NULL));
  assert_null(OrtEpDevice_EpMetadata(NULL));
  assert_null(OrtEpDevice_EpOptions(NULL));
  assert_null(OrtEpDevice_Device(NULL));
  assert_int_equal(OrtHardwareDevice_Type(NULL), OrtHardwareDeviceType_CPU);
  assert_int_equal(OrtHardwareDevice_VendorId(NULL), 0);
  assert_null(OrtHardwareDevice_Vendor(NULL));
  assert_int_equal(OrtHardwareDevice_DeviceId(NULL), 0);
  assert_null(OrtHardwareDevice_Metadata(NULL));
  size_t count = 7;
  const OrtEpDevice* const* devices = (const OrtEpDevice* const*)1;
  CHECK_FAILS(OrtGetEpDevices(NULL, &devices, &count), ORT_INVALID_ARGUMENT, "'env'");
  assert_null(devices);
  assert_int_equal(count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_env__says_once_that_a_key_has_no_effect),
      cmocka_unit_test(test_env__drops_lines_below_its_severity),
      cmocka_unit_test(test_env__refuses_impossible_arguments),
      cmocka_unit_test(test_env__each_is_its_own),
      cmocka_unit_test(test_env__may_go_before_its_sessions),
      cmocka_unit_test(test_library__tells_its_version),
      cmocka_unit_test(test_library__lists_its_providers_with_the_cpu_last),
      cmocka_unit_test(test_devices__pair_providers_with_the_cpu),
      cmocka_unit_test(test_devices__accessors_survive_null),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
