// SPDX-License-Identifier: MIT
// A model that gives everything it computes.
#pragma once

#include <string>

#include "core/base/result.h"

namespace ortc {

// The bytes of the model at `path` with every tensor of its main graph among its outputs, in the
// order in which they are made. External weights and contexts stay where they are.
Result<std::string> expose_values(const std::string& path);

}  // namespace ortc
