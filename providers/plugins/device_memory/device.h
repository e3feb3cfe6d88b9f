// SPDX-License-Identifier: MIT
// The device: memory that the host may not touch. Its bytes are mapped twice, for the device to
// read and write, and without any right for the host; addresses that are given away are of the
// second kind. Who forgets a transfer stops with a signal.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>

namespace device_memory {

// What the device was asked to do, for tests.
struct Counts {
  std::atomic<int> copies_in{0}, copies_out{0}, copies_within{0}, copies_across{0};
  std::atomic<int> blocks{0}, constants{0}, blocks_alive{0}, allocators_alive{0};
  std::atomic<int> blocks_on_streams{0};
  std::atomic<int> streams{0}, streams_alive{0}, notifications_alive{0}, waits{0}, run_ends{0};
  std::atomic<int> waits_on_device{0};
  std::atomic<int> importers_alive{0}, adopted_alive{0}, semaphores_alive{0};
};

class Device {
 public:
  Device();
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // Null when there is no room. Aligned to 64 bytes.
  void* allocate(size_t bytes) noexcept;
  void release(void* address) noexcept;
  // Memory of somebody else as the device's own, from `offset` of the file on. Null when the file
  // cannot be mapped.
  std::byte* adopt(int file, size_t bytes, size_t offset);
  void disown(std::byte* address) noexcept;
  // Where the device finds what lies at an address. std::invalid_argument when it is none of its
  // own.
  std::byte* at(const void* address, size_t bytes) const;

  Counts counts;

 private:
  std::byte* host_view_ = nullptr;
  std::byte* device_view_ = nullptr;
  // Mapped twice, as its own memory is.
  struct Adopted {
    std::byte* host_view;
    std::byte* device_view;
    size_t bytes;
  };

  mutable std::mutex mutex_;
  std::map<size_t, size_t> used_;                // begin and size of each block
  std::map<const std::byte*, Adopted> adopted_;  // by the address that was given away
};

}  // namespace device_memory
