// SPDX-License-Identifier: MIT
// Outputs that the caller provides memory for: what is said when they are not as the result is.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "core/kernel/value_ref.h"

namespace ortc {

inline bool fits(const ValueRef& provided, DType dtype, std::span<const int64_t> dims) {
  return provided.dtype == dtype && std::ranges::equal(provided.dims(), dims);
}

std::string provided_text(std::string_view output, std::string_view provided,
                          std::string_view expected);

// INVALID_ARGUMENT, of an output that does not fit the result's type and shape.
Status wrong_provided(std::string_view output, const ValueRef& provided, DType dtype,
                      std::span<const int64_t> dims);

}  // namespace ortc
