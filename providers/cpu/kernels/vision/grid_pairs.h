// SPDX-License-Identifier: MIT
// Points of an image, each interpolated from two neighbours in one row and two in the row below, in
// every channel alike: where they lie and their weights are worked out once, then channel after
// channel is read.
//
// Where they lie is a matter of chance, so four points at a time are placed without a branch.
//
// A corner that is not to be read may lie in the image all the same: its bits are cleared, so that
// an infinity there does no harm.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace ortc::cpu {

// Two neighbours of an axis, from `first` on.
struct AxisPair {
  int64_t first = 0;
  std::array<float, 2> weight{};
  std::array<bool, 2> is_read{};
};

// An axis along which points are placed together. A place outside it is that of the nearest pixel
// where `is_clamped`, else it reads as 0.
struct PlacedAxis {
  static constexpr int64_t kSizeMost = 1 << 22;  // pixels that floats count with their fractions
  int32_t size;                                  // 2 at least
  bool align_corners, is_clamped;
};

class GridPairs {
 public:
  static constexpr size_t kMost = 256;  // points

  bool is_full() const { return count_ == kMost; }
  void clear() { count_ = 0; }

  // A point of an image whose rows have so many pixels.
  void add(const AxisPair& row, const AxisPair& column, int64_t row_size) {
    const size_t k = count_++, pair = k / 2, lane = k % 2 * 2;
    offset_[k] = row.first * row_size + column.first;
    for (size_t i = 0; i < 2; ++i) {
      for (size_t j = 0; j < 2; ++j) {
        weight_[i][pair][lane + j] = row.weight[i] * column.weight[j];
        read_[i][pair][lane + j] = row.is_read[i] && column.is_read[j] ? -1 : 0;
      }
    }
  }

  // At most four points at the places of `grid`, x and y in turn; nothing behind them is read.
  // There are a multiple of four before.
  void add_some(const PlacedAxis& rows, const PlacedAxis& columns, const float* grid,
                size_t count) {
    float places[8] = {};
    std::memcpy(places, grid, 2 * count * sizeof(float));
    Floats4 a, b;
    std::memcpy(&a, places, sizeof a);
    std::memcpy(&b, places + 4, sizeof b);
    add_four(pairs_at(rows, in_pixels(rows, __builtin_shufflevector(a, b, 1, 3, 5, 7))),
             pairs_at(columns, in_pixels(columns, __builtin_shufflevector(a, b, 0, 2, 4, 6))),
             columns.size, count);
  }

  // Four at places that are counted in pixels, each times a factor; `count` of them are to stay.
  void add_pixels(const PlacedAxis& rows, const PlacedAxis& columns, const float* y, const float* x,
                  const float* factor, size_t count) {
    Floats4 down, along, times;
    std::memcpy(&down, y, sizeof down);
    std::memcpy(&along, x, sizeof along);
    std::memcpy(&times, factor, sizeof times);
    FourPairs row = pairs_at(rows, down);
    for (Floats4& weight : row.weight) weight *= times;
    add_four(row, pairs_at(columns, along), columns.size, count);
  }

  // y[k] = point k of the channel x.
  void blend(const float* x, int64_t row_size, float* y) const {
    size_t k = 0;
    for (; k + 4 <= count_; k += 4) {
      const Floats4 points = four(x, row_size, k);
      std::memcpy(y + k, &points, sizeof points);
    }
    for (; k < count_; ++k) {
      const Floats4 sum = k % 2 == 0 ? one(x, row_size, k, k) : one(x, row_size, k - 1, k);
      y[k] = k % 2 == 0 ? sum[0] + sum[1] : sum[2] + sum[3];
    }
  }

 private:
  typedef float Floats4 __attribute__((vector_size(16)));
  typedef int32_t Ints4 __attribute__((vector_size(16)));
  typedef double Doubles2 __attribute__((vector_size(16)));

  struct FourPairs {
    Ints4 first;
    Floats4 weight[2];
    Ints4 is_read[2];  // all bits, or none
  };
  static Floats4 chosen(Floats4 v, Ints4 mask) {
    return reinterpret_cast<Floats4>(reinterpret_cast<Ints4>(v) & mask);
  }
  static Floats4 in_pixels(const PlacedAxis& axis, Floats4 x) {
    const auto size = static_cast<float>(axis.size);
    return axis.align_corners ? (x + 1) / 2 * (size - 1) : ((x + 1) * size - 1) / 2;
  }
  // Of the two pixels beside a place none, one or both are in the image.
  static FourPairs pairs_at(const PlacedAxis& axis, Floats4 at) {
    const Floats4 none{};
    const auto size = static_cast<float>(axis.size);
    const Floats4 lowest = none + (axis.is_clamped ? 0.0f : -2.0f);
    const Floats4 highest = none + (axis.is_clamped ? size - 1 : size + 1);
    at = at < highest ? at : at >= highest ? highest : lowest;  // what is not a number, too
    at = at > lowest ? at : lowest;
    const Ints4 truncated = __builtin_convertvector(at, Ints4);
    const Ints4 floor = truncated + (at < __builtin_convertvector(truncated, Floats4));
    const Floats4 right = at - __builtin_convertvector(floor, Floats4), left = 1 - right;
    const Ints4 zero{}, last = zero + (axis.size - 2);
    const Ints4 first = floor < zero ? zero : floor > last ? last : floor;
    const Ints4 side = floor - first;
    const Ints4 is_both = side == 0, is_before = side == -1, is_behind = side == 1;
    return {first,
            {chosen(left, is_both) + chosen(right, is_before),
             chosen(right, is_both) + chosen(left, is_behind)},
            {is_both | is_before, is_both | is_behind}};
  }

  void add_four(const FourPairs& row, const FourPairs& column, int64_t row_size, size_t count) {
    const size_t pair = count_ / 2;
    for (size_t i = 0; i < 4; ++i) {
      offset_[count_ + i] = row.first[i] * row_size + column.first[i];
    }
    for (size_t i = 0; i < 2; ++i) {
      const Floats4 left = row.weight[i] * column.weight[0];
      const Floats4 right = row.weight[i] * column.weight[1];
      const Ints4 reads_left = row.is_read[i] & column.is_read[0];
      const Ints4 reads_right = row.is_read[i] & column.is_read[1];
      weight_[i][pair] = __builtin_shufflevector(left, right, 0, 4, 1, 5);
      weight_[i][pair + 1] = __builtin_shufflevector(left, right, 2, 6, 3, 7);
      read_[i][pair] = __builtin_shufflevector(reads_left, reads_right, 0, 4, 1, 5);
      read_[i][pair + 1] = __builtin_shufflevector(reads_left, reads_right, 2, 6, 3, 7);
    }
    count_ += count;
  }
  // The neighbours at p, and those at q.
  static Ints4 neighbours(const float* p, const float* q) {
    double low, high;
    std::memcpy(&low, p, sizeof low);
    std::memcpy(&high, q, sizeof high);
    return reinterpret_cast<Ints4>(Doubles2{low, high});
  }
  // The left and the right half of the points k and m, whose weights stand together.
  Floats4 one(const float* x, int64_t row_size, size_t k, size_t m) const {
    const float *p = x + offset_[k], *q = x + offset_[m];
    const auto top = reinterpret_cast<Floats4>(neighbours(p, q) & read_[0][k / 2]);
    const auto below =
        reinterpret_cast<Floats4>(neighbours(p + row_size, q + row_size) & read_[1][k / 2]);
    return weight_[0][k / 2] * top + weight_[1][k / 2] * below;
  }
  Floats4 four(const float* x, int64_t row_size, size_t k) const {
    const Floats4 a = one(x, row_size, k, k + 1), b = one(x, row_size, k + 2, k + 3);
    const Floats4 left = __builtin_shufflevector(a, b, 0, 2, 4, 6);
    const Floats4 right = __builtin_shufflevector(a, b, 1, 3, 5, 7);
    return left + right;
  }

  size_t count_ = 0;
  std::array<int64_t, kMost> offset_;
  std::array<std::array<Floats4, kMost / 2>, 2> weight_;
  std::array<std::array<Ints4, kMost / 2>, 2> read_;
};

}  // namespace ortc::cpu
