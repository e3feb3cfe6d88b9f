// SPDX-License-Identifier: MIT
// Allocators that were registered for all sessions of an environment, one for each memory. What
// memory one gives was asked when it was registered: functions of the program are never called
// under the lock. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "core/api/env/memory_info_handle.h"
#include "ort_c/allocator.h"

namespace ortc::api {

// One allocator stands for it: memory for constants has one of its own.
inline bool is_same_allocator_place(const OrtMemoryInfo& a, const OrtMemoryInfo& b) {
  return is_same_memory(a, b) &&
         (a.allocator_type == OrtReadOnlyAllocator) == (b.allocator_type == OrtReadOnlyAllocator);
}

class RegisteredAllocators {
 public:
  // Asked under the lock, so that what is removed meanwhile does not come back.
  using IsWanted = std::function<bool()>;

  // In place of one that is there for the same memory.
  void put(const OrtMemoryInfo& memory, std::shared_ptr<OrtAllocator> allocator);
  // The same unless it is not wanted any more: false.
  bool put_if(const OrtMemoryInfo& memory, std::shared_ptr<OrtAllocator> allocator,
              const IsWanted& is_wanted);
  // Only where none is there for the same memory, and it is still wanted.
  void put_first(const OrtMemoryInfo& memory, std::shared_ptr<OrtAllocator> allocator,
                 const IsWanted& is_wanted);
  // False when there is none.
  bool remove(const OrtMemoryInfo& memory);
  // Null when there is none. `found` receives what the allocator said of its memory.
  std::shared_ptr<OrtAllocator> find(const OrtMemoryInfo& memory, OrtMemoryInfo* found = nullptr);
  // For a program that keeps the pointer: the allocator stays until the environment ends, also
  // when it is removed. Of one that a library gave only the handle does, which then gives nothing.
  OrtAllocator* lend(const OrtMemoryInfo& memory);

 private:
  struct Entry {
    OrtMemoryInfo memory;
    std::shared_ptr<OrtAllocator> allocator;
  };
  std::vector<Entry>::iterator entry_for(const OrtMemoryInfo& memory);

  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::vector<std::shared_ptr<OrtAllocator>> lent_;
};

}  // namespace ortc::api
