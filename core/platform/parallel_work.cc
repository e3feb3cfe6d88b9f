// SPDX-License-Identifier: MIT
// Pieces of work on several threads: see the header.
#include "core/platform/parallel_work.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

namespace ortc {
namespace {

class Pieces {
 public:
  using Body = std::function<Status(size_t, const Advance&)>;
  Pieces(Work& work, std::span<const uint64_t> units, const Body& body)
      : work_(work), units_(units), body_(body), order_(units.size()), first_(units.size()) {
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::sort(order_.begin(), order_.end(), [&](size_t a, size_t b) {
      return units_[a] != units_[b] ? units_[a] > units_[b] : a < b;
    });
  }

  void run(int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end && !is_stopped(); ++at) run(order_[static_cast<size_t>(at)]);
  }

  // When all have ended.
  Status finish() { return stopped_ ? std::move(failure_) : tell(); }

 private:
  bool is_stopped() const { return stopped_.load(std::memory_order_relaxed); }
  bool is_caller() const { return std::this_thread::get_id() == caller_; }

  void run(size_t i) {
    uint64_t left = units_[i];
    bool has_given_up = false;
    Status status = body_(i, [&](uint64_t units) -> Status {
      if (is_stopped()) {
        has_given_up = true;
        return fail("another piece has failed");
      }
      units = std::min(units, left);
      left -= units;
      done_.fetch_add(units, std::memory_order_relaxed);
      return is_caller() ? tell() : work_.go_on();
    });
    done_.fetch_add(left, std::memory_order_relaxed);
    if (status.is_ok() && is_caller()) status = tell();
    if (!status.is_ok() && !has_given_up) stop(i, std::move(status));
  }

  Status tell() { return work_.done(done_.exchange(0, std::memory_order_relaxed)); }

  void stop(size_t i, Status status) {
    const std::lock_guard lock(mutex_);
    if (i >= first_) return;
    first_ = i;
    failure_ = std::move(status);
    stopped_ = true;
  }

  Work& work_;
  const std::span<const uint64_t> units_;
  const Body& body_;
  const std::thread::id caller_ = std::this_thread::get_id();
  std::vector<size_t> order_;
  std::atomic<uint64_t> done_{0};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  size_t first_;  // piece that failed
  Status failure_;
};

}  // namespace

Status run_long_pieces(ThreadPool* pool, Work& work, std::span<const uint64_t> units,
                       const std::function<Status(size_t, const Advance&)>& body) {
  if (units.empty()) return Status::ok();
  RETURN_IF_ERROR(work.go_on());
  Pieces pieces(work, units, body);
  const auto count = static_cast<int64_t>(units.size());
  if (pool != nullptr) {
    pool->parallel_for(count, 1, [&](int64_t begin, int64_t end) { pieces.run(begin, end); });
  } else {
    pieces.run(0, count);
  }
  return pieces.finish();
}

Status run_pieces(ThreadPool* pool, Work& work, std::span<const uint64_t> units,
                  const std::function<Status(size_t)>& body) {
  return run_long_pieces(pool, work, units, [&](size_t i, const Advance&) { return body(i); });
}

}  // namespace ortc
