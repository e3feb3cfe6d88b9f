// SPDX-License-Identifier: MIT
// Values in memory of devices: what is carried, when, and how often. The device of the test
// provider stores every byte inverted, so a missing transfer is a wrong number.
#include <new>
#include <thread>

#include "tests/support/session_support.h"
#include "tests/support/test.h"
#include "tests/support/test_provider.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// The operators in a row.
std::string row_of(const std::vector<std::string>& operators) {
  GraphBuilder g;
  ValueId value = g.input("x", DType::kFloat32, {-1, 4});
  for (const std::string& op : operators) {
    value = g.node(op, {value}, {str_cat("v", g.graph().value_bound())})[0];
  }
  g.output(value);
  g.infer();
  return g.model_bytes();
}

KeyValues on_device(const std::string& operators, const KeyValues& more = {}) {
  KeyValues options = {{"operators", operators}, {"groups", "single"}, {"memory", "device"}};
  for (const auto& [key, value] : more) options[key] = value;
  return options;
}

// Runs `model` with the test provider and compares with the default provider's numbers.
void check_numbers(const TestEnvironment& test, const std::string& model, const KeyValues& options,
                   const std::vector<Tensor>& inputs, int runs = 1) {
  const auto session = test.open(memory_source(model), test.options({"Test"}, options));
  CHECK_OK(session);
  const auto expected = expected_of(model, inputs);
  for (int i = 0; i < runs; ++i) {
    CHECK(all_near(run_all(**session, inputs), expected, 1e-5, 1e-6));
  }
}

void check_nothing_held(const TestDeviceState& device) {
  CHECK_EQ(device.bytes_held.load(), 0);
  CHECK_EQ(device.streams_alive.load(), 0);
}

}  // namespace

TEST(device_memory, a_value_between_two_nodes_of_the_device_stays_there) {
  const TestEnvironment test;
  check_numbers(test, row_of({"Relu", "Softsign", "Tanh", "Neg"}), on_device("Softsign,Tanh"),
                {two_rows()});
  CHECK_EQ(test.state->device->copies_in.load(), 1);
  CHECK_EQ(test.state->device->copies_out.load(), 1);
  check_nothing_held(*test.state->device);
}

TEST(device_memory, a_node_of_the_host_between_two_of_the_device_has_it_carried_both_ways) {
  const TestEnvironment test;
  check_numbers(test, row_of({"Softsign", "Neg", "Tanh"}), on_device("Softsign,Tanh"),
                {two_rows()});
  CHECK_EQ(test.state->device->copies_in.load(), 2);
  CHECK_EQ(test.state->device->copies_out.load(), 2);
}

TEST(device_memory, a_value_that_many_read_is_carried_once) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, 4});
  const auto s = g.node("Softsign", {x}, {"s"})[0];
  g.output(g.node("Tanh", {x}, {"t"})[0]);
  g.output(g.node("Neg", {s}, {"n"})[0]);
  g.output(g.node("Abs", {s}, {"a"})[0]);
  g.output(s);
  g.infer();
  const TestEnvironment test;
  check_numbers(test, g.model_bytes(), on_device("Softsign,Tanh"), {two_rows()});
  CHECK_EQ(test.state->device->copies_in.load(), 1);
  CHECK_EQ(test.state->device->copies_out.load(), 2);  // s and t
}

TEST(device_memory, a_constant_is_carried_once_for_all_runs) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, 4});
  const auto y = g.node("MatMul", {x, g.random_floats("w", {4, 4}, 1)}, {"y"})[0];
  g.output(y);
  g.infer();
  const TestEnvironment test;
  check_numbers(test, g.model_bytes(), on_device("MatMul", {{"constants", "leave"}}), {two_rows()},
                3);
  CHECK_EQ(test.state->device->copies_in.load(), 1 + 3);
  CHECK_EQ(test.state->device->copies_out.load(), 3);
  check_nothing_held(*test.state->device);
}

TEST(device_memory, two_devices_give_each_other_values_by_way_of_the_host) {
  auto second = std::make_shared<TestState>();
  second->name = "OtherExecutionProvider";
  second->alias = "Other";
  const TestEnvironment test;
  CHECK_OK(test.environment->providers().add(test_factory(second)));
  const std::string model = row_of({"Softsign", "Tanh", "Softsign"});
  SessionOptions options = test.options({"Test", "Other"}, on_device("Softsign"));
  options.providers[1].options = on_device("Tanh", {{"memory", "second"}});
  const auto session = test.open(memory_source(model), options);
  CHECK_OK(session);
  CHECK(all_near(run_all(**session, {two_rows()}), expected_of(model, {two_rows()}), 1e-5, 1e-6));
  CHECK_EQ(test.state->device->copies_in.load(), 2);
  CHECK_EQ(test.state->device->copies_out.load(), 2);
  CHECK_EQ(second->device->copies_in.load(), 1);
  CHECK_EQ(second->device->copies_out.load(), 1);
}

TEST(device_memory, two_providers_of_one_memory_share_what_lies_in_it) {
  auto second = std::make_shared<TestState>();
  second->name = "OtherExecutionProvider";
  second->alias = "Other";
  const TestEnvironment test;
  second->device = test.state->device;
  CHECK_OK(test.environment->providers().add(test_factory(second)));
  const std::string model = row_of({"Softsign", "Tanh"});
  for (const char* work : {"now", "ahead"}) {
    SessionOptions options =
        test.options({"Test", "Other"}, on_device("Softsign", {{"work", work}}));
    options.providers[1].options = on_device("Tanh", {{"work", work}});
    const auto session = test.open(memory_source(model), options);
    CHECK_OK(session);
    CHECK(all_near(run_all(**session, {two_rows()}), expected_of(model, {two_rows()}), 1e-5, 1e-6));
  }
  CHECK_EQ(test.state->device->copies_in.load(), 2);
  CHECK_EQ(test.state->device->streams_made.load(), 1);
}

TEST(device_memory, memory_that_the_host_reads_is_handed_over_and_outlives_the_session) {
  const std::string model = row_of({"Softsign"});
  for (const char* work : {"now", "ahead"}) {
    const TestEnvironment test;
    std::vector<Tensor> results;
    {
      const auto session = test.open(
          memory_source(model),
          test.options({"Test"}, on_device("Softsign", {{"memory", "pinned"}, {"work", work}})));
      CHECK_OK(session);
      results = run_all(**session, {two_rows()});
    }
    CHECK(all_near(results, expected_of(model, {two_rows()}), 1e-5, 1e-6));
    CHECK_EQ(test.state->device->copies_in.load(), 1);
    CHECK_EQ(test.state->device->copies_out.load(), 0);
    CHECK_EQ(test.state->device->bytes_held.load(), 32);
    results.clear();
    check_nothing_held(*test.state->device);
  }
}

TEST(device_memory, a_device_that_works_ahead_gets_one_stream_a_run_and_keeps_what_it_reads) {
  const TestEnvironment test;
  check_numbers(test, row_of({"Softsign", "Tanh", "Softsign", "Tanh", "Neg"}),
                on_device("Softsign,Tanh", {{"work", "ahead"}}), {two_rows()}, 3);
  CHECK_EQ(test.state->device->streams_made.load(), 3);
  CHECK_EQ(test.state->device->copies_out.load(), 3);
  check_nothing_held(*test.state->device);
}

TEST(device_memory, a_run_that_fails_in_the_middle_waits_for_what_it_began) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, 4});
  g.output(g.node("Neg", {x}, {"n"})[0]);
  g.output(g.node("Tanh", {x}, {"t"})[0]);
  g.infer();
  const std::string model = g.model_bytes();
  const TestEnvironment test;
  const auto session = test.open(memory_source(model),
                                 test.options({"Test"}, on_device("Tanh", {{"work", "ahead"}})));
  CHECK_OK(session);
  test.state->runs->before = [](ComputeCall&) { return fail("stopped before the second half"); };
  std::vector<Tensor> outputs;
  CHECK_CODE(try_run(**session, {two_rows()}, &outputs), Code::kFail);
  CHECK(test.state->device->waits.load() > 0);
  check_nothing_held(*test.state->device);
}

TEST(device_memory, memory_that_runs_out_in_the_middle_of_a_run_leaves_no_work_behind) {
  const TestEnvironment test;
  const auto session =
      test.open(memory_source(row_of({"Softsign", "Tanh"})),
                test.options({"Test"}, on_device("Softsign,Tanh", {{"work", "ahead"}})));
  CHECK_OK(session);
  int calls = 0;
  test.state->runs->before = [&](ComputeCall&) -> Status {
    if (++calls == 2) throw std::bad_alloc();
    return Status::ok();
  };
  bool thrown = false;
  try {
    std::vector<Tensor> outputs;
    (void)try_run(**session, {two_rows()}, &outputs);
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  CHECK(thrown);
  CHECK(test.state->device->waits.load() > 0);
  check_nothing_held(*test.state->device);
}

TEST(device_memory, a_device_that_fails_or_has_no_more_memory_is_a_status) {
  const std::string model = row_of({"Softsign", "Tanh"});
  const TestEnvironment test;
  const auto session =
      test.open(memory_source(model),
                test.options({"Test"}, on_device("Softsign,Tanh", {{"work", "ahead"}})));
  CHECK_OK(session);
  std::vector<Tensor> outputs;
  TestDeviceState& device = *test.state->device;
  for (int left = 0; left < 3; ++left) {
    device.allocations_left = left;
    const Status status = try_run(**session, {two_rows()}, &outputs);
    CHECK_CODE(status, Code::kFail);
    CHECK(status.message().find("no more memory") != std::string::npos);
    CHECK(status.message().find("Test0") != std::string::npos);
    check_nothing_held(device);
  }
  device.allocations_left = -1;
  device.stream_fails = true;
  const Status lost = try_run(**session, {two_rows()}, &outputs);
  CHECK_CODE(lost, Code::kFail);
  CHECK(lost.message().find("the device was lost") != std::string::npos);
  device.stream_fails = false;
  CHECK_OK(try_run(**session, {two_rows()}, &outputs));
  check_nothing_held(device);
}

TEST(device_memory, bodies_take_values_from_the_device_where_they_lie) {
  GraphBuilder g;
  const auto c = g.input("c", DType::kBool, {});
  const auto x = g.input("x", DType::kFloat32, {2, 4});
  const auto s = g.node("Softsign", {x}, {"s"})[0];
  std::vector<Attribute> branches;
  for (const char* name : {"then_branch", "else_branch"}) {
    GraphBuilder inner(17, &g.graph());
    const auto captured = inner.graph().capture(s).value();
    const bool is_then = branches.empty();
    const auto t = inner.node("Tanh", {captured}, {is_then ? "t1" : "e1"})[0];
    inner.output(is_then ? t : inner.node("Add", {t, captured}, {"e2"})[0]);
    branches.push_back(graph_attribute(name, inner.shared()));
  }
  g.output(g.node("If", {c}, {"y"}, branches)[0]);
  g.infer();
  const std::string model = g.model_bytes();
  for (const bool flag : {true, false}) {
    const TestEnvironment test;
    const Tensor condition = Tensor::scalar<bool>(flag);
    check_numbers(test, model, on_device("Softsign,Tanh"), {condition, two_rows()});
    // The Add of the second branch reads both on the host.
    CHECK_EQ(test.state->device->copies_in.load(), 1);
    CHECK_EQ(test.state->device->copies_out.load(), flag ? 1 : 2);
    check_nothing_held(*test.state->device);
  }
}

TEST(device_memory, the_state_of_a_loop_is_carried_around_it) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {2, 4});
  const auto trips = g.int64s("trips", {}, {5});
  GraphBuilder body(17, &g.graph());
  body.input("i", DType::kInt64, {});
  const auto on = body.input("on", DType::kBool, {});
  const auto carried = body.input("carried", DType::kFloat32, {2, 4});
  const auto next = body.node("Softsign", {carried}, {"next"})[0];
  body.output(body.node("Identity", {on}, {"on_out"})[0]);
  body.output(next);
  const Attribute attribute = graph_attribute("body", body.shared());
  g.output(g.node("Loop", {trips, kNoValue, x}, {"last"}, {attribute})[0]);
  g.infer();
  const std::string model = g.model_bytes();
  for (const char* work : {"now", "ahead"}) {
    const TestEnvironment test;
    check_numbers(test, model, on_device("Softsign", {{"work", work}}), {two_rows()}, 2);
    CHECK_EQ(test.state->device->copies_in.load(), 10);
    check_nothing_held(*test.state->device);
  }
}

TEST(device_memory, strings_stay_on_the_host) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kString, {-1});
  g.output(g.node("Identity", {x}, {"y"})[0]);
  g.infer();
  const TestEnvironment test;
  const auto session =
      test.open(memory_source(g.model_bytes()), test.options({"Test"}, on_device("Identity")));
  CHECK_OK(session);
  std::vector<Tensor> outputs;
  CHECK_OK(try_run(**session, {Tensor::strings({2}, {"left", "right"})}, &outputs));
  CHECK_EQ(outputs.at(0).string_elements()[1], "right");
  CHECK_EQ(test.state->device->copies_in.load(), 0);
}

TEST(device_memory, contexts_that_were_loaded_use_it_as_what_was_compiled_here) {
  const std::string model = row_of({"Relu", "Softsign", "Neg", "Tanh"});
  for (const bool embed : {false, true}) {
    const TestEnvironment test;
    const KeyValues options = on_device("Softsign,Tanh");
    const auto path = test.compile(str_cat("device", embed ? "_embed" : ""), model,
                                   test.options({"Test", "AOT"}, options), embed);
    CHECK_OK(path);
    const auto session = test.open(file_source(*path), test.options({"Test", "AOT"}, options));
    CHECK_OK(session);
    CHECK(all_near(run_all(**session, {two_rows()}), expected_of(model, {two_rows()}), 1e-5, 1e-6));
    CHECK_EQ(test.state->device->copies_in.load(), 2);
    CHECK_EQ(test.state->device->copies_out.load(), 2);
  }
}

TEST(device_memory, observers_see_the_transfers_and_no_bytes_of_the_device) {
  const TestEnvironment test;
  const auto session = test.open(memory_source(row_of({"Softsign", "Tanh"})),
                                 test.options({"Test"}, on_device("Softsign,Tanh")));
  CHECK_OK(session);
  std::string operators;
  int hidden = 0;
  const StepObserver observer = [&](const StepEvent& event) {
    operators += str_cat(event.op, " ");
    for (const ValueRef& ref : event.outputs) hidden += ref.data == nullptr ? 1 : 0;
    for (const ValueRef& ref : event.inputs) hidden += ref.data == nullptr ? 1 : 0;
  };
  const std::string_view in = session.value()->inputs()[0].name;
  const std::string_view out = session.value()->outputs()[0].name;
  const Tensor input = two_rows();
  Tensor output;
  CHECK_OK(
      session.value()->run({&in, 1}, {&input, 1}, {&out, 1}, {&output, 1}, nullptr, &observer));
  CHECK(operators.starts_with("MemcpyFromHost "));
  CHECK(operators.ends_with(" MemcpyToHost "));
  CHECK_EQ(hidden, 6);
}

TEST(device_memory, threads_run_one_session_each_with_a_stream_of_its_own) {
  const std::string model = row_of({"Softsign", "Neg", "Tanh"});
  const TestEnvironment test;
  const auto session =
      test.open(memory_source(model),
                test.options({"Test"}, on_device("Softsign,Tanh", {{"work", "ahead"}})));
  CHECK_OK(session);
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const auto expected = expected_of(model, {two_rows(t + 1)});
      for (int i = 0; i < 20; ++i) {
        std::vector<Tensor> outputs;
        const Status status = try_run(**session, {two_rows(t + 1)}, &outputs);
        right += status.is_ok() && all_near(outputs, expected, 1e-5, 1e-6) ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(right.load(), 80);
  check_nothing_held(*test.state->device);
}
