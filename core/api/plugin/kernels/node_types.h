// SPDX-License-Identifier: MIT
// What kernel definitions go by: the version of a node's operator, and the types of its values by
// the names that the operator's specification gives them.
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace ortc::api {

// From which opset on the operator is as the node has it; 1 for operators of programs.
int version_of(const Node& node);

// The type of the first value, inputs first, that the type parameter ("T"), input or output of that
// name is about; null when the node has none of them. FAIL when the operator knows no such name.
Result<const Type*> type_under(const Node& node, std::string_view parameter);

}  // namespace ortc::api
