// SPDX-License-Identifier: MIT
// Views of one graph that several threads ask. Meant for ThreadSanitizer; what they are told is
// checked in every build.
#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/api/graph_view_text.h"
#include "tests/support/graph_builder.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// Branches that negate and scale `x`, `depth` levels of them.
std::vector<Attribute> branches(Graph& outer, int depth) {
  std::vector<Attribute> made;
  for (const char* which : {"then_branch", "else_branch"}) {
    GraphBuilder body(17, &outer);
    const auto x = body.graph().capture(outer.find_value("x")->id).value();
    const auto factor = body.floats(str_cat(which, "_factor"), {1}, {3});
    const auto scaled = body.node("Mul", {x, factor}, {str_cat(which, "_scaled")})[0];
    if (depth > 1) {
      const auto c = body.graph().capture(outer.find_value("c")->id).value();
      body.output(body.node("If", {c}, {"inner"}, branches(body.graph(), depth - 1))[0]);
    } else {
      body.output(body.node("Neg", {scaled}, {"negated"})[0]);
    }
    const Attribute attribute = graph_attribute(which, body.shared());
    made.push_back(std::move(attribute));
  }
  return made;
}

std::string nested_branches() {
  GraphBuilder g;
  g.input("x", DType::kFloat32, {2});
  const auto c = g.input("c", DType::kBool, {});
  const auto picked = g.node("If", {c}, {"picked"}, branches(g.graph(), 2))[0];
  g.output(g.node("Add", {picked, g.floats("bias", {1}, {1})}, {"y"})[0]);
  return g.model_bytes();
}

// What is made when it is first asked for: views of bodies, types, values of initializers; for the
// nodes that have none, too. Forwards or backwards.
std::vector<const void*> ask_for_all(const OrtGraph* graph, bool forwards) {
  std::vector<const void*> found;
  auto nodes = list_of(graph, OrtGraph_GetNumNodes, OrtGraph_GetNodes);
  if (!forwards) std::reverse(nodes.begin(), nodes.end());
  for (const OrtNode* node : nodes) {
    std::vector<const void*> of_node;
    size_t count = 0;
    CHECK_C(OrtNode_GetNumSubgraphs(node, &count));
    std::vector<const OrtGraph*> bodies(count);
    CHECK_C(OrtNode_GetSubgraphs(node, bodies.data(), count, nullptr));
    for (const OrtGraph* body : bodies) {
      of_node.push_back(body);
      const auto inner = ask_for_all(body, forwards);
      of_node.insert(of_node.end(), inner.begin(), inner.end());
    }
    for (const OrtValueInfo* value : list_of(node, OrtNode_GetNumInputs, OrtNode_GetInputs)) {
      if (value == nullptr) continue;
      const OrtTypeInfo* type = nullptr;
      CHECK_C(OrtGetValueInfoTypeInfo(value, &type));
      const OrtValue* initializer = nullptr;
      CHECK_C(OrtValueInfo_GetInitializerValue(value, &initializer));
      of_node.insert(of_node.end(), {type, initializer});
    }
    found.insert(forwards ? found.end() : found.begin(), of_node.begin(), of_node.end());
  }
  return found;
}

}  // namespace

TEST(graph_view_threads, are_asked_by_many_threads) {
  const Loaded model(nested_branches());
  std::vector<std::string> texts(4);
  std::vector<std::thread> threads;
  for (std::string& text : texts) {
    threads.emplace_back([&] { text = describe(model.graph); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : texts) CHECK_EQ(text, texts[0]);
}

// Meant for ThreadSanitizer: two threads begin at once on a graph that nobody has asked yet.
TEST(graph_view_threads, make_what_they_show_once_whoever_asks_first) {
  for (int round = 0; round < 100; ++round) {
    const Loaded model(nested_branches());
    std::atomic<int> ready = 0;
    std::vector<const void*> found[2];
    std::vector<std::thread> threads;
    for (const bool forwards : {false, true}) {
      threads.emplace_back([&, forwards] {
        for (++ready; ready.load() < 2;) {
        }
        found[forwards ? 1 : 0] = ask_for_all(model.graph, forwards);
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(found[0] == found[1]);
    CHECK(found[0] == ask_for_all(model.graph, true));
  }
}
