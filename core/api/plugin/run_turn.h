// SPDX-License-Identifier: MIT
// Runs of a library that cannot run several at once, one after the other.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "core/base/result.h"

namespace ortc::api {

class RunTurns {
 public:
  // A thread's turn, given back by the destructor or by the thread's end_run(). An empty one is of
  // a library that needs none.
  class Turn {
   public:
    Turn() = default;
    explicit Turn(RunTurns* turns) : turns_(turns) {}
    Turn(Turn&& other) noexcept : turns_(std::exchange(other.turns_, nullptr)) {}
    Turn& operator=(Turn&& other) noexcept {
      std::swap(turns_, other.turns_);
      return *this;
    }
    ~Turn() {
      if (turns_ != nullptr) turns_->give_back();
    }
    // Stays with the thread.
    void keep() { turns_ = nullptr; }

   private:
    RunTurns* turns_ = nullptr;
  };

  // Waits until no one has it. FAIL when this thread has it, which would wait for itself, and when
  // `terminate`, which may be null, is set meanwhile.
  // `name`: of the provider.
  Result<Turn> take(std::string_view name, const std::atomic<bool>* terminate);
  // Of a thread that kept its turn.
  Turn kept() { return Turn(this); }

 private:
  void give_back();

  std::mutex mutex_;  // never held while the library is called
  std::condition_variable is_free_;
  std::thread::id owner_;
};

}  // namespace ortc::api
