// SPDX-License-Identifier: MIT
// The kernel of a custom node: an OrtCustomOp's, as an object that a plan calls.
#pragma once

#include "core/api/custom/program_operator.h"

namespace ortc::api {

// INVALID_ARGUMENT when the operator makes none, or what it says itself.
Result<std::shared_ptr<const ComputeObject>> make_custom_kernel(const OpDeclaration& declaration,
                                                                KeptLibraries kept,
                                                                const Node& node,
                                                                const CustomKernelPlace& place);

}  // namespace ortc::api
