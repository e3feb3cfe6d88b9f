// SPDX-License-Identifier: MIT
// OrtRun: what a wrong run is told, whose memory inputs and outputs are, many threads at once.
#include <pthread.h>

#include "tests/api/api_testing.h"

// One run of matmul.onnx with everything in order, to be spoilt.
typedef struct {
  OrtEnv* env;
  OrtSession* session;
  float numbers[8];
  OrtValue* input;
  const OrtValue* inputs[2];
  const char* input_names[2];
  const char* output_names[2];
  OrtValue* outputs[2];
} Run;

static void begin_run(Run* run) {
  memset(run, 0, sizeof(*run));
  const int64_t shape[] = {1, 4};
  run->env = new_env();
  run->session = new_session(run->env, DATA("matmul.onnx"), NULL);
  for (int i = 0; i < 8; ++i) run->numbers[i] = (float)(i + 1);
  run->input = floats_of(run->numbers, 4, shape, 2);
  run->inputs[0] = run->inputs[1] = run->input;
  run->input_names[0] = run->input_names[1] = "x";
  run->output_names[0] = run->output_names[1] = "y";
}

static void end_run(Run* run) {
  OrtReleaseValue(run->outputs[0]);
  OrtReleaseValue(run->outputs[1]);
  OrtReleaseValue(run->input);
  OrtReleaseSession(run->session);
  OrtReleaseEnv(run->env);
}

static OrtStatus* do_run(Run* run, size_t inputs, size_t outputs) {
  return OrtRun(run->session, NULL, run->input_names, run->inputs, inputs, run->output_names,
                outputs, run->outputs);
}

static void spoil_input(Run* run, const int64_t* shape, size_t rank, size_t count) {
  OrtReleaseValue(run->input);
  run->input = floats_of(run->numbers, count, shape, rank);
  run->inputs[0] = run->input;
}

static void test_run__names_what_is_wrong_with_inputs(void** state) {
  (void)state;
  Run run;
  begin_run(&run);
  CHECK_FAILS(do_run(&run, 0, 1), ORT_INVALID_ARGUMENT, "input 'x'");
  assert_null(run.outputs[0]);
  CHECK_FAILS(do_run(&run, 2, 1), ORT_INVALID_ARGUMENT, "given twice");
  run.input_names[0] = "z";
  CHECK_FAILS(do_run(&run, 1, 1), ORT_INVALID_ARGUMENT, "no input 'z'; it has 'x'");
  run.input_names[0] = NULL;
  CHECK_FAILS(do_run(&run, 1, 1), ORT_INVALID_ARGUMENT, "'input_names[0]'");
  run.input_names[0] = "x";
  run.inputs[0] = NULL;
  CHECK_FAILS(do_run(&run, 1, 1), ORT_INVALID_ARGUMENT, "'inputs[0]' (x)");

  const int64_t flat[] = {4};
  const int64_t wide[] = {1, 5};
  spoil_input(&run, flat, 1, 4);
  CHECK_FAILS(do_run(&run, 1, 1), ORT_INVALID_ARGUMENT, "expected float32[rows,4], found");
  spoil_input(&run, wide, 2, 5);
  CHECK_FAILS(do_run(&run, 1, 1), ORT_INVALID_ARGUMENT, "[1,5]");
  OrtReleaseValue(run.input);
  const int64_t shape[] = {1, 4};
  CHECK_OK(OrtCreateTensorAsOrtValue(allocator(), shape, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64,
                                     &run.input));
  run.inputs[0] = run.input;
  CHECK_FAILS(do_run(&run, 1, 1), ORT_INVALID_ARGUMENT, "int64");
  assert_null(run.outputs[0]);
  end_run(&run);
}

static void test_run__names_what_is_wrong_with_outputs(void** state) {
  (void)state;
  Run run;
  begin_run(&run);
  run.output_names[0] = "z";
  CHECK_FAILS(do_run(&run, 1, 1), ORT_INVALID_ARGUMENT, "no output 'z'; it has 'y'");
  run.output_names[0] = NULL;
  CHECK_FAILS(do_run(&run, 1, 1), ORT_INVALID_ARGUMENT, "'output_names[0]'");
  run.output_names[0] = "y";
  CHECK_FAILS(do_run(&run, 1, 0), ORT_INVALID_ARGUMENT, "'output_names_len' is 0");
  assert_null(run.outputs[0]);
  CHECK_FAILS(OrtRun(run.session, NULL, run.input_names, run.inputs, 1, run.output_names, 1, NULL),
              ORT_INVALID_ARGUMENT, "'outputs'");
  CHECK_FAILS(OrtRun(NULL, NULL, run.input_names, run.inputs, 1, run.output_names, 1, run.outputs),
              ORT_INVALID_ARGUMENT, "'session'");
  CHECK_FAILS(OrtRun(run.session, NULL, NULL, run.inputs, 1, run.output_names, 1, run.outputs),
              ORT_INVALID_ARGUMENT, "'input_names'");
  end_run(&run);
}

static void test_run__fills_values_of_the_caller(void** state) {
  (void)state;
  Run run;
  begin_run(&run);
  float room[3] = {0};
  const int64_t shape[] = {1, 3};
  OrtValue* mine = floats_of(room, 3, shape, 2);
  run.outputs[0] = mine;
  CHECK_OK(do_run(&run, 1, 1));
  assert_ptr_equal(run.outputs[0], mine);
  assert_true(room[0] == 60 && room[1] == 70 && room[2] == 80);
  end_run(&run);
}

// Each mention has a value of its own, or fills the one that is given.
static void test_run__gives_an_output_as_often_as_it_is_named(void** state) {
  (void)state;
  Run run;
  begin_run(&run);
  CHECK_OK(do_run(&run, 1, 2));
  void* first = NULL;
  CHECK_OK(OrtGetTensorMutableData(run.outputs[0], &first));
  ((float*)first)[0] = 0;
  assert_true(floats_in(run.outputs[1])[0] == 60 && floats_in(run.outputs[1])[2] == 80);
  CHECK_OK(do_run(&run, 1, 2));
  assert_true(floats_in(run.outputs[0])[0] == 60);
  OrtReleaseValue(run.outputs[0]);
  run.outputs[0] = NULL;
  float room[6] = {0};
  const int64_t right[] = {1, 3}, wrong[] = {2, 3};
  OrtReleaseValue(run.outputs[1]);
  run.outputs[1] = floats_of(room, 3, right, 2);
  CHECK_OK(do_run(&run, 1, 2));
  assert_true(room[0] == 60 && room[2] == 80);
  OrtReleaseValue(run.outputs[1]);
  run.outputs[1] = floats_of(room, 6, wrong, 2);
  CHECK_FAILS(do_run(&run, 1, 2), ORT_INVALID_ARGUMENT, "was provided as float32[2,3]");
  end_run(&run);
}

static void test_run__refuses_values_that_do_not_fit_the_result(void** state) {
  (void)state;
  Run run;
  begin_run(&run);
  float room[8] = {0};
  const int64_t shape[] = {2, 3};
  OrtValue* mine = floats_of(room, 6, shape, 2);
  run.outputs[0] = mine;
  CHECK_FAILS(do_run(&run, 1, 1), ORT_INVALID_ARGUMENT, "[2,3]");
  assert_ptr_equal(run.outputs[0], mine);
  OrtReleaseValue(mine);
  const int64_t right[] = {1, 3};
  CHECK_OK(OrtCreateTensorAsOrtValue(allocator(), right, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32,
                                     &run.outputs[0]));
  CHECK_FAILS(do_run(&run, 1, 1), ORT_INVALID_ARGUMENT, "int32");
  end_run(&run);
}

// No memory is given for no elements, and still the tensor is the program's.
static void test_run__refuses_empty_values_that_do_not_fit_the_result(void** state) {
  (void)state;
  Run run;
  begin_run(&run);
  const int64_t rows[] = {0, 3}, none[] = {0};
  OrtValue* mine = floats_of(NULL, 0, rows, 2);
  run.outputs[0] = mine;
  CHECK_FAILS(do_run(&run, 1, 1), ORT_INVALID_ARGUMENT, "[0,3]");
  assert_ptr_equal(run.outputs[0], mine);
  OrtReleaseValue(mine);
  CHECK_OK(OrtCreateTensorAsOrtValue(allocator(), none, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING,
                                     &run.outputs[0]));
  CHECK_FAILS(do_run(&run, 1, 1), ORT_INVALID_ARGUMENT, "string[0]");
  OrtReleaseValue(run.outputs[0]);
  // Where the result is empty, too, it fits.
  run.outputs[0] = floats_of(NULL, 0, rows, 2);
  const int64_t empty[] = {0, 4};
  spoil_input(&run, empty, 2, 0);
  CHECK_OK(do_run(&run, 1, 1));
  end_run(&run);
}

static void test_run__reads_an_input_before_an_output_overwrites_it(void** state) {
  (void)state;
  Run run;
  begin_run(&run);
  const int64_t shape[] = {1, 3};
  run.outputs[0] = floats_of(run.numbers, 3, shape, 2);
  CHECK_OK(do_run(&run, 1, 1));
  assert_true(run.numbers[0] == 60 && run.numbers[1] == 70 && run.numbers[2] == 80);
  end_run(&run);
}

static void test_run__accepts_memory_at_any_place_of_its_elements(void** state) {
  (void)state;
  Run run;
  begin_run(&run);
  const int64_t shape[] = {1, 4};
  for (int shift = 0; shift < 4; ++shift) {
    OrtReleaseValue(run.input);
    for (int i = 0; i < 4; ++i) run.numbers[shift + i] = (float)(i + 1);
    run.input = floats_of(run.numbers + shift, 4, shape, 2);
    run.inputs[0] = run.input;
    float room[8] = {0};
    const int64_t out_shape[] = {1, 3};
    OrtReleaseValue(run.outputs[0]);
    run.outputs[0] = floats_of(room + shift, 3, out_shape, 2);
    CHECK_OK(do_run(&run, 1, 1));
    assert_true(room[shift] == 60 && room[shift + 1] == 70 && room[shift + 2] == 80);
  }
  end_run(&run);
}

static void test_run__stops_when_told_to(void** state) {
  (void)state;
  Run run;
  begin_run(&run);
  OrtRunOptions* options = NULL;
  CHECK_OK(OrtCreateRunOptions(&options));
  CHECK_OK(OrtRunOptionsSetTerminate(options));
  CHECK_FAILS(OrtRun(run.session, options, run.input_names, run.inputs, 1, run.output_names, 1,
                     run.outputs),
              ORT_FAIL, "");
  assert_null(run.outputs[0]);
  CHECK_OK(OrtRunOptionsUnsetTerminate(options));
  CHECK_OK(OrtRun(run.session, options, run.input_names, run.inputs, 1, run.output_names, 1,
                  run.outputs));
  OrtReleaseRunOptions(options);
  end_run(&run);
}

static void test_run__compares_dimensions_of_one_name(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = new_session(env, DATA("sums.onnx"), NULL);
  float numbers[3] = {1, 2, 3};
  const int64_t two[] = {2};
  const int64_t three[] = {3};
  OrtValue* short_one = floats_of(numbers, 2, two, 1);
  OrtValue* long_one = floats_of(numbers, 3, three, 1);
  OrtValue* scalar = floats_of(numbers, 1, NULL, 0);
  const char* names[] = {"a", "b", "c"};
  const char* output_names[] = {"sum"};
  const OrtValue* inputs[] = {short_one, long_one, scalar};
  OrtValue* output = NULL;
  CHECK_FAILS(OrtRun(session, NULL, names, inputs, 3, output_names, 1, &output),
              ORT_INVALID_ARGUMENT, "'n'");
  inputs[1] = short_one;
  CHECK_OK(OrtRun(session, NULL, names, inputs, 3, output_names, 1, &output));
  assert_true(floats_in(output)[0] == 3 && floats_in(output)[1] == 5);
  OrtReleaseValue(output);
  OrtReleaseValue(short_one);
  OrtReleaseValue(long_one);
  OrtReleaseValue(scalar);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
}

static void test_run__gives_outputs_memory_of_their_own(void** state) {
  (void)state;
  static const char* const providers[] = {NULL, "AOT"};
  OrtEnv* env = new_env();
  for (int p = 0; p < 2; ++p) {
    OrtSessionOptions* options = new_options(providers[p]);
    OrtSession* session = new_session(env, DATA("passing.onnx"), options);
    float x[3] = {1, 2, 3};
    const int64_t shape[] = {3};
    OrtValue* input = floats_of(x, 3, shape, 1);
    const OrtValue* inputs[] = {input};
    const char* input_names[] = {"x"};
    const char* output_names[] = {"same", "copied", "numbers"};
    for (int round = 0; round < 2; ++round) {
      OrtValue* outputs[3] = {NULL, NULL, NULL};
      CHECK_OK(OrtRun(session, NULL, input_names, inputs, 1, output_names, 3, outputs));
      for (int i = 0; i < 3; ++i) {
        const float* numbers = floats_in(outputs[i]);
        assert_true(numbers[0] == (i == 0 ? 1 : 7) && numbers[2] == (i == 0 ? 3 : 9));
      }
      // What the caller writes there is nobody else's business.
      for (int i = 0; i < 3; ++i) {
        void* data = NULL;
        CHECK_OK(OrtGetTensorMutableData(outputs[i], &data));
        memset(data, 0xff, 12);
      }
      assert_true(x[0] == 1 && x[2] == 3);
      for (int i = 0; i < 3; ++i) OrtReleaseValue(outputs[i]);
    }
    OrtReleaseValue(input);
    OrtReleaseSession(session);
    OrtReleaseSessionOptions(options);
  }
  OrtReleaseEnv(env);
}

static void test_run__gives_outputs_that_outlive_everything(void** state) {
  (void)state;
  Run run;
  begin_run(&run);
  CHECK_OK(do_run(&run, 1, 1));
  OrtReleaseSession(run.session);
  OrtReleaseEnv(run.env);
  OrtReleaseValue(run.input);
  const float* y = floats_in(run.outputs[0]);
  assert_true(y[0] == 60 && y[1] == 70 && y[2] == 80);
  OrtReleaseValue(run.outputs[0]);
}

// cmocka's checks are for one thread: this one tells what went wrong by its result.
static void* run_often(void* argument) {
  OrtSession* session = (OrtSession*)argument;
  const int64_t shape[] = {1, 4};
  const char* input_names[] = {"x"};
  const char* output_names[] = {"y"};
  OrtMemoryInfo* memory = NULL;
  OrtStatus* status = OrtCreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory);
  for (int i = 0; i < 200 && status == NULL; ++i) {
    float x[4] = {(float)i, 0, 0, 1};
    OrtValue* input = NULL;
    OrtValue* output = NULL;
    const void* y = NULL;
    status = OrtCreateTensorWithDataAsOrtValue(memory, x, sizeof(x), shape, 2,
                                               ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &input);
    const OrtValue* inputs[] = {input};
    if (!status) {
      status = OrtRun(session, NULL, input_names, inputs, 1, output_names, 1, &output);
    }
    if (!status) status = OrtGetTensorData(output, &y);
    if (!status && ((const float*)y)[1] != (float)i + 10) {
      status = OrtCreateStatus(ORT_FAIL, "another thread's numbers");
    }
    OrtReleaseValue(input);
    OrtReleaseValue(output);
  }
  OrtReleaseMemoryInfo(memory);
  return status;
}

static void test_run__serves_many_threads_at_once(void** state) {
  (void)state;
  enum { kThreads = 4 };
  OrtEnv* env = new_env();
  OrtSession* session = new_session(env, DATA("matmul.onnx"), NULL);
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    assert_int_equal(pthread_create(&threads[i], NULL, run_often, session), 0);
  }
  for (int i = 0; i < kThreads; ++i) {
    void* status = NULL;
    assert_int_equal(pthread_join(threads[i], &status), 0);
    CHECK_OK((OrtStatus*)status);
  }
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
}

static void test_run__gives_strings(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = new_session(env, DATA("texts.onnx"), NULL);
  const int64_t shape[] = {2};
  OrtValue* input = NULL;
  OrtValue* output = NULL;
  CHECK_OK(OrtCreateTensorAsOrtValue(allocator(), shape, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING,
                                     &input));
  const char* texts[] = {"one", "a text that is too long for a small buffer"};
  CHECK_OK(OrtFillStringTensor(input, texts, 2));
  const OrtValue* inputs[] = {input};
  const char* names[] = {"words"};
  CHECK_OK(OrtRun(session, NULL, names, inputs, 1, names, 1, &output));
  CHECK_OK(OrtFillStringTensorElement(input, "two", 0));
  OrtReleaseValue(input);
  size_t length = 0;
  CHECK_OK(OrtGetStringTensorDataLength(output, &length));
  assert_int_equal(length, strlen(texts[0]) + strlen(texts[1]));
  char text[64] = {0};
  CHECK_OK(OrtGetStringTensorElement(output, sizeof(text), 0, text));
  CHECK_TEXT(text, "one");
  OrtReleaseValue(output);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_run__names_what_is_wrong_with_inputs),
      cmocka_unit_test(test_run__names_what_is_wrong_with_outputs),
      cmocka_unit_test(test_run__fills_values_of_the_caller),
      cmocka_unit_test(test_run__gives_an_output_as_often_as_it_is_named),
      cmocka_unit_test(test_run__refuses_values_that_do_not_fit_the_result),
      cmocka_unit_test(test_run__refuses_empty_values_that_do_not_fit_the_result),
      cmocka_unit_test(test_run__reads_an_input_before_an_output_overwrites_it),
      cmocka_unit_test(test_run__accepts_memory_at_any_place_of_its_elements),
      cmocka_unit_test(test_run__stops_when_told_to),
      cmocka_unit_test(test_run__compares_dimensions_of_one_name),
      cmocka_unit_test(test_run__gives_outputs_memory_of_their_own),
      cmocka_unit_test(test_run__gives_outputs_that_outlive_everything),
      cmocka_unit_test(test_run__serves_many_threads_at_once),
      cmocka_unit_test(test_run__gives_strings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
