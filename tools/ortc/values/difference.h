// SPDX-License-Identifier: MIT
// How far two results are from each other.
#pragma once

#include <string>

#include "tools/ortc/library/api.h"
#include "tools/ortc/values/npy.h"

namespace ortc::tool {

struct Tolerance {
  double relative = 1e-4, absolute = 1e-5;
};

struct Difference {
  std::string reason;  // why they cannot be compared by number; empty: they can
  size_t count = 0;    // elements beyond the tolerance
  size_t element_count = 0;
  double largest = 0;  // of |a - b|, of finite elements
  bool has_same_bits = false;

  bool agrees() const { return reason.empty() && count == 0; }
};

// Elements agree when |a - b| <= absolute + relative * |b|, when both are the same infinity, or
// neither is a number. Texts and bits must be equal.
Difference difference_of(const NpyArray& a, const NpyArray& b, ONNXTensorElementDataType type,
                         const Tolerance& tolerance);

}  // namespace ortc::tool
