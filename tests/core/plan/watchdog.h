// SPDX-License-Identifier: MIT
// Ends runs of damaged plans: one that was made to compute for minutes tells no more than its first
// milliseconds.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace ortc::test {

// Sets a flag 20 ms after each start().
class Watchdog {
 public:
  ~Watchdog() {
    ends_ = true;
    thread_.join();
  }
  std::atomic<bool>& start() {
    ticks_ = 0;
    stop_ = false;
    return stop_;
  }

 private:
  void watch() {
    while (!ends_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (++ticks_ > 4) stop_ = true;
    }
  }
  std::atomic<bool> stop_{false}, ends_{false};
  std::atomic<int> ticks_{0};
  std::thread thread_{[this] { watch(); }};
};

}  // namespace ortc::test
