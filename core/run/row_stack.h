// SPDX-License-Identifier: MIT
// Tensors of one shape, one after the other: what the iterations of a loop give, stacked along a
// new first axis as they come.
#pragma once

#include "core/run/made_value.h"

namespace ortc {

// INVALID_ARGUMENT.
Status scan_shape_changed(std::span<const int64_t> before, std::span<const int64_t> now);

class RowStack {
 public:
  // `expected`: how many rows there will be at most. INVALID_ARGUMENT for a row of another shape
  // than those before.
  Status append(ArenaPool& arenas, const ValueRef& row, int64_t expected);
  int64_t count() const { return count_; }
  // All rows, one at least; the stack is empty afterwards.
  Result<MadeValue> finish(ArenaPool& arenas);

 private:
  Status move_to(ArenaPool& arenas, const ValueRef& row, int64_t room);
  std::span<const int64_t> row_dims() const { return rows_.ref().dims().subspan(1); }

  MadeValue rows_;
  int64_t count_ = 0, room_ = 0;
};

}  // namespace ortc
