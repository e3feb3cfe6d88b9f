// SPDX-License-Identifier: MIT
// Writes the nodes of a gradient: values with the types that they must have, and for each value of
// the forward nodes what is known of its gradient so far.
//
// The first failure is kept and everything after it does nothing: only status() tells.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace ortc {

class Tape {
 public:
  Tape(Graph& graph, std::string name) : graph_(graph), name_(std::move(name)) {}

  Graph& graph() { return graph_; }
  Type type(ValueId id) const { return graph_.value(id)->type; }
  int64_t opset() const { return graph_.opset(""); }

  // A node with one result of this type.
  ValueId add(std::string op, std::vector<ValueId> inputs, Type type,
              std::vector<Attribute> attributes = {});
  // The same with the type of its first input.
  ValueId add(std::string op, std::vector<ValueId> inputs);
  // A scalar of the element type of `like`.
  ValueId number(double value, ValueId like);
  ValueId integers(std::vector<int64_t> values);
  // Zeros or ones of the shape of `like`.
  ValueId filled(double value, ValueId like);
  ValueId shape_of(ValueId id);
  // Sums over axes; the dims stay, as 1, or go.
  ValueId sum_over(ValueId x, std::vector<int64_t> axes, bool keeps);
  ValueId unsqueezed(ValueId x, std::vector<int64_t> axes);
  ValueId transposed(ValueId x, std::vector<int64_t> order);
  ValueId reshaped(ValueId x, ValueId like);
  // `x`, which has the shape of a broadcast, summed to the shape of `like`.
  ValueId summed_to(ValueId x, ValueId like);

  // Adds to the gradient of a value; one that has no gradient forgets it.
  void give(ValueId id, ValueId gradient);
  ValueId gradient(ValueId id) const;  // kNoValue: none yet
  // Only these get gradients.
  void watch(ValueId id) { watched_[id] = true; }
  bool is_watched(ValueId id) const { return watched_.contains(id); }

  void fail(Status status);
  const Status& status() const { return status_; }

 private:
  Graph& graph_;
  const std::string name_;
  std::map<ValueId, ValueId> gradients_;
  std::map<ValueId, bool> watched_;
  Status status_;
};

// Gives the node's watched inputs what the gradient of its outputs says of theirs. NOT_IMPLEMENTED
// names the operator when it has no rule.
Status differentiate(Tape& tape, const Node& node);

}  // namespace ortc
