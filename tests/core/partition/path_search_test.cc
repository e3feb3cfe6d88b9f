// SPDX-License-Identifier: MIT
// PathSearch beside a search without bounds, on random graphs whose groups are replaced one after
// another.
#include "core/partition/path_search.h"

#include <algorithm>
#include <random>
#include <set>

#include "core/partition/cut_claim.h"
#include "tests/support/graph_builder.h"
#include "tests/support/test.h"

using namespace ortc;
using ortc::test::GraphBuilder;

namespace {

using Draw = std::mt19937;

// Sums of two earlier values, mostly near ones.
GraphBuilder random_sums(Draw& draw, size_t count) {
  GraphBuilder g;
  std::vector<ValueId> values = {g.input("x", DType::kFloat32, {2})};
  for (size_t i = 0; i < count; ++i) {
    const size_t reach = std::min<size_t>(values.size(), 4);
    const auto earlier = [&] { return values[values.size() - 1 - draw() % reach]; };
    const ValueId a = earlier(), b = earlier();
    values.push_back(g.node("Add", {a, b}, {str_cat("y", i)})[0]);
  }
  for (ValueId value : values) {
    if (g.graph().value(value)->uses.empty()) g.output(value);
  }
  g.infer();
  return g;
}

void add_reached(const Graph& graph, NodeId id, std::set<NodeId>& reached) {
  for (ValueId output : graph.node(id)->outputs()) {
    for (const Use& use : graph.value(output)->uses) {
      if (reached.insert(use.node).second) add_reached(graph, use.node, reached);
    }
  }
}

bool comes_back(const Graph& graph, const NodeGroup& group) {
  const std::set<NodeId> inside(group.nodes.begin(), group.nodes.end());
  std::set<NodeId> after, again;
  for (NodeId id : inside) add_reached(graph, id, after);
  for (NodeId id : after) {
    if (inside.count(id) == 0) add_reached(graph, id, again);
  }
  return std::any_of(inside.begin(), inside.end(), [&](NodeId id) { return again.count(id) != 0; });
}

// A few of the nodes that stand near each other.
NodeGroup random_group(Draw& draw, const Graph& graph) {
  std::vector<NodeId> left;
  for (NodeId id = 0; id < graph.node_bound(); ++id) {
    if (graph.node(id) != nullptr) left.push_back(id);
  }
  const size_t count = std::min<size_t>(left.size(), 2 + draw() % 3);
  const size_t first = draw() % (left.size() - count + 1);
  NodeGroup group;
  for (size_t i = first; i < left.size() && group.nodes.size() < count; ++i) {
    if (draw() % 3 != 0) group.nodes.push_back(left[i]);
  }
  return group;
}

struct Tally {
  int convex = 0, not_convex = 0;
};

void search_one_graph(Draw& draw, Tally& tally) {
  GraphBuilder g = random_sums(draw, 4 + draw() % 12);
  Graph& graph = g.graph();
  PathSearch paths;
  while (graph.node_count() > 3) {
    const NodeGroup group = random_group(draw, graph);
    const bool is_convex = paths.is_convex(graph, group).value();
    CHECK_EQ(is_convex, !comes_back(graph, group));
    ++(is_convex ? tally.convex : tally.not_convex);
    if (!is_convex || group.nodes.size() < 2) {
      if (draw() % 8 == 0) return;
      continue;
    }
    OwnNodes own_nodes(graph, {group.nodes.begin(), group.nodes.end()});
    const CutClaim cut = cut_claim(graph, group, own_nodes).value();
    paths.group_replaced(group,
                         replace_by_fused_node(graph, group, cut, kInternalDomain).value()->id());
  }
}

}  // namespace

TEST(path_search, finds_what_a_search_without_bounds_finds) {
  Draw draw(11);
  Tally tally;
  for (int i = 0; i < 2000; ++i) search_one_graph(draw, tally);
  CHECK(tally.convex > 1000);
  CHECK(tally.not_convex > 1000);
}
