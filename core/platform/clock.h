// SPDX-License-Identifier: MIT
// Monotonic time, for reports and deadlines.
#pragma once

#include <chrono>
#include <cstdint>

namespace ortc {

inline int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace ortc
