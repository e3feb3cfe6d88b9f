// SPDX-License-Identifier: MIT
// Places where a value is read: taken away from either end and from the middle, the others stay in
// their order.
#include "core/graph/use_list.h"

#include <algorithm>
#include <vector>

#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

UseList list_of(NodeId count) {
  UseList uses;
  for (NodeId i = 0; i < count; ++i) uses.add({i, 0, false});
  return uses;
}

void check_nodes(const UseList& uses, const std::vector<NodeId>& expected) {
  CHECK_EQ(uses.size(), expected.size());
  CHECK(std::equal(uses.begin(), uses.end(), expected.begin(), expected.end(),
                   [](const Use& use, NodeId node) { return use.node == node; }));
}

}  // namespace

TEST(use_list, keeps_the_order_of_the_others) {
  UseList uses = list_of(7);
  uses.remove({1, 0, false});
  uses.remove({4, 0, false});
  check_nodes(uses, {0, 2, 3, 5, 6});
  uses.remove({0, 0, false});
  uses.remove({6, 0, false});
  uses.add({9, 1, true});
  check_nodes(uses, {2, 3, 5, 9});
  uses.remove({2, 0, false});
  uses.remove({9, 1, true});
  uses.remove({3, 0, false});
  uses.remove({5, 0, false});
  CHECK(uses.empty());
}

// Hours, if each removal went through what is left.
TEST(use_list, a_million_go_from_either_end) {
  constexpr NodeId kCount = 1'000'000;
  UseList forwards = list_of(kCount), backwards = list_of(kCount);
  for (NodeId i = 0; i < kCount; ++i) {
    forwards.remove({i, 0, false});
    forwards.add({kCount + i, 0, false});
    backwards.remove({kCount - 1 - i, 0, false});
  }
  CHECK_EQ(forwards.size(), kCount);
  CHECK_EQ(forwards[0].node, kCount);
  CHECK(backwards.empty());
}
