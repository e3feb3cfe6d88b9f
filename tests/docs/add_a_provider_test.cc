// SPDX-License-Identifier: MIT
// The provider that docs/add-a-provider.md shows does what the page says.
#include "add_a_provider_test_code.inc"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr const char* kProvider = "ReluExecutionProvider";

std::shared_ptr<const Environment> environment_with_it() {
  auto environment = quiet_environment();
  CHECK_OK(environment->providers().add(relu::factory()));
  return environment;
}

// One Relu that it takes and one that it leaves.
std::string two_relus() {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, 3});
  const auto d = g.input("d", DType::kFloat64, {3});
  g.output(g.node("Relu", {x}, {"y"})[0]);
  g.output(g.node("Relu", {d}, {"e"})[0]);
  g.infer();
  return g.model_bytes();
}

}  // namespace

TEST(add_a_provider, its_example_runs_the_nodes_it_claims_and_gives_a_reason_for_the_others) {
  const auto environment = environment_with_it();
  const auto session = Session::create(environment, memory_source(two_relus()),
                                       options_with(*environment, {kProvider}));
  CHECK_OK(session);
  const CompileReport& report = (*session)->report();
  CHECK_EQ(report.partitions.size(), size_t{1});
  CHECK_EQ(report.assignments.size(), size_t{1});
  CHECK_EQ(report.assignments[0].reason, std::string("Relu: not float32"));
  const std::vector<float> x = {-1, 2, -3, 4, -5, 6}, y = {0, 2, 0, 4, 0, 6};
  const std::vector<double> d = {-1, 0, 1}, e = {0, 0, 1};
  const auto outputs =
      run_all(**session, {Tensor::from<float>({2, 3}, x), Tensor::from<double>({3}, d)});
  CHECK(same_bits(outputs, {Tensor::from<float>({2, 3}, y), Tensor::from<double>({3}, e)}));
}

TEST(add_a_provider, its_example_has_no_options) {
  const auto environment = environment_with_it();
  SessionOptions options = options_with(*environment, {kProvider});
  options.providers[0].options = {{"speed", "high"}};
  const auto session = Session::create(environment, memory_source(two_relus()), options);
  CHECK_CODE(session.status(), Code::kInvalidArgument);
  CHECK(session.status().message().find("unknown option 'speed'") != std::string::npos);
}

TEST(add_a_provider, its_example_cannot_write_a_model_and_the_compile_names_it) {
  const auto environment = environment_with_it();
  CompileOptions compile = CompileOptions::from(options_with(*environment, {kProvider}));
  compile.input = memory_source(two_relus());
  compile.output_path = temp_dir() + "/m_ctx.onnx";
  const Status status = compile_to_output(environment, compile).status();
  CHECK(!status.is_ok());
  CHECK(status.message().find(kProvider) != std::string::npos);
}
