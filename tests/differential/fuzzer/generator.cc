// SPDX-License-Identifier: MIT
// The generator: see the header.
#include "tests/differential/fuzzer/generator.h"

#include <algorithm>
#include <set>

namespace ortc::fuzz {
namespace {

constexpr int kAttempts = 90;

std::set<std::string> read_names(const DrawnGraph& graph) {
  std::set<std::string> names;
  for (const DrawnNode& node : graph.nodes) {
    names.insert(node.inputs.begin(), node.inputs.end());
    names.insert(node.captured.begin(), node.captured.end());
  }
  return names;
}

// What nothing reads, mostly, and some of what is read: an output that others read keeps fusions
// away.
void choose_outputs(DrawnGraph& graph, Chance& chance) {
  const std::set<std::string> read = read_names(graph);
  for (const DrawnNode& node : graph.nodes) {
    for (const std::string& name : node.outputs) {
      if (name.empty() || !graph.values.at(name).datum.is_tensor()) continue;
      if (chance.percent(read.count(name) != 0 ? 12 : 92)) graph.outputs.push_back(name);
    }
  }
  if (!graph.outputs.empty()) return;
  for (const DrawnNode& node : graph.nodes) {
    for (const std::string& name : node.outputs) {
      if (!name.empty() && graph.values.at(name).datum.is_tensor()) graph.outputs = {name};
    }
  }
}

void keep(std::vector<std::string>& names, const std::set<std::string>& wanted) {
  std::erase_if(names, [&](const std::string& name) { return wanted.count(name) == 0; });
}

}  // namespace

void drop_unread(DrawnGraph& graph) {
  std::set<std::string> read(graph.outputs.begin(), graph.outputs.end());
  std::vector<DrawnNode> kept;
  std::set<std::string> ops;
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const DrawnNode& node = graph.nodes[i];
    const bool is_read = std::ranges::any_of(
        node.outputs, [&](const std::string& name) { return read.count(name) != 0; });
    if (!is_read) continue;
    read.insert(node.inputs.begin(), node.inputs.end());
    read.insert(node.captured.begin(), node.captured.end());
    ops.insert(node.op);
    kept.push_back(node);
  }
  std::reverse(kept.begin(), kept.end());
  graph.nodes = std::move(kept);
  keep(graph.inputs, read);
  keep(graph.constants, read);
  std::erase_if(graph.functions, [&](const DrawnFunction& f) { return ops.count(f.name) == 0; });
}

Drawn draw_graph(const Reference& reference, uint64_t seed, uint64_t index) {
  static const std::vector<int64_t> kOpsets = {22, 22, 23, 23, 23, 24, 26, 28, 28};
  Chance chance(seed, index);
  Drawn drawn;
  DrawnGraph& graph = drawn.graph;
  graph.opset = chance.of(kOpsets);
  if (chance.one_in(2)) graph.symbolic_size = chance.between(2, 5);
  const auto wanted = static_cast<size_t>(chance.between(kNodesLeast, kNodesMost));
  Drawing drawing(reference, graph, chance, chance.percent(60));
  const auto& rows = operator_rows();
  for (int attempt = 0; attempt < kAttempts && graph.nodes.size() < wanted; ++attempt) {
    const auto row = static_cast<size_t>(chance.between(0, static_cast<int64_t>(rows.size()) - 1));
    for (int again = 0; again < 3 && rows[row].draw != nullptr; ++again) {
      drawing.start_again();
      rows[row].draw(drawing);
      if (!drawing.has_failed()) break;
    }
  }
  drawn.refusals = drawing.refusals;
  choose_outputs(graph, chance);
  // Some graphs keep nodes that nothing reads.
  DrawnGraph pruned = graph;
  drop_unread(pruned);
  if (chance.one_in(2)) {
    graph = std::move(pruned);
  } else {
    const std::set<std::string> read = read_names(graph);
    keep(graph.inputs, read);
    keep(graph.constants, read);
  }
  return drawn;
}

DrawnGraph resized(const DrawnGraph& graph, int64_t size, Chance& chance) {
  DrawnGraph other = graph;
  for (const std::string& name : other.inputs) {
    DrawnValue& value = other.values[name];
    const Tensor* tensor = value.datum.tensor();
    if (tensor == nullptr) continue;
    Dims dims = tensor->dims();
    if (!dims.empty() && dims[0] == graph.symbolic_size) dims[0] = size;
    value.datum = filled(chance, tensor->dtype(), dims, value.fill);
  }
  return other;
}

}  // namespace ortc::fuzz
