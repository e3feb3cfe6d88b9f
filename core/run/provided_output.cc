// SPDX-License-Identifier: MIT
// Outputs that the caller provides: see the header.
#include "core/run/provided_output.h"

namespace ortc {

std::string provided_text(std::string_view output, std::string_view provided,
                          std::string_view expected) {
  return str_cat("output '", output, "' was provided as ", provided, ", expected ", expected);
}

Status wrong_provided(std::string_view output, const ValueRef& provided, DType dtype,
                      std::span<const int64_t> dims) {
  return invalid_argument(
      provided_text(output, str_cat(dtype_name(provided.dtype), dims_to_string(provided.dims())),
                    str_cat(dtype_name(dtype), dims_to_string(dims))));
}

}  // namespace ortc
