// SPDX-License-Identifier: MIT
// What passes are made of: reading constants and certain facts, putting nodes in the place of
// others, and leaving no unread node behind.
//
// A pass may only rely on what holds at every run: constants that nobody can override, shapes that
// are certain, values that nobody else reads (Graph::only_consumer).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/optimise/pipeline.h"

namespace ortc {

// --- Facts
// The tensor that every run sees, also through captures of an enclosing graph; else null.
const Tensor* constant_of(const Graph& graph, ValueId id);
// The only element of a constant (floats, halves, integers) as a double.
std::optional<double> scalar_of(const Graph& graph, ValueId id);
// True for a constant of one element within the precision of its type of `number`.
bool is_scalar(const Graph& graph, ValueId id, double number);
// The same, and broadcasting it to `data` does not raise the rank.
bool is_scalar_beside(const Graph& graph, ValueId id, double number, ValueId data);
std::optional<std::vector<int64_t>> constant_integers(const Graph& graph, ValueId id);
// Elements of a float32, float64 or float16 constant as doubles.
std::optional<std::vector<double>> constant_numbers(const Graph& graph, ValueId id);
DType dtype_of(const Graph& graph, ValueId id);
std::optional<size_t> rank_of(const Graph& graph, ValueId id);
std::optional<Dims> dims_of(const Graph& graph, ValueId id);
// Both have known dims, and the same ones.
bool same_static_shape(const Graph& graph, ValueId a, ValueId b);
// Ranks known and each dim certainly the same (numbers or symbols).
bool same_shape(const Graph& graph, ValueId a, ValueId b);
// Axes of a Squeeze, Unsqueeze or reduction: the attribute, or the constant input of later opsets.
// Nothing when they come at run time.
std::optional<std::vector<int64_t>> axes_of(const Node& node);
// For a node of two inputs: the one that is not `id`; kNoValue when both are or none is.
ValueId other_input(const Node& node, ValueId id);
bool is_unread(const Graph& graph, ValueId id);
bool only_output_is_read(const Node& node);  // outputs 1.. are omitted or unread
bool reads_known_domain(const Node& node);   // ONNX's own and com.microsoft
// Draws random numbers, or keeps something between runs.
bool is_deterministic(const Node& node);

// --- Changes
// Readers of the node's output 0 read `by` instead and the node goes; false when the graph's
// interface forbids that (then nothing has changed).
bool bypass(Graph& graph, NodeId id, ValueId by);
// Removes the node when nothing reads its outputs, and then its producers likewise.
void remove_unread(Graph& graph, NodeId id);

struct NewNode {
  std::string op_type;
  std::string domain;
  std::vector<ValueId> inputs;
  std::vector<Attribute> attributes;
};
// Puts a node in the place of the one that produces `output`, under that one's name; what only fed
// the old one goes. Null, and nothing has changed, when the evaluator has no kernel for the new
// node.
Result<Node*> replace_producer(Graph& graph, ValueId output, NewNode node,
                               const PassContext& context);
// Imports the domain in all graphs of the model when it is not.
void import_domain(Graph& graph, std::string_view domain, int64_t version);

// Calls visit(Node&) -> Result<bool> for every node in topological order, nodes that went on the
// way aside; counts the answers.
template <typename F>
Result<int> for_nodes(Graph& graph, F&& visit) {
  ASSIGN_OR_RETURN(auto order, graph.topological_order());
  int rewrites = 0;
  for (NodeId id : order) {
    if (graph.node(id) == nullptr) continue;
    ASSIGN_OR_RETURN(bool done, visit(*graph.node(id)));
    rewrites += done ? 1 : 0;
  }
  return rewrites;
}

}  // namespace ortc
