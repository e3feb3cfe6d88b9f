// SPDX-License-Identifier: MIT
// What a result looks like at a glance.
#pragma once

#include "tools/ortc/library/api.h"
#include "tools/ortc/values/npy.h"

namespace ortc::tool {

struct Statistics {
  bool is_known = false;  // real numbers only
  size_t non_finite_count = 0;
  double min = 0, max = 0, mean = 0;  // of the finite elements
  size_t finite_count = 0;
};
Statistics statistics_of(const NpyArray& array, ONNXTensorElementDataType type);

}  // namespace ortc::tool
