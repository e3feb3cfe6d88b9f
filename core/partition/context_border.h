// SPDX-License-Identifier: MIT
// What may cross the border of a claim that becomes an EPContext node: tensors of the types that
// the operator is declared with.
#pragma once

#include <string>

#include "core/partition/cut_claim.h"

namespace ortc {

// Why an EPContext node cannot take or give a value of this type ("is seq(float32[?]), not a
// tensor"); "" when it can.
std::string fault_in_context(const Type& type);

// The first fault of a claim's inputs and outputs, which are values of `graph`; "" for none. Types
// that are unknown are none.
std::string fault_of_border(const Graph& graph, const CutClaim& claim);

}  // namespace ortc
