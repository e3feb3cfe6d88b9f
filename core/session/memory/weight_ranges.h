// SPDX-License-Identifier: MIT
// Where the constants of plans lie in memory.
#pragma once

#include <span>
#include <vector>

#include "core/base/byte_ranges.h"
#include "core/plan/plan.h"

namespace ortc {

// Of the constants of a main plan and of what it calls (null: not a plan), those that a run reads
// first come first; each once. Ranges of neighbours are one.
std::vector<Bytes> weights_in_order(const Plan& main,
                                    std::span<const std::shared_ptr<const Plan>> callees);

}  // namespace ortc
