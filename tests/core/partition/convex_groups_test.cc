// SPDX-License-Identifier: MIT
// Convex groups and the fused nodes that replace them.
#include "core/graph/verify.h"
#include "core/partition/cut_claim.h"
#include "core/partition/partitioner.h"
#include "tests/support/graph_builder.h"
#include "tests/support/test.h"

using namespace ortc;
using ortc::test::GraphBuilder;

namespace {

bool is_relu(const Node& node) { return node.is_op("Relu"); }

// A provider that takes Relu nodes.
class ReluProvider final : public ExecutionProvider {
 public:
  std::string_view name() const override { return "ReluProvider"; }
  std::string_view short_name() const override { return "RELU"; }
  Result<Capability> get_capability(const Graph& graph) override {
    Capability capability;
    ASSIGN_OR_RETURN(capability.groups, convex_groups(graph, is_relu));
    return capability;
  }
  Result<std::vector<CompiledClaim>> compile(std::span<const Claim>, CompileContext&) override {
    return std::vector<CompiledClaim>{};
  }
};

}  // namespace

TEST(convex_groups, joins_a_chain_into_one_group) {
  GraphBuilder g;
  auto x = g.input("x", DType::kFloat32, {2});
  for (int i = 0; i < 5; ++i) x = g.node("Relu", {x}, {str_cat("y", i)})[0];
  g.output(x);
  g.infer();
  const auto groups = convex_groups(g.graph(), is_relu).value();
  CHECK_EQ(groups.size(), 1u);
  CHECK_EQ(groups[0].nodes.size(), 5u);
}

// x -> Relu a -> Abs b -> Relu c; a and c are also joined by Relu d = Relu(a), c = Max(b, d): a and
// d may be one group, c not in it, for the path a -> b -> c leaves it.
TEST(convex_groups, never_joins_around_an_unsupported_node) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {2});
  const auto a = g.node("Relu", {x}, {"a"})[0];
  const auto b = g.node("Abs", {a}, {"b"})[0];
  const auto c = g.node("Relu", {b}, {"c"})[0];
  const auto d = g.node("Relu", {a}, {"d"})[0];
  g.output(g.node("Max", {c, d}, {"e"})[0]);
  g.infer();
  for (const auto& group : convex_groups(g.graph(), is_relu).value()) {
    bool has_a = false, has_c = false;
    for (NodeId id : group.nodes) {
      has_a = has_a || g.graph().node(id)->output(0) == a;
      has_c = has_c || g.graph().node(id)->output(0) == c;
    }
    CHECK(!(has_a && has_c));
  }
}

TEST(partitioner, replaces_a_group_by_one_node_and_keeps_outputs) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {2});
  const auto a = g.node("Relu", {x}, {"a"})[0];
  const auto b = g.node("Relu", {a}, {"b"})[0];
  const auto c = g.node("Abs", {b}, {"c"})[0];
  g.output(a);
  g.output(c);
  g.infer();
  ReluProvider provider;
  ExecutionProvider* const providers[] = {&provider};
  PartitionOptions options;
  options.node_name_prefix = "p_";
  auto result = partition(g.graph(), providers, options);
  CHECK_OK(result);
  CHECK_EQ(result->partitions.size(), 1u);
  CHECK_OK(name_claims(result->partitions, providers, options));
  const Partition& part = result->partitions[0];
  CHECK_EQ(part.node->name(), part.claim.name);
  CHECK(part.claim.name.starts_with("p_RELU_"));
  CHECK_EQ(part.claim.graph->inputs().size(), 1u);
  CHECK_EQ(part.claim.graph->outputs().size(), 2u);
  CHECK_OK(verify_graph(*part.claim.graph));
  CHECK_OK(verify_graph(g.graph()));
  CHECK_EQ(g.graph().node_count(), 2u);
  CHECK_EQ(result->assignments.size(), 1u);
  CHECK_EQ(result->assignments[0].op_type, std::string("Abs"));
}

TEST(partitioner, gives_the_same_names_for_the_same_model) {
  std::string names[2];
  for (std::string& name : names) {
    GraphBuilder g;
    g.output(g.node("Relu", {g.input("x", DType::kFloat32, {2})}, {"y"})[0]);
    g.infer();
    ReluProvider provider;
    ExecutionProvider* const providers[] = {&provider};
    auto result = partition(g.graph(), providers, PartitionOptions{}).value();
    CHECK_OK(name_claims(result.partitions, providers, PartitionOptions{}));
    name = result.partitions[0].claim.name;
  }
  CHECK_EQ(names[0], names[1]);
}

TEST(partitioner, takes_constants_of_an_enclosing_graph_along) {
  GraphBuilder g;
  const auto condition = g.input("condition", DType::kBool, {});
  const auto w = g.floats("w", {2}, {1, 2});
  Attribute branches[2];
  for (int i = 0; i < 2; ++i) {
    GraphBuilder inner(17, &g.graph());
    const auto captured = inner.graph().capture(w).value();
    inner.output(inner.node("Relu", {captured}, {i == 0 ? "t" : "e"})[0]);
    branches[i] = test::graph_attribute(i == 0 ? "then_branch" : "else_branch", inner.shared());
  }
  g.output(g.node("If", {condition}, {"y"}, {branches[0], branches[1]})[0]);
  g.infer();
  ReluProvider provider;
  ExecutionProvider* const providers[] = {&provider};
  auto result = partition(g.graph(), providers, PartitionOptions{});
  CHECK_OK(result);
  CHECK_EQ(result->partitions.size(), 2u);
  for (const Partition& part : result->partitions) {
    CHECK_EQ(part.claim.graph->inputs().size(), 0u);
    CHECK_EQ(part.claim.graph->initializers().size(), 1u);
  }
}
