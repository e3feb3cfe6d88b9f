// SPDX-License-Identifier: MIT
// Work handed out in two halves, each by a counter: some threads begin with the first, the others
// with the second, and who ends one goes on with the other. So a thread meets in its caches what it
// made in the loop before, and no thread waits while there is something to take.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ortc {

class Halves {
 public:
  Halves() = default;
  Halves(uint64_t first, uint64_t end) { set(first, end); }

  // Hands out [first, end). Before any thread takes.
  void set(uint64_t first, uint64_t end) {
    const uint64_t middle = first + (end - first + 1) / 2;
    halves_[0].next.store(first, std::memory_order_relaxed);
    halves_[0].end = middle;
    halves_[1].next.store(middle, std::memory_order_relaxed);
    halves_[1].end = end;
  }

  // f(i) for what this thread takes until nothing is left, of half `begin` first; their number.
  template <typename F>
  uint64_t take(size_t begin, const F& f) {
    return take_from(halves_[begin], f) + take_from(halves_[1 - begin], f);
  }

  // Nothing more is handed out.
  void stop() {
    for (Half& half : halves_) half.next.store(half.end, std::memory_order_relaxed);
  }

 private:
  struct alignas(64) Half {
    std::atomic<uint64_t> next{0};
    uint64_t end = 0;
  };

  template <typename F>
  static uint64_t take_from(Half& half, const F& f) {
    for (uint64_t taken = 0;; ++taken) {
      const uint64_t i = half.next.fetch_add(1, std::memory_order_relaxed);
      if (i >= half.end) return taken;
      f(i);
    }
  }

  Half halves_[2];
};

}  // namespace ortc
