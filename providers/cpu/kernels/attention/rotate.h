// SPDX-License-Identifier: MIT
// One head turned in pairs by the angles of its place:
//
//   y1 = cos x1 - sin x2      y2 = sin x1 + cos x2
//
// A pair is (i, i + half), or neighbours when interleaved. What stands behind the pairs stays.
#pragma once

#include <algorithm>
#include <cstdint>

#include "providers/cpu/bind/rows/nd_loop.h"

namespace ortc::cpu {

struct Rotation {
  int64_t size, half;  // of a head; pairs
  bool interleaved;
};

// `y` may be `x`: a pair is read before it is written, and no other is touched.
template <typename T>
void rotate(const T* x, const T* cos, const T* sin, const Rotation& r, T* y) {
  const int64_t half = r.half;
  if (r.interleaved) {
    ORTC_ELEMENTWISE
    for (int64_t i = 0; i < half; ++i) {
      const T a = x[2 * i], b = x[2 * i + 1];
      y[2 * i] = cos[i] * a - sin[i] * b;
      y[2 * i + 1] = sin[i] * a + cos[i] * b;
    }
  } else {
    ORTC_ELEMENTWISE
    for (int64_t i = 0; i < half; ++i) {
      const T a = x[i], b = x[i + half];
      y[i] = cos[i] * a - sin[i] * b;
      y[i + half] = sin[i] * a + cos[i] * b;
    }
  }
  if (x != y) std::copy(x + 2 * r.half, x + r.size, y + 2 * r.half);
}

}  // namespace ortc::cpu
