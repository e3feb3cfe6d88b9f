// SPDX-License-Identifier: MIT
// A graph of the host, read into one of this library: nodes with their attributes and bodies,
// values with their types, initializers wherever their bytes are.
#pragma once

#include <memory>
#include <vector>

#include "core/graph/graph.h"
#include "providers/ortc_ep/host.h"

namespace ortc::ort_ep {

using HostValues = std::vector<const OrtValueInfo*>;

// Typed. Constants are views of the host's bytes, whose owner is `borrowed` of the reader.
struct HostGraph {
  std::shared_ptr<Graph> graph;
  std::vector<const OrtNode*> nodes;  // by node id
};

class HostGraphReader {
 public:
  // `borrowed` marks bytes that are the host's.
  HostGraphReader(const Host& host, std::shared_ptr<const void> borrowed)
      : host_(host), borrowed_(std::move(borrowed)) {}

  // What a body takes from outside becomes an input, or a constant where it is one.
  Result<HostGraph> read(const OrtGraph& graph) const;
  // The graph of a fused node, with its inputs and outputs in their order.
  Result<HostGraph> read_fused(const OrtGraph& graph, const OrtNode& fused) const;
  // One node, with everything that it reads as inputs or constants.
  Result<HostGraph> read_alone(const OrtNode& node) const;

 private:
  Result<HostGraph> read_between(const OrtGraph& graph, const HostValues& inputs,
                                 const HostValues& outputs) const;

  const Host& host_;
  std::shared_ptr<const void> borrowed_;
};

// Lists of the host as vectors.
Result<HostValues> inputs_of(const Host& host, const OrtNode& node);
Result<HostValues> outputs_of(const Host& host, const OrtNode& node);
Result<std::vector<const OrtNode*>> nodes_of(const Host& host, const OrtGraph& graph);
struct HostBody {
  std::string attribute;
  const OrtGraph* graph;
};
Result<std::vector<HostBody>> bodies_of(const Host& host, const OrtNode& node);
// "" for an input or output that is left out.
Result<std::string> name_of(const Host& host, const OrtValueInfo* value);
bool is_context_node(const Host& host, const OrtNode& node);

}  // namespace ortc::ort_ep
