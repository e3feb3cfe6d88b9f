// SPDX-License-Identifier: MIT
// ort_c/status.h.
#include "tests/api/api_testing.h"

static void test_status__keeps_code_and_text(void** state) {
  (void)state;
  char text[] = "why it went wrong: \xc3\xa4";
  OrtStatus* status = OrtCreateStatus(ORT_EP_FAIL, text);
  text[0] = 'X';
  assert_int_equal(OrtGetErrorCode(status), ORT_EP_FAIL);
  CHECK_TEXT(OrtGetErrorMessage(status), "why it went wrong: \xc3\xa4");
  OrtReleaseStatus(status);
}

static void test_status__success_is_no_object(void** state) {
  (void)state;
  assert_null(OrtCreateStatus(ORT_OK, "fine"));
  assert_int_equal(OrtGetErrorCode(NULL), ORT_OK);
  CHECK_TEXT(OrtGetErrorMessage(NULL), "");
  OrtReleaseStatus(NULL);
}

static void test_status__takes_a_missing_text_for_an_empty_one(void** state) {
  (void)state;
  OrtStatus* status = OrtCreateStatus(ORT_FAIL, NULL);
  assert_non_null(status);
  CHECK_TEXT(OrtGetErrorMessage(status), "");
  OrtReleaseStatus(status);
}

static void test_status__carries_codes_it_does_not_know(void** state) {
  (void)state;
  OrtStatus* status = OrtCreateStatus((OrtErrorCode)777, "of a later release");
  assert_int_equal(OrtGetErrorCode(status), 777);
  OrtReleaseStatus(status);
}

static void test_status__is_utf8_whatever_it_speaks_of(void** state) {
  (void)state;
  OrtStatus* status = OrtCreateStatus(ORT_FAIL, "bad \xff\xc3 good \xc3\xa4, cut off \xe2\x82");
  CHECK_TEXT(OrtGetErrorMessage(status),
             "bad \xef\xbf\xbd\xef\xbf\xbd good \xc3\xa4, cut off \xef\xbf\xbd\xef\xbf\xbd");
  OrtReleaseStatus(status);
  OrtEnv* env = new_env();
  OrtSession* session = NULL;
  CHECK_FAILS(OrtCreateSession(env,
                               "no\xff"
                               "file.onnx",
                               NULL, &session),
              ORT_NO_SUCHFILE,
              "no\xef\xbf\xbd"
              "file.onnx");
  OrtReleaseEnv(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_status__keeps_code_and_text),
      cmocka_unit_test(test_status__success_is_no_object),
      cmocka_unit_test(test_status__takes_a_missing_text_for_an_empty_one),
      cmocka_unit_test(test_status__carries_codes_it_does_not_know),
      cmocka_unit_test(test_status__is_utf8_whatever_it_speaks_of),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
