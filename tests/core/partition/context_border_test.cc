// SPDX-License-Identifier: MIT
// Claims with borders that an EPContext node cannot have: they run, and are left out of what is
// written.
#include "core/partition/context_border.h"

#include "core/context/context_source.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"
#include "tests/support/test_provider.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// x -> Softsign -> s; [s, x] is a sequence, its first element goes through Tanh.
std::string sequence_between() {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, 4});
  const auto s = g.node("Softsign", {x}, {"s"})[0];
  const auto q = g.node("SequenceConstruct", {s, x}, {"q"})[0];
  const auto first = g.node("SequenceAt", {q, g.int64s("zero", {}, {0})}, {"first"})[0];
  g.output(g.node("Tanh", {first}, {"y"})[0]);
  g.infer();
  return g.model_bytes();
}

// The same, but Tanh's result is read by nobody: a claim without outputs.
std::string dead_end() {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, 4});
  const auto s = g.node("Softsign", {x}, {"s"})[0];
  const auto q = g.node("SequenceConstruct", {s, x}, {"q"})[0];
  const auto first = g.node("SequenceAt", {q, g.int64s("zero", {}, {0})}, {"first"})[0];
  g.node("Tanh", {first}, {"y"});
  g.output(first);
  g.infer();
  return g.model_bytes();
}

void check_numbers(const Session& session) {
  const Tensor x = Tensor::from<float>({2, 4}, random_numbers(8, 5));
  const auto environment = quiet_environment();
  const auto plain = Session::create(environment, memory_source(sequence_between()),
                                     options_with(*environment, {}));
  CHECK_OK(plain);
  CHECK(all_near(run_all(session, {x}), run_all(**plain, {x}), 1e-5, 1e-6));
}

int context_count(const Model& model, std::string_view source) {
  int count = 0;
  for (const Node* node : ep_context_nodes(*model.graph)) {
    count += node->string_attribute("source", "") == source ? 1 : 0;
  }
  return count;
}

}  // namespace

TEST(context_border, a_claim_that_nobody_reads_is_left_out_of_a_context) {
  const std::string folder = temp_dir();
  write_whole_file(folder + "/dead_end.onnx", dead_end());
  compile_to(folder + "/dead_end.onnx", folder + "/dead_end_ctx.onnx");
  const auto environment = quiet_environment();
  const auto session = Session::create(environment, file_source(folder + "/dead_end_ctx.onnx"),
                                       options_with(*environment, {"AOT"}));
  CHECK_OK(session);
  const Tensor x = Tensor::from<float>({2, 4}, random_numbers(8, 5));
  CHECK_EQ(run_all(**session, {x}).size(), size_t{1});
}

TEST(context_border, types_are_those_of_the_operator) {
  for (const DType dtype : {DType::kBool, DType::kFloat16, DType::kBfloat16, DType::kFloat64,
                            DType::kUint8, DType::kInt64}) {
    CHECK_EQ(fault_in_context(Type::tensor(dtype)), std::string());
  }
  CHECK_EQ(fault_in_context(Type::tensor(DType::kString)), std::string("is of type string"));
  CHECK_EQ(fault_in_context(Type::optional(Type::tensor(DType::kInt64))),
           std::string("is optional(int64), not a tensor"));
  for (const DType dtype : {DType::kFloat8E4M3Fn, DType::kInt4, DType::kComplex64}) {
    CHECK(!fault_in_context(Type::tensor(dtype)).empty());
  }
}

TEST(context_border, a_group_that_gives_or_takes_a_sequence_runs_but_is_not_written) {
  const std::string both = "Softsign,SequenceConstruct", rest = "SequenceAt,Tanh";
  const struct {
    std::string operators, fault;
  } kCases[] = {{both, "its output 'q' is seq("}, {rest, "its input 'q' is seq("}};
  for (const auto& one : kCases) {
    const TestEnvironment test;
    const SessionOptions options = test.options({"Test"}, {{"operators", one.operators}});
    const auto session = test.open(memory_source(sequence_between()), options);
    CHECK_OK(session);
    CHECK_EQ(test.state->compiled.load(), 1);
    check_numbers(**session);
    CompileOptions compile = CompileOptions::from(options);
    compile.input = memory_source(sequence_between());
    compile.output_path = temp_dir() + "/sequence_ctx.onnx";
    const auto report = compile_to_output(test.environment, compile);
    CHECK_OK(report);
    CHECK_EQ(test.state->compiled.load(), 1);
    CHECK(report->partitions.empty());
    int count = 0;
    for (const Assignment& left : report->assignments) {
      count += left.reason.find(str_cat("Test: ", one.fault)) != std::string::npos ? 1 : 0;
    }
    CHECK_EQ(count, 2);
    CHECK(test.log->find(one.fault) != std::string::npos);
  }
}

TEST(context_border, a_sequence_inside_a_group_is_written_with_it) {
  const TestEnvironment test;
  const auto path = test.compile(
      "inside", sequence_between(),
      test.options({"Test"}, {{"operators", "Softsign,SequenceConstruct,SequenceAt,Tanh"}}));
  CHECK_OK(path);
  CHECK_EQ(test.state->compiled.load(), 1);
  const auto session = test.open(file_source(*path), test.options({"Test"}, {}));
  CHECK_OK(session);
  check_numbers(**session);
}

TEST(context_border, what_a_context_cannot_have_is_the_next_providers_to_take) {
  const TestEnvironment test;
  const auto path =
      test.compile("next", sequence_between(),
                   test.options({"Test", "AOT"}, {{"operators", "Softsign,SequenceConstruct"}}));
  CHECK_OK(path);
  const auto model = import_model_file(*path, ImportOptions{}).value();
  CHECK_EQ(context_count(*model, "Test"), 0);
  CHECK_EQ(context_count(*model, "AOT"), 2);
  const auto session = test.open(file_source(*path), test.options({"AOT"}, {}));
  CHECK_OK(session);
  check_numbers(**session);
}
