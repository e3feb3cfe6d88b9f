// SPDX-License-Identifier: MIT
// "did you mean": the name nearest to one that is not known.
#pragma once

#include <string>
#include <vector>

namespace ortc::tool {

// Empty when no name is near. Names that begin with `wrong` are near.
std::string nearest_name(const std::string& wrong, const std::vector<std::string>& names);
// "; did you mean '--output'?", or nothing.
std::string did_you_mean(const std::string& wrong, const std::vector<std::string>& names);

}  // namespace ortc::tool
