// SPDX-License-Identifier: MIT
// ort_c/key_values.h.
#include "tests/api/api_testing.h"

static size_t count_of(const OrtKeyValuePairs* pairs) {
  const char* const* keys = NULL;
  const char* const* values = NULL;
  size_t count = 99;
  OrtGetKeyValuePairs(pairs, &keys, &values, &count);
  return count;
}

static void test_key_values__keep_the_order_of_insertion(void** state) {
  (void)state;
  OrtKeyValuePairs* pairs = NULL;
  OrtCreateKeyValuePairs(&pairs);
  assert_int_equal(count_of(pairs), 0);
  OrtAddKeyValuePair(pairs, "z", "1");
  OrtAddKeyValuePair(pairs, "a", "2");
  OrtAddKeyValuePair(pairs, "m", "");
  OrtAddKeyValuePair(pairs, "z", "3");
  const char* const* keys = NULL;
  const char* const* values = NULL;
  size_t count = 0;
  OrtGetKeyValuePairs(pairs, &keys, &values, &count);
  assert_int_equal(count, 3);
  CHECK_TEXT(keys[0], "z");
  CHECK_TEXT(values[0], "3");
  CHECK_TEXT(keys[1], "a");
  CHECK_TEXT(values[1], "2");
  CHECK_TEXT(keys[2], "m");
  CHECK_TEXT(values[2], "");
  OrtReleaseKeyValuePairs(pairs);
}

static void test_key_values__find_and_remove_by_key(void** state) {
  (void)state;
  OrtKeyValuePairs* pairs = NULL;
  OrtCreateKeyValuePairs(&pairs);
  OrtAddKeyValuePair(pairs, "key", "value");
  CHECK_TEXT(OrtGetKeyValue(pairs, "key"), "value");
  assert_null(OrtGetKeyValue(pairs, "other"));
  OrtRemoveKeyValuePair(pairs, "other");
  assert_int_equal(count_of(pairs), 1);
  OrtRemoveKeyValuePair(pairs, "key");
  assert_int_equal(count_of(pairs), 0);
  assert_null(OrtGetKeyValue(pairs, "key"));
  OrtReleaseKeyValuePairs(pairs);
}

static void test_key_values__remove_one_pair_by_a_borrowed_key(void** state) {
  (void)state;
  OrtKeyValuePairs* pairs = NULL;
  OrtCreateKeyValuePairs(&pairs);
  OrtAddKeyValuePair(pairs, "a", "1");
  OrtAddKeyValuePair(pairs, "b", "2");
  OrtAddKeyValuePair(pairs, "c", "3");
  const char* const* keys = NULL;
  const char* const* values = NULL;
  size_t count = 0;
  OrtGetKeyValuePairs(pairs, &keys, &values, &count);
  OrtRemoveKeyValuePair(pairs, keys[0]);
  assert_int_equal(count_of(pairs), 2);
  CHECK_TEXT(OrtGetKeyValue(pairs, "b"), "2");
  CHECK_TEXT(OrtGetKeyValue(pairs, "c"), "3");
  OrtReleaseKeyValuePairs(pairs);
}

static void test_key_values__ignore_missing_texts_and_empty_keys(void** state) {
  (void)state;
  OrtKeyValuePairs* pairs = NULL;
  OrtCreateKeyValuePairs(&pairs);
  OrtAddKeyValuePair(pairs, NULL, "value");
  OrtAddKeyValuePair(pairs, "key", NULL);
  OrtAddKeyValuePair(pairs, "", "value");
  assert_int_equal(count_of(pairs), 0);
  OrtRemoveKeyValuePair(pairs, NULL);
  assert_null(OrtGetKeyValue(pairs, NULL));
  OrtReleaseKeyValuePairs(pairs);
}

static void test_key_values__survive_null_lists(void** state) {
  (void)state;
  OrtCreateKeyValuePairs(NULL);
  OrtAddKeyValuePair(NULL, "key", "value");
  OrtRemoveKeyValuePair(NULL, "key");
  assert_null(OrtGetKeyValue(NULL, "key"));
  assert_int_equal(count_of(NULL), 0);
  OrtGetKeyValuePairs(NULL, NULL, NULL, NULL);
  OrtReleaseKeyValuePairs(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_key_values__keep_the_order_of_insertion),
      cmocka_unit_test(test_key_values__find_and_remove_by_key),
      cmocka_unit_test(test_key_values__remove_one_pair_by_a_borrowed_key),
      cmocka_unit_test(test_key_values__ignore_missing_texts_and_empty_keys),
      cmocka_unit_test(test_key_values__survive_null_lists),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
