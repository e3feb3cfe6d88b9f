// SPDX-License-Identifier: MIT
// Files of a model, by their paths.
#pragma once

#include <string>
#include <vector>

namespace ortc::tool {

// NO_SUCHFILE when it is not there. What else may be wrong with it is the library's to say.
void check_model_is_there(const std::string& model);

// The model, its external data and its context binaries, as its inspection names them.
std::vector<std::string> files_of(const std::string& model);

}  // namespace ortc::tool
