// SPDX-License-Identifier: MIT
// One divided loop of a pool. The state is a flag "open", a flag "caller sleeps" and the count of
// workers inside. Workers enter by compare-and-swap while it is open. Blocks are handed out in two
// halves, each by a counter: the caller and every second worker begin with the first, the others
// with the second, and who ends one goes on with the other. So a thread meets in its caches what it
// made in the loop before. The caller takes blocks too, closes the slot when none are left and
// returns when the last worker has left it. Slots live as long as the workers, so that one that
// comes too late touches memory that is still there and finds it closed.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>

#include "core/platform/machine/floating_point_mode.h"
#include "core/platform/pool/told_work.h"

namespace ortc {

struct alignas(64) LoopSlot {
  std::atomic<uint32_t> state{0};
  // Written by the caller before it opens the slot, read by those who entered.
  ThreadPool::Body body = nullptr;
  void* context = nullptr;
  int64_t count = 0;
  int64_t grain = 0;
  uint64_t block_count = 0;
  FloatingPointMode mode = FloatingPointMode::standard();
  ToldLoop* told = nullptr;  // null: nobody hears of this loop
  struct alignas(64) Half {
    std::atomic<uint64_t> next{0};
    uint64_t end = 0;
  };
  Half halves[2];
  std::atomic<bool> has_failed{false};
  std::exception_ptr exception;  // of the one who set has_failed
  std::mutex mutex;              // the caller's sleep
  std::condition_variable left;

  static constexpr uint32_t kOpen = 1u << 31;
  static constexpr uint32_t kCallerSleeps = 1u << 30;
  static constexpr uint32_t kWorkers = kCallerSleeps - 1;

  bool enter() {
    uint32_t old = state.load(std::memory_order_relaxed);
    while ((old & kOpen) != 0) {
      if (state.compare_exchange_weak(old, old + 1, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  void leave() {
    const uint32_t old = state.fetch_sub(1, std::memory_order_acq_rel);
    if ((old & kWorkers) != 1 || (old & kCallerSleeps) == 0) return;
    { std::lock_guard lock(mutex); }
    left.notify_all();
  }

  bool has_no_worker() const { return (state.load(std::memory_order_acquire) & kWorkers) == 0; }

  // Hands out blocks [first, block_count).
  void set_blocks(uint64_t first) {
    const uint64_t middle = first + (block_count - first + 1) / 2;
    halves[0].next.store(first, std::memory_order_relaxed);
    halves[0].end = middle;
    halves[1].next.store(middle, std::memory_order_relaxed);
    halves[1].end = block_count;
  }

  // Takes blocks until none are left, those of half `begin` first; gives their number.
  uint64_t run_blocks(size_t begin) {
    return run_half(halves[begin]) + run_half(halves[1 - begin]);
  }

 private:
  uint64_t run_half(Half& half) {
    for (uint64_t taken = 0;; ++taken) {
      const uint64_t block = half.next.fetch_add(1, std::memory_order_relaxed);
      if (block >= half.end) return taken;
      const int64_t begin = static_cast<int64_t>(block) * grain;
      try {
        body(context, begin, begin + std::min(grain, count - begin));
      } catch (...) {
        for (Half& each : halves) each.next.store(block_count, std::memory_order_relaxed);
        if (!has_failed.exchange(true)) exception = std::current_exception();
        return taken;
      }
    }
  }
};

}  // namespace ortc
