// SPDX-License-Identifier: MIT
// One head turned in pairs by the angles of its place:
//
//   y1 = cos x1 - sin x2      y2 = sin x1 + cos x2
//
// A pair is (i, i + half), or neighbours when interleaved. What stands behind the pairs stays.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ortc::cpu {

struct Rotation {
  int64_t size, half;  // of a head; pairs
  bool interleaved;
};

// `y` may be `x`.
template <typename T>
void rotate(const T* x, const T* cos, const T* sin, const Rotation& r, T* y) {
  for (int64_t i = 0; i < r.half; ++i) {
    const int64_t first = r.interleaved ? 2 * i : i;
    const int64_t second = r.interleaved ? 2 * i + 1 : i + r.half;
    const T a = x[first], b = x[second];
    y[first] = cos[i] * a - sin[i] * b;
    y[second] = sin[i] * a + cos[i] * b;
  }
  if (x != y) std::copy(x + 2 * r.half, x + r.size, y + 2 * r.half);
}

}  // namespace ortc::cpu
