// SPDX-License-Identifier: MIT
// Memory that sessions take turns with: see the header.
#include "core/session/group_arena.h"

#include <chrono>

namespace ortc {

GroupArena::Turn::~Turn() {
  if (arena_ == nullptr) return;
  const std::lock_guard lock(arena_->mutex_);
  arena_->runs_ = {};
  arena_->is_free_.notify_one();
}

Result<GroupArena::Turn> GroupArena::enter(bool waits, const std::atomic<bool>* terminate) {
  const auto self = std::this_thread::get_id();
  std::unique_lock lock(mutex_);
  while (runs_ != std::thread::id()) {
    if (runs_ == self) {
      return fail("a run inside a run of the same sharing group (session.group_exclusive=1)");
    }
    if (!waits) {
      return fail(
          "another session of the sharing group is running (session.group_exclusive=1, "
          "session.group_if_busy=refuse)");
    }
    if (terminate != nullptr && terminate->load(std::memory_order_relaxed)) {
      return fail("Exiting due to terminate flag being set to true.");
    }
    is_free_.wait_for(lock, std::chrono::milliseconds(20));
  }
  runs_ = self;
  return Turn(this);
}

std::shared_ptr<GroupArena> GroupArenas::of(const std::shared_ptr<SharingGroup>& group,
                                            bool keeps_memory) {
  const std::lock_guard lock(mutex_);
  std::erase_if(arenas_, [](const auto& entry) { return entry.second.expired(); });
  auto& known = arenas_[group.get()];
  auto arena = known.lock();
  if (arena == nullptr) known = arena = std::make_shared<GroupArena>(group, keeps_memory);
  return arena;
}

}  // namespace ortc
