// SPDX-License-Identifier: MIT
// Long work that can be watched, and stopped.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/platform/wait_limits.h"

namespace ortc {

// What is done of some work, counted in units of its own (nodes, bytes) and told as a fraction of
// the whole. Copies are the same work; a default one is neither watched nor stopped. One thread
// at a time, but for go_on().
class Work {
 public:
  // Told at most every few milliseconds, and never less than before; a failure stops the work.
  using Tell = std::function<Status(double fraction)>;
  // Asked often, by each thread that does some of the work: must be cheap. A failure stops it.
  using GoOn = std::function<Status()>;

  Work() = default;
  Work(Tell tell, GoOn go_on);

  // The part from `begin` to `end` of the whole starts; what was open before is done.
  Status begin(double begin, double end);
  // A part of this part, by fractions of it: counts for itself, told as all parts are.
  Work part(double begin, double end) const;
  // Units that this part takes, in all. Known before they are done.
  void expect(uint64_t units);
  Status done(uint64_t units);
  Status go_on() const;

 private:
  struct Watch;
  Status tell(bool is_due) const;
  std::shared_ptr<Watch> watch_;  // null: no one
  double begin_ = 0, end_ = 1;
  uint64_t expected_ = 0, done_ = 0;
};

// Hashes large bytes, a unit for each; may be stopped in the middle.
Status append(Hasher& hasher, Bytes bytes, Work& work);
Result<Hash128> hash128(Bytes bytes, Work& work);
// Waiting and writing as part of the work, which must outlive them; a unit for each byte.
WaitLimits limits_of(Work& work);
// For loops over bytes: not more than this between two questions.
inline constexpr size_t kWorkSlice = size_t{16} << 20;

}  // namespace ortc
