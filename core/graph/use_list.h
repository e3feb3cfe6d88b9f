// SPDX-License-Identifier: MIT
// The places where a value is read.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace ortc {

using NodeId = uint32_t;

// One of them.
struct Use {
  NodeId node;
  uint32_t input;    // index among the node's inputs, or among its implicit inputs
  bool is_implicit;  // read by a sub-graph of the node
  bool operator==(const Use&) const = default;
};

// In the order in which they were added. A value may have a million, and a caller that takes them
// away goes along the nodes, forwards or backwards: so taking one away costs as much as it is
// away from the nearer end.
class UseList {
 public:
  const Use* begin() const { return uses_.data() + gone_; }
  const Use* end() const { return uses_.data() + uses_.size(); }
  auto rbegin() const { return std::reverse_iterator(end()); }
  auto rend() const { return std::reverse_iterator(begin()); }
  size_t size() const { return uses_.size() - gone_; }
  bool empty() const { return size() == 0; }
  const Use& operator[](size_t i) const { return uses_[gone_ + i]; }

  void add(const Use& use) { uses_.push_back(use); }
  // Which is there.
  void remove(const Use& use);

 private:
  std::vector<Use> uses_;
  size_t gone_ = 0;  // of those in front; never more than half of all
};

}  // namespace ortc
