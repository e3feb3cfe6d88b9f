// SPDX-License-Identifier: MIT
// Allocators of an environment: see the header.
#include "core/api/env/registered_allocators.h"

#include <algorithm>
#include <utility>

#include "core/api/env/ort_allocators.h"

namespace ortc::api {

std::vector<RegisteredAllocators::Entry>::iterator RegisteredAllocators::entry_for(
    const OrtMemoryInfo& memory) {
  return std::ranges::find_if(
      entries_, [&](const Entry& entry) { return is_same_allocator_place(entry.memory, memory); });
}

void RegisteredAllocators::put(const OrtMemoryInfo& memory,
                               std::shared_ptr<OrtAllocator> allocator) {
  put_if(memory, std::move(allocator), [] { return true; });
}

bool RegisteredAllocators::put_if(const OrtMemoryInfo& memory,
                                  std::shared_ptr<OrtAllocator> allocator,
                                  const IsWanted& is_wanted) {
  Entry entry{memory, std::move(allocator)};
  {
    const std::lock_guard lock(mutex_);
    if (!is_wanted()) return false;
    const auto known = entry_for(memory);
    if (known == entries_.end()) {
      entries_.push_back(std::move(entry));
      return true;
    }
    std::swap(*known, entry);
  }
  end_handle(*entry.allocator, entry.memory);  // of the one that it replaces
  return true;
}

void RegisteredAllocators::put_first(const OrtMemoryInfo& memory,
                                     std::shared_ptr<OrtAllocator> allocator,
                                     const IsWanted& is_wanted) {
  Entry entry{memory, std::move(allocator)};  // one that is not kept ends behind the lock
  const std::lock_guard lock(mutex_);
  if (is_wanted() && entry_for(memory) == entries_.end()) entries_.push_back(std::move(entry));
}

bool RegisteredAllocators::remove(const OrtMemoryInfo& memory) {
  Entry removed;
  {
    const std::lock_guard lock(mutex_);
    const auto known = entry_for(memory);
    if (known == entries_.end()) return false;
    removed = std::move(*known);
    entries_.erase(known);
  }
  end_handle(*removed.allocator, removed.memory);
  return true;
}

std::shared_ptr<OrtAllocator> RegisteredAllocators::find(const OrtMemoryInfo& memory,
                                                         OrtMemoryInfo* found) {
  const std::lock_guard lock(mutex_);
  const auto known = entry_for(memory);
  if (known == entries_.end()) return nullptr;
  if (found != nullptr) *found = known->memory;
  return known->allocator;
}

OrtAllocator* RegisteredAllocators::lend(const OrtMemoryInfo& memory) {
  const std::lock_guard lock(mutex_);
  const auto known = entry_for(memory);
  if (known == entries_.end()) return nullptr;
  if (std::ranges::find(lent_, known->allocator) == lent_.end()) {
    lent_.push_back(known->allocator);
  }
  return known->allocator.get();
}

}  // namespace ortc::api
