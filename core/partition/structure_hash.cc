// SPDX-License-Identifier: MIT
// The hash of a graph's structure: what gives partitions names that do not change from one
// compilation to the next.
#include <algorithm>

#include "core/partition/partitioner.h"

namespace ortc {
namespace {

void add_type(Hasher& hasher, const Type& type) {
  hasher.add_number(static_cast<uint64_t>(type.kind)).add_number(static_cast<uint64_t>(type.dtype));
  if (!type.has_shape()) return;
  hasher.add_number(type.shape->size());
  for (const Dim& dim : *type.shape) {
    hasher.add_number(static_cast<uint64_t>(dim.value)).add(dim.symbol);
  }
}

void add_graph(Hasher& hasher, const Graph& graph);

void add_attribute(Hasher& hasher, const Attribute& attribute) {
  hasher.add(attribute.name).add_number(static_cast<uint64_t>(attribute.kind));
  hasher.add(as_text(Bytes(reinterpret_cast<const std::byte*>(&attribute.f), sizeof attribute.f)));
  hasher.add_number(static_cast<uint64_t>(attribute.i)).add(attribute.s.bytes());
  for (float f : attribute.floats) {
    hasher.add(Bytes(reinterpret_cast<const std::byte*>(&f), sizeof f));
  }
  for (int64_t i : attribute.ints) hasher.add_number(static_cast<uint64_t>(i));
  for (const Blob& s : attribute.strings) hasher.add(s.bytes());
  if (attribute.tensor) {
    hasher.add_number(static_cast<uint64_t>(attribute.tensor->tensor.dtype()));
    for (int64_t dim : attribute.tensor->tensor.dims())
      hasher.add_number(static_cast<uint64_t>(dim));
  }
  if (attribute.graph) add_graph(hasher, *attribute.graph);
  for (const auto& graph : attribute.graphs) add_graph(hasher, *graph);
}

void add_graph(Hasher& hasher, const Graph& graph) {
  // Values are numbered as they appear, so names do not matter.
  std::vector<uint64_t> numbers(graph.value_bound(), UINT64_MAX);
  uint64_t next = 0;
  const auto add_value = [&](ValueId id) {
    if (id == kNoValue) {
      hasher.add_number(UINT64_MAX);
      return;
    }
    if (numbers[id] == UINT64_MAX) {
      numbers[id] = next++;
      add_type(hasher, graph.value(id)->type);
    }
    hasher.add_number(numbers[id]);
  };
  for (ValueId id : graph.inputs()) add_value(id);
  auto order = graph.topological_order();
  if (order.is_ok()) {
    for (NodeId id : *order) {
      const Node& node = *graph.node(id);
      hasher.add(node.op_type()).add(node.domain()).add_number(static_cast<uint64_t>(node.opset()));
      for (ValueId input : node.inputs()) add_value(input);
      for (ValueId output : node.outputs()) add_value(output);
      std::vector<const Attribute*> attributes;
      for (const Attribute& attribute : node.attributes()) attributes.push_back(&attribute);
      std::sort(attributes.begin(), attributes.end(),
                [](const Attribute* a, const Attribute* b) { return a->name < b->name; });
      for (const Attribute* attribute : attributes) add_attribute(hasher, *attribute);
    }
  }
  for (ValueId id : graph.outputs()) add_value(id);
}

}  // namespace

Hash128 partition_hash(const Graph& graph, bool) {
  Hasher hasher;
  add_graph(hasher, graph);
  return hasher.finish();
}

}  // namespace ortc
