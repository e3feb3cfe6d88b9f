// SPDX-License-Identifier: MIT
// Resize to the nearest element: rows of the result are copied from rows of the input, through a
// table of offsets for each axis that changes. Images that are doubled have a kernel of their own.
#pragma once

#include <algorithm>
#include <array>

#include "providers/cpu/arith/plain_rows/plain_rows.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/kernels/vision/resize_plan.h"

namespace ortc::cpu {

using OffsetTables = std::array<const int64_t*, kMaxRank>;

// Whether every element of an axis stands twice in the result, as when an image is doubled.
inline bool is_doubled(const int64_t* along, int64_t stride, int64_t size) {
  if (size % 2 != 0) return false;
  for (int64_t j = 0; j < size; ++j) {
    if (along[j] != j / 2 * stride) return false;
  }
  return true;
}

// Whether both last axes are doubled, and all before them stay. The places alone do not tell: a
// factor a little below two leaves the last element out.
inline bool doubles_planes(const OffsetTables& tables, const ValueRef& x, const ValueRef& y,
                           const DimList& strides) {
  if (y.rank < 2) return false;
  const size_t lines = y.rank - 2;
  for (const size_t d : {lines, lines + 1}) {
    if (tables[d] == nullptr || y.dim(d) != 2 * x.dim(d)) return false;
  }
  for (size_t d = 0; d < lines; ++d) {
    if (tables[d] != nullptr) return false;
  }
  return is_doubled(tables[lines], strides[lines], y.dim(lines));
}

// Lines of n elements, side by side on both sides.
template <typename T>
void double_image(const RunContext& ctx, PlainRowsKernels::Double double_lines, const T* x, T* y,
                  int64_t n, int64_t lines) {
  const int64_t grain = std::max<int64_t>(1, kElementGrain / (4 * std::max<int64_t>(n, 1)));
  ctx.parallel_for(lines, grain, [&](int64_t begin, int64_t end) {
    double_lines(x + begin * n, y + 4 * begin * n, static_cast<size_t>(n),
                 static_cast<size_t>(end - begin), true);
  });
}

// Offsets of the elements by their coordinate on each axis that changes; -1 is outside.
inline OffsetTables fill_tables(const RunContext& ctx, const Resampling& work,
                                const ResizeScratch& scratch, const DimList& strides) {
  OffsetTables tables{};
  for (size_t p = 0; p < scratch.pass_count; ++p) {
    const size_t d = scratch.order[p];
    auto* table = scratch_at<int64_t>(ctx, scratch.index[p]);
    const ResampleAxis& axis = work.axes[d];
    for (int64_t i = 0; i < axis.out; ++i) {
      table[i] = axis.is_outside(work.rule, i) ? -1 : axis.nearest(work.rule, i) * strides[d];
    }
    tables[d] = table;
  }
  return tables;
}

// The result as rows along the last axis that changes. The axes behind it stay as they are: what
// they hold is a piece that is copied whole.
struct NearestForm {
  int64_t piece, size, count;  // elements of a piece; pieces of a row; rows
  const int64_t* along;        // offsets of the pieces of a row; null when no axis changes
  size_t outer;                // axes that count rows
};

inline NearestForm nearest_form(const OffsetTables& tables, const ValueRef& y) {
  size_t last = y.rank;
  while (last > 0 && tables[last - 1] == nullptr) --last;
  if (last == 0) return {product(y.dims()), 1, 1, nullptr, 0};
  return {product(y.dims(), last, y.rank), y.dim(last - 1), product(y.dims(), 0, last - 1),
          tables[last - 1], last - 1};
}

// Walks over the rows of the result from `row` on.
class NearestRows {
 public:
  NearestRows(const OffsetTables& tables, const ValueRef& y, const DimList& strides, size_t outer,
              int64_t row)
      : tables_(tables), y_(y), strides_(strides), outer_(outer) {
    for (size_t d = outer; d-- > 0;) {
      place_[d] = row % y.dim(d);
      row /= y.dim(d);
    }
    find_plane();
  }

  // The offset in the input; -1 when the row is outside.
  int64_t offset() const {
    if (outer_ == 0) return 0;
    const int64_t last = step(outer_ - 1);
    return plane_ < 0 || last < 0 ? -1 : plane_ + last;
  }

  void advance() {
    for (size_t d = outer_; d-- > 0;) {
      if (++place_[d] < y_.dim(d)) {
        if (d + 1 < outer_) find_plane();
        return;
      }
      place_[d] = 0;
    }
  }

 private:
  int64_t step(size_t d) const {
    return tables_[d] != nullptr ? tables_[d][place_[d]] : place_[d] * strides_[d];
  }
  void find_plane() {
    plane_ = 0;
    for (size_t d = 0; d + 1 < outer_; ++d) {
      const int64_t at = step(d);
      if (at < 0) {
        plane_ = -1;
        return;
      }
      plane_ += at;
    }
  }

  const OffsetTables& tables_;
  const ValueRef& y_;
  const DimList& strides_;
  const size_t outer_;
  std::array<int64_t, kMaxRank> place_;
  int64_t plane_;  // the offset by all axes but the last that counts rows; -1 is outside
};

// A row whose first piece would be at x.
template <typename T>
void write_row(const NearestForm& form, const T* x, T outside, T* y) {
  const int64_t *along = form.along, piece = form.piece, size = form.size;
  if (along == nullptr) {
    std::copy_n(x, piece, y);
  } else if (piece == 1) {
    for (int64_t j = 0; j < size; ++j) y[j] = along[j] < 0 ? outside : x[along[j]];
  } else {
    for (int64_t j = 0; j < size; ++j, y += piece) {
      if (along[j] < 0) {
        std::fill_n(y, piece, outside);
      } else {
        std::copy_n(x + along[j], piece, y);
      }
    }
  }
}

// Elements outside of the region become `outside`. The scratch is that of lay_out().
template <typename T>
void run_nearest(const RunContext& ctx, const Resampling& work, const ResizeScratch& scratch,
                 T outside) {
  const ValueRef &in = ctx.input(0), &y = ctx.output(0);
  const DimList strides = row_major_strides(in.dims());
  const OffsetTables tables = fill_tables(ctx, work, scratch, strides);
  const NearestForm form = nearest_form(tables, y);
  const PlainRowsKernels::Double double_lines = double_of(ctx.isa(), sizeof(T));
  const bool doubles = form.along != nullptr && form.piece == 1 && double_lines != nullptr &&
                       is_doubled(form.along, 1, form.size);
  const T* x = in.as<T>();
  if (doubles && doubles_planes(tables, in, y, strides)) {
    return double_image(ctx, double_lines, x, y.as_mutable<T>(), form.size / 2, form.count / 2);
  }
  const int64_t length = form.size * form.piece;
  const int64_t grain = std::max<int64_t>(1, kElementGrain / std::max<int64_t>(1, length));
  ctx.parallel_for(form.count, grain, [&](int64_t begin, int64_t end) {
    NearestRows rows(tables, y, strides, form.outer, begin);
    int64_t before = -1;  // the offset of the row before, which this one may repeat
    for (int64_t row = begin; row < end; ++row, rows.advance()) {
      T* to = y.as_mutable<T>() + row * length;
      const int64_t offset = rows.offset();
      if (offset < 0) {
        std::fill_n(to, length, outside);
      } else if (doubles) {
        double_lines(x + offset, to, static_cast<size_t>(form.size / 2), 1, false);
      } else if (offset == before) {
        std::copy_n(to - length, length, to);
      } else {
        write_row(form, x + offset, outside, to);
      }
      before = offset;
    }
  });
}

}  // namespace ortc::cpu
