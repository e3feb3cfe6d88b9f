// SPDX-License-Identifier: MIT
// The version of the context binary, which providers name in their compatibility texts. Readers
// refuse another major version.
#pragma once

#include <cstdint>

namespace ortc {

inline constexpr uint16_t kContextMajor = 1;
inline constexpr uint16_t kContextMinor = 0;

}  // namespace ortc
