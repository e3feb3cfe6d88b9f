// SPDX-License-Identifier: MIT
// The memory of a session: where its weights lie, how they come into memory and stay there, and
// which other sessions of the process have the same.
#pragma once

#include <memory>
#include <vector>

#include "core/base/byte_ranges.h"
#include "core/base/tensor.h"
#include "core/plan/plan.h"
#include "core/platform/memory/residency.h"
#include "core/session/making.h"
#include "core/session/memory/prefetch.h"

namespace ortc {

class SessionMemory {
 public:
  using Plans = std::vector<std::shared_ptr<const Plan>>;

  // `callees`: null where a part is not a plan. `tensors`: what stands in for inputs. From here on
  // other sessions see that it uses them.
  SessionMemory(std::shared_ptr<const Plan> main, Plans callees, std::vector<Tensor> tensors);
  ~SessionMemory();
  SessionMemory(const SessionMemory&) = delete;
  SessionMemory& operator=(const SessionMemory&) = delete;

  // What session.context_residency asks for: now, or by a thread that ends with this object. FAIL
  // when the system does not lock as much.
  Status make_resident(Making& making);

  // Constants and images of plans, and the tensors.
  ByteRanges ranges() const;
  // Those of all other sessions of this process, each for itself.
  std::vector<ByteRanges> ranges_of_others() const;

  Residency residency() const { return residency_; }
  uint64_t locked_bytes() const { return locked_bytes_; }
  const Prefetch* prefetch() const { return prefetch_.get(); }  // null: none was started

 private:
  struct Registry;
  std::vector<Bytes> in_order() const;
  Status populate(Making& making) const;
  Status lock(Making& making);
  void start_prefetch(Making& making);

  std::shared_ptr<const Plan> main_;
  Plans callees_;
  std::vector<Tensor> tensors_;
  Residency residency_ = Residency::kLazy;
  std::vector<MemoryLock> locks_;
  uint64_t locked_bytes_ = 0;
  std::unique_ptr<Prefetch> prefetch_;
};

}  // namespace ortc
