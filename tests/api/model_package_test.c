// SPDX-License-Identifier: MIT
// ort_c/model_package.h, and the same functions by their names in ONNX Runtime's table.
#include "tests/api/compile_testing.h"

#define COMPONENT "matmul"
static const char* const kAsset =
    "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

static void write_text(const char* path, const char* text) {
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
  assert_int_equal(fclose(file), 0);
}

// A package with matmul.onnx in each folder and these variants; its path lives as temp_path()'s.
static const char* new_package(const char* name, const char* variants) {
  char text[8192];
  const char* root = temp_path(name);
  char path[1024];
  remove_tree(root);
  assert_int_equal(mkdir(root, 0700), 0);
  for (const char* const* folder = (const char* const[]){"a", "b", NULL}; *folder; ++folder) {
    snprintf(path, sizeof(path), "%s/%s", root, *folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof(path), "%s/%s/m.onnx", root, *folder);
    copy_file(DATA("matmul.onnx"), path);
  }
  snprintf(text, sizeof(text),
           "{\"schema_version\":\"1.0\",\"components\":{\"" COMPONENT "\":{\"variants\":{%s}}}}",
           variants);
  snprintf(path, sizeof(path), "%s/manifest.json", root);
  write_text(path, text);
  return root;
}

// A variant in the folder of its name.
#define VARIANT(name, ep, options) \
  "\"" name "\":{\"ep\":\"" ep     \
  "\",\"executor_info\":{\"ort\":" \
  "{\"model_file\":\"m.onnx\"" options "}}}"

static OrtModelPackageContext* open_package(const char* root) {
  OrtModelPackageContext* package = NULL;
  CHECK_OK(OrtCreateModelPackageContext(root, &package));
  assert_non_null(package);
  return package;
}

// With a provider chosen by name; NULL: none.
static OrtStatus* select_with(const OrtModelPackageContext* package, const char* provider,
                              OrtModelPackageComponentContext** out) {
  OrtSessionOptions* options = NULL;
  OrtModelPackageOptions* wanted = NULL;
  CHECK_OK(OrtCreateSessionOptions(&options));
  if (provider != NULL) {
    CHECK_OK(OrtSessionOptionsAppendExecutionProvider(options, provider, NULL, NULL, 0));
  }
  CHECK_OK(OrtCreateModelPackageOptionsFromSessionOptions(env, options, &wanted));
  OrtReleaseSessionOptions(options);
  OrtStatus* status = OrtModelPackage_SelectComponent(package, COMPONENT, wanted, out);
  OrtReleaseModelPackageOptions(wanted);
  return status;
}

static OrtModelPackageComponentContext* select_from(const char* root, const char* provider) {
  OrtModelPackageContext* package = open_package(root);
  OrtModelPackageComponentContext* component = NULL;
  CHECK_OK(select_with(package, provider, &component));
  OrtReleaseModelPackageContext(package);
  return component;
}

static void check_selects(const char* root, const char* provider, const char* expected) {
  const char* name = NULL;
  OrtModelPackageComponentContext* component = select_from(root, provider);
  CHECK_OK(OrtModelPackageComponent_GetSelectedVariantName(component, &name));
  CHECK_TEXT(name, expected);
  OrtReleaseModelPackageComponentContext(component);
}

static void test_package__tells_what_it_has(void** state) {
  (void)state;
  OrtModelPackageContext* package =
      open_package(new_package("told", VARIANT("a", "CPUExecutionProvider", "") ",\"b\":{}"));
  int64_t version = 0;
  size_t count = 0;
  const char* const* names = NULL;
  const char* ep = "";
  CHECK_OK(OrtModelPackage_GetSchemaVersion(package, &version));
  assert_int_equal(version, 1);
  CHECK_OK(OrtModelPackage_GetComponentCount(package, &count));
  assert_int_equal(count, 1);
  CHECK_OK(OrtModelPackage_GetComponentNames(package, &names, &count));
  assert_int_equal(count, 1);
  CHECK_TEXT(names[0], COMPONENT);
  CHECK_OK(OrtModelPackage_GetVariantCount(package, COMPONENT, &count));
  assert_int_equal(count, 2);
  CHECK_OK(OrtModelPackage_GetVariantNames(package, COMPONENT, &names, &count));
  assert_int_equal(count, 2);
  CHECK_TEXT(names[0], "a");
  CHECK_TEXT(names[1], "b");
  CHECK_OK(OrtModelPackage_GetVariantEpName(package, COMPONENT, "a", &ep));
  CHECK_TEXT(ep, "CPUExecutionProvider");
  CHECK_OK(OrtModelPackage_GetVariantEpName(package, COMPONENT, "b", &ep));
  assert_null(ep);
  CHECK_OK(OrtModelPackage_GetVariantEpName(package, COMPONENT, "a", NULL));
  CHECK_FAILS(OrtModelPackage_GetVariantEpName(package, COMPONENT, "c", &ep), ORT_INVALID_ARGUMENT,
              "it has 'a', 'b'");
  CHECK_FAILS(OrtModelPackage_GetVariantCount(package, "x", &count), ORT_INVALID_ARGUMENT,
              "it has '" COMPONENT "'");
  CHECK_FAILS(OrtModelPackage_GetVariantNames(package, "x", &names, &count), ORT_INVALID_ARGUMENT,
              "no component 'x'");
  assert_null(names);
  OrtReleaseModelPackageContext(package);
}

static void test_package__resolves_references(void** state) {
  (void)state;
  const char* root = new_package("resolved", VARIANT("a", "CPUExecutionProvider", ""));
  char folder[1024], text[1024];
  const char* path = NULL;
  snprintf(folder, sizeof(folder), "%s/shared_assets", root);
  assert_int_equal(mkdir(folder, 0700), 0);
  snprintf(folder, sizeof(folder), "%s/shared_assets/sha256-%s", root, kAsset + 7);
  assert_int_equal(mkdir(folder, 0700), 0);
  snprintf(text, sizeof(text), "%s/a", root);
  OrtModelPackageContext* package = open_package(root);
  CHECK_OK(OrtModelPackage_ResolveStringRef(package, NULL, kAsset, 1, &path));
  CHECK_CONTAINS(path, folder);
  CHECK_OK(OrtModelPackage_ResolveStringRef(package, text, "m.onnx", 1, &path));
  CHECK_CONTAINS(path, "/a/m.onnx");
  CHECK_OK(OrtModelPackage_ResolveStringRef(package, NULL, "later/x.bin", 0, &path));
  CHECK_CONTAINS(path, "/later/x.bin");
  CHECK_FAILS(OrtModelPackage_ResolveStringRef(package, NULL, "later/x.bin", 1, &path),
              ORT_NO_SUCHFILE, "is not there");
  assert_null(path);
  CHECK_FAILS(OrtModelPackage_ResolveStringRef(package, NULL, "../x", 0, &path),
              ORT_INVALID_ARGUMENT, "'..'");
  CHECK_FAILS(OrtModelPackage_ResolveStringRef(package, "/etc", "passwd", 0, &path),
              ORT_INVALID_ARGUMENT, "leads out of the package");
  snprintf(text, sizeof(text), "%s/../x", kAsset);
  CHECK_FAILS(OrtModelPackage_ResolveStringRef(package, NULL, text, 0, &path), ORT_INVALID_ARGUMENT,
              "'..'");
  snprintf(text, sizeof(text), "%s", kAsset);
  text[10] = 'b';
  CHECK_FAILS(OrtModelPackage_ResolveStringRef(package, NULL, text, 0, &path), ORT_NOT_FOUND,
              "no shared asset");
  OrtReleaseModelPackageContext(package);
}

static void test_package__gives_sessions_of_the_selected_variant(void** state) {
  (void)state;
  OrtModelPackageComponentContext* component =
      select_from(new_package("session", VARIANT("b", "CPUExecutionProvider", "")), NULL);
  const char* folder = NULL;
  OrtSessionOptions* options = NULL;
  CHECK_OK(OrtModelPackageComponent_GetSelectedVariantFolderPath(component, &folder));
  CHECK_CONTAINS(folder, "session/b");
  CHECK_OK(OrtCreateSessionOptions(&options));
  for (int with_options = 0; with_options < 2; ++with_options) {
    OrtSession* session = NULL;
    CHECK_OK(
        OrtModelPackage_CreateSession(env, component, with_options ? options : NULL, &session));
    check_matmul_runs(session);
    OrtReleaseSession(session);
  }
  OrtReleaseSessionOptions(options);
  OrtReleaseModelPackageComponentContext(component);
}

static void test_package__selects_for_the_providers_in_their_order(void** state) {
  (void)state;
  const char* root = new_package("order", VARIANT("a", "CPUExecutionProvider", "") "," VARIANT(
                                              "b", "AotExecutionProvider", ""));
  check_selects(root, NULL, "a");
  check_selects(root, "AOT", "b");
  check_selects(root, "CPU", "a");
  root = new_package("only_cpu", VARIANT("a", "CPUExecutionProvider", ""));
  check_selects(root, "AOT", "a");
}

static void test_package__says_why_no_variant_is_taken(void** state) {
  (void)state;
  OrtModelPackageContext* package = open_package(
      new_package("none",
                  "\"a\":{\"ep\":\"AotExecutionProvider\",\"compatibility_string\":\"ortc-context;"
                  "provider=AotExecutionProvider;format=9.0;library=9;target=x86-64;kernels=\"},"
                  "\"b\":{\"ep\":\"OtherExecutionProvider\"}"));
  OrtModelPackageComponentContext* component = NULL;
  CHECK_FAILS(select_with(package, "AOT", &component), ORT_FAIL, "'a': context format 9.0");
  assert_null(component);
  CHECK_FAILS(select_with(package, "AOT", &component), ORT_FAIL,
              "'b': its execution provider OtherExecutionProvider was not chosen");
  OrtReleaseModelPackageContext(package);
}

static void test_package__passes_the_options_of_a_variant(void** state) {
  (void)state;
  OrtSession* session = NULL;
  OrtSessionOptions* options = NULL;
  OrtModelPackageComponentContext* component = select_from(
      new_package("options", VARIANT("a", "CPUExecutionProvider",
                                     ",\"session_options\":{"
                                     "\"session.intra_op_num_threads\":\"not_an_int\"}")),
      NULL);
  CHECK_FAILS(OrtModelPackage_CreateSession(env, component, NULL, &session), ORT_INVALID_ARGUMENT,
              "session.intra_op_num_threads");
  // A program's own options go without those of the package.
  CHECK_OK(OrtCreateSessionOptions(&options));
  CHECK_OK(OrtModelPackage_CreateSession(env, component, options, &session));
  check_matmul_runs(session);
  OrtReleaseSession(session);
  OrtReleaseModelPackageComponentContext(component);

  component = select_from(new_package("target", VARIANT("b", "AotExecutionProvider",
                                                        ",\"provider_options\":{"
                                                        "\"target\":\"abacus\"}")),
                          "AOT");
  CHECK_FAILS(OrtModelPackage_CreateSession(env, component, NULL, &session), ORT_INVALID_ARGUMENT,
              "abacus");
  CHECK_OK(OrtModelPackage_CreateSession(env, component, options, &session));
  check_matmul_runs(session);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  OrtReleaseModelPackageComponentContext(component);
}

// Neither layout, neither route.
static void test_package__has_no_session_write_files(void** state) {
  (void)state;
  typedef OrtStatus* (*CreateSession)(const OrtEnv*, OrtModelPackageComponentContext*,
                                      const OrtSessionOptions*, OrtSession**);
  const CreateSession by_name =
      (CreateSession)OrtcGetApiBase()
          ->GetApi(ORTC_ORT_API_VERSION)
          ->GetExperimentalFunction("OrtModelPackageApi_CreateSession_SinceV28");
  const char* const keys[] = {"session.optimized_model_filepath",
                              "session.optimized_model_external_initializers_file_name",
                              "session.enable_profiling",
                              "ep.context_model_external_initializers_file_name",
                              "ep.context_cache_dir",
                              "ep.context_cache_max_bytes",
                              "ep.context_enable",
                              NULL};
  for (const char* const* key = keys; *key != NULL; ++key) {
    char options[512];
    char variant[1024];
    OrtSession* session = NULL;
    snprintf(options, sizeof(options), ",\"session_options\":{\"%s\":\"1\"}", *key);
    snprintf(variant, sizeof(variant), VARIANT("a", "CPUExecutionProvider", "%s"), options);
    OrtModelPackageComponentContext* component = select_from(new_package("writing", variant), NULL);
    CHECK_FAILS(OrtModelPackage_CreateSession(env, component, NULL, &session), ORT_INVALID_ARGUMENT,
                *key);
    assert_null(session);
    CHECK_FAILS(by_name(env, component, NULL, &session), ORT_INVALID_ARGUMENT, "writes files");
    OrtReleaseModelPackageComponentContext(component);
  }
  // Off is what they are anyway.
  OrtSession* session = NULL;
  OrtModelPackageComponentContext* component =
      select_from(new_package("idle", VARIANT("a", "CPUExecutionProvider",
                                              ",\"session_options\":{\"ep.context_enable\":\"0\","
                                              "\"session.enable_profiling\":\"\"}")),
                  NULL);
  CHECK_OK(OrtModelPackage_CreateSession(env, component, NULL, &session));
  OrtReleaseSession(session);
  OrtReleaseModelPackageComponentContext(component);
}

static void test_package__carries_places_over_to_a_programs_options(void** state) {
  (void)state;
  OrtSession* session = NULL;
  OrtSessionOptions* options = NULL;
  const char* root = new_package(
      "places", VARIANT("a", "CPUExecutionProvider",
                        ",\"session_options\":{"
                        "\"session.model_external_initializers_file_folder_path\":\"w\"}"));
  char path[1024];
  snprintf(path, sizeof(path), "%s/a/m.onnx", root);
  copy_file(DATA("weights_elsewhere.onnx"), path);
  OrtModelPackageComponentContext* component = select_from(root, NULL);
  CHECK_OK(OrtCreateSessionOptions(&options));
  // The place is named in the message: it was looked for there.
  CHECK_FAILS(OrtModelPackage_CreateSession(env, component, options, &session), ORT_NO_SUCHFILE,
              "/a/w");
  OrtReleaseSessionOptions(options);
  OrtReleaseModelPackageComponentContext(component);
}

static void test_package__needs_a_model_that_is_there(void** state) {
  (void)state;
  OrtSession* session = NULL;
  const char* root = new_package("bare", "\"a\":{\"ep\":\"CPUExecutionProvider\"}");
  OrtModelPackageComponentContext* component = select_from(root, NULL);
  CHECK_FAILS(OrtModelPackage_CreateSession(env, component, NULL, &session), ORT_FAIL,
              "variant 'a' of component '" COMPONENT "' names no model");
  OrtReleaseModelPackageComponentContext(component);
  root = new_package("lost", VARIANT("a", "CPUExecutionProvider", ""));
  component = select_from(root, NULL);
  char path[1024];
  snprintf(path, sizeof(path), "%s/a/m.onnx", root);
  assert_int_equal(remove(path), 0);
  CHECK_FAILS(OrtModelPackage_CreateSession(env, component, NULL, &session), ORT_NO_SUCHFILE,
              "is not there");
  assert_int_equal(symlink(DATA("matmul.onnx"), path), 0);
  CHECK_FAILS(OrtModelPackage_CreateSession(env, component, NULL, &session), ORT_INVALID_ARGUMENT,
              "leads out of the package");
  OrtReleaseModelPackageComponentContext(component);
}

static void check_json_has(OrtInspection* inspection, const char* part) {
  const char* json = NULL;
  CHECK_OK(OrtInspection_GetJson(inspection, &json));
  CHECK_CONTAINS(json, part);
}

static void test_package__is_described_and_verified(void** state) {
  (void)state;
  OrtInspection* inspection = NULL;
  OrtSessionOptions* options = NULL;
  OrtModelPackageOptions* wanted = NULL;
  const char* root = new_package("described", VARIANT("a", "CPUExecutionProvider", ""));
  char folder[1024];
  snprintf(folder, sizeof(folder), "%s/shared_assets", root);
  assert_int_equal(mkdir(folder, 0700), 0);
  OrtModelPackageContext* package = open_package(root);
  CHECK_OK(OrtModelPackage_Describe(package, NULL, &inspection));
  check_json_has(inspection, "\"model\":\"a/m.onnx\"");
  OrtReleaseInspection(inspection);
  CHECK_OK(OrtCreateSessionOptions(&options));
  CHECK_OK(OrtCreateModelPackageOptionsFromSessionOptions(env, options, &wanted));
  OrtReleaseSessionOptions(options);
  CHECK_OK(OrtModelPackage_Describe(package, wanted, &inspection));
  check_json_has(inspection, "\"selected\":\"a\"");
  OrtReleaseInspection(inspection);
  OrtReleaseModelPackageOptions(wanted);
  CHECK_OK(OrtModelPackage_Verify(package, &inspection));
  check_json_has(inspection, "\"verdict\":\"sound\"");
  OrtReleaseInspection(inspection);
  OrtReleaseModelPackageContext(package);
  // What an asset is called is what must be in it.
  snprintf(folder, sizeof(folder), "%s/shared_assets/sha256-%s", root, kAsset + 7);
  assert_int_equal(mkdir(folder, 0700), 0);
  package = open_package(root);
  CHECK_OK(OrtModelPackage_Verify(package, &inspection));
  check_json_has(inspection, "\"verdict\":\"broken\"");
  OrtReleaseInspection(inspection);
  OrtReleaseModelPackageContext(package);
}

static void test_package__is_reached_through_onnx_runtimes_table(void** state) {
  (void)state;
  const OrtApi* api = OrtcGetApiBase()->GetApi(ORTC_ORT_API_VERSION);
  typedef OrtStatus* (*Test)(int64_t*);
  typedef OrtStatus* (*CreateContext)(const char*, OrtModelPackageContext**);
  int64_t number = 0;
  CHECK_OK(((Test)api->GetExperimentalFunction("OrtApi_ExperimentalApiTest_SinceV28"))(&number));
  assert_int_equal(number, 12345);
  static const char* const kNames[] = {
      "CreateModelPackageOptionsFromSessionOptions",
      "ReleaseModelPackageOptions",
      "CreateModelPackageContext",
      "ReleaseModelPackageContext",
      "ModelPackage_GetSchemaVersion",
      "ModelPackage_GetComponentCount",
      "ModelPackage_GetComponentNames",
      "ModelPackage_GetVariantCount",
      "ModelPackage_GetVariantNames",
      "ModelPackage_GetVariantEpName",
      "ModelPackage_ResolveStringRef",
      "SelectComponent",
      "ReleaseModelPackageComponentContext",
      "ModelPackageComponent_GetSelectedVariantName",
      "ModelPackageComponent_GetSelectedVariantFolderPath",
      "CreateSession",
  };
  for (size_t i = 0; i < sizeof(kNames) / sizeof(kNames[0]); ++i) {
    char name[128];
    snprintf(name, sizeof(name), "OrtModelPackageApi_%s_SinceV28", kNames[i]);
    if (api->GetExperimentalFunction(name) == NULL) fail_msg("%s is not there", name);
  }
  OrtModelPackageContext* package = NULL;
  const CreateContext create = (CreateContext)api->GetExperimentalFunction(
      "OrtModelPackageApi_CreateModelPackageContext_SinceV28");
  CHECK_OK(create(new_package("table", VARIANT("a", "CPUExecutionProvider", "")), &package));
  OrtReleaseModelPackageContext(package);
}

static void test_package__takes_options_it_does_not_know_through_the_table_only(void** state) {
  (void)state;
  typedef OrtStatus* (*CreateSession)(const OrtEnv*, OrtModelPackageComponentContext*,
                                      const OrtSessionOptions*, OrtSession**);
  const OrtApi* api = OrtcGetApiBase()->GetApi(ORTC_ORT_API_VERSION);
  OrtSession* session = NULL;
  OrtModelPackageComponentContext* component = select_from(
      new_package("unknown", VARIANT("a", "CPUExecutionProvider",
                                     ",\"session_options\":{\"session.of_tomorrow\":\"1\"},"
                                     "\"provider_options\":{\"of_tomorrow\":\"1\"}")),
      NULL);
  CHECK_FAILS(OrtModelPackage_CreateSession(env, component, NULL, &session), ORT_INVALID_ARGUMENT,
              "session.of_tomorrow");
  CHECK_OK(((CreateSession)api->GetExperimentalFunction(
      "OrtModelPackageApi_CreateSession_SinceV28"))(env, component, NULL, &session));
  check_matmul_runs(session);
  OrtReleaseSession(session);
  OrtReleaseModelPackageComponentContext(component);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_package__tells_what_it_has),
      cmocka_unit_test(test_package__resolves_references),
      cmocka_unit_test(test_package__gives_sessions_of_the_selected_variant),
      cmocka_unit_test(test_package__selects_for_the_providers_in_their_order),
      cmocka_unit_test(test_package__says_why_no_variant_is_taken),
      cmocka_unit_test(test_package__passes_the_options_of_a_variant),
      cmocka_unit_test(test_package__has_no_session_write_files),
      cmocka_unit_test(test_package__carries_places_over_to_a_programs_options),
      cmocka_unit_test(test_package__needs_a_model_that_is_there),
      cmocka_unit_test(test_package__is_described_and_verified),
      cmocka_unit_test(test_package__is_reached_through_onnx_runtimes_table),
      cmocka_unit_test(test_package__takes_options_it_does_not_know_through_the_table_only),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
