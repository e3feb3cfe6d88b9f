// SPDX-License-Identifier: MIT
// Numbers that refer to something which is not there are left out.

#include "tools/ortc/picture/model_facts.h"

#include <algorithm>
#include <map>

#include "tools/ortc/library/inspection.h"

namespace ortc::tool {
namespace {

std::optional<ReadFacts> read_of(const Json& json, size_t nodes, size_t inputs) {
  ReadFacts read;
  read.value = json.text("value");
  read.is_input = json.has("input");
  read.from = json.count(read.is_input ? "input" : "node");
  if (read.from >= (read.is_input ? inputs : nodes)) return std::nullopt;
  return read;
}

std::vector<UsedGraph> used_graphs(const Json& json) {
  std::vector<UsedGraph> used;
  for (const Json& item : json.items()) {
    UsedGraph graph{item.count("context"), item.text("graph"), {}};
    for (const Json& number : item.at("tensors").items()) {
      graph.tensors.push_back(static_cast<size_t>(number.number()));
    }
    used.push_back(std::move(graph));
  }
  return used;
}

// `before`: how many nodes came before.
NodeFacts node_of(const Json& json, size_t before, size_t inputs) {
  NodeFacts node;
  node.name = json.text("name");
  node.op = json.text("op");
  node.is_context = json.has("source");
  node.source = json.text("source");
  for (const Json& item : json.at("reads").items()) {
    if (auto read = read_of(item, before, inputs)) node.reads.push_back(std::move(*read));
  }
  for (const Json& value : json.at("gives").items()) node.gives.push_back(value.text());
  node.weight_bytes = json.count("weight_bytes");
  node.nodes_in_bodies = json.count("nodes_in_bodies");
  node.contexts = used_graphs(json.at("contexts"));
  return node;
}

ContextFacts context_of(const Json& json) {
  ContextFacts context;
  context.file = json.text("file");
  context.node = json.text("node");
  context.target = json.text("target");
  context.bytes = json.count("bytes");
  for (const Json& item : json.at("tensors").items()) {
    context.tensors.push_back({item.count("offset"), item.count("bytes"),
                               item.count("stored_bytes"), item.text("hash"), ""});
  }
  return context;
}

// What the list of EPContext nodes says, at the nodes of the graph.
void add_verdicts(ModelFacts& facts, const Json& rows) {
  std::map<std::string, NodeFacts*> nodes;
  for (NodeFacts& node : facts.nodes) {
    if (node.is_context) nodes.emplace(node.name, &node);
  }
  for (const Json& row : rows.items()) {
    const auto found = nodes.find(row.text("node"));
    if (found == nodes.end()) continue;
    NodeFacts& node = *found->second;
    node.verdict = row.text("verdict");
    node.context_bytes = row.count(row.has("file") ? "file_bytes" : "payload_bytes");
    node.place = row.has("file") ? row.text("file") : row.has("payload_bytes") ? "embedded" : "";
  }
}

void drop_wrong_numbers(ModelFacts& facts) {
  for (NodeFacts& node : facts.nodes) {
    std::erase_if(node.contexts,
                  [&](const UsedGraph& used) { return used.context >= facts.contexts.size(); });
    for (UsedGraph& used : node.contexts) {
      const size_t count = facts.contexts[used.context].tensors.size();
      std::erase_if(used.tensors, [&](size_t number) { return number >= count; });
    }
  }
}

}  // namespace

ModelFacts read_model_facts(const std::string& path) {
  const Json json = inspect_file(path, OrtInspectFlags_STRUCTURE);
  if (json.text("kind") == "context_binary") throw binary_error(path);
  const Json structure = json.at("structure");
  ModelFacts facts;
  facts.path = path;
  facts.name = path.substr(path.rfind('/') + 1);
  facts.verdict = json.text("verdict");
  for (const Json& input : structure.at("inputs").items()) facts.inputs.push_back(input.text());
  for (const Json& item : structure.at("nodes").items()) {
    facts.nodes.push_back(node_of(item, facts.nodes.size(), facts.inputs.size()));
  }
  for (const NodeFacts& node : facts.nodes) {
    const auto& known = facts.sources;
    const bool is_new = std::find(known.begin(), known.end(), node.source) == known.end();
    if (node.is_context && is_new) facts.sources.push_back(node.source);
  }
  for (const Json& item : structure.at("outputs").items()) {
    auto read = read_of(item, facts.nodes.size(), facts.inputs.size());
    if (read) facts.outputs.push_back(std::move(*read));
  }
  for (const Json& item : structure.at("contexts").items()) {
    facts.contexts.push_back(context_of(item));
  }
  uint64_t outside = 0;
  for (const Json& item : structure.at("stored_weights").items()) {
    const uint64_t bytes = item.count("bytes");
    facts.stored_weights.push_back(
        {item.text("file"), {item.count("offset"), bytes, bytes, "", item.text("name")}});
    outside += bytes;
  }
  const uint64_t all = json.count("initializer_bytes");
  facts.weight_bytes_inside = all > outside ? all - outside : 0;
  add_verdicts(facts, json.at("ep_context_nodes"));
  drop_wrong_numbers(facts);
  return facts;
}

}  // namespace ortc::tool
