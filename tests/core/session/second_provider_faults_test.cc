// SPDX-License-Identifier: MIT
// What a provider does wrong is told with its name, and leaves no files.
#include "core/platform/path.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"
#include "tests/support/test_provider.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// Softsign and Tanh with a Relu between them.
std::string three_nodes() {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, 4});
  auto h = g.node("Softsign", {x}, {"s"})[0];
  h = g.node("Relu", {h}, {"r"})[0];
  g.output(g.node("Tanh", {h}, {"y"})[0]);
  g.infer();
  return g.model_bytes();
}

KeyValues with_fault(const char* fault) {
  return {{"operators", "Softsign,Tanh"}, {"fault", fault}};
}

bool names_provider(const Status& status) {
  return status.message().find(kTestProvider) != std::string::npos;
}

}  // namespace

TEST(provider_faults, a_missing_node_or_claim_or_a_strange_value_is_told_and_leaves_no_file) {
  for (const char* fault : {"no_node", "few_claims", "strange_value"}) {
    for (const bool embed : {false, true}) {
      const TestEnvironment test;
      const std::string name = str_cat("fault_", fault, embed);
      const auto path =
          test.compile(name, three_nodes(), test.options({"Test"}, with_fault(fault)), embed);
      CHECK(!path.is_ok());
      CHECK(names_provider(path.status()));
      CHECK(!path_exists(temp_dir() + "/" + name + "_ctx.onnx"));
      CHECK(!path_exists(temp_dir() + "/" + name + "_test.bin"));
    }
  }
}

TEST(provider_faults, a_claim_that_is_not_compiled_or_has_nothing_to_run_is_told) {
  for (const char* fault : {"few_claims", "nothing_to_run"}) {
    const TestEnvironment test;
    const auto session =
        test.open(memory_source(three_nodes()), test.options({"Test"}, with_fault(fault)));
    CHECK_CODE(session, Code::kEpFail);
    CHECK(names_provider(session.status()));
  }
}

TEST(provider_faults, an_output_of_another_type_and_one_not_given_are_told_by_the_run) {
  const struct {
    const char* fault;
    Code code;
    const char* text;
  } kCases[] = {{"wrong_type", Code::kInvalidGraph, "is int8, expected float32"},
                {"no_output", Code::kEpFail, "it gave no output 0 ('s')"}};
  for (const auto& one : kCases) {
    const TestEnvironment test;
    const auto session =
        test.open(memory_source(three_nodes()), test.options({"Test"}, with_fault(one.fault)));
    CHECK_OK(session);
    std::vector<Tensor> outputs;
    const Status status =
        try_run(**session, {Tensor::from<float>({2, 4}, random_numbers(8, 1))}, &outputs);
    CHECK_CODE(status, one.code);
    CHECK(names_provider(status));
    CHECK(status.message().find(one.text) != std::string::npos);
  }
}

TEST(provider_faults, options_are_judged_by_the_provider) {
  const TestEnvironment test;
  const auto option =
      test.open(memory_source(three_nodes()), test.options({"Test"}, {{"operator", "Tanh"}}));
  CHECK_CODE(option, Code::kInvalidArgument);
  CHECK(names_provider(option.status()));
  CHECK(option.status().message().find("did you mean 'operators'") != std::string::npos);
  SessionOptions options = test.options({"Test"}, {});
  CHECK_OK(options.set("ep.test.groups", "pairs"));
  const auto value = test.open(memory_source(three_nodes()), options);
  CHECK_CODE(value, Code::kInvalidArgument);
  CHECK(value.status().message().find("one of convex, single, given") != std::string::npos);
}

TEST(provider_faults, its_verdict_decides_what_becomes_of_a_compiled_model) {
  const TestEnvironment test;
  const auto path =
      test.compile("verdict", three_nodes(),
                   test.options({"Test"}, {{"operators", "Tanh"}, {"target", "toy-2"}}));
  CHECK_OK(path);
  SessionOptions options = test.options({"Test"}, {});
  CHECK_OK(test.open(file_source(*path), options));
  CHECK(test.log->find("it was compiled for toy-2") != std::string::npos);
  options.context.fail_on_suboptimal = true;
  CHECK_CODE(test.open(file_source(*path), options), Code::kFail);
  const auto foreign =
      test.open(memory_source(three_nodes()), test.options({"Test"}, {{"target", "paper"}}));
  CHECK_CODE(foreign, Code::kInvalidArgument);
  CHECK(names_provider(foreign.status()));
}

TEST(provider_faults, an_operator_that_nobody_has_is_named_when_compiling) {
  for (const bool embed : {false, true}) {
    const TestEnvironment test;
    const std::string model = read_whole_file(source_dir() + "/tests/data/unknown_operator.onnx");
    const std::string name = str_cat("unknown", embed);
    const auto path = test.compile(name, model, test.options({"Test", "AOT"}, {}), embed);
    CHECK_CODE(path, Code::kNotImplemented);
    CHECK(path.status().message().find("Mystery") != std::string::npos);
    CHECK(!path_exists(temp_dir() + "/" + name + "_ctx.onnx"));
  }
}
