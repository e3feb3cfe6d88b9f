// SPDX-License-Identifier: MIT
// How much memory this process has to itself, and the most it had while something was done.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>

namespace ortc::test {

// Anonymous and swapped bytes of this process, by counters of one moment: a walk over the pages
// takes time on a busy machine, and counts twice what moves meanwhile.
inline int64_t private_bytes() {
  std::ifstream counters("/proc/self/status");
  std::string word;
  int64_t kilobytes = 0, value = 0;
  while (counters >> word) {
    if ((word == "RssAnon:" || word == "VmSwap:") && counters >> value) kilobytes += value;
  }
  return kilobytes * 1024;
}

// The most private bytes there were since, beyond those it found.
class Peak {
 public:
  ~Peak() { stop(); }
  int64_t stop() {
    ends_ = true;
    if (thread_.joinable()) thread_.join();
    return peak_ - begin_;
  }

 private:
  void watch() {
    while (!ends_) {
      peak_ = std::max(peak_, private_bytes());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  const int64_t begin_ = private_bytes();
  int64_t peak_ = begin_;
  std::atomic<bool> ends_{false};
  std::thread thread_{[this] { watch(); }};
};

}  // namespace ortc::test
