// SPDX-License-Identifier: MIT
// How much arithmetic a node is.
#pragma once

#include <cstdint>
#include <optional>

#include "core/graph/graph.h"

namespace ortc {

// Of products and convolutions two for each pair that is multiplied and added, of operators that
// compute element by element one for each element, of those that only move data none. Nothing where
// shapes are not known or the operator is another.
std::optional<uint64_t> operation_count(const Node& node);

}  // namespace ortc
