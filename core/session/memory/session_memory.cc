// SPDX-License-Identifier: MIT
// The memory of a session: see the header.
#include "core/session/memory/session_memory.h"

#include <mutex>
#include <set>

#include "core/session/memory/weight_ranges.h"

namespace ortc {

// All sessions of the process. Whoever looks at others does so under the lock, so that none of them
// ends meanwhile.
struct SessionMemory::Registry {
  static Registry& of_process() {
    static Registry* const registry = new Registry;
    return *registry;
  }
  std::mutex mutex;
  std::set<const SessionMemory*> sessions;
};

SessionMemory::SessionMemory(std::shared_ptr<const Plan> main, Plans callees,
                             std::vector<Tensor> tensors)
    : main_(std::move(main)), callees_(std::move(callees)), tensors_(std::move(tensors)) {
  Registry& registry = Registry::of_process();
  const std::lock_guard lock(registry.mutex);
  registry.sessions.insert(this);
}

SessionMemory::~SessionMemory() {
  Registry& registry = Registry::of_process();
  const std::lock_guard lock(registry.mutex);
  registry.sessions.erase(this);
}

std::vector<Bytes> SessionMemory::in_order() const { return weights_in_order(*main_, callees_); }

ByteRanges SessionMemory::ranges() const {
  ByteRanges ranges = in_order();
  ranges.push_back(main_->image().bytes());
  for (const auto& callee : callees_) {
    if (callee != nullptr) ranges.push_back(callee->image().bytes());
  }
  for (const Tensor& tensor : tensors_) ranges.push_back(tensor.bytes());
  return united(std::move(ranges));
}

std::vector<ByteRanges> SessionMemory::ranges_of_others() const {
  Registry& registry = Registry::of_process();
  const std::lock_guard lock(registry.mutex);
  std::vector<ByteRanges> others;
  for (const SessionMemory* other : registry.sessions) {
    if (other != this) others.push_back(other->ranges());
  }
  return others;
}

Status SessionMemory::make_resident(Making& making) {
  residency_ = making.settings().residency;
  switch (residency_) {
    case Residency::kPrefetch:
      start_prefetch(making);
      return Status::ok();
    case Residency::kPopulate:
      return populate(making);
    case Residency::kLocked:
      return lock(making);
    case Residency::kLazy:
    case Residency::kCopied:  // the files were read when they were opened
      break;
  }
  return Status::ok();
}

Status SessionMemory::populate(Making& making) const {
  RETURN_IF_ERROR(making.begin_stage("populate", ""));
  const std::vector<Bytes> weights = in_order();
  making.work().expect(total_bytes(weights));
  return for_each_slice(weights, [&](Bytes slice) {
    RETURN_IF_ERROR(bring_in(slice));
    return making.work().done(slice.size());
  });
}

// Locking brings in as well.
Status SessionMemory::lock(Making& making) {
  RETURN_IF_ERROR(making.begin_stage("lock", ""));
  const ByteRanges weights = united(in_order());
  const uint64_t size = total_bytes(weights);
  making.work().expect(size);
  const auto lock_slice = [&](Bytes slice) -> Status {
    auto locked = MemoryLock::lock(slice);
    RETURN_IF_ERROR_WHILE(locked.status(), "session.context_residency=locked needs ", size,
                          " bytes of locked memory; \"populate\" needs none");
    locks_.push_back(std::move(locked).value());
    locked_bytes_ += slice.size();
    return making.work().done(slice.size());
  };
  return for_each_slice(weights, lock_slice);
}

// The program hears of it as the last stage, until all is done.
void SessionMemory::start_prefetch(Making& making) {
  Work work = making.work_beyond("prefetch");
  prefetch_ =
      Prefetch::start(in_order(), std::move(work), making.done_beyond(),
                      making.options().own_threads ? making.options().thread_hooks : ThreadHooks(),
                      making.logger());
  if (prefetch_ != nullptr) {
    making.leave_open();
  } else {
    ORTC_LOG(making.logger(), kWarning, "prefetch",
             "there is no thread to be had; weights come into memory with the runs that read them");
  }
}

}  // namespace ortc
