// SPDX-License-Identifier: MIT
// A model as pictures need it, read from the library's description.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/ortc/output/json.h"

namespace ortc::tool {

// A value that is read: of a node, by number, or of an input of the graph.
struct ReadFacts {
  std::string value;  // "x: float32[1,8]"
  size_t from = 0;
  bool is_input = false;
};

// A graph of a context that a node runs.
struct UsedGraph {
  size_t context = 0;
  std::string name;
  std::vector<size_t> tensors;
};

struct NodeFacts {
  std::string name, op;
  std::string source;  // of an EPContext node: who made it
  std::vector<ReadFacts> reads;
  std::vector<std::string> gives;
  uint64_t weight_bytes = 0, nodes_in_bodies = 0;
  std::vector<UsedGraph> contexts;
  bool is_context = false;
  std::string verdict, place;  // of an EPContext node
  uint64_t context_bytes = 0;
};

// Bytes of a file that are one tensor.
struct TensorFacts {
  uint64_t offset = 0, bytes = 0, stored_bytes = 0;
  std::string hash, name;  // one of the two
};

struct ContextFacts {
  std::string file, node;  // one of the two
  std::string target;
  uint64_t bytes = 0;
  std::vector<TensorFacts> tensors;
};

struct StoredWeight {
  std::string file;
  TensorFacts tensor;
};

struct ModelFacts {
  std::string path, name;  // name: of the file, without its folders
  std::string verdict;
  uint64_t weight_bytes_inside = 0;  // initializers that stand in the model itself
  std::vector<std::string> inputs;
  std::vector<NodeFacts> nodes;  // makers before readers
  std::vector<ReadFacts> outputs;
  std::vector<std::string> sources;  // of its EPContext nodes, each once, in their order
  std::vector<ContextFacts> contexts;
  std::vector<StoredWeight> stored_weights;
};

// Throws ToolError for what is not a model.
ModelFacts read_model_facts(const std::string& path);

}  // namespace ortc::tool
