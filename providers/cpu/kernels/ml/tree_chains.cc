// SPDX-License-Identifier: MIT
// Chains of equal branches: see the header.
#include "providers/cpu/kernels/ml/tree_chains.h"

#include <vector>

namespace ortc::cpu {
namespace {

class Chains {
 public:
  explicit Chains(TreeSource& source)
      : source_(source), parents_(source.nodes.size(), 0), is_inner_(source.nodes.size(), false) {
    for (const SourceNode& node : source_.nodes) {
      if (node.mode == TreeMode::kLeaf) continue;
      count_parent(node.if_true);
      count_parent(node.if_false);
    }
    for (const SourceNode& node : source_.nodes) {
      if (goes_on(node)) is_inner_[static_cast<size_t>(node.if_false)] = true;
    }
  }

  void join() {
    for (size_t i = 0; i < source_.nodes.size(); ++i) {
      if (!is_inner_[i] && goes_on(source_.nodes[i])) join_from(source_.nodes[i]);
    }
  }

 private:
  bool is_node(int64_t index) const {
    return index >= 0 && static_cast<size_t>(index) < source_.nodes.size();
  }
  void count_parent(int64_t index) {
    if (is_node(index)) ++parents_[static_cast<size_t>(index)];
  }

  // Whether the node where this one does not hold belongs to the same chain.
  bool goes_on(const SourceNode& node) const {
    if (node.mode != TreeMode::kEq || !is_node(node.if_false) || !is_node(node.if_true)) {
      return false;
    }
    const SourceNode& next = source_.nodes[static_cast<size_t>(node.if_false)];
    return next.mode == TreeMode::kEq && next.feature == node.feature &&
           next.if_true == node.if_true && parents_[static_cast<size_t>(node.if_false)] == 1;
  }

  // From its first node on: nobody else leads into a chain, so it has an end.
  void join_from(SourceNode& first) {
    std::vector<double> values = {first.value};
    SourceNode last = first;
    while (goes_on(last)) {
      const bool nan_is_true = last.nan_is_true;
      last = source_.nodes[static_cast<size_t>(last.if_false)];
      last.nan_is_true |= nan_is_true;
      values.push_back(last.value);
    }
    std::erase_if(values, [](double value) { return value != value; });  // equal to nothing
    first.mode = TreeMode::kMember;
    first.nan_is_true = last.nan_is_true;
    first.if_false = last.if_false;
    first.set = static_cast<int64_t>(source_.sets.size());
    source_.sets.push_back(std::move(values));
  }

  TreeSource& source_;
  std::vector<uint32_t> parents_;
  std::vector<bool> is_inner_;
};

}  // namespace

void join_equal_chains(TreeSource& source) { Chains(source).join(); }

}  // namespace ortc::cpu
