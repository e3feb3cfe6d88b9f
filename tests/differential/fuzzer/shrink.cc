// SPDX-License-Identifier: MIT
// Shrinking: see the header.
#include "tests/differential/fuzzer/shrink.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

#include "core/base/str_cat.h"
#include "tests/support/graph_builder.h"

namespace ortc::fuzz {
namespace {

class Shrinking {
 public:
  Shrinking(const Reference& reference, const Routes& routes, DrawnGraph graph, uint64_t index,
            const std::string& route)
      : reference_(reference),
        routes_(routes),
        graph_(std::move(graph)),
        index_(index),
        route_(route) {}

  DrawnGraph run() {
    while (one_output() || without_nodes() || without_attributes() || without_inputs()) {
    }
    return graph_;
  }

 private:
  // Takes the smaller graph when it can be computed and the route still disagrees.
  bool take(DrawnGraph smaller) {
    drop_unread(smaller);
    Chance chance(index_, 2);
    if (smaller.nodes.empty() || !reference_.measure_all(smaller, chance).empty()) return false;
    if (routes_.compare(smaller, index_).route != route_) return false;
    graph_ = std::move(smaller);
    return true;
  }

  bool is_read(const std::string& name) const {
    return std::ranges::any_of(graph_.nodes, [&](const DrawnNode& node) {
      return std::ranges::find(node.inputs, name) != node.inputs.end();
    });
  }

  bool one_output() {
    if (graph_.outputs.size() < 2) return false;
    for (const std::string& name : graph_.outputs) {
      DrawnGraph smaller = graph_;
      smaller.outputs = {name};
      if (take(std::move(smaller))) return true;
    }
    return false;
  }

  bool without_nodes() {
    for (size_t i = graph_.nodes.size(); i-- > 0;) {
      DrawnGraph smaller = graph_;
      bool loses_sequence = false;
      for (const std::string& name : graph_.nodes[i].outputs) {
        std::erase(smaller.outputs, name);
        if (name.empty()) continue;
        DrawnValue& value = smaller.values[name];
        if (!value.datum.is_tensor()) loses_sequence |= is_read(name);
        value.role = Role::kInput;
        value.allowed = 0;
        if (value.datum.is_tensor()) smaller.inputs.push_back(name);
      }
      smaller.nodes.erase(smaller.nodes.begin() + static_cast<long>(i));
      if (!loses_sequence && !smaller.outputs.empty() && take(std::move(smaller))) return true;
    }
    return false;
  }

  bool without_attributes() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (size_t k = 0; k < graph_.nodes[i].attributes.size(); ++k) {
        DrawnGraph smaller = graph_;
        auto& attributes = smaller.nodes[i].attributes;
        attributes.erase(attributes.begin() + static_cast<long>(k));
        if (take(std::move(smaller))) return true;
      }
    }
    return false;
  }

  bool without_inputs() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (size_t k = 1; k < graph_.nodes[i].inputs.size(); ++k) {
        DrawnGraph smaller = graph_;
        auto& inputs = smaller.nodes[i].inputs;
        if (inputs[k].empty()) continue;
        inputs[k].clear();
        while (!inputs.empty() && inputs.back().empty()) inputs.pop_back();
        if (take(std::move(smaller))) return true;
      }
    }
    return false;
  }

  const Reference& reference_;
  const Routes& routes_;
  DrawnGraph graph_;
  uint64_t index_;
  std::string route_;
};

}  // namespace

DrawnGraph shrink(const Reference& reference, const Routes& routes, DrawnGraph graph,
                  uint64_t index, const std::string& route) {
  return Shrinking(reference, routes, std::move(graph), index, route).run();
}

void save_case(const DrawnGraph& graph, const std::string& folder) {
  const std::string data = folder + "/test_data_set_0";
  mkdir(folder.c_str(), 0755);
  mkdir(data.c_str(), 0755);
  test::write_whole_file(folder + "/model.onnx", model_bytes(graph));
  const auto save = [&](const char* what, const std::vector<std::string>& names) {
    for (size_t i = 0; i < names.size(); ++i) {
      const Tensor* tensor = graph.values.at(names[i]).datum.tensor();
      if (tensor == nullptr) continue;
      test::write_whole_file(str_cat(data, "/", what, "_", i, ".pb"),
                             tensor_bytes(names[i], *tensor));
    }
  };
  save("input", graph.inputs);
  save("output", graph.outputs);
  double allowed = 0;
  for (const std::string& name : graph.outputs) {
    allowed = std::max(allowed, graph.values.at(name).allowed);
  }
  test::write_whole_file(folder + "/data.json",
                         str_cat("{\"rtol\": 0, \"atol\": ", allowed, "}\n"));
}

}  // namespace ortc::fuzz
