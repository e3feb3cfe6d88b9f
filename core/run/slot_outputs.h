// SPDX-License-Identifier: MIT
// Which outputs of a body a slot is: of none, one, or several when the body names it more than
// once.
//
//   for (uint32_t k = outputs.first(slot); k != kNoIndex; k = outputs.next(k)) ...
#pragma once

#include <vector>

#include "core/plan/plan.h"

namespace ortc {

class SlotOutputs {
 public:
  SlotOutputs(const Plan& plan, const BodyRecord& body)
      : first_(body.slots.count, kNoIndex), next_(body.outputs.count, kNoIndex) {
    const auto slots = plan.indices(body.outputs);
    for (uint32_t k = body.outputs.count; k-- > 0;) {
      next_[k] = first_[slots[k]];
      first_[slots[k]] = k;
    }
  }

  // By number, or kNoIndex.
  uint32_t first(uint32_t slot) const { return first_[slot]; }
  uint32_t next(uint32_t output) const { return next_[output]; }

 private:
  std::vector<uint32_t> first_;  // by slot
  std::vector<uint32_t> next_;   // by output: the next one of the same slot
};

}  // namespace ortc
