// SPDX-License-Identifier: MIT
// Lists that a run of a body needs for values of unknown shape and for bodies within it. They are
// kept for the next run, so that it asks the system for nothing.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "core/kernel/kernel_contexts.h"
#include "core/run/row_stack.h"
#include "core/run/runner.h"

namespace ortc {

struct RunRoom {
  std::vector<MadeValue> made;               // by slot of the body
  std::vector<BindContext::Output> results;  // of a step that is bound while it runs
  // Of a step with bodies: what they are given, and what they give.
  std::vector<ValueRef> inputs;
  std::vector<OutputTarget> targets;
  std::vector<MadeValue> given;    // by target
  std::vector<MadeValue> carried;  // from one iteration to the next
  std::vector<RowStack> stacks;
  Dims dims;

  // As many targets, each with its place in `given`.
  void set_targets(size_t count);
  // Values end; what the lists have of the system stays. Those of a step with bodies, or all.
  void clear_step();
  void clear();

  std::unique_ptr<RunRoom> next;  // in the list of those that are not in use
};

// Thread-safe.
class RunRooms {
 public:
  class Lease {
   public:
    Lease() = default;
    Lease(RunRooms& rooms, std::unique_ptr<RunRoom> room)
        : rooms_(&rooms), room_(std::move(room)) {}
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&&) noexcept = default;
    ~Lease() {
      if (room_ != nullptr) rooms_->give_back(std::move(room_));
    }
    RunRoom* get() const { return room_.get(); }

   private:
    RunRooms* rooms_ = nullptr;
    std::unique_ptr<RunRoom> room_;
  };

  Lease take();

 private:
  void give_back(std::unique_ptr<RunRoom> room);

  std::mutex mutex_;
  std::unique_ptr<RunRoom> free_;
};

}  // namespace ortc
