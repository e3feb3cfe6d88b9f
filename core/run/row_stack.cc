// SPDX-License-Identifier: MIT
// Rows as they come: see the header.
#include "core/run/row_stack.h"

#include <algorithm>

#include "core/run/copy_range.h"

namespace ortc {
namespace {

// Of the room that is there at once, when so much is expected; a row at least. Memory that is not
// written costs nothing, but texts are all made.
int64_t first_elements(DType dtype) { return dtype == DType::kString ? 16 : 64 * 1024; }

}  // namespace

Status scan_shape_changed(std::span<const int64_t> before, std::span<const int64_t> now) {
  return invalid_argument("a scan output changed its shape from ", dims_to_string(before), " to ",
                          dims_to_string(now));
}

Status RowStack::append(ArenaPool& arenas, const ValueRef& row, int64_t expected) {
  if (count_ > 0) {
    const ValueRef rows = rows_.ref();
    if (rows.dtype != row.dtype || !std::ranges::equal(row_dims(), row.dims())) {
      return scan_shape_changed(row_dims(), row.dims());
    }
  }
  const int64_t elements = row.element_count();
  if (count_ == room_) {
    const int64_t room =
        std::max(first_elements(row.dtype) / std::max<int64_t>(elements, 1), room_ * 2);
    RETURN_IF_ERROR(
        move_to(arenas, row, std::clamp(room, count_ + 1, std::max(expected, count_ + 1))));
  }
  copy_range(row.dtype, static_cast<uint64_t>(elements), row.data, 0, rows_.ref().data,
             static_cast<uint64_t>(count_ * elements));
  ++count_;
  return Status::ok();
}

// Memory for `room` rows, with those that are there.
Status RowStack::move_to(ArenaPool& arenas, const ValueRef& row, int64_t room) {
  ASSIGN_OR_RETURN(MadeValue more, MadeValue::rows(arenas, row.dtype, room, row.dims()));
  if (count_ > 0) {
    move_range(row.dtype, static_cast<uint64_t>(count_ * row.element_count()), rows_.ref().data, 0,
               more.ref().data, 0);
  }
  rows_ = std::move(more);
  room_ = room;
  return Status::ok();
}

Result<MadeValue> RowStack::finish(ArenaPool& arenas) {
  if (count_ != room_ && !rows_.is_in_arena()) {
    const ValueRef one = rows_.ref();
    ASSIGN_OR_RETURN(MadeValue cut, MadeValue::rows(arenas, one.dtype, count_, row_dims()));
    move_range(one.dtype, static_cast<uint64_t>(cut.ref().element_count()), one.data, 0,
               cut.ref().data, 0);
    rows_ = std::move(cut);
  } else if (count_ != room_) {
    rows_.cut(count_);
  }
  count_ = room_ = 0;
  return std::move(rows_);
}

}  // namespace ortc
