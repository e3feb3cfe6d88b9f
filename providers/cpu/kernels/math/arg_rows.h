// SPDX-License-Identifier: MIT
// Where the first (or last) extreme of rows and of columns stands. A NaN counts as the extreme.
//
// Numbers of at most 16 bits are compared as floats, the others as what they are (W): a row is
// looked at in pieces, columns a row at a time, both converted on the stack where they have to be.
#pragma once

#include <algorithm>
#include <array>

#include "providers/cpu/arith/maps_f64/maps_f64.h"
#include "providers/cpu/arith/plain_rows/plain_rows.h"
#include "providers/cpu/arith/reduce_f32/reduce_f32.h"
#include "providers/cpu/bind/rows/order_row.h"
#include "providers/cpu/elements/convert.h"

namespace ortc::cpu {

// Elements as W, from the i-th on: where they lie, or in `room`.
struct ArgSource {
  const std::byte* data;
  int64_t bytes;         // of an element
  ConvertRow converter;  // null where none is needed

  template <typename W>
  const W* read(int64_t i, int64_t n, W* room) const {
    const std::byte* from = data + i * bytes;
    if (converter == nullptr) return reinterpret_cast<const W*>(from);
    converter(from, room, n);
    return room;
  }
};

// The extreme so far, and where it stands.
template <bool kLargest, bool kLast, typename W>
struct ArgBest {
  W value{};
  int64_t at = -1;

  // Whether one behind it takes its place.
  bool yields_to(W other) const {
    if (at < 0) return true;
    const bool is_beyond = kLargest ? other > value : other < value;
    const bool is_nan = other != other, is_open = value == value;
    return kLast ? is_nan || (is_open && (is_beyond || other == value))
                 : is_open && (is_beyond || is_nan);
  }
  bool is_like(W other) const { return other == value || (other != other && value != value); }
};

struct ArgKernels {
  const PlainRowsKernels& plain;
  const ReduceF32Kernels& reduce;
  const MapsF64Kernels& doubles;
  explicit ArgKernels(Isa isa)
      : plain(plain_rows_kernels(isa)),
        reduce(reduce_f32_kernels(isa)),
        doubles(maps_f64_kernels(isa)) {}

  // Of at least one element.
  template <bool kLargest, typename W>
  W extreme_of(const W* x, int64_t n) const {
    const auto size = static_cast<size_t>(n);
    if constexpr (std::is_same_v<W, float>) {
      return (kLargest ? reduce.largest : reduce.smallest).row(x, size);
    } else if constexpr (std::is_same_v<W, double>) {
      return (kLargest ? doubles.largest : doubles.smallest).row(x, size);
    } else if constexpr (std::is_same_v<W, int32_t> || std::is_same_v<W, int64_t>) {
      const auto range_of = [&] {
        if constexpr (sizeof(W) == 8)
          return plain.range_i64(x, size);
        else
          return plain.range_i32(x, size);
      };
      const PlainRowsKernels::Range range = range_of();
      return static_cast<W>(kLargest ? range.most : range.least);
    } else {
      return extreme_of_row<kLargest>(x, n);
    }
  }
};

// The index in one row of neighbours: first the extreme of each piece is found, then where it
// stands in the best of them.
constexpr int64_t kArgPiece = 1024;
template <bool kLargest, bool kLast, typename W>
int64_t arg_row(const ArgKernels& kernels, const ArgSource& x, int64_t begin, int64_t size) {
  W room[kArgPiece];
  ArgBest<kLargest, kLast, W> best;
  for (int64_t at = 0; at < size; at += kArgPiece) {
    const int64_t n = std::min(kArgPiece, size - at);
    const W* piece = x.read(begin + at, n, room);
    const W extreme = kernels.extreme_of<kLargest>(piece, n);
    if (best.yields_to(extreme)) best = {extreme, at};
  }
  const int64_t n = std::min(kArgPiece, size - best.at);
  const W* piece = x.read(begin + best.at, n, room);
  int64_t place = kLast ? n - 1 : 0;
  while (!best.is_like(piece[place])) place += kLast ? -1 : 1;
  return best.at + place;
}

// The first extremes of n rows of a few elements, one behind the other, without a branch on them.
template <bool kLargest, typename W>
void arg_short_rows(const W* x, int64_t size, int64_t* y, int64_t n) {
  for (int64_t row = 0; row < n; ++row, x += size) {
    int64_t at = 0;
    for (int64_t i = 1; i < size; ++i) {
      const W value = x[i], best = x[at];
      const bool is_beyond = kLargest ? value > best : value < best;
      int64_t mask = -int64_t{(best == best) & (is_beyond | (value != value))};
      __asm__("" : "+r"(mask));  // what compilers cannot see is no branch
      at ^= (at ^ i) & mask;
    }
    y[row] = at;
  }
}

// The same for the first extreme of floats, from one that is more extreme than all before to the
// next: a random row has few of them. Where there are many, the extreme of the rest comes first.
template <bool kLargest>
int64_t first_arg_row(const ArgKernels& kernels, const float* x, int64_t size) {
  constexpr int kSteps = 24;
  const auto find = kLargest ? kernels.plain.find_above : kernels.plain.find_below;
  int64_t at = 0;
  for (int step = 0; step < kSteps; ++step) {
    if (x[at] != x[at]) return at;
    const auto left = static_cast<size_t>(size - at - 1);
    const size_t next = find(x + at + 1, left, x[at]);
    if (next == left) return at;
    at += 1 + static_cast<int64_t>(next);
  }
  const ArgSource rest{reinterpret_cast<const std::byte*>(x + at), sizeof(float), nullptr};
  return at + arg_row<kLargest, false, float>(kernels, rest, 0, size - at);
}

// y[0, n) for n <= kArgColumns neighbouring columns, whose elements lie `stride` apart.
constexpr int64_t kArgColumns = 256;
template <bool kLargest, bool kLast, typename W>
[[gnu::noinline]] void arg_columns(const ArgSource& x, int64_t begin, int64_t stride, int64_t size,
                                   int64_t* y, int64_t n) {
  using Index = std::conditional_t<sizeof(W) == 8, int64_t, int32_t>;  // as wide as what it is of
  W best[kArgColumns], room[kArgColumns];
  Index index[kArgColumns] = {};
  std::copy_n(x.read(begin, n, room), n, best);
  for (int64_t at = 1; at < size; ++at) {
    const W* row = x.read(begin + at * stride, n, room);
    for (int64_t i = 0; i < n; ++i) {
      const W value = row[i];
      const bool beyond = kLargest ? value > best[i] : value < best[i];
      const bool is_nan = value != value;
      const bool is_open = best[i] == best[i];
      const bool takes =
          kLast ? is_nan | (is_open & (beyond | (value == best[i]))) : is_open & (beyond | is_nan);
      best[i] = takes ? value : best[i];
      index[i] = takes ? static_cast<Index>(at) : index[i];
    }
  }
  for (int64_t i = 0; i < n; ++i) y[i] = index[i];
}

// The same for the first extremes of eight or more columns of doubles: they are found first, and
// where they stand from the last row to the first. False where NaN is among them.
template <bool kLargest>
bool first_arg_columns(const ArgKernels& kernels, const double* x, int64_t stride, int64_t size,
                       int64_t* y, int64_t n) {
  double best[kArgColumns];
  int64_t index[kArgColumns] = {};
  std::fill_n(best, n, neutral_extreme<kLargest, double>());
  (kLargest ? kernels.doubles.largest : kernels.doubles.smallest)
      .columns(x, static_cast<size_t>(stride), static_cast<size_t>(size), best,
               static_cast<size_t>(n));
  if (std::any_of(best, best + n, [](double value) { return value != value; })) return false;
  for (int64_t at = size - 1; at >= 0; --at) {
    const double* row = x + at * stride;
    for (int64_t i = 0; i < n; ++i) index[i] = row[i] == best[i] ? at : index[i];
  }
  std::copy_n(index, n, y);
  return true;
}

// So few columns of so many elements are looked at in pieces: in most of them nothing is as extreme
// as what was found before. Rows that follow each other count as one, of more columns, none of
// which waits for the element before.
constexpr int64_t kArgNarrow = 16, kArgLong = 256, kArgBeside = 64;
template <bool kLargest, typename W>
using ArgBests = std::array<ArgBest<kLargest, false, W>, kArgNarrow>;

// Rows [row, row + rows) of n columns.
template <bool kLargest, typename W>
[[gnu::noinline]] void arg_narrow_piece(const W* x, int64_t row, int64_t rows, int64_t n,
                                        ArgBests<kLargest, W>& bests) {
  const int64_t beside = std::min(kArgBeside / n, rows), steps = rows / beside, width = beside * n;
  int64_t places[kArgBeside];
  const ArgSource source{reinterpret_cast<const std::byte*>(x), sizeof(W), nullptr};
  arg_columns<kLargest, false, W>(source, 0, width, steps, places, width);
  for (int64_t i = 0; i < n; ++i) {
    ArgBest<kLargest, false, W> best;  // in the piece
    for (int64_t j = 0; j < beside + rows - steps * beside; ++j) {
      const int64_t at = j < beside ? places[j * n + i] * beside + j : steps * beside + j - beside;
      const W value = x[at * n + i];
      if (best.at >= 0 && best.is_like(value) ? at < best.at : best.yields_to(value)) {
        best = {value, at};
      }
    }
    auto& all = bests[static_cast<size_t>(i)];
    if (all.yields_to(best.value)) all = {best.value, row + best.at};
  }
}

template <bool kLargest, typename W>
void arg_narrow(const ArgKernels& kernels, const ArgSource& x, int64_t begin, int64_t size,
                int64_t* y, int64_t n) {
  W room[kArgPiece];
  ArgBests<kLargest, W> bests;
  const int64_t most = kArgPiece / n;
  for (int64_t row = 0; row < size; row += most) {
    const int64_t rows = std::min(most, size - row);
    const W* piece = x.read(begin + row * n, rows * n, room);
    const W extreme = kernels.extreme_of<kLargest>(piece, rows * n);
    const auto end = bests.begin() + n;
    if (std::any_of(bests.begin(), end, [&](auto& best) { return best.yields_to(extreme); })) {
      arg_narrow_piece<kLargest, W>(piece, row, rows, n, bests);
    }
  }
  for (int64_t i = 0; i < n; ++i) y[i] = bests[static_cast<size_t>(i)].at;
}

}  // namespace ortc::cpu
