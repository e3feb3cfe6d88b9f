// SPDX-License-Identifier: MIT
// y[i] = table[x[i]] for a table of 256 bytes, in plain C++.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ortc::cpu {
namespace {

void look_up(const uint8_t* x, const uint8_t* table, uint8_t* y, size_t n) {
  for (size_t i = 0; i < n; ++i) y[i] = table[x[i]];
}

}  // namespace
}  // namespace ortc::cpu
