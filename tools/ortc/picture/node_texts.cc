// SPDX-License-Identifier: MIT
// Colours are given to makers of contexts in the order in which they appear.

#include "tools/ortc/picture/node_texts.h"

#include <algorithm>
#include <map>

#include "tools/ortc/output/table.h"

namespace ortc::tool {
namespace {

constexpr size_t kColours = 5;
constexpr size_t kValuesMost = 8;  // of a hover text

std::string source_text(const std::string& source) { return source.empty() ? "EPContext" : source; }

template <typename Range, typename Text>
std::string lines_of(const char* label, const Range& range, Text text_of) {
  std::string out;
  size_t count = 0;
  for (const auto& item : range) {
    if (count++ < kValuesMost) out += std::string("\n") + label + text_of(item);
  }
  if (count > kValuesMost) out += "\n... " + std::to_string(count - kValuesMost) + " more";
  return out;
}

uint64_t used_bytes(const ModelFacts& model, const NodeFacts& node) {
  uint64_t bytes = 0;
  for (const UsedGraph& used : node.contexts) {
    for (size_t number : used.tensors) {
      bytes += model.contexts[used.context].tensors[number].bytes;
    }
  }
  return bytes;
}

}  // namespace

std::string node_title(const NodeFacts& node) {
  if (node.is_context) {
    const std::string size = node.context_bytes == 0 ? "" : " " + size_text(node.context_bytes);
    return source_text(node.source) + size;
  }
  if (node.nodes_in_bodies == 0) return node.op;
  return node.op + ", " + count_text(node.nodes_in_bodies, "node") + " inside";
}

std::string node_name(const NodeFacts& node) {
  if (!node.name.empty() || node.gives.empty()) return node.name;
  return node.gives.front().substr(0, node.gives.front().rfind(": "));
}

std::string node_class(const ModelFacts& model, const NodeFacts& node) {
  const auto& sources = model.sources;
  if (!node.is_context) return sources.empty() ? "node" : "left";
  const auto found = std::find(sources.begin(), sources.end(), node.source);
  return "c" + std::to_string(static_cast<size_t>(found - sources.begin()) % kColours);
}

std::string node_hover(const ModelFacts& model, const NodeFacts& node) {
  std::string text = node.op + " " + node.name;
  if (node.is_context) {
    text += "\nsource: " + node.source;
    if (!node.place.empty()) text += "\ndata: " + node.place;
    if (!node.verdict.empty()) text += "\nverdict: " + node.verdict;
  }
  text += lines_of("reads ", node.reads, [](const ReadFacts& read) { return read.value; });
  text += lines_of("gives ", node.gives, [](const std::string& value) { return value; });
  const uint64_t bytes = node.contexts.empty() ? node.weight_bytes : used_bytes(model, node);
  if (bytes != 0) text += "\nweights: " + size_text(bytes);
  if (node.nodes_in_bodies != 0) {
    text += "\ninside: " + count_text(node.nodes_in_bodies, "node");
  }
  return text;
}

std::string operators_text(const ModelFacts& model, const GraphPart& part) {
  std::map<std::string, size_t> counts;
  for (size_t n = part.begin; n < part.end; ++n) ++counts[model.nodes[n].op];
  std::vector<std::pair<std::string, size_t>> rows(counts.begin(), counts.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [op, count] : rows) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + op;
  }
  return text;
}

std::string part_hover(const ModelFacts& model, const GraphPart& part) {
  uint64_t bytes = 0;
  for (size_t n = part.begin; n < part.end; ++n) bytes += model.nodes[n].weight_bytes;
  std::string text = (part.label.empty() ? "" : part.label + ": ") +
                     count_text(part.size(), "node") + "\n" + operators_text(model, part);
  text += "\nfrom " + node_name(model.nodes[part.begin]) + "\nto " +
          node_name(model.nodes[part.end - 1]);
  if (bytes != 0) text += "\nweights: " + size_text(bytes);
  return text;
}

std::vector<LegendRow> legend_rows(const ModelFacts& model) {
  std::vector<LegendRow> rows;
  size_t left = 0;
  std::map<std::string, size_t> counts;
  for (const NodeFacts& node : model.nodes) ++(node.is_context ? counts[node.source] : left);
  const auto& sources = model.sources;
  for (size_t i = 0; i < sources.size(); ++i) {
    rows.push_back(
        {"c" + std::to_string(i % kColours),
         "compiled by " + source_text(sources[i]) + ": " + count_text(counts[sources[i]], "part")});
  }
  if (sources.empty()) {
    rows.push_back({"node", "not compiled: " + count_text(left, "node")});
  } else if (left != 0) {
    rows.push_back({"left", "left to other providers: " + count_text(left, "node")});
  }
  return rows;
}

}  // namespace ortc::tool
