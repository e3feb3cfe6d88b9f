// SPDX-License-Identifier: MIT
// --dim by the names that a model has: the library ignores a name that no input has.
#pragma once

#include <string>

#include "tools/ortc/command_line/arguments.h"

namespace ortc::tool {

// Throws a usage error with the nearest name. A model that cannot be looked into is left to those
// who load it.
void check_dimensions(const std::string& model, const Pairs& dimensions);

}  // namespace ortc::tool
