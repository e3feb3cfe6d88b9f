// SPDX-License-Identifier: MIT
// Budgets of passes: see the header.
#include "core/optimise/budget.h"

#include "core/base/checked_math.h"
#include "core/graph/walk.h"

namespace ortc {
namespace {

// What any model may add, and how much more one that is larger.
constexpr uint64_t kFreeBytes = uint64_t{64} << 20;
constexpr uint64_t kFreeOperations = uint64_t{1} << 31;
constexpr uint64_t kFreeNodes = uint64_t{1} << 16;
constexpr uint64_t kBytesFactor = 4;
constexpr uint64_t kOperationsFactor = 16;  // for each byte
constexpr uint64_t kNodesFactor = 16;

struct Size {
  uint64_t bytes = 0, nodes = 0;
};

void add_size(const Graph& graph, Size& size) {
  for (const ValueId id : graph.initializers()) {
    const Tensor* tensor = graph.value(id)->constant();
    if (tensor != nullptr) size.bytes += tensor->byte_size();
  }
  size.nodes += graph.node_count();
  for (const Node& node : nodes_of(graph)) {
    for (const Attribute& attribute : node.attributes()) {
      if (attribute.tensor != nullptr) size.bytes += attribute.tensor->tensor.byte_size();
    }
    for (const Graph* inner : node.subgraphs()) add_size(*inner, size);
  }
}

uint64_t scaled(uint64_t size, uint64_t factor) {
  return checked_mul(size, factor).value_or(UINT64_MAX / 2);
}

}  // namespace

Budget Budget::of(const Graph& graph) {
  Size size;
  add_size(graph, size);
  return {kFreeBytes + scaled(size.bytes, kBytesFactor),
          kFreeOperations + scaled(size.bytes, kOperationsFactor),
          kFreeNodes + scaled(size.nodes, kNodesFactor)};
}

}  // namespace ortc
