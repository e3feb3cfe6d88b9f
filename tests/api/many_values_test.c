// SPDX-License-Identifier: MIT
// Models with very many inputs and outputs: what a run and a binding cost grows with their number,
// not with its square.
#include <time.h>

#include "tests/api/model_editing.h"

#define VALUES_MAX 1024

// y<i> = relu(x<i>), and one value for each.
typedef struct {
  OrtEnv* env;
  OrtSession* session;
  size_t count;
  char names[2 * VALUES_MAX][8];
  const char* inputs[VALUES_MAX];
  const char* outputs[VALUES_MAX];
  float numbers[2 * VALUES_MAX];
  OrtValue* given[VALUES_MAX];
  OrtValue* made[VALUES_MAX];
} Many;

static void add_ports(Many* many, OrtGraph* graph) {
  static OrtValueInfo* infos[VALUES_MAX];
  const size_t count = many->count;
  for (size_t i = 0; i < count; ++i) infos[i] = port(many->inputs[i], 1);
  CHECK_OK(OrtSetGraphInputs(graph, infos, count));
  for (size_t i = 0; i < count; ++i) infos[i] = port(many->outputs[i], 1);
  CHECK_OK(OrtSetGraphOutputs(graph, infos, count));
  for (size_t i = 0; i < count; ++i) {
    add_node(graph, "Relu", many->names[i], many->inputs[i], NULL, many->outputs[i]);
  }
}

static void begin_many(Many* many, size_t count) {
  const int64_t shape[] = {1, 1};
  memset(many, 0, sizeof(*many));
  many->count = count;
  many->env = new_env();
  for (size_t i = 0; i < count; ++i) {
    snprintf(many->names[i], sizeof(many->names[i]), "x%zu", i);
    snprintf(many->names[VALUES_MAX + i], sizeof(many->names[i]), "y%zu", i);
    many->inputs[i] = many->names[i];
    many->outputs[i] = many->names[VALUES_MAX + i];
    many->numbers[i] = (float)i;
    many->given[i] = floats_of(&many->numbers[i], 1, shape, 2);
    many->made[i] = floats_of(&many->numbers[VALUES_MAX + i], 1, shape, 2);
  }
  OrtGraph* graph = new_graph();
  add_ports(many, graph);
  OrtModel* model = new_model("", 17);
  CHECK_OK(OrtAddGraphToModel(model, graph));
  many->session = session_of(many->env, model);
  OrtReleaseModel(model);
}

static void check_numbers(Many* many) {
  for (size_t i = 0; i < many->count; ++i) {
    assert_true(many->numbers[VALUES_MAX + i] == (float)i);
    many->numbers[VALUES_MAX + i] = -1;
  }
}

static void end_many(Many* many) {
  for (size_t i = 0; i < many->count; ++i) {
    OrtReleaseValue(many->given[i]);
    OrtReleaseValue(many->made[i]);
  }
  OrtReleaseSession(many->session);
  OrtReleaseEnv(many->env);
}

static void run_once(Many* many, OrtIoBinding* binding) {
  (void)binding;
  CHECK_OK(OrtRun(many->session, NULL, many->inputs, (const OrtValue* const*)many->given,
                  many->count, many->outputs, many->count, many->made));
}

static void bind_all_and_run(Many* many, OrtIoBinding* binding) {
  for (size_t i = 0; i < many->count; ++i) {
    CHECK_OK(OrtBindInput(binding, many->inputs[i], many->given[i]));
    CHECK_OK(OrtBindOutput(binding, many->outputs[i], many->made[i]));
  }
  CHECK_OK(OrtRunWithBinding(many->session, NULL, binding));
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The least of some.
static double time_of(void (*step)(Many*, OrtIoBinding*), size_t count) {
  static Many many;
  double least = 1e9;
  OrtIoBinding* binding = NULL;
  begin_many(&many, count);
  CHECK_OK(OrtCreateIoBinding(many.session, &binding));
  for (int i = 0; i < 8; ++i) {
    const double begin = seconds();
    step(&many, binding);
    const double taken = seconds() - begin;
    if (taken < least) least = taken;
    check_numbers(&many);
  }
  OrtReleaseIoBinding(binding);
  end_many(&many);
  return least;
}

// Eight times as many values: a square would be 64 times the time.
static void test_run__costs_in_proportion_to_the_number_of_values(void** state) {
  (void)state;
  const double few = time_of(run_once, 128), many = time_of(run_once, 1024);
  if (many > 24 * few) fail_msg("128 values: %.0f us, 1024: %.0f us", few * 1e6, many * 1e6);
}

static void test_binding__costs_in_proportion_to_the_number_of_values(void** state) {
  (void)state;
  const double few = time_of(bind_all_and_run, 32), many = time_of(bind_all_and_run, 256);
  if (many > 24 * few) fail_msg("32 values: %.0f us, 256: %.0f us", few * 1e6, many * 1e6);
}

// Neighbours among many that share memory, and an input that lies in another's output.
static void test_run__finds_values_that_share_memory_among_many(void** state) {
  (void)state;
  static Many many;
  const int64_t shape[] = {1, 1};
  begin_many(&many, 64);
  OrtReleaseValue(many.made[50]);
  many.made[50] = floats_of(&many.numbers[VALUES_MAX + 7], 1, shape, 2);
  CHECK_FAILS(OrtRun(many.session, NULL, many.inputs, (const OrtValue* const*)many.given, 64,
                     many.outputs, 64, many.made),
              ORT_INVALID_ARGUMENT, "outputs 'y7' and 'y50' share memory");
  OrtReleaseValue(many.made[50]);
  many.made[50] = floats_of(&many.numbers[9], 1, shape, 2);
  CHECK_OK(OrtRun(many.session, NULL, many.inputs, (const OrtValue* const*)many.given, 64,
                  many.outputs, 64, many.made));
  assert_true(many.numbers[VALUES_MAX + 9] == 9 && many.numbers[9] == 50);
  end_many(&many);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_run__costs_in_proportion_to_the_number_of_values),
      cmocka_unit_test(test_binding__costs_in_proportion_to_the_number_of_values),
      cmocka_unit_test(test_run__finds_values_that_share_memory_among_many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
