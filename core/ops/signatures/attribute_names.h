// SPDX-License-Identifier: MIT
// Which attributes ONNX's operators may have, so that one that is left out can be told from one
// that does not exist.
#pragma once

#include <string_view>

namespace ortc {

// Whether a node of the operator may have the attribute, in some version of the operator. Known of
// ONNX's own operators, ai.onnx.ml's, and com.microsoft.EPContext; false for all others.
bool may_have_attribute(std::string_view domain, std::string_view op_type, std::string_view name);

}  // namespace ortc
