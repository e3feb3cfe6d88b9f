// SPDX-License-Identifier: MIT
// Runs of a session, timed; shared by `ortc run` and `ortc bench`.
#pragma once

#include <chrono>
#include <vector>

#include "tools/ortc/api.h"
#include "tools/ortc/inputs.h"
#include "tools/ortc/json.h"

namespace ortc::tool {

class Stopwatch {
 public:
  int64_t elapsed_ns() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

// All outputs, in the order of `outputs`.
std::vector<Value> run_once(OrtSession* session, const std::vector<Input>& inputs,
                            const std::vector<Port>& outputs);

Json session_report(const OrtSession* session);

}  // namespace ortc::tool
