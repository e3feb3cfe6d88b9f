// SPDX-License-Identifier: MIT
// Names that are mixed with the seeds of random values, so that two inputs of one shape differ and
// inputs of two models that stand for each other do not.
#pragma once

#include <string>
#include <vector>

#include "tools/ortc/library/api.h"

namespace ortc::tool {

// For each port its own name, or that of an input of another model that no port is called after.
std::vector<std::string> seed_names(const std::vector<Port>& ports,
                                    const std::vector<std::string>& alike);

}  // namespace ortc::tool
