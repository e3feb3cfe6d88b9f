// SPDX-License-Identifier: MIT
// Times of any number of runs in bounded memory. Every run counts for least, largest, mean and
// deviation; for percentiles every run is kept up to a million, then every second, every fourth and
// so on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ortc::tool {

class LatencySamples {
 public:
  void add(int64_t ns);
  // Takes over the times of another stream of runs; neither is finished.
  void merge(LatencySamples other);
  // To be called after the last add(), before percentile().
  void finish();

  uint64_t run_count() const { return run_count_; }
  uint64_t kept_count() const { return kept_.size(); }
  int64_t min_ns() const { return min_ns_; }
  int64_t max_ns() const { return max_ns_; }
  double mean_ns() const { return mean_ns_; }
  // Of all runs, 0 for a single one.
  double standard_deviation_ns() const;
  // Nearest rank: the least kept time that at least `percent` of all kept ones do not exceed.
  int64_t percentile(size_t percent) const;

 private:
  void halve();

  std::vector<int64_t> kept_;
  uint64_t run_count_ = 0;
  uint64_t step_ = 1;  // every step_-th run is kept
  int64_t min_ns_ = 0, max_ns_ = 0;
  double mean_ns_ = 0;
  double squares_ = 0;  // sum of the squared distances from the mean
};

}  // namespace ortc::tool
