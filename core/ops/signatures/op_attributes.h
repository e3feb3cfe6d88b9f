// SPDX-License-Identifier: MIT
// Which attributes operators have, as ONNX and ONNX Runtime publish it: so that one that is left
// out can be told from one that does not exist, and so that a default never replaces a wrong one.
#pragma once

#include <string_view>

#include "core/base/status.h"
#include "core/graph/graph.h"

namespace ortc {

// Whether a node of the operator may have the attribute, in some version of the operator. Known of
// ONNX's own operators, ai.onnx.ml's, and com.microsoft's; false for all others.
bool may_have_attribute(std::string_view domain, std::string_view op_type, std::string_view name);

// INVALID_GRAPH for an attribute whose kind is another than the operator's version gives it; it
// names the attribute, the expected and the found kind. So for attributes that ONNX's operators do
// not have in that version, unless their names begin with "__". Of other operators that are not in
// the list nothing is said, nor of EPContext; com.microsoft's may have attributes that are not
// listed.
Status check_attributes(const Node& node);

}  // namespace ortc
