// SPDX-License-Identifier: MIT
// Where the elements of a padded tensor come from: the places of neighbouring rows or elements in a
// table, which is the same for all groups of so many, and the groups one behind the other. Most
// places then cost no division.
#pragma once

#include <array>
#include <cstdint>

#include "providers/cpu/bind/dim_list.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/kernels/movement/pad.h"

namespace ortc::cpu {

enum class PadMode : uint32_t { kConstant = 0, kReflect = 1, kEdge = 2, kWrap = 3 };

// The index that stands at `i` (counted from the input's first) of a dimension of `size`; -1 where
// the constant stands.
inline int64_t source_index(PadMode mode, int64_t i, int64_t size) {
  if (i >= 0 && i < size) return i;
  switch (mode) {
    case PadMode::kConstant:
      return -1;
    case PadMode::kEdge:
      return i < 0 ? 0 : size - 1;
    case PadMode::kWrap:
      return (i % size + size) % size;
    case PadMode::kReflect: {
      if (size == 1) return 0;
      const int64_t period = 2 * (size - 1);
      const int64_t phase = (i % period + period) % period;
      return phase < size ? phase : period - phase;
    }
  }
  return -1;
}

// The tensors that a padding is of: `from` in elements, or in blocks of them.
struct PadShape {
  PadMode mode;
  const ValueRef &x, &y;
  const Pads& pads;

  int64_t source(size_t axis, int64_t i) const {
    return source_index(mode, i - pads.before[axis], x.dim(axis));
  }
};

// Places of the axes [first, end), relative to a group; -1 where a constant stands.
struct PadPlaces {
  static constexpr int64_t kMost = 1024;
  size_t first;
  int64_t count = 1;   // in the output
  int64_t stride = 1;  // elements of a group of the input
  std::array<int64_t, kMost> at;

  // As many axes in front of `end` as there is room for; `row` elements of the input at each place.
  PadPlaces(const PadShape& shape, size_t end, int64_t row) : first(end), stride(row) {
    at[0] = 0;
    for (; first > 0 && count * shape.y.dim(first - 1) <= kMost; --first) prepend(shape, first - 1);
  }

 private:
  // From the last index on: the places of the first, on which the others are made, go last.
  void prepend(const PadShape& shape, size_t axis) {
    const int64_t n = shape.y.dim(axis);
    for (int64_t i = n; i-- > 0;) {
      const int64_t index = shape.source(axis, i);
      for (int64_t k = 0; k < count; ++k) {
        at[static_cast<size_t>(i * count + k)] = index < 0 || at[static_cast<size_t>(k)] < 0
                                                     ? -1
                                                     : index * stride + at[static_cast<size_t>(k)];
      }
    }
    count *= n;
    stride *= shape.x.dim(axis);
  }
};

// Groups in their order, from number `group` on.
class PadGroups {
 public:
  PadGroups(const PadShape& shape, const PadPlaces& places, int64_t group)
      : shape_(shape), axes_(places.first), stride_(places.stride) {
    if (axes_ == 0) return;
    const int64_t n = shape.y.dim(axes_ - 1);
    index_ = group % n;
    find_image(group / n);
  }

  // Of the first element in the input; -1 where a constant stands.
  int64_t offset() const {
    if (axes_ == 0) return 0;
    const int64_t index = shape_.source(axes_ - 1, index_);
    return image_ < 0 || index < 0 ? -1 : image_ + index * stride_;
  }

  void advance() {
    if (axes_ == 0 || ++index_ < shape_.y.dim(axes_ - 1)) return;
    index_ = 0;
    find_image(number_ + 1);
  }

 private:
  // Image `number` of the output: all axes in front of the one that index_ is of.
  void find_image(int64_t number) {
    number_ = number;
    image_ = 0;
    int64_t stride = stride_ * shape_.x.dim(axes_ - 1);
    for (size_t axis = axes_ - 1; axis-- > 0;) {
      const int64_t index = shape_.source(axis, number % shape_.y.dim(axis));
      if (index < 0) {
        image_ = -1;
        return;
      }
      image_ += index * stride;
      stride *= shape_.x.dim(axis);
      number /= shape_.y.dim(axis);
    }
  }

  const PadShape& shape_;
  const size_t axes_;
  const int64_t stride_;
  int64_t index_ = 0, number_ = 0, image_ = 0;
};

}  // namespace ortc::cpu
