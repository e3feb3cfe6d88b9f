// SPDX-License-Identifier: MIT
// Watching work: see the header.
#include "core/platform/work.h"

#include <algorithm>

#include "core/platform/clock.h"

namespace ortc {
namespace {

constexpr int64_t kTellEveryNs = 20'000'000;

}  // namespace

struct Work::Watch {
  Tell tell;
  GoOn go_on;
  double highest = 0;
  int64_t told_ns = 0;
};

Work::Work(Tell tell, GoOn go_on)
    : watch_(std::make_shared<Watch>(Watch{std::move(tell), std::move(go_on), 0, 0})) {}

Status Work::go_on() const {
  return watch_ != nullptr && watch_->go_on ? watch_->go_on() : Status::ok();
}

Status Work::begin(double begin, double end) {
  begin_ = begin;
  end_ = end;
  expected_ = done_ = 0;
  RETURN_IF_ERROR(go_on());
  return tell(/*is_due=*/true);
}

Work Work::part(double begin, double end) const {
  Work part = *this;
  part.begin_ = begin_ + (end_ - begin_) * begin;
  part.end_ = begin_ + (end_ - begin_) * end;
  part.expected_ = part.done_ = 0;
  return part;
}

void Work::expect(uint64_t units) { expected_ += units; }

Status Work::done(uint64_t units) {
  if (watch_ == nullptr) return Status::ok();
  done_ += units;
  RETURN_IF_ERROR(go_on());
  return tell(/*is_due=*/false);
}

Status Work::tell(bool is_due) const {
  if (watch_ == nullptr || !watch_->tell) return Status::ok();
  const int64_t now = now_ns();
  if (!is_due && now - watch_->told_ns < kTellEveryNs) return Status::ok();
  watch_->told_ns = now;
  const double share =
      expected_ != 0 ? std::min(1.0, static_cast<double>(done_) / static_cast<double>(expected_))
                     : 0.0;
  watch_->highest = std::max(watch_->highest, begin_ + (end_ - begin_) * share);
  return watch_->tell(watch_->highest);
}

Status append(Hasher& hasher, Bytes bytes, Work& work) {
  while (!bytes.empty()) {
    const Bytes slice = bytes.first(std::min(bytes.size(), kWorkSlice));
    hasher.append(slice);
    bytes = bytes.subspan(slice.size());
    RETURN_IF_ERROR(work.done(slice.size()));
  }
  return Status::ok();
}

Result<Hash128> hash128(Bytes bytes, Work& work) {
  if (bytes.size() <= kWorkSlice) {
    RETURN_IF_ERROR(work.done(bytes.size()));
    return hash128(bytes);
  }
  Hasher hasher;
  RETURN_IF_ERROR(append(hasher, bytes, work));
  return hasher.finish();
}

WaitLimits limits_of(Work& work) {
  return {[&work] { return work.go_on(); }, INT64_MAX,
          [&work](uint64_t bytes) { return work.done(bytes); }};
}

}  // namespace ortc
