// SPDX-License-Identifier: MIT
// ort_c/ort_api.h: what stands in the entries of the tables, and where they mean something else
// than the functions. The generated list says which entry should be what.
#include <dlfcn.h>

#include "tests/api/api_testing.h"

typedef void (*AnyEntry)(void);

typedef struct Slot {
  char kind[16];  // as in ort_table_entries.inc
  char table[32];
  char member[96];
  AnyEntry entry;
} Slot;

static const OrtApi* ort_api(void) { return OrtcGetApiBase()->GetApi(ORTC_ORT_API_VERSION); }

// A table as an array of entries.
static const AnyEntry* entries_of(const char* table, size_t* count) {
  static const struct {
    const char* name;
    size_t size;
  } kSizes[] = {{"OrtApi", sizeof(OrtApi)},
                {"OrtEpApi", sizeof(OrtEpApi)},
                {"OrtModelEditorApi", sizeof(OrtModelEditorApi)},
                {"OrtCompileApi", sizeof(OrtCompileApi)},
                {"OrtInteropApi", sizeof(OrtInteropApi)},
                {"OrtModelPackageApi", sizeof(OrtModelPackageApi)},
                {"OrtApiBase", sizeof(OrtApiBase)}};
  const void* tables[] = {ort_api(),
                          ort_api()->GetEpApi(),
                          ort_api()->GetModelEditorApi(),
                          ort_api()->GetCompileApi(),
                          ort_api()->GetInteropApi(),
                          ort_api()->GetModelPackageApi(),
                          OrtcGetApiBase()};
  for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); ++i) {
    if (strcmp(kSizes[i].name, table) != 0) continue;
    *count = kSizes[i].size / sizeof(AnyEntry);
    return (const AnyEntry*)tables[i];
  }
  complain(__FILE__, __LINE__, "no such table", table);
  return NULL;
}

// All entries of all tables, by the generated list; free() them.
static Slot* read_slots(size_t* count) {
  FILE* file = fopen(ORTC_SOURCE_DIR "/core/api/abi/ort_table_entries.inc", "r");
  assert_non_null(file);
  Slot* slots = (Slot*)calloc(1000, sizeof(Slot));
  assert_non_null(slots);
  char line[256];
  size_t index = 0;
  *count = 0;
  while (fgets(line, sizeof(line), file) != NULL) {
    Slot* slot = &slots[*count];
    if (strncmp(line, "#if", 3) == 0) index = 0;
    if (sscanf(line, "ORTC_%15[A-Z](%31[A-Za-z], %95[A-Za-z0-9_])", slot->kind, slot->table,
               slot->member) != 3) {
      continue;
    }
    size_t size = 0;
    const AnyEntry* entries = entries_of(slot->table, &size);
    assert_true(index < size);
    slot->entry = entries[index++];
    ++*count;
    assert_true(*count < 1000);
  }
  fclose(file);
  return slots;
}

static void test_tables__have_no_empty_entry(void** state) {
  (void)state;
  size_t count = 0;
  Slot* slots = read_slots(&count);
  assert_int_equal(count, 428 + 78 + 20 + 19 + 13 + 16 + 2);
  for (size_t i = 0; i < count; ++i) {
    if (slots[i].entry == NULL) complain(__FILE__, __LINE__, slots[i].table, slots[i].member);
  }
  free(slots);
}

static void test_tables__hold_the_function_of_that_name(void** state) {
  (void)state;
  size_t count = 0, compared = 0;
  Slot* slots = read_slots(&count);
  for (size_t i = 0; i < count; ++i) {
    char name[128];
    snprintf(name, sizeof(name), "Ort%s", slots[i].member);
    if (strcmp(slots[i].kind, "FLAT") != 0) continue;
    void* function = dlsym(RTLD_DEFAULT, name);
    assert_non_null(function);
    if (memcmp(&function, &slots[i].entry, sizeof(function)) != 0) {
      complain(__FILE__, __LINE__, "another function stands in", slots[i].member);
    }
    ++compared;
  }
  assert_true(compared > 100);
  free(slots);
}

static void test_base__answers_each_version_with_one_table(void** state) {
  (void)state;
  const OrtApiBase* base = OrtcGetApiBase();
  for (uint32_t version = 1; version <= ORTC_ORT_API_VERSION; ++version) {
    assert_ptr_equal(base->GetApi(version), ort_api());
  }
  CHECK_TEXT(base->GetVersionString(), "1.31.0");
  CHECK_TEXT(OrtGetVersionString(), "1.0.0");
}

static void test_base__refuses_other_versions_on_stderr(void** state) {
  (void)state;
  const char* path = temp_path("stderr");
  fflush(stderr);
  const int before = dup(2);
  assert_non_null(freopen(path, "w", stderr));
  const OrtApi* none = OrtcGetApiBase()->GetApi(0);
  const OrtApi* newer = OrtcGetApiBase()->GetApi(32);
  fflush(stderr);
  dup2(before, 2);
  close(before);
  assert_null(none);
  assert_null(newer);
  char* text = read_file(path, NULL);
  CHECK_TEXT(text,
             "ortc 1.0.0 has the versions 1 to 31 of the interface, but 0 was asked for\n"
             "ortc 1.0.0 has the versions 1 to 31 of the interface, but 32 was asked for\n");
  free(text);
}

static void test_env__is_one_through_the_table(void** state) {
  (void)state;
  const OrtApi* api = ort_api();
  OrtEnv *first = NULL, *second = NULL, *own = NULL;
  CHECK_OK(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "one", &first));
  CHECK_OK(api->CreateEnvWithCustomLogger((OrtLoggingFunction)NULL, NULL, ORT_LOGGING_LEVEL_ERROR,
                                          "two", &second));
  assert_ptr_equal(first, second);
  CHECK_OK(OrtCreateEnv(ORT_LOGGING_LEVEL_ERROR, "own", &own));
  assert_ptr_not_equal(own, first);
  api->ReleaseEnv(own);
  api->ReleaseEnv(second);
  // The first one still counts.
  OrtSession* session = NULL;
  CHECK_OK(api->CreateSession(first, DATA("matmul.onnx"), NULL, &session));
  CHECK_OK(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "three", &second));
  assert_ptr_equal(first, second);
  api->ReleaseEnv(second);
  api->ReleaseEnv(first);
  check_matmul_runs(session);
  api->ReleaseSession(session);
  api->ReleaseEnv(NULL);
  // After the last one there is a new beginning, with arguments that are looked at.
  CHECK_FAILS(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, NULL, &first), ORT_INVALID_ARGUMENT,
              "'logid'");
  CHECK_FAILS(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "x", NULL), ORT_INVALID_ARGUMENT, "'out'");
  CHECK_OK(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "four", &first));
  api->ReleaseEnv(first);
}

static char log_text[1024];

static void keep_log(void* param, OrtLoggingLevel severity, const char* category, const char* logid,
                     const char* code_location, const char* message) {
  (void)param, (void)severity, (void)category, (void)logid, (void)code_location;
  strncat(log_text, message, sizeof(log_text) - strlen(log_text) - 2);
  strcat(log_text, "\n");
}

static void test_config__unknown_keys_are_warnings_through_the_table(void** state) {
  (void)state;
  const OrtApi* api = ort_api();
  OrtEnv* env = NULL;
  OrtSessionOptions* options = NULL;
  OrtSession* session = NULL;
  CHECK_OK(api->CreateEnvWithCustomLogger(keep_log, NULL, ORT_LOGGING_LEVEL_WARNING, "x", &env));
  CHECK_OK(api->CreateSessionOptions(&options));
  CHECK_FAILS(OrtAddSessionConfigEntry(options, "session.no_such_key", "1"), ORT_INVALID_ARGUMENT,
              "unknown session config key");
  CHECK_OK(api->AddSessionConfigEntry(options, "session.no_such_key", "1"));
  CHECK_OK(api->AddSessionConfigEntry(options, "ep.nobody.option", "1"));
  int has = 0;
  CHECK_OK(api->HasSessionConfigEntry(options, "session.no_such_key", &has));
  assert_int_equal(has, 1);
  CHECK_OK(api->CreateSession(env, DATA("matmul.onnx"), options, &session));
  CHECK_CONTAINS(log_text, "the key 'session.no_such_key' is unknown and ignored");
  CHECK_CONTAINS(log_text, "the key 'ep.nobody.option' is ignored: its execution provider is not");
  check_matmul_runs(session);
  api->ReleaseSession(session);
  // What is known is judged as always.
  CHECK_FAILS(api->AddSessionConfigEntry(options, "session.execution_mode", "7"),
              ORT_INVALID_ARGUMENT, "session.execution_mode");
  CHECK_OK(api->AddSessionConfigEntry(options, "session.execution_mode", ""));
  CHECK_FAILS(OrtAddSessionConfigEntry(options, "session.execution_mode", ""), ORT_INVALID_ARGUMENT,
              "session.execution_mode");
  CHECK_FAILS(api->AddSessionConfigEntry(options, "", "1"), ORT_INVALID_ARGUMENT, "empty");
  CHECK_FAILS(api->AddSessionConfigEntry(options, NULL, "1"), ORT_INVALID_ARGUMENT, "'config_key'");
  api->ReleaseSessionOptions(options);
  OrtRunOptions* run_options = NULL;
  CHECK_OK(api->CreateRunOptions(&run_options));
  CHECK_FAILS(OrtAddRunConfigEntry(run_options, "no.such.key", "1"), ORT_INVALID_ARGUMENT,
              "unknown run config key");
  CHECK_OK(api->AddRunConfigEntry(run_options, "no.such.key", "1"));
  CHECK_TEXT(api->GetRunConfigEntry(run_options, "no.such.key"), "1");
  CHECK_FAILS(api->AddRunConfigEntry(NULL, "a", "1"), ORT_INVALID_ARGUMENT, "'options'");
  api->ReleaseRunOptions(run_options);
  api->ReleaseEnv(env);
}

static void test_env__options_are_judged_and_unknown_keys_are_warnings(void** state) {
  (void)state;
  const OrtApi* api = ort_api();
  OrtEnv *env = NULL, *second = (OrtEnv*)1;
  OrtEnvCreationOptions options = {ORTC_ORT_API_VERSION, 2, "x", keep_log, NULL, NULL, NULL};
  OrtKeyValuePairs* entries = NULL;
  api->CreateKeyValuePairs(&entries);
  api->AddKeyValuePair(entries, "no.such.key", "1");
  options.config_entries = entries;
  log_text[0] = 0;
  CHECK_FAILS(OrtCreateEnvWithOptions(&options, &env), ORT_INVALID_ARGUMENT, "no.such.key");
  CHECK_OK(api->CreateEnvWithOptions(&options, &env));
  CHECK_CONTAINS(log_text, "environment keys 'no.such.key' are unknown here");
  OrtKeyValuePairs* told = NULL;
  CHECK_OK(api->GetEpApi()->GetEnvConfigEntries(&told));
  assert_string_equal(api->GetKeyValue(told, "no.such.key"), "1");
  api->ReleaseKeyValuePairs(told);
  options.logging_severity_level = 100;
  CHECK_FAILS(api->CreateEnvWithOptions(&options, &second), ORT_INVALID_ARGUMENT, "is 100");
  assert_null(second);
  options.logging_severity_level = 2;
  options.version = 0;
  CHECK_FAILS(api->CreateEnvWithOptions(&options, &second), ORT_INVALID_ARGUMENT, "version");
  options.version = ORTC_ORT_API_VERSION;
  CHECK_OK(api->CreateEnvWithOptions(&options, &second));
  assert_ptr_equal(env, second);
  CHECK_FAILS(api->CreateEnvWithOptions(NULL, &second), ORT_INVALID_ARGUMENT, "'options'");
  CHECK_FAILS(api->CreateEnvWithOptions(&options, NULL), ORT_INVALID_ARGUMENT, "'out'");
  api->ReleaseKeyValuePairs(entries);
  api->ReleaseEnv(env);
  api->ReleaseEnv(env);
}

// Programs of ONNX Runtime hold these for what they mean to it, or for nothing.
static void test_table__takes_numbers_that_the_functions_refuse(void** state) {
  (void)state;
  const OrtApi* api = ort_api();
  OrtEnv* env = NULL;
  OrtSessionOptions* options = NULL;
  OrtRunOptions* run = NULL;
  OrtSession* session = NULL;
  int level = 0;
  CHECK_OK(api->CreateEnvWithCustomLogger(keep_log, NULL, ORT_LOGGING_LEVEL_WARNING, "x", &env));
  CHECK_OK(api->CreateSessionOptions(&options));
  CHECK_OK(api->SetIntraOpNumThreads(options, -1));
  CHECK_OK(api->SetInterOpNumThreads(options, -1));
  CHECK_OK(api->AddFreeDimensionOverrideByName(options, "rows", -1));
  CHECK_OK(api->AddFreeDimensionOverride(options, "DATA_BATCH", -1));
  CHECK_FAILS(api->AddFreeDimensionOverrideByName(options, NULL, -1), ORT_INVALID_ARGUMENT,
              "'dim_name'");
  CHECK_OK(api->SetSessionLogSeverityLevel(options, 9));
  CHECK_OK(api->SetSessionLogSeverityLevel(options, -1));
  CHECK_OK(api->SetSessionLogVerbosityLevel(options, -4));
  CHECK_OK(api->EnableProfiling(options, temp_path("no/folder/p")));
  CHECK_OK(api->CreateSession(env, DATA("matmul.onnx"), options, &session));
  CHECK_CONTAINS(log_text, "no/folder");
  check_matmul_runs(session);
  api->ReleaseSession(session);
  char value[8];
  size_t size = sizeof(value);
  CHECK_FAILS(api->GetSessionConfigEntry(options, "never.set", value, &size), ORT_INVALID_ARGUMENT,
              "never.set");
  api->ReleaseSessionOptions(options);
  CHECK_OK(api->CreateRunOptions(&run));
  CHECK_OK(api->RunOptionsSetRunLogSeverityLevel(run, 99));
  CHECK_OK(api->RunOptionsGetRunLogSeverityLevel(run, &level));
  assert_int_equal(level, ORT_LOGGING_LEVEL_FATAL);
  CHECK_OK(api->RunOptionsSetRunLogSeverityLevel(run, -1));
  CHECK_OK(api->RunOptionsSetRunLogVerbosityLevel(run, -4));
  api->ReleaseRunOptions(run);
  api->ReleaseEnv(env);
}

static void test_table__takes_names_that_stand_twice(void** state) {
  (void)state;
  const OrtApi* api = ort_api();
  OrtEnv* env = NULL;
  OrtSession* session = NULL;
  OrtSessionOptions* options = NULL;
  float first[] = {0, 0, 0, 0}, last[] = {1, 2, 3, 4};
  const int64_t shape[] = {1, 4};
  CHECK_OK(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "x", &env));
  CHECK_OK(api->CreateSessionOptions(&options));
  CHECK_OK(api->CreateSession(env, DATA("matmul.onnx"), options, &session));
  OrtValue* values[] = {floats_of(first, 4, shape, 2), floats_of(last, 4, shape, 2)};
  OrtValue* outputs[] = {NULL, NULL};
  const char* const inputs[] = {"x", "x"};
  const char* const names[] = {"y", "y"};
  CHECK_OK(api->Run(session, NULL, inputs, (const OrtValue* const*)values, 2, names, 2, outputs));
  assert_ptr_not_equal(outputs[0], outputs[1]);
  assert_true(floats_in(outputs[0])[0] == 60 && floats_in(outputs[1])[0] == 60);
  for (int i = 0; i < 2; ++i) {
    api->ReleaseValue(values[i]);
    api->ReleaseValue(outputs[i]);
  }
  api->ReleaseSessionOptions(options);
  api->ReleaseSession(session);
  api->ReleaseEnv(env);
}

static void test_table__has_what_is_harmless(void** state) {
  (void)state;
  const OrtApi* api = ort_api();
  OrtEnv* env = NULL;
  CHECK_OK(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "x", &env));
  CHECK_OK(api->EnableTelemetryEvents(env));
  CHECK_OK(api->DisableTelemetryEvents(env));
  CHECK_OK(api->SetLanguageProjection(env, ORT_PROJECTION_CSHARP));
  CHECK_FAILS(api->DisableTelemetryEvents(NULL), ORT_INVALID_ARGUMENT, "'env'");
  const void* own = env;
  CHECK_FAILS(api->GetExecutionProviderApi("CPU", 1, &own), ORT_INVALID_ARGUMENT, "'CPU'");
  assert_null(own);
  api->ReleaseEnv(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tables__have_no_empty_entry),
      cmocka_unit_test(test_tables__hold_the_function_of_that_name),
      cmocka_unit_test(test_base__answers_each_version_with_one_table),
      cmocka_unit_test(test_base__refuses_other_versions_on_stderr),
      cmocka_unit_test(test_env__is_one_through_the_table),
      cmocka_unit_test(test_config__unknown_keys_are_warnings_through_the_table),
      cmocka_unit_test(test_env__options_are_judged_and_unknown_keys_are_warnings),
      cmocka_unit_test(test_table__takes_numbers_that_the_functions_refuse),
      cmocka_unit_test(test_table__takes_names_that_stand_twice),
      cmocka_unit_test(test_table__has_what_is_harmless),
  };
  return cmocka_run_group_tests(tests, make_temp_folder, remove_temp_folder);
}
