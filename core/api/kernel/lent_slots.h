// SPDX-License-Identifier: MIT
// Storage of objects that are lent to somebody else's code for the time of one call. It is used
// again and stays as long as the process: a pointer that was kept leads to an object that says that
// its call is over, or to one of a later call, never to something else.
#pragma once

#include <mutex>
#include <vector>

namespace ortc::api {

// T is made once for each slot, and knows whether it is lent.
template <typename T>
class LentSlots {
 public:
  static T* take() {
    LentSlots& slots = all();
    const std::lock_guard lock(slots.mutex_);
    if (slots.free_.empty()) {
      slots.free_.reserve(++slots.count_);  // so that a slot always comes back
      return new T;
    }
    T* const slot = slots.free_.back();
    slots.free_.pop_back();
    return slot;
  }
  static void give_back(T* slot) noexcept {
    LentSlots& slots = all();
    const std::lock_guard lock(slots.mutex_);
    slots.free_.push_back(slot);
  }

 private:
  static LentSlots& all() {
    static LentSlots& slots = *new LentSlots;
    return slots;
  }
  std::mutex mutex_;
  size_t count_ = 0;
  std::vector<T*> free_;
};

}  // namespace ortc::api
