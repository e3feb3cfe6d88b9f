// SPDX-License-Identifier: MIT
// The pipeline: levels, rounds, switches, sub-graphs.
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

namespace {

int rewrites_of(const std::vector<PassReport>& reports, std::string_view name) {
  for (const PassReport& report : reports) {
    if (report.name == name) return report.rewrites;
  }
  return -1;
}

void build(TestGraph& g) {
  const ValueId x = g.input("x", {2, 4});
  const ValueId half = g.node("Constant", {}, {Attribute::of_float("value_float", 0.5f)});
  const ValueId sum =
      g.node("Add", {g.node("Erf", {g.node("Div", {x, g.scalar(1.41421356f)})}), g.scalar(1)});
  g.output(g.node("Mul", {g.node("Mul", {g.node("Identity", {x}), sum}), half}));
  g.infer();
}

}  // namespace

TEST(pipeline, runs_only_what_is_required_at_level_none) {
  TestGraph g(17);
  build(g);
  OptimiseOptions options;
  options.level = OptimisationLevel::kNone;
  auto reports = optimise(g.model, Evaluator(stand_in_kernels()), options);
  CHECK_OK(reports);
  CHECK_EQ(reports->size(), 3u);
  CHECK_EQ((*reports)[0].name, "constant_node_to_initializer");
  CHECK_EQ((*reports)[1].name, "gradient");
  CHECK_EQ((*reports)[2].name, "dead_node_elimination");
  CHECK_EQ(g.operators(), "Div Erf Add Identity Mul Mul");
}

TEST(pipeline, stays_with_standard_operators_at_level_basic) {
  TestGraph g(17);
  build(g);
  OptimiseOptions options;
  options.level = OptimisationLevel::kBasic;
  auto reports = optimise(g.model, Evaluator(stand_in_kernels()), options);
  CHECK_OK(reports);
  CHECK_EQ(g.operators(), "Div Erf Add Mul Mul");
  CHECK_EQ(g.model.opsets->size(), 1u);
  CHECK_OK(verify_graph(g.graph()));
}

TEST(pipeline, fuses_over_several_rounds_and_imports_the_domain) {
  TestGraph g(17);
  build(g);
  auto reports = optimise(g.model, Evaluator(stand_in_kernels()), {});
  CHECK_OK(reports);
  CHECK_EQ(g.operators(), "com.microsoft::Gelu");
  CHECK_EQ(rewrites_of(*reports, "gelu_fusion"), 1);
  CHECK_EQ(g.model.opsets->back().first, "com.microsoft");
  CHECK(g.graph().initializers().empty());
}

TEST(pipeline, leaves_a_pass_out_that_is_switched_off) {
  TestGraph g(17);
  build(g);
  OptimiseOptions options;
  options.disabled_passes = {"gelu_fusion"};
  auto reports = optimise(g.model, Evaluator(stand_in_kernels()), options);
  CHECK_OK(reports);
  CHECK_EQ(rewrites_of(*reports, "gelu_fusion"), -1);
  CHECK_EQ(g.operators(), "Div Erf Add Mul Mul");
}

TEST(pipeline, warns_of_passes_that_are_not_there_to_be_switched_off) {
  TestGraph g(17);
  build(g);
  std::string lines;
  const LogSink keep = [&](const LogRecord& record) { lines += str_cat(record.message, "\n"); };
  OptimiseOptions options;
  options.logger = Logger(std::make_shared<const LogSink>(keep), "test", Severity::kWarning);
  options.disabled_passes = {"gelu_fusoin", "cast_chain"};
  CHECK_OK(optimise(g.model, Evaluator(stand_in_kernels()), options));
  CHECK_EQ(lines, "there is no pass 'gelu_fusoin' to switch off; did you mean 'gelu_fusion'?\n");
}

TEST(pipeline, rewrites_inside_the_branches_of_an_if) {
  TestGraph g(17);
  const ValueId x = g.input("x", {2});
  const ValueId condition = g.input("c", DType::kBool, {});
  const auto branch = [&g](std::string op) {
    auto inner = std::make_shared<Graph>(g.model.opsets, &g.graph());
    inner->name = op;
    const ValueId captured = inner->capture(g.graph().find_value("x")->id).value();
    const ValueId same = inner->add_value("same").value(), y = inner->add_value("result").value();
    CHECK_OK(inner->add_node("Identity", "", "", {captured}, {same}));
    CHECK_OK(inner->add_node(op, "", "", {same}, {y}));
    inner->add_output(y);
    return inner;
  };
  Attribute then_branch, else_branch;
  then_branch.name = "then_branch";
  else_branch.name = "else_branch";
  then_branch.kind = else_branch.kind = AttributeKind::kGraph;
  then_branch.graph = branch("Relu");
  else_branch.graph = branch("Neg");
  g.output(g.node("If", {condition}, {then_branch, else_branch}));
  g.infer();
  CHECK_EQ(g.type(g.graph().find_value("y")->id), "float32[2]");
  auto reports = optimise(g.model, Evaluator(stand_in_kernels()), {});
  CHECK_OK(reports);
  CHECK_EQ(rewrites_of(*reports, "identity_elimination"), 2);
  CHECK_EQ(then_branch.graph->node_count(), 1u);
  CHECK_OK(verify_graph(g.graph()));
  (void)x;
}

TEST(pipeline, folds_no_more_than_the_constants_of_the_model_are_worth) {
  // Each sum is as large as the constant and is read once more: 64 MiB are free, and 4 times 1 MiB.
  TestGraph g(17);
  constexpr int64_t kCount = 1 << 18;
  const ValueId x = g.input("x", {kCount});
  const ValueId c = g.floats("c", {kCount}, std::vector<float>(kCount, 1.0f));
  ValueId sum = c;
  std::vector<ValueId> all = {x};
  for (int i = 0; i < 80; ++i) {
    sum = g.node("Add", {sum, c});
    all.push_back(sum);
  }
  g.output(g.node("Sum", all));
  g.infer();
  auto reports = optimise(g.model, Evaluator(stand_in_kernels()), {});
  CHECK_OK(reports);
  CHECK_EQ(rewrites_of(*reports, "constant_folding"), 68);
}

TEST(pipeline, folds_chains_whatever_their_length) {
  TestGraph g(17);
  constexpr int64_t kCount = 1 << 18;
  const ValueId x = g.input("x", {kCount});
  ValueId sum = g.floats("c", {kCount}, std::vector<float>(kCount, 1.0f));
  for (int i = 0; i < 100; ++i) sum = g.node("Add", {sum, sum});
  g.output(g.node("Sub", {x, sum}));
  g.infer();
  auto reports = optimise(g.model, Evaluator(stand_in_kernels()), {});
  CHECK_OK(reports);
  CHECK_EQ(rewrites_of(*reports, "constant_folding"), 100);
  CHECK_EQ(g.operators(), "Sub");
}

TEST(pipeline, warns_of_shapes_that_contradict_by_the_sessions_logger) {
  for (const Severity threshold : {Severity::kWarning, Severity::kError}) {
    TestGraph g(17);
    const ValueId y = g.node("Relu", {g.node("Identity", {g.input("x", {2})})});
    g.output(y);
    g.infer();
    g.graph().value(y)->type = Type::tensor(DType::kFloat32, shape_of(Dims{3}));
    std::string told;
    const LogSink sink = [&](const LogRecord& record) { told += record.message; };
    OptimiseOptions options;
    options.lenient_shapes = true;
    options.logger = Logger(std::make_shared<const LogSink>(sink), "test", threshold);
    CHECK_OK(optimise(g.model, Evaluator(stand_in_kernels()), options));
    CHECK_EQ(told.find("found float32[2]") != std::string::npos, threshold == Severity::kWarning);
    CHECK_EQ(told.empty(), threshold == Severity::kError);
  }
}
