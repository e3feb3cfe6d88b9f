// SPDX-License-Identifier: MIT
// What divided loops have cost so far, so that the next one knows whether a worker is worth its
// while. A worker that waits awake costs a few cache lines, one that sleeps must be woken: some
// microseconds of the caller, and more until it comes.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace ortc {

// Of loops by body and size, for the whole process: sessions of one model share it. Any thread;
// what two write at the same time, or of two loops with one place, is wrong by chance and costs
// time, nothing else.
class LoopCosts {
 public:
  static constexpr uint32_t kUnknown = UINT32_MAX;

  static uint64_t name_of(const void* body, int64_t count, int64_t grain) {
    uint64_t name = reinterpret_cast<uintptr_t>(body) * 0x9E3779B97F4A7C15u;
    name = (name ^ static_cast<uint64_t>(count)) * 0xC2B2AE3D27D4EB4Fu;
    name = (name ^ static_cast<uint64_t>(grain)) * 0x9E3779B97F4A7C15u;
    return name ^ (name >> 32);
  }
  // Nanoseconds of one thread; kUnknown for a loop that was not there yet.
  uint32_t cost(uint64_t name) const {
    const uint64_t entry = place(name).load(std::memory_order_relaxed);
    return tag(entry) == tag_of(name) ? static_cast<uint32_t>(entry) : kUnknown;
  }
  // Threads lose time to others: a smaller number counts at once, a larger one when it comes again.
  void learn(uint64_t name, int64_t ns) {
    const uint32_t known = cost(name);
    auto now = static_cast<uint32_t>(ns < 0 ? 0 : ns < kMost ? ns : kMost);
    if (known != kUnknown && now > known) now = known + (now - known) / 8;
    place(name).store(uint64_t{tag_of(name)} << 32 | now, std::memory_order_relaxed);
  }

 private:
  static constexpr size_t kPlaces = 512;
  static constexpr int64_t kMost = 1'000'000'000;
  static uint32_t tag(uint64_t entry) { return static_cast<uint32_t>(entry >> 32); }
  static uint32_t tag_of(uint64_t name) { return static_cast<uint32_t>(name >> 32) | 1; }
  std::atomic<uint64_t>& place(uint64_t name) { return places_[name % kPlaces]; }
  const std::atomic<uint64_t>& place(uint64_t name) const { return places_[name % kPlaces]; }

  std::array<std::atomic<uint64_t>, kPlaces> places_{};
};

}  // namespace ortc
