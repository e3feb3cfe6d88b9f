// SPDX-License-Identifier: MIT
// Attributes in few words, for tests that build many small nodes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/graph/graph.h"

namespace ortc::test {

inline Attribute flag(std::string name, int64_t value = 1) {
  return Attribute::of_int(std::move(name), value);
}
inline Attribute number(std::string name, float value) {
  return Attribute::of_float(std::move(name), value);
}
inline Attribute text(std::string name, std::string value) {
  return Attribute::of_string(std::move(name), std::move(value));
}
inline Attribute integers(std::string name, std::vector<int64_t> values) {
  return Attribute::of_ints(std::move(name), std::move(values));
}

// One row or column of padding on each side of an image.
inline const std::vector<Attribute> kPad = {Attribute::of_ints("pads", {1, 1, 1, 1})};

}  // namespace ortc::test
