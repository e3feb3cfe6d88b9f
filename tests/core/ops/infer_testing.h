// SPDX-License-Identifier: MIT
// Short words of the tests of inference.
#pragma once

#include <string_view>

#include "core/graph/type.h"

namespace ortc::test {

inline constexpr DType kFloat = DType::kFloat32;
// A dimension of any size, and one of this size.
inline Dim n() { return Dim::named("n"); }
inline Dim of(int64_t value) { return Dim::known(value); }

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace ortc::test
