// SPDX-License-Identifier: MIT
// Monotonic time, for reports and deadlines; the time of day, for names of files.
#pragma once

#include <chrono>
#include <cstdint>

namespace ortc {

inline int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Since 1970, UTC.
inline int64_t wall_clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace ortc
