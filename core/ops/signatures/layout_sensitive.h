// SPDX-License-Identifier: MIT
// Operators whose meaning depends on which axis is the channels', and their channels-last forms.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/graph/graph.h"
#include "core/ops/op_list.h"

namespace ortc {

// Whether providers that ask for channels-last data get the operator so when they do not say.
bool is_layout_sensitive(std::string_view op_type);

// The operator of ONNX or com.microsoft that a name in the channels-last domain means; other
// domains are themselves.
std::string_view standard_domain(std::string_view domain, std::string_view op_type);

// The row of a node's operator, that of the standard one for a channels-last form; null for an
// unknown one.
const OpRow* op_row_of(const Node& node);

}  // namespace ortc
