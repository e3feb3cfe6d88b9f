// SPDX-License-Identifier: MIT
// Makes what a provider claimed channels last, and takes back what it does not claim then.
//
//   Conv Relu MaxPool   ->   Transpose Conv' Relu MaxPool' Transpose
//
// Conv' and MaxPool' are of kChannelsLastDomain; Relu computes the same in any layout and follows.
// Transposes stand only where a value is made in one layout and read in the other.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/graph/graph.h"
#include "core/partition/layout/layout_followers.h"
#include "core/partition/layout/layout_twins.h"
#include "core/provider/layout_wishes.h"

namespace ortc {

class ChannelsLast {
 public:
  // A graph whose values have types.
  explicit ChannelsLast(Graph& graph) : graph_(graph), twins_(graph), constants_(graph) {}

  // Changes those of the nodes that depend on the layout, as the provider wishes, and those that
  // follow. Nothing happens when none does.
  Status convert(const std::set<NodeId>& nodes, LayoutWishes& wishes);

  // When the provider's claims have been taken: changed nodes that were not claimed are as they
  // were, under their own ids, and read and write what they did.
  Status restore_unclaimed();

 private:
  struct Change {
    NodeId id;
    std::string op_type, domain;
    std::vector<ValueId> inputs, outputs;
    std::vector<Attribute> attributes;
  };

  Result<std::set<NodeId>> choose(const std::vector<NodeId>& order, const std::set<NodeId>& nodes,
                                  LayoutWishes& wishes) const;
  void remember(const Node& node);
  Status make_last(NodeId id);
  Status follow(NodeId id, const FollowPlan& plan);
  Status read_twin(NodeId id, uint32_t input);
  Status write_twin(NodeId id);
  void read_constant(NodeId id, uint32_t input, size_t rank, bool is_list);
  Status restore(const Change& change);
  void remove_unused();

  Graph& graph_;
  LayoutTwins twins_;
  std::vector<Change> changes_;
  KeptValues constants_;
  std::map<std::pair<ValueId, size_t>, ValueId> permuted_;  // of constants, by rank; 0 for lists
};

}  // namespace ortc
