// SPDX-License-Identifier: MIT
// Attributes whose value is one of several names.
#pragma once

#include <initializer_list>

#include "core/graph/graph.h"

namespace ortc {

// Which of the names the attribute is, `otherwise` standing for one that is not there. A name may
// be empty: it is taken, and not listed when INVALID_GRAPH says what was expected.
Result<uint32_t> one_of(const Node& node, std::string_view attribute, std::string_view otherwise,
                        std::initializer_list<std::string_view> names);

}  // namespace ortc
