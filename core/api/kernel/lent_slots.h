// SPDX-License-Identifier: MIT
// Storage of objects that are lent to code from outside for the time of one call. It is used
// again and stays as long as the process: a pointer that was kept leads to an object that says that
// its call is over, or to one of a later call, never to something else.
//
// Threads are spread over several lists, so that calls on different threads rarely meet.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <vector>

namespace ortc::api {

// T is made once for each slot, and knows whether it is lent: close() says that its call is over.
template <typename T>
class LentSlots {
 public:
  class Lease {
   public:
    Lease() : lent_(take()) {}
    ~Lease() {
      lent_->close();
      give_back(lent_);
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    T* get() const { return lent_; }
    T* operator->() const { return lent_; }

   private:
    T* const lent_;
  };

 private:
  static T* take() {
    List& list = all()[list_of_thread()];
    const std::lock_guard lock(list.mutex);
    if (list.free.empty()) {
      list.free.reserve(++list.count);  // so that a slot always comes back
      return new Slot(list);
    }
    Slot* const slot = list.free.back();
    list.free.pop_back();
    return slot;
  }
  // By any thread: it goes back where it came from.
  static void give_back(T* lent) noexcept {
    auto* const slot = static_cast<Slot*>(lent);
    const std::lock_guard lock(slot->home.mutex);
    slot->home.free.push_back(slot);
  }

  struct Slot;
  struct alignas(64) List {
    std::mutex mutex;
    size_t count = 0;
    std::vector<Slot*> free;
  };
  struct Slot : T {
    explicit Slot(List& from) : home(from) {}
    List& home;
  };
  static constexpr size_t kLists = 32;

  static std::array<List, kLists>& all() {
    static auto& lists = *new std::array<List, kLists>;
    return lists;
  }
  static size_t list_of_thread() {
    static std::atomic<size_t> thread_count{0};
    thread_local const size_t number = thread_count.fetch_add(1, std::memory_order_relaxed);
    return number % kLists;
  }
};

}  // namespace ortc::api
