// SPDX-License-Identifier: MIT
// Weights that come from the program: initializers, contents of external data files, adapters, and
// weights that sessions share.
#include "tests/api/api_testing.h"

// weights_elsewhere.onnx with weight {{1, 2}, {3, 4}} and bias {10, 20}, for x = {1, 1}.
static void check_weights(OrtSession* session) {
  float x[2] = {1, 1}, y[2];
  run_rows(session, NULL, x, 1, 2, y);
  assert_true(y[0] == 14 && y[1] == 26);
}

static OrtValue* weight_value(float* weight) {
  const int64_t shape[] = {2, 2};
  return floats_of(weight, 4, shape, 2);
}

static OrtValue* bias_value(float* bias) {
  const int64_t shape[] = {2};
  return floats_of(bias, 2, shape, 1);
}

static void test_initializer__is_used_in_place_of_the_model_s(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSessionOptions* options = new_options("AOT");
  float weight[4] = {1, 2, 3, 4}, bias[2] = {10, 20};
  OrtValue *w = weight_value(weight), *b = bias_value(bias), *own = NULL;
  const int64_t shape[] = {2};
  CHECK_OK(
      OrtCreateTensorAsOrtValue(allocator(), shape, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &own));
  OrtSession* session = NULL;
  CHECK_FAILS(OrtCreateSession(env, DATA("weights_elsewhere.onnx"), options, &session), ORT_FAIL,
              "weights.bin");
  CHECK_OK(OrtAddInitializer(options, "weight", w));
  CHECK_OK(OrtAddInitializer(options, "nowhere", w));
  CHECK_FAILS(OrtAddInitializer(options, "weight", w), ORT_INVALID_ARGUMENT, "given already");
  CHECK_FAILS(OrtAddInitializer(options, "", w), ORT_INVALID_ARGUMENT, "empty");
  CHECK_FAILS(OrtAddInitializer(options, "bias", own), ORT_INVALID_ARGUMENT, "caller's");
  CHECK_OK(OrtAddInitializer(options, "bias", b));
  OrtReleaseValue(w);
  OrtReleaseValue(b);
  OrtReleaseValue(own);
  CHECK_OK(OrtCreateSession(env, DATA("weights_elsewhere.onnx"), options, &session));
  check_weights(session);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);

  options = new_options(NULL);
  b = bias_value(bias);
  CHECK_OK(OrtAddInitializer(options, "weight", b));
  CHECK_FAILS(OrtCreateSession(env, DATA("weights_elsewhere.onnx"), options, &session),
              ORT_INVALID_ARGUMENT, "'weight'");
  OrtReleaseValue(b);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

static void test_external_initializers__are_copied_when_the_session_is_made(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSessionOptions* options = new_options(NULL);
  float weight[4] = {1, 2, 3, 4}, bias[2] = {10, 20};
  OrtValue* values[] = {weight_value(weight), bias_value(bias)};
  const OrtValue* const list[] = {values[0], values[1]};
  const char* names[] = {"weight", "bias"};
  CHECK_OK(OrtAddExternalInitializers(options, names, list, 2));
  CHECK_FAILS(OrtAddExternalInitializers(options, names, list, 2), ORT_INVALID_ARGUMENT,
              "given already");
  OrtReleaseValue(values[0]);
  OrtReleaseValue(values[1]);
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateSession(env, DATA("weights_elsewhere.onnx"), options, &session));
  memset(weight, 0, sizeof(weight));
  memset(bias, 0, sizeof(bias));
  check_weights(session);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

static void test_external_initializers__must_be_external_in_the_model(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  float numbers[12] = {0};
  const int64_t shape[] = {4, 3};
  OrtValue* value = floats_of(numbers, 12, shape, 2);
  const OrtValue* const values[] = {value};
  const char* const names[][1] = {{"weight"}, {"absent"}};
  const char* const texts[] = {"no external data", "'absent'"};
  for (int i = 0; i < 2; ++i) {
    OrtSessionOptions* options = new_options(NULL);
    OrtSession* session = NULL;
    CHECK_OK(OrtAddExternalInitializers(options, names[i], values, 1));
    CHECK_FAILS(OrtCreateSession(env, DATA("matmul.onnx"), options, &session), ORT_FAIL, texts[i]);
    OrtReleaseSessionOptions(options);
  }
  OrtReleaseValue(value);
  OrtReleaseEnv(env);
}

static void test_files__come_from_memory(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = NULL;
  float content[6] = {1, 2, 3, 4, 10, 20};
  const char* const names[] = {"weights.bin"};
  char* const buffers[] = {(char*)content};
  const size_t sizes[] = {sizeof(content)}, short_sizes[] = {20};
  const char* const others[] = {"other.bin"};

  OrtSessionOptions* options = new_options("AOT");
  CHECK_OK(OrtAddExternalInitializersFromFilesInMemory(options, names, buffers, sizes, 1));
  CHECK_FAILS(OrtAddExternalInitializersFromFilesInMemory(options, names, buffers, sizes, 1),
              ORT_INVALID_ARGUMENT, "given already");
  CHECK_OK(OrtCreateSession(env, DATA("weights_elsewhere.onnx"), options, &session));
  memset(content, 0, sizeof(content));
  check_weights(session);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);

  options = new_options(NULL);
  CHECK_OK(OrtAddExternalInitializersFromFilesInMemory(options, names, buffers, short_sizes, 1));
  CHECK_FAILS(OrtCreateSession(env, DATA("weights_elsewhere.onnx"), options, &session), ORT_FAIL,
              "20 bytes");
  OrtReleaseSessionOptions(options);
  options = new_options(NULL);
  CHECK_OK(OrtAddExternalInitializersFromFilesInMemory(options, others, buffers, sizes, 1));
  CHECK_FAILS(OrtCreateSession(env, DATA("weights_elsewhere.onnx"), options, &session), ORT_FAIL,
              "weights.bin");
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

// Both places of a text in bytes become another of the same length.
static void replace_text(char* bytes, size_t size, const char* from, const char* to) {
  const size_t length = strlen(from);
  assert_int_equal(strlen(to), length);
  for (size_t i = 0; i + length <= size; ++i) {
    if (memcmp(bytes + i, from, length) == 0) memcpy(bytes + i, to, length);
  }
}

static void test_files__are_the_same_however_their_names_are_spelt(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  float content[6] = {1, 2, 3, 4, 10, 20};
  char* const buffers[] = {(char*)content};
  const size_t sizes[] = {sizeof(content)};
  const char* const spellings[] = {"ights.bin", "./ights.bin", ".//./ights.bin"};
  const char* const locations[] = {"./ights.bin", "weights.bin"};
  for (int i = 0; i < 3; ++i) {
    size_t size = 0;
    char* model = read_file(DATA("weights_elsewhere.onnx"), &size);
    replace_text(model, size, locations[1], locations[0]);
    OrtSession* session = NULL;
    OrtSessionOptions* options = new_options(NULL);
    CHECK_OK(
        OrtAddExternalInitializersFromFilesInMemory(options, &spellings[i], buffers, sizes, 1));
    CHECK_FAILS(OrtAddExternalInitializersFromFilesInMemory(options, &spellings[(i + 1) % 3],
                                                            buffers, sizes, 1),
                ORT_INVALID_ARGUMENT, "'ights.bin' were given already");
    CHECK_OK(OrtCreateSessionFromArray(env, model, size, options, &session));
    check_weights(session);
    OrtReleaseSession(session);
    OrtReleaseSessionOptions(options);
    free(model);
  }
  OrtReleaseEnv(env);
}

static void test_folder__of_external_data_may_be_another(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSessionOptions* options = new_options(NULL);
  OrtSession* session = NULL;
  const float content[6] = {1, 2, 3, 4, 10, 20};
  const char* folder = new_folder("elsewhere");
  char path[512];
  snprintf(path, sizeof(path), "%s/weights.bin", folder);
  write_file(path, content, sizeof(content));
  CHECK_OK(OrtAddSessionConfigEntry(options, "session.model_external_initializers_file_folder_path",
                                    folder));
  CHECK_OK(OrtCreateSession(env, DATA("weights_elsewhere.onnx"), options, &session));
  check_weights(session);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

static void test_overridable__initializers_are_replaced_by_a_run(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateSession(env, DATA("described.onnx"), NULL, &session));
  size_t count = 0;
  CHECK_OK(OrtSessionGetOverridableInitializerCount(session, &count));
  assert_int_equal(count, 1);
  char* name = NULL;
  CHECK_OK(OrtSessionGetOverridableInitializerName(session, 0, allocator(), &name));
  CHECK_TEXT(name, "bias");
  free_text(name);
  float x[2] = {1, 1}, bias[2] = {5, 6};
  OrtValue *values[] = {bias_value(x), bias_value(bias)}, *y = NULL;
  const OrtValue* const inputs[] = {values[0], values[1]};
  const char* input_names[] = {"x", "bias"};
  const char* output_names[] = {"y"};
  CHECK_OK(OrtRun(session, NULL, input_names, inputs, 1, output_names, 1, &y));
  assert_true(floats_in(y)[0] == 11 && floats_in(y)[1] == 21);
  OrtReleaseValue(y);
  y = NULL;
  CHECK_OK(OrtRun(session, NULL, input_names, inputs, 2, output_names, 1, &y));
  assert_true(floats_in(y)[0] == 6 && floats_in(y)[1] == 7);
  OrtReleaseValue(y);

  // An adapter does the same, for every run with its options, and goes before a given value.
  OrtLoraAdapter* adapter = NULL;
  OrtRunOptions* options = NULL;
  CHECK_OK(OrtCreateLoraAdapter(DATA("bias.onnx_adapter"), NULL, &adapter));
  CHECK_OK(OrtCreateRunOptions(&options));
  CHECK_OK(OrtRunOptionsAddActiveLoraAdapter(options, adapter));
  OrtReleaseLoraAdapter(adapter);
  for (size_t i = 1; i <= 2; ++i) {
    y = NULL;
    CHECK_OK(OrtRun(session, options, input_names, inputs, i, output_names, 1, &y));
    assert_true(floats_in(y)[0] == 2 && floats_in(y)[1] == 3);
    OrtReleaseValue(y);
  }
  OrtReleaseRunOptions(options);
  OrtReleaseSession(session);
  OrtReleaseValue(values[0]);
  OrtReleaseValue(values[1]);
  OrtReleaseEnv(env);
}

static void test_adapter__of_damaged_bytes_is_refused(void** state) {
  (void)state;
  size_t size = 0;
  char* bytes = read_file(DATA("bias.onnx_adapter"), &size);
  OrtLoraAdapter* adapter = NULL;
  CHECK_OK(OrtCreateLoraAdapterFromArray(bytes, size, allocator(), &adapter));
  OrtReleaseLoraAdapter(adapter);
  // Whatever is wrong with one byte or the end, it is read within bounds.
  for (size_t i = 0; i < size; ++i) {
    for (int flip = 1; flip < 256; flip *= 2) {
      bytes[i] = (char)(bytes[i] ^ flip);
      OrtStatus* status = OrtCreateLoraAdapterFromArray(bytes, size, NULL, &adapter);
      if (status == NULL) OrtReleaseLoraAdapter(adapter);
      OrtReleaseStatus(status);
      bytes[i] = (char)(bytes[i] ^ flip);
    }
    CHECK_FAILS(OrtCreateLoraAdapterFromArray(bytes, i < 40 ? i : 40, NULL, &adapter), ORT_FAIL,
                "LoRA");
    assert_null(adapter);
  }
  memcpy(bytes + 4, "XXXX", 4);
  CHECK_FAILS(OrtCreateLoraAdapterFromArray(bytes, size, NULL, &adapter), ORT_FAIL, "TORT");
  CHECK_FAILS(OrtCreateLoraAdapter(DATA("absent.onnx_adapter"), NULL, &adapter), ORT_NO_SUCHFILE,
              "absent");
  free(bytes);
}

static void test_container__keeps_equal_weights_once(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtPrepackedWeightsContainer* container = NULL;
  CHECK_OK(OrtCreatePrepackedWeightsContainer(&container));
  OrtSession *plain = NULL, *first = NULL, *second = NULL;
  size_t size = 0;
  char* bytes = read_file(DATA("layers.onnx"), &size);
  OrtSessionOptions* options = new_options("AOT");
  CHECK_OK(OrtCreateSession(env, DATA("layers.onnx"), NULL, &plain));
  CHECK_OK(OrtCreateSessionWithPrepackedWeightsContainer(env, DATA("layers.onnx"), NULL, container,
                                                         &first));
  char *report = NULL, *again = NULL;
  CHECK_OK(OrtSession_GetReportJson(first, allocator(), &report));
  CHECK_CONTAINS(report, "\"shared_weight_bytes\":");
  CHECK_OK(OrtCreateSessionFromArrayWithPrepackedWeightsContainer(env, bytes, size, options,
                                                                  container, &second));
  CHECK_OK(OrtSession_GetReportJson(second, allocator(), &again));
  const char *of_one = strstr(report, "\"shared_weight_bytes\":"),
             *of_two = strstr(again, "\"shared_weight_bytes\":");
  assert_non_null(of_two);
  assert_int_equal(strtol(of_one + 22, NULL, 10), strtol(of_two + 22, NULL, 10));
  assert_true(strtol(of_one + 22, NULL, 10) >= 64 * 64 * 4);
  free_text(report);
  free_text(again);
  OrtReleasePrepackedWeightsContainer(container);
  OrtReleaseSession(first);
  float x[64], expected[64], y[64];
  for (int i = 0; i < 64; ++i) x[i] = (float)(i % 7 - 3);
  run_rows(plain, NULL, x, 1, 64, expected);
  run_rows(second, NULL, x, 1, 64, y);
  assert_memory_equal(y, expected, sizeof(y));
  free(bytes);
  OrtReleaseSession(second);
  OrtReleaseSession(plain);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_initializer__is_used_in_place_of_the_model_s),
      cmocka_unit_test(test_external_initializers__are_copied_when_the_session_is_made),
      cmocka_unit_test(test_external_initializers__must_be_external_in_the_model),
      cmocka_unit_test(test_files__come_from_memory),
      cmocka_unit_test(test_files__are_the_same_however_their_names_are_spelt),
      cmocka_unit_test(test_folder__of_external_data_may_be_another),
      cmocka_unit_test(test_overridable__initializers_are_replaced_by_a_run),
      cmocka_unit_test(test_adapter__of_damaged_bytes_is_refused),
      cmocka_unit_test(test_container__keeps_equal_weights_once),
  };
  return cmocka_run_group_tests(tests, make_temp_folder, remove_temp_folder);
}
