// SPDX-License-Identifier: MIT
// The library's version.
#pragma once

#include <string_view>

namespace ortc {
inline constexpr std::string_view kLibraryVersion = "1.0.0";
}  // namespace ortc
