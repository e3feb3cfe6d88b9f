// SPDX-License-Identifier: MIT
// Memory for the activations of several sessions that never run at once (session.group_exclusive):
// as much as the one that needs most, not the sum. Thread-safe.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "core/context/sharing/sharing_group.h"
#include "core/run/arena_pool.h"

namespace ortc {

class GroupArena {
 public:
  // `group`: whose sessions share it; null: those of the environment without a handle.
  GroupArena(std::shared_ptr<SharingGroup> group, bool keeps_memory)
      : group_(std::move(group)), arenas_(keeps_memory), results_(keeps_memory) {}

  ArenaPool& arenas() { return arenas_; }
  ArenaPool& results() { return results_; }  // of results that callers have given back

  // While it lives, no other run of the group begins.
  class Turn {
   public:
    Turn() = default;
    Turn(Turn&& other) noexcept : arena_(std::exchange(other.arena_, nullptr)) {}
    Turn& operator=(Turn&& other) noexcept {
      std::swap(arena_, other.arena_);
      return *this;
    }
    ~Turn();

   private:
    friend class GroupArena;
    explicit Turn(GroupArena* arena) : arena_(arena) {}
    GroupArena* arena_ = nullptr;
  };
  // FAIL while another run is at work, unless `waits`; when `terminate` (may be null) is set while
  // waiting; and within a run of the group, which would wait for itself.
  Result<Turn> enter(bool waits, const std::atomic<bool>* terminate);

 private:
  std::shared_ptr<SharingGroup> group_;
  ArenaPool arenas_, results_;
  std::mutex mutex_;
  std::condition_variable is_free_;
  std::thread::id runs_;  // the thread whose turn it is; of none: no one's
};

// Those of an environment, each for as long as a session of it is there.
class GroupArenas {
 public:
  std::shared_ptr<GroupArena> of(const std::shared_ptr<SharingGroup>& group, bool keeps_memory);

 private:
  std::mutex mutex_;
  std::map<const SharingGroup*, std::weak_ptr<GroupArena>> arenas_;
};

}  // namespace ortc
