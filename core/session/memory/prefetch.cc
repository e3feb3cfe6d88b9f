// SPDX-License-Identifier: MIT
// Bringing weights in beside the runs: see the header. One thread, in the order of their use: the
// system reads ahead of it by itself, and is slower when it is asked to (docs/design/residency.md).
#include "core/session/memory/prefetch.h"

#include <algorithm>

#include "core/base/byte_ranges.h"
#include "core/platform/memory/residency.h"

namespace ortc {
namespace {

constexpr size_t kSlice = size_t{4} << 20;

}  // namespace

std::string_view prefetch_state_name(Prefetch::State state) {
  switch (state) {
    case Prefetch::State::kRunning:
      return "running";
    case Prefetch::State::kDone:
      return "done";
    case Prefetch::State::kStopped:
      return "stopped";
    case Prefetch::State::kFailed:
      break;
  }
  return "failed";
}

Status for_each_slice(const std::vector<Bytes>& ranges,
                      const std::function<Status(Bytes slice)>& act) {
  for (Bytes left : ranges) {
    while (!left.empty()) {
      const Bytes slice = left.first(std::min(left.size(), kSlice));
      RETURN_IF_ERROR(act(slice));
      left = left.subspan(slice.size());
    }
  }
  return Status::ok();
}

std::unique_ptr<Prefetch> Prefetch::start(std::vector<Bytes> ranges, Work work,
                                          std::function<void()> at_end, const ThreadHooks& hooks,
                                          const Logger& logger) {
  std::unique_ptr<Prefetch> prefetch(new Prefetch());
  prefetch->expected_bytes_ = total_bytes(ranges);
  prefetch->ranges_ = std::move(ranges);
  prefetch->work_ = std::move(work);
  prefetch->logger_ = logger;
  Prefetch* self = prefetch.get();
  prefetch->thread_ =
      BackgroundThread::start(hooks, [self, at_end = std::move(at_end)] { self->run(at_end); });
  return prefetch->thread_ != nullptr ? std::move(prefetch) : nullptr;
}

void Prefetch::run(const std::function<void()>& at_end) {
  // Also when memory runs out in the program's function.
  struct End {
    std::atomic<State>& state;
    State result = State::kFailed;
    ~End() { state.store(result, std::memory_order_release); }
  } end{state_};
  Status failure;
  work_.expect(expected_bytes_);
  const Status status = for_each_slice(ranges_, [&](Bytes slice) {
    if (shall_stop_.load(std::memory_order_relaxed)) return fail("stopped");
    failure = bring_in(slice);
    if (!failure.is_ok()) return failure;
    done_bytes_.fetch_add(slice.size(), std::memory_order_relaxed);
    return work_.done(slice.size());
  });
  if (status.is_ok()) {
    at_end();
    end.result = State::kDone;
  } else if (failure.is_ok()) {
    end.result = State::kStopped;
  } else {
    ORTC_LOG(logger_, kWarning, "prefetch", failure.message());
  }
}

Prefetch::~Prefetch() {
  shall_stop_.store(true, std::memory_order_relaxed);
  thread_.reset();
}

}  // namespace ortc
