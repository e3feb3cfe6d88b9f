// SPDX-License-Identifier: MIT
// Lists that are kept between runs: see the header.
#include "core/run/run_room.h"

namespace ortc {

void RunRoom::set_targets(size_t count) {
  given.clear();
  given.resize(count);
  targets.clear();
  targets.resize(count);
  for (size_t k = 0; k < count; ++k) targets[k].within = &given[k];
}

void RunRoom::clear_step() {
  inputs.clear();
  targets.clear();
  given.clear();
  carried.clear();
  stacks.clear();
}

void RunRoom::clear() {
  clear_step();
  made.clear();
}

RunRooms::Lease RunRooms::take() {
  std::unique_ptr<RunRoom> room;
  {
    const std::lock_guard lock(mutex_);
    if (free_ != nullptr) {
      room = std::move(free_);
      free_ = std::move(room->next);
    }
  }
  if (room == nullptr) room = std::make_unique<RunRoom>();
  return {*this, std::move(room)};
}

void RunRooms::give_back(std::unique_ptr<RunRoom> room) {
  room->clear();
  const std::lock_guard lock(mutex_);
  room->next = std::move(free_);
  free_ = std::move(room);
}

}  // namespace ortc
