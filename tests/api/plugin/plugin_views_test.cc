// SPDX-License-Identifier: MIT
// Graphs as a library is asked about them: what is around bodies is looked at once, what changed is
// seen.
#include "core/api/plugin/plugin_views.h"

#include "ort_c/graph.h"
#include "tests/support/graph_builder.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// Two Ifs, one after the other.
Model two_choices(GraphBuilder& g) {
  ValueId x = g.input("x", DType::kFloat32, {2});
  const ValueId c = g.input("c", DType::kBool, {});
  for (const std::string name : {"first", "second"}) {
    std::vector<Attribute> branches;
    for (const char* which : {"then_branch", "else_branch"}) {
      GraphBuilder body(17, &g.graph());
      const ValueId inside = body.graph().capture(x).value();
      const ValueId root = body.node("Sqrt", {inside}, {name + which + "_root"})[0];
      body.output(body.node("Neg", {root}, {name + which})[0]);
      branches.push_back(graph_attribute(which, body.shared()));
    }
    x = g.node("If", {c}, {name}, std::move(branches))[0];
  }
  g.output(x);
  g.infer();
  Model model;
  model.graph = g.shared();
  return model;
}

Graph& body_of(GraphBuilder& g, const std::string& choice, size_t which) {
  Graph& graph = g.graph();
  return *graph.node(graph.find_value(choice)->producer)->subgraphs()[which];
}

}  // namespace

TEST(plugin_views, look_once_at_what_is_around_bodies) {
  GraphBuilder g;
  const Model model = two_choices(g);
  api::ShownGraphs shown;
  const OrtGraph* outer = nullptr;
  for (const std::string choice : {"first", "second"}) {
    for (const size_t which : {size_t{0}, size_t{1}}) {
      const Graph& body = body_of(g, choice, which);
      const OrtGraph* const seen = shown.show(model, body).value();
      CHECK(&seen->view->graph() == &body);
      if (outer == nullptr) outer = seen->parent_node->graph;
      CHECK(api::is_alive(outer));
      CHECK(seen->parent_node->graph == outer);
      shown.hide();
      CHECK(!api::is_alive(seen));
    }
  }
  CHECK(shown.show(model, g.graph()).value()->parent_node == nullptr);
  shown.hide();
  CHECK(!api::is_alive(outer));
}

TEST(plugin_views, see_bodies_as_they_are_when_they_are_looked_at) {
  GraphBuilder g;
  const Model model = two_choices(g);
  api::ShownGraphs shown;
  const OrtGraph* seen = shown.show(model, body_of(g, "first", 0)).value();
  CHECK_EQ(seen->nodes.size(), size_t{2});
  // The library looks around, at a body whose turn comes later.
  for (const OrtNode* node : seen->parent_node->graph->nodes) {
    CHECK_EQ(api::subgraphs_of(*node).value()->size(), size_t{2});
  }
  shown.hide();
  for (const std::string choice : {"first", "second"}) {
    Graph& body = body_of(g, choice, 0);
    const ValueId inside = body.node(body.topological_order().value()[0])->input(0);
    CHECK_OK(body.add_node("Abs", "", "more", {inside}, {body.add_value("more").value()}));
  }
  seen = shown.show(model, body_of(g, "second", 0)).value();
  CHECK_EQ(seen->nodes.size(), size_t{3});
  const OrtNode* const first = seen->parent_node->graph->nodes.front();
  CHECK_EQ(api::subgraphs_of(*first).value()->front().graph->nodes.size(), size_t{3});
  shown.hide();
}

// The outermost graph stays for the next body; what was made of its views does not.
TEST(plugin_views, of_views_end_when_the_body_is_hidden) {
  GraphBuilder g;
  const Model model = two_choices(g);
  api::ShownGraphs shown;
  const OrtGraph* const seen = shown.show(model, body_of(g, "first", 0)).value();
  const OrtGraph* const outer = seen->parent_node->graph;
  std::vector<const OrtNode*> inside(seen->nodes.begin(), seen->nodes.end());
  std::vector<const OrtNode*> around(outer->nodes.begin(), outer->nodes.end());
  OrtGraph* views[2] = {};
  CHECK(OrtGraph_GetGraphView(seen, inside.data(), inside.size(), &views[0]) == nullptr);
  CHECK(OrtGraph_GetGraphView(outer, around.data(), around.size(), &views[1]) == nullptr);
  CHECK(api::is_alive(views[0]) && api::is_alive(views[1]));
  shown.hide();
  CHECK(api::is_alive(outer));
  for (OrtGraph* view : views) {
    CHECK(!api::is_alive(view));
    OrtReleaseGraph(view);
  }
}
