// SPDX-License-Identifier: MIT
// A full list gives up every second of its times, and from then on takes half as many.

#include "tools/ortc/library/latency_samples.h"

#include <algorithm>
#include <cmath>

namespace ortc::tool {

constexpr size_t kMaxKept = 1 << 20;

void LatencySamples::add(int64_t ns) {
  min_ns_ = run_count_ == 0 ? ns : std::min(min_ns_, ns);
  max_ns_ = std::max(max_ns_, ns);
  const bool is_kept = run_count_++ % step_ == 0;
  // Welford: a plain sum of squares would lose the deviation in the mean's digits.
  const double distance = static_cast<double>(ns) - mean_ns_;
  mean_ns_ += distance / static_cast<double>(run_count_);
  squares_ += distance * (static_cast<double>(ns) - mean_ns_);
  if (!is_kept) return;
  if (kept_.size() == kMaxKept) halve();
  kept_.push_back(ns);
}

void LatencySamples::halve() {
  const size_t count = (kept_.size() + 1) / 2;
  for (size_t i = 0; i < count; i++) kept_[i] = kept_[2 * i];
  kept_.resize(count);
  step_ *= 2;
}

void LatencySamples::merge(LatencySamples other) {
  if (other.run_count_ == 0) return;
  min_ns_ = run_count_ == 0 ? other.min_ns_ : std::min(min_ns_, other.min_ns_);
  max_ns_ = std::max(max_ns_, other.max_ns_);
  const auto mine = static_cast<double>(run_count_), its = static_cast<double>(other.run_count_);
  const double distance = other.mean_ns_ - mean_ns_;
  mean_ns_ += distance * its / (mine + its);
  squares_ += other.squares_ + distance * distance * mine * its / (mine + its);
  run_count_ += other.run_count_;
  // A time that is kept stands for as many runs here as there.
  while (step_ < other.step_) halve();
  while (other.step_ < step_) other.halve();
  kept_.insert(kept_.end(), other.kept_.begin(), other.kept_.end());
  while (kept_.size() > kMaxKept) halve();
}

double LatencySamples::standard_deviation_ns() const {
  return run_count_ < 2 ? 0 : std::sqrt(squares_ / static_cast<double>(run_count_ - 1));
}

void LatencySamples::finish() { std::sort(kept_.begin(), kept_.end()); }

int64_t LatencySamples::percentile(size_t percent) const {
  const size_t rank = (kept_.size() * percent + 99) / 100;
  return kept_[std::max<size_t>(rank, 1) - 1];
}

}  // namespace ortc::tool
