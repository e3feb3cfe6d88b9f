// SPDX-License-Identifier: MIT
// How long an operation may take that waits for others or for a device, and who may stop it.
#pragma once

#include <cstdint>
#include <functional>

#include "core/base/status.h"

namespace ortc {

struct WaitLimits {
  // Asked again and again, at least every 50 ms while waiting; a failure ends the operation and is
  // its status. May be empty.
  std::function<Status()> go_on;
  int64_t deadline_ns = INT64_MAX;  // by now_ns()
  // Told of bytes that went to a file, and again of those that went to the device; a failure ends
  // the operation and is its status. May be empty.
  std::function<Status(uint64_t bytes)> moved;

  Status check() const { return go_on ? go_on() : Status::ok(); }
  Status check(uint64_t bytes) const { return moved ? moved(bytes) : check(); }
};

}  // namespace ortc
