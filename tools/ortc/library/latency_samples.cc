// SPDX-License-Identifier: MIT
// A full list gives up every second of its times, and from then on takes half as many.

#include "tools/ortc/library/latency_samples.h"

#include <algorithm>

namespace ortc::tool {

constexpr size_t kMaxKept = 1 << 20;

void LatencySamples::add(int64_t ns) {
  min_ns_ = run_count_ == 0 ? ns : std::min(min_ns_, ns);
  max_ns_ = std::max(max_ns_, ns);
  sum_ns_ += static_cast<double>(ns);
  if (run_count_++ % step_ != 0) return;
  if (kept_.size() == kMaxKept) {
    for (size_t i = 0; i < kMaxKept / 2; i++) kept_[i] = kept_[2 * i];
    kept_.resize(kMaxKept / 2);
    step_ *= 2;
  }
  kept_.push_back(ns);
}

void LatencySamples::finish() { std::sort(kept_.begin(), kept_.end()); }

int64_t LatencySamples::percentile(size_t percent) const {
  const size_t rank = (kept_.size() * percent + 99) / 100;
  return kept_[std::max<size_t>(rank, 1) - 1];
}

}  // namespace ortc::tool
