// SPDX-License-Identifier: MIT
// Places where a value is read: see the header.
#include "core/graph/use_list.h"

#include <algorithm>

namespace ortc {

void UseList::remove(const Use& use) {
  assert(!empty());
  const auto begin = uses_.begin() + static_cast<std::ptrdiff_t>(gone_);
  auto front = begin, back = std::prev(uses_.end());
  while (*front != use && *back != use) {
    assert(front < back);
    ++front;
    --back;
  }
  if (*front != use) {
    uses_.erase(back);
    return;
  }
  std::move_backward(begin, front, std::next(front));
  ++gone_;
  if (gone_ * 2 <= uses_.size()) return;
  uses_.erase(uses_.begin(), uses_.begin() + static_cast<std::ptrdiff_t>(gone_));
  gone_ = 0;
}

}  // namespace ortc
