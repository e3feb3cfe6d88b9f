// SPDX-License-Identifier: MIT
// Private memory of this process: Anonymous + Swap of /proc/self/smaps_rollup. Pages of mapped
// files, also of freshly written ones, do not count.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace bench {

uint64_t private_bytes();
uint64_t resident_bytes();

// Samples private memory every two milliseconds until it is stopped. The sampling costs time:
// what it watches is not to be timed.
class PeakSampler {
 public:
  PeakSampler();
  ~PeakSampler();
  // The largest value seen, in bytes.
  uint64_t stop();

 private:
  std::atomic<bool> is_over_ = false;
  uint64_t peak_ = 0;  // of the thread until it is joined
  std::thread thread_;
};

}  // namespace bench
