// SPDX-License-Identifier: MIT
// One walk over the elements.

#include "tools/ortc/values/statistics.h"

#include <algorithm>
#include <cmath>

#include "tools/ortc/values/element_forms.h"

namespace ortc::tool {

Statistics statistics_of(const NpyArray& array, ONNXTensorElementDataType type) {
  const ElementForm& form = form_of(type);
  Statistics result;
  if (!form.is_number()) return result;
  result.is_known = true;
  double sum = 0;
  const size_t size = form.file_bytes();
  for (size_t i = 0; i < array.data.size(); i += size) {
    const double number = number_at(array.data.data() + i, form);
    if (!std::isfinite(number)) {
      result.non_finite_count++;
      continue;
    }
    result.min = result.finite_count == 0 ? number : std::min(result.min, number);
    result.max = result.finite_count == 0 ? number : std::max(result.max, number);
    sum += number;
    result.finite_count++;
  }
  if (result.finite_count > 0) result.mean = sum / static_cast<double>(result.finite_count);
  return result;
}

}  // namespace ortc::tool
