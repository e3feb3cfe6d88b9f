// SPDX-License-Identifier: MIT
// One walk over both.

#include "tools/ortc/values/difference.h"

#include <algorithm>
#include <cmath>

#include "tools/ortc/values/element_forms.h"

namespace ortc::tool {
namespace {

bool agree(double a, double b, const Tolerance& tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::fabs(a - b) <= tolerance.absolute + tolerance.relative * std::fabs(b);
}

}  // namespace

Difference difference_of(const NpyArray& a, const NpyArray& b, ONNXTensorElementDataType type,
                         const Tolerance& tolerance) {
  Difference result;
  result.element_count = b.element_count();
  const ElementForm& form = form_of(type);
  if (a.shape != b.shape) {
    result.reason = "shapes differ";
    return result;
  }
  result.has_same_bits = a.descr == b.descr && a.data == b.data;
  if (result.has_same_bits) return result;
  if (!form.is_number()) {
    result.reason = "elements differ";
    return result;
  }
  const size_t size = form.file_bytes();
  for (size_t i = 0; i < a.data.size(); i += size) {
    const double x = number_at(a.data.data() + i, form), y = number_at(b.data.data() + i, form);
    if (!agree(x, y, tolerance)) result.count++;
    if (std::isfinite(x) && std::isfinite(y)) {
      result.largest = std::max(result.largest, std::fabs(x - y));
    }
  }
  return result;
}

}  // namespace ortc::tool
