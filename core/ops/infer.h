// SPDX-License-Identifier: MIT
// Type and shape inference over a whole graph, sub-graphs included.
//
// Shapes may be symbolic; contents of small integer tensors (the results of Shape, Gather, Concat
// ... arithmetic) are followed too, so that a Reshape by a computed shape keeps its symbols.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/base/log.h"
#include "core/graph/graph.h"

namespace ortc {

class CustomOperators;

struct InferOptions {
  // Operators of the program, the first that takes a node counts. Nodes keep theirs.
  std::vector<const CustomOperators*> custom = {};
  // Numbers for symbols, from the session's free-dimension overrides: names, and denotations.
  std::vector<std::pair<std::string, int64_t>> dim_values = {};
  std::vector<std::pair<std::string, int64_t>> denotation_values = {};
  // Sizes that the file says and inference contradicts are INVALID_GRAPH, or a warning: then they
  // are unknown.
  bool lenient_shapes = false;
  // The types come out of an earlier inference, not from a file: what they say is true.
  bool types_are_inferred = false;
  Logger logger = {};
};

// Fills in the type of every value. What the file says and what inference finds are merged; a
// contradiction is INVALID_GRAPH naming node, value, expected and found (`lenient_shapes`: not of
// sizes). Operators that are not in the list leave what the file says; wrong numbers of inputs or
// outputs, inputs and outputs that are left out and not optional, missing required attributes,
// attributes of a wrong kind and such that the operator does not have are INVALID_GRAPH.
Status infer_types(Graph& graph, const InferOptions& options = {});

// One element of an integer tensor whose contents are followed: a number (negative ones too), a
// symbol that stands for a dim, or unknown.
struct Integer {
  bool is_known = false;
  int64_t value = 0;
  std::string symbol;

  static Integer number(int64_t value) { return {true, value, {}}; }
  static Integer of_dim(const Dim& dim) {
    return dim.is_known() ? number(dim.value) : Integer{false, 0, dim.symbol};
  }
  Dim dim() const {
    if (is_known) return value >= 0 ? Dim::known(value) : Dim::unknown();
    return symbol.empty() ? Dim::unknown() : Dim::named(symbol);
  }
  bool is(int64_t number) const { return is_known && value == number; }
};
using Integers = std::vector<Integer>;

// What an operator's inference function sees.
class InferContext {
 public:
  virtual ~InferContext() = default;
  virtual const Node& node() const = 0;
  virtual const Type& input_type(size_t i) const = 0;  // kNone when omitted or unknown
  virtual const Tensor* constant(size_t i) const = 0;  // null unless known now
  // The contents of an integer (or bool) scalar or vector that a node computed, as far as known.
  virtual const Integers* contents(size_t i) const = 0;
  virtual void set_output(size_t i, Type type) = 0;
  virtual void set_contents(size_t i, Integers contents) = 0;
  // Infers a sub-graph with these input types (If, Loop, Scan); the types of its outputs.
  virtual Result<std::vector<Type>> infer_subgraph(Graph& graph,
                                                   const std::vector<Type>& inputs) = 0;

  size_t input_count() const { return node().inputs().size(); }
  size_t output_count() const { return node().outputs().size(); }
  bool has_input(size_t i) const { return node().input(i) != kNoValue; }
  int64_t opset() const { return node().opset(); }
};

}  // namespace ortc
