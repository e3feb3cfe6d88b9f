// SPDX-License-Identifier: MIT
// A second provider in an environment that changes, and what reaches its objects in a run.
#include <thread>

#include "tests/support/session_support.h"
#include "tests/support/test.h"
#include "tests/support/test_provider.h"

using namespace ortc;
using namespace ortc::test;

namespace {

std::string two_nodes() {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, 4});
  g.output(g.node("Tanh", {g.node("Softsign", {x}, {"s"})[0]}, {"y"})[0]);
  g.infer();
  return g.model_bytes();
}

const KeyValues kAll = {{"operators", "Softsign,Tanh"}, {"groups", "single"}};
const KeyValues kFirst = {{"operators", "Softsign"}};

Status run_with(const Session& session, const RunOptions& options) {
  const std::string_view in = "x", out = "y";
  const Tensor input = two_rows(1);
  Tensor output;
  return session.run({&in, 1}, {&input, 1}, {&out, 1}, {&output, 1}, &options);
}

}  // namespace

TEST(provider_registry, a_provider_is_added_while_sessions_live_and_refused_twice) {
  const auto environment = quiet_environment();
  const auto before =
      Session::create(environment, memory_source(two_nodes()), options_with(*environment, {"AOT"}));
  CHECK_OK(before);
  const size_t device_count = environment->providers().devices().size();
  CHECK_OK(environment->providers().add(test_factory(std::make_shared<TestState>())));
  CHECK_EQ(environment->providers().devices().size(), device_count + 2);
  const auto twice = environment->providers().add(test_factory(std::make_shared<TestState>()));
  CHECK_CODE(twice, Code::kFail);
  CHECK(twice.message().find("registered already") != std::string::npos);
  CHECK_EQ(environment->providers().devices().size(), device_count + 2);
  run_all(*before.value(), {two_rows(1)});
}

TEST(provider_registry, a_name_that_another_provider_answers_to_is_refused) {
  const auto environment = quiet_environment();
  for (const char* alias : {"aot", "CPUExecutionProvider"}) {
    auto state = std::make_shared<TestState>();
    state->alias = alias;
    const auto added = environment->providers().add(test_factory(state));
    CHECK_CODE(added, Code::kFail);
    CHECK(added.message().find(alias) != std::string::npos);
  }
  CHECK(environment->providers().find(kTestProvider) == nullptr);
}

TEST(provider_registry, a_device_without_hardware_is_refused) {
  const auto environment = quiet_environment();
  auto state = std::make_shared<TestState>();
  state->offers_nothing_to_stand_on = true;
  CHECK_CODE(environment->providers().add(test_factory(state)), Code::kFail);
}

TEST(provider_registry, one_of_its_devices_is_virtual_and_has_options_of_its_own) {
  const TestEnvironment test;
  int virtual_count = 0;
  for (const auto& device : test.environment->providers().devices()) {
    if (device->factory->name() != kTestProvider) continue;
    const bool is_virtual = device->hardware->metadata.at("is_virtual") == "1";
    CHECK_EQ(device->options.contains("target"), is_virtual);
    virtual_count += is_virtual ? 1 : 0;
  }
  CHECK_EQ(virtual_count, 1);
}

TEST(provider_registry, the_default_provider_cannot_be_removed) {
  const TestEnvironment test;
  CHECK_CODE(test.environment->providers().remove("CPUExecutionProvider"), Code::kFail);
  CHECK_CODE(test.environment->providers().remove("NoProvider"), Code::kFail);
}

TEST(provider_registry, a_run_goes_on_when_its_provider_is_removed_under_it) {
  const TestEnvironment test;
  auto session = test.open(memory_source(two_nodes()), test.options({"Test"}, kAll));
  CHECK_OK(session);
  const auto expected = run_all(**session, {two_rows(1)});
  test.state->runs->before = [&](ComputeCall&) {
    const Status removed = test.environment->providers().remove(kTestProvider);
    test.state->runs->before = nullptr;
    return removed;
  };
  CHECK(same_bits(run_all(**session, {two_rows(1)}), expected));
  CHECK(test.environment->providers().find("Test") == nullptr);
  CHECK(same_bits(run_all(**session, {two_rows(1)}), expected));
  CHECK_EQ(test.state->providers_alive.load(), 1);
  session.value().reset();
  CHECK_EQ(test.state->providers_alive.load(), 0);
}

TEST(provider_runs, several_threads_run_its_objects_at_once) {
  const TestEnvironment test;
  const auto session = test.open(memory_source(two_nodes()), test.options({"Test"}, kAll));
  CHECK_OK(session);
  const auto expected = run_all(**session, {two_rows(1)});
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        std::vector<Tensor> outputs;
        const Status status = try_run(**session, {two_rows(1)}, &outputs);
        right += status.is_ok() && same_bits(outputs, expected) ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(right.load(), 80);
}

TEST(provider_runs, tag_and_config_of_the_run_reach_its_objects) {
  const TestEnvironment test;
  const auto session = test.open(memory_source(two_nodes()), test.options({"Test"}, kFirst));
  CHECK_OK(session);
  RunOptions options;
  options.tag = "evening";
  options.config["test.note"] = "seven";
  CHECK_OK(run_with(**session, options));
  CHECK_EQ(test.state->runs->last_tag, std::string("evening"));
  CHECK_EQ(test.state->runs->last_config_value, std::string("seven"));
}

TEST(provider_runs, a_run_that_is_terminated_within_an_object_stops_there) {
  const TestEnvironment test;
  const auto session = test.open(memory_source(two_nodes()), test.options({"Test"}, kAll));
  CHECK_OK(session);
  RunOptions options;
  bool sees_flag = false;
  test.state->runs->before = [&](ComputeCall& call) {
    options.terminate = true;
    sees_flag = call.run().terminate != nullptr && call.run().terminate->load();
    return Status::ok();
  };
  CHECK(!run_with(**session, options).is_ok());
  CHECK(sees_flag);
  CHECK_EQ(test.state->runs->count, 1);
}

TEST(provider_runs, a_session_of_its_own_nodes_alone_needs_no_fallback) {
  const TestEnvironment test;
  SessionOptions options = test.options({"Test"}, kAll);
  CHECK_OK(options.set("session.disable_cpu_ep_fallback", "1"));
  const auto session = test.open(memory_source(two_nodes()), options);
  CHECK_OK(session);
  const auto path = test.compile("alone", two_nodes(), test.options({"Test"}, kAll));
  CHECK_OK(path);
  const auto loaded = test.open(file_source(*path), options);
  CHECK_OK(loaded);
  CHECK(same_bits(run_all(**session, {two_rows(1)}), run_all(**loaded, {two_rows(1)})));
  options.providers[0].options = kFirst;
  const auto refused = test.open(memory_source(two_nodes()), options);
  CHECK_CODE(refused, Code::kFail);
  CHECK(refused.status().message().find("Tanh") != std::string::npos);
}

// Texts cross the border of a claim, which a written one may not have; sequences live inside it.
TEST(provider_runs, strings_and_sequences_go_through_its_objects) {
  GraphBuilder g;
  const auto texts = g.input("texts", DType::kString, {-1});
  const auto same = g.node("Identity", {texts}, {"same"})[0];
  const auto parts = g.node("SplitToSequence", {same}, {"parts"})[0];
  g.output(g.node("ConcatFromSequence", {parts}, {"joined"}, {Attribute::of_int("axis", 0)})[0]);
  g.infer();
  const std::string model = g.model_bytes();
  const std::vector<Tensor> inputs = {
      Tensor::strings({3}, {"a", "longer than a small string", ""})};
  const TestEnvironment test;
  const KeyValues all = {{"operators", "Identity,SplitToSequence,ConcatFromSequence"}};
  const auto from_source = test.open(memory_source(model), test.options({"Test"}, all));
  CHECK_OK(from_source);
  const auto path = test.compile("texts", model, test.options({"Test"}, all));
  CHECK_OK(path);
  const auto loaded = test.open(file_source(*path), test.options({"Test"}, {}));
  CHECK_OK(loaded);
  CHECK_EQ(test.state->loaded.load(), 0);
  CHECK(test.log->find("its input 'texts' is of type string") != std::string::npos);
  for (const Session* session : {from_source->get(), loaded->get()}) {
    const auto outputs = run_all(*session, inputs);
    CHECK_EQ(outputs.at(0).dims(), Dims{3});
    for (size_t i = 0; i < 3; ++i) {
      CHECK_EQ(outputs[0].string_elements()[i], inputs[0].string_elements()[i]);
    }
  }
  // One that leaves the claim, and one that enters it.
  const auto border = test.open(
      memory_source(model),
      test.options({"Test"},
                   {{"operators", "SplitToSequence,ConcatFromSequence"}, {"groups", "single"}}));
  CHECK_OK(border);
  CHECK_EQ(run_all(**border, inputs).at(0).string_elements()[1], inputs[0].string_elements()[1]);
}
