// SPDX-License-Identifier: MIT
// ort_c/model_package_writer.h: models, compiled and not, become a package that runs.
#include "tests/api/compile_testing.h"

static OrtModelPackageWriter* new_writer(void) {
  OrtModelPackageWriter* writer = NULL;
  CHECK_OK(OrtCreateModelPackageWriter(NULL, &writer));
  assert_non_null(writer);
  return writer;
}

static OrtKeyValuePairs* new_pairs(const char* key, const char* value) {
  OrtKeyValuePairs* pairs = NULL;
  OrtCreateKeyValuePairs(&pairs);
  assert_non_null(pairs);
  OrtAddKeyValuePair(pairs, key, value);
  return pairs;
}

static OrtStatus* add_with(OrtModelPackageWriter* writer, const char* key, const char* value) {
  OrtKeyValuePairs* pairs = new_pairs(key, value);
  OrtStatus* status =
      OrtModelPackageWriter_AddVariant(writer, "m", "v", DATA("matmul.onnx"), pairs);
  OrtReleaseKeyValuePairs(pairs);
  return status;
}

static void check_variant(const OrtModelPackageContext* package, const char* variant,
                          const char* provider) {
  const char* found = NULL;
  CHECK_OK(OrtModelPackage_GetVariantEpName(package, "m", variant, &found));
  CHECK_TEXT(found, provider);
}

static void test_writer__knows_what_models_were_compiled_for(void** state) {
  (void)state;
  OrtModelPackageWriter* writer = new_writer();
  OrtInspection* report = NULL;
  OrtModelPackageContext* package = NULL;
  const char* json = NULL;
  CHECK_OK(OrtModelPackageWriter_AddVariant(writer, "m", "plain", DATA("matmul.onnx"), NULL));
  CHECK_OK(
      OrtModelPackageWriter_AddVariant(writer, "m", "compiled", temp_path("m_ctx.onnx"), NULL));
  CHECK_OK(OrtModelPackageWriter_Write(writer, temp_path("known"), 0, &report));
  CHECK_OK(OrtInspection_GetJson(report, &json));
  CHECK_CONTAINS(json, "m/compiled/m_aot.bin");
  OrtReleaseInspection(report);
  OrtReleaseModelPackageWriter(writer);

  CHECK_OK(OrtCreateModelPackageContext(temp_path("known"), &package));
  check_variant(package, "plain", "CPUExecutionProvider");
  check_variant(package, "compiled", "AotExecutionProvider");
  OrtSessionOptions* options = new_options("AOT");
  OrtModelPackageOptions* wanted = NULL;
  OrtModelPackageComponentContext* component = NULL;
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateModelPackageOptionsFromSessionOptions(env, options, &wanted));
  CHECK_OK(OrtModelPackage_SelectComponent(package, "m", wanted, &component));
  CHECK_OK(OrtModelPackageComponent_GetSelectedVariantName(component, &json));
  CHECK_TEXT(json, "compiled");
  CHECK_OK(OrtAddSessionConfigEntry(options, kOrtSessionOptionsDisableModelCompile, "1"));
  CHECK_OK(OrtModelPackage_CreateSession(env, component, options, &session));
  check_matmul_runs(session);
  OrtReleaseSession(session);
  OrtReleaseModelPackageComponentContext(component);
  OrtReleaseModelPackageOptions(wanted);
  OrtReleaseSessionOptions(options);
  OrtReleaseModelPackageContext(package);
}

static void test_writer__takes_settings_it_knows_and_names_others(void** state) {
  (void)state;
  OrtModelPackageWriter* writer = new_writer();
  CHECK_FAILS(add_with(writer, "eq", "x"), ORT_INVALID_ARGUMENT,
              "'settings' has 'eq'; there are ep");
  CHECK_FAILS(add_with(writer, "device", "abacus"), ORT_INVALID_ARGUMENT, "'abacus'");
  CHECK_FAILS(OrtModelPackageWriter_AddVariant(writer, "../m", "v", DATA("matmul.onnx"), NULL),
              ORT_INVALID_ARGUMENT, "the name of a component is '../m'");
  CHECK_FAILS(OrtModelPackageWriter_AddVariant(writer, "m", "v", temp_path("gone"), NULL),
              ORT_NO_SUCHFILE, "gone");
  CHECK_FAILS(
      OrtModelPackageWriter_AddVariant(writer, "m", "v", DATA("foreign_context.onnx"), NULL),
      ORT_INVALID_ARGUMENT, "must name it as 'ep'");
  CHECK_FAILS(OrtModelPackageWriter_Write(writer, temp_path("none"), 0, NULL), ORT_INVALID_ARGUMENT,
              "needs a variant");
  CHECK_OK(add_with(writer, "ep", "OtherExecutionProvider"));
  CHECK_FAILS(OrtModelPackageWriter_Write(writer, temp_path("none"), 8, NULL), ORT_INVALID_ARGUMENT,
              "'flags' is 8");
  assert_false(file_exists(temp_path("none")));
  CHECK_OK(OrtModelPackageWriter_Write(writer, temp_path("other"), 0, NULL));
  CHECK_FAILS(OrtModelPackageWriter_Write(writer, temp_path("other"), 0, NULL), ORT_FAIL,
              "exists already");
  OrtReleaseModelPackageWriter(writer);
  OrtModelPackageContext* package = NULL;
  CHECK_OK(OrtCreateModelPackageContext(temp_path("other"), &package));
  check_variant(package, "v", "OtherExecutionProvider");
  OrtReleaseModelPackageContext(package);
}

static void test_writer__takes_what_describes_a_package(void** state) {
  (void)state;
  OrtModelPackageWriter* writer = NULL;
  OrtKeyValuePairs* info = new_pairs("package_name", "phi");
  CHECK_OK(OrtCreateModelPackageWriter(info, &writer));
  OrtReleaseModelPackageWriter(writer);
  OrtAddKeyValuePair(info, "author", "me");
  CHECK_FAILS(OrtCreateModelPackageWriter(info, &writer), ORT_INVALID_ARGUMENT,
              "'info' has 'author'");
  assert_null(writer);
  OrtReleaseKeyValuePairs(info);
}

static void test_writer__names_shared_assets_by_what_is_in_them(void** state) {
  (void)state;
  OrtModelPackageWriter* writer = new_writer();
  OrtAllocator* allocator = NULL;
  char* first = NULL;
  char* second = NULL;
  char path[1024];
  CHECK_OK(OrtGetAllocatorWithDefaultOptions(&allocator));
  const char* folder = new_folder("tokens");
  snprintf(path, sizeof(path), "%s/t.txt", folder);
  write_file(path, "a", 1);
  CHECK_OK(OrtModelPackageWriter_AddSharedAsset(writer, folder, allocator, &first));
  // printf '%s  t.txt\n' $(printf a | sha256sum | cut -d' ' -f1) | sha256sum
  CHECK_TEXT(first, "sha256:bfc994042f6942f8c3ea40d5aa4ec5e3a03fb4f155f3234d11f488d18b5ab872");
  write_file(path, "b", 1);
  CHECK_OK(OrtModelPackageWriter_AddSharedAsset(writer, folder, allocator, &second));
  assert_string_not_equal(first, second);
  CHECK_OK(OrtAllocatorFree(allocator, first));
  CHECK_OK(OrtAllocatorFree(allocator, second));
  CHECK_FAILS(OrtModelPackageWriter_AddSharedAsset(writer, temp_path("gone"), allocator, &first),
              ORT_NO_SUCHFILE, "gone");
  snprintf(path, sizeof(path), "%s/link", folder);
  assert_int_equal(symlink("t.txt", path), 0);
  CHECK_FAILS(OrtModelPackageWriter_AddSharedAsset(writer, folder, allocator, &first),
              ORT_INVALID_GRAPH, "is a link");
  assert_null(first);
  OrtReleaseModelPackageWriter(writer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_writer__knows_what_models_were_compiled_for),
      cmocka_unit_test(test_writer__takes_settings_it_knows_and_names_others),
      cmocka_unit_test(test_writer__takes_what_describes_a_package),
      cmocka_unit_test(test_writer__names_shared_assets_by_what_is_in_them),
  };
  return cmocka_run_group_tests(tests, set_up_compiled, tear_down);
}
