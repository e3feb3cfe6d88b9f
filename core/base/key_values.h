// SPDX-License-Identifier: MIT
// Names and values as texts: config entries, options of providers, metadata.
#pragma once

#include <map>
#include <string>

namespace ortc {

using KeyValues = std::map<std::string, std::string>;

}  // namespace ortc
