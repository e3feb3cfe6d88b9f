// SPDX-License-Identifier: MIT
// Values that a graph has channels first and channels last, and the Transposes between them.
//
// Each pair is one content in two layouts. Who makes it makes one of the two; the other one is
// there when it is read, by a Transpose, the bridge of the pair. Transposes that the model
// has between the two layouts are bridges too: they go when they are read no more, and come
// back when they are.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/partition/layout/kept_values.h"

namespace ortc {

class LayoutTwins {
 public:
  explicit LayoutTwins(Graph& graph) : graph_(graph), kept_(graph) {}

  // The channels-last twin of a value whose rank is known and 3 or more.
  Result<ValueId> last_of(ValueId first);
  // The value is there channels last without a bridge that settle() would have to put in: who says
  // made_last() of it makes it so, or the model has a Transpose from there.
  bool is_made_last(ValueId first) const;
  void made_last(ValueId first) { made_last_.insert(first); }

  // Before a node becomes the maker of `value`: a bridge that makes it goes.
  void release(ValueId value);
  bool has_twin(ValueId first) const { return by_first_.contains(first); }
  // For a node that reads or makes the value again: the value, or a new one with its content when
  // it went, or when a claim makes it meanwhile.
  Result<ValueId> to_be_read(ValueId first);
  Result<ValueId> to_be_made(ValueId first);

  // Every twin that is read is made, by a bridge when nothing else makes it; no other bridges are
  // there. Nodes with a callee, and what was fused, are no bridges any more.
  Status settle();
  // Takes away twins that are neither made nor read.
  void remove_unused();

 private:
  enum class Way : uint8_t { kNone, kToLast, kToFirst };
  struct Pair {
    ValueId first = kNoValue, last = kNoValue;
    NodeId bridge = kNoNode;
    Way way = Way::kNone;              // of the bridge
    std::optional<Node> model_bridge;  // a copy: the model's own Transpose
    Way model_way = Way::kNone;
  };

  Result<size_t> pair_of(ValueId first);
  bool take_model_bridge(Pair& pair);
  bool is_bridge(NodeId id) const;
  bool is_made(ValueId id) const;
  bool is_wanted(ValueId id) const;
  bool is_made_of(ValueId id, ValueId twin) const;
  Result<ValueId> stand_in(ValueId first);
  bool find_way(ValueId id, std::vector<Way>& ways, std::vector<ValueId>& on_the_way) const;
  void remove_bridge(Pair& pair);
  Status add_bridge(Pair& pair, Way way);
  Result<ValueId> bring_back(ValueId id);
  Status bring_back_captured();

  Graph& graph_;
  KeptValues kept_;
  std::vector<Pair> pairs_;
  std::map<ValueId, size_t> by_first_;  // as it was first
  std::map<ValueId, ValueId> stand_ins_;
  std::set<ValueId> made_last_;
  std::set<NodeId> bridges_;
  std::vector<ValueId> own_values_;
};

}  // namespace ortc
