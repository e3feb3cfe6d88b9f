// SPDX-License-Identifier: MIT
// Points of an image, each interpolated from two neighbours in one row and two in the row below, in
// every channel alike: where they lie and their weights are worked out once, then channel after
// channel is read.
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
