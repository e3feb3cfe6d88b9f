// SPDX-License-Identifier: MIT
// While it lives, the files that this thread reads instead of mapping (Access::kRead) belong to
// some work: who watches that may stop them between slices. Files are opened deep inside what knows
// the work, by readers that have no other use for it.
#pragma once

#include "core/platform/work.h"

namespace ortc {

class WatchedReading {
 public:
  explicit WatchedReading(const Work& work);  // outlives it
  ~WatchedReading();
  WatchedReading(const WatchedReading&) = delete;
  WatchedReading& operator=(const WatchedReading&) = delete;

  // What the thread's work says; success when there is none.
  static Status go_on();

 private:
  const Work* before_;
};

}  // namespace ortc
