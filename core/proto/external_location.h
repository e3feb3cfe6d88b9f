// SPDX-License-Identifier: MIT
// Names of files beside a model, as external_data and programs spell them.
#pragma once

#include <string>
#include <string_view>

namespace ortc {

// The same name without what means nothing: "./a//b/./c" is "a/b/c". ".." stays, for those who
// refuse it.
std::string plain_location(std::string_view location);

}  // namespace ortc
