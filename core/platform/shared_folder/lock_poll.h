// SPDX-License-Identifier: MIT
// Asking for an flock() until it is given: somebody who may be stopped cannot sleep in the kernel.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/platform/wait_limits.h"

namespace ortc {

class LockPoll {
 public:
  // `limits` must outlive it.
  explicit LockPoll(const WaitLimits& limits) : limits_(limits) {}

  // False when somebody else has the lock until the deadline has passed. A failure of
  // limits.go_on() is given back as it is; FAIL calls the lock `name`.
  Result<bool> lock(int descriptor, const std::string& name);
  bool has_waited() const { return has_waited_; }

 private:
  const WaitLimits& limits_;
  int64_t pause_ns_ = 1000 * 1000;
  bool has_waited_ = false;
};

}  // namespace ortc
