// SPDX-License-Identifier: MIT
// ort_c/model_metadata.h.
#include "tests/api/api_testing.h"

typedef OrtStatus* (*GetText)(const OrtModelMetadata*, OrtAllocator*, char**);

static OrtModelMetadata* metadata_of(const char* path) {
  OrtEnv* env = new_env();
  OrtSession* session = NULL;
  OrtModelMetadata* metadata = NULL;
  CHECK_OK(OrtCreateSession(env, path, NULL, &session));
  CHECK_OK(OrtSessionGetModelMetadata(session, &metadata));
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
  assert_non_null(metadata);
  return metadata;
}

static void check_says(const OrtModelMetadata* metadata, GetText get, const char* expected) {
  char* text = NULL;
  CHECK_OK(get(metadata, allocator(), &text));
  CHECK_TEXT(text, expected);
  free_text(text);
}

static void test_metadata__says_what_the_model_says(void** state) {
  (void)state;
  OrtModelMetadata* metadata = metadata_of(DATA("described.onnx"));
  check_says(metadata, OrtModelMetadataGetProducerName, "a maker");
  check_says(metadata, OrtModelMetadataGetDomain, "example.org");
  check_says(metadata, OrtModelMetadataGetDescription, "a described model");
  int64_t version = 0;
  CHECK_OK(OrtModelMetadataGetVersion(metadata, &version));
  assert_int_equal(version, 7);
  OrtReleaseModelMetadata(metadata);
}

static void test_metadata__says_what_the_graph_says(void** state) {
  (void)state;
  OrtModelMetadata* metadata = metadata_of(DATA("described.onnx"));
  check_says(metadata, OrtModelMetadataGetGraphName, "the graph");
  check_says(metadata, OrtModelMetadataGetGraphDescription, "adds a bias");
  OrtReleaseModelMetadata(metadata);
}

static void test_metadata__finds_custom_entries(void** state) {
  (void)state;
  OrtModelMetadata* metadata = metadata_of(DATA("described.onnx"));
  char* text = NULL;
  CHECK_OK(OrtModelMetadataLookupCustomMetadataMap(metadata, allocator(), "colour", &text));
  CHECK_TEXT(text, "blue");
  free_text(text);
  CHECK_OK(OrtModelMetadataLookupCustomMetadataMap(metadata, allocator(), "size", &text));
  assert_null(text);
  char** keys = NULL;
  int64_t count = 0;
  CHECK_OK(OrtModelMetadataGetCustomMetadataMapKeys(metadata, allocator(), &keys, &count));
  assert_int_equal(count, 2);
  CHECK_TEXT(keys[0], "colour");
  CHECK_TEXT(keys[1], "form");
  free_text(keys[0]);
  free_text(keys[1]);
  CHECK_OK(OrtAllocatorFree(allocator(), keys));
  OrtReleaseModelMetadata(metadata);
}

static void test_metadata__of_a_silent_model_is_empty(void** state) {
  (void)state;
  OrtModelMetadata* metadata = metadata_of(DATA("matmul.onnx"));
  check_says(metadata, OrtModelMetadataGetDomain, "");
  check_says(metadata, OrtModelMetadataGetDescription, "");
  int64_t version = 0;
  CHECK_OK(OrtModelMetadataGetVersion(metadata, &version));
  assert_true(version == INT64_MAX);
  char** keys = (char**)1;
  int64_t count = 5;
  CHECK_OK(OrtModelMetadataGetCustomMetadataMapKeys(metadata, allocator(), &keys, &count));
  assert_null(keys);
  assert_int_equal(count, 0);
  OrtReleaseModelMetadata(metadata);
}

static void test_metadata__refuses_null(void** state) {
  (void)state;
  OrtModelMetadata* metadata = metadata_of(DATA("matmul.onnx"));
  char* text = (char*)1;
  OrtModelMetadata* none = (OrtModelMetadata*)1;
  CHECK_FAILS(OrtSessionGetModelMetadata(NULL, &none), ORT_INVALID_ARGUMENT, "'session'");
  assert_null(none);
  CHECK_FAILS(OrtModelMetadataGetDomain(NULL, allocator(), &text), ORT_INVALID_ARGUMENT,
              "'model_metadata'");
  assert_null(text);
  CHECK_FAILS(OrtModelMetadataGetDomain(metadata, NULL, &text), ORT_INVALID_ARGUMENT,
              "'allocator'");
  CHECK_FAILS(OrtModelMetadataLookupCustomMetadataMap(metadata, allocator(), NULL, &text),
              ORT_INVALID_ARGUMENT, "'key'");
  OrtReleaseModelMetadata(metadata);
  OrtReleaseModelMetadata(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_metadata__says_what_the_model_says),
      cmocka_unit_test(test_metadata__says_what_the_graph_says),
      cmocka_unit_test(test_metadata__finds_custom_entries),
      cmocka_unit_test(test_metadata__of_a_silent_model_is_empty),
      cmocka_unit_test(test_metadata__refuses_null),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
