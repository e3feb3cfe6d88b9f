// SPDX-License-Identifier: MIT
// One divided loop of a pool. The state is a flag "open", a flag "caller sleeps" and the count of
// workers inside. Workers enter by compare-and-swap while it is open. Blocks are handed out in
// halves: the caller and every second worker begin with the first, the others with the second. The
// caller takes blocks too, closes the slot when none are left and returns when the last worker has
// left it. Slots live as long as the workers, so that one that comes too late touches memory that
// is still there and finds it closed.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>

#include "core/platform/machine/floating_point_mode.h"
#include "core/platform/pool/halves.h"
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
  ToldLoop* told = nullptr;  // null: no one is told about this loop
  Halves blocks;
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
  void set_blocks(uint64_t first) { blocks.set(first, block_count); }

  // Takes blocks until none are left, those of half `half` first; gives their number.
  uint64_t run_blocks(size_t half) {
    return blocks.take(half, [&](uint64_t block) {
      const int64_t begin = static_cast<int64_t>(block) * grain;
      try {
        body(context, begin, begin + std::min(grain, count - begin));
      } catch (...) {
        blocks.stop();
        if (!has_failed.exchange(true)) exception = std::current_exception();
      }
    });
  }
};

}  // namespace ortc
