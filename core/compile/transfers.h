// SPDX-License-Identifier: MIT
// Where values lie while a plan is made, and the steps that carry them from memory to memory.
#pragma once

#include <map>
#include <utility>

#include "core/plan/plan_builder.h"
#include "core/provider/value_memories.h"

namespace ortc {

class Transfers {
 public:
  // `memories` may be null: every value lies on the host.
  Transfers(PlanBuilder& builder, const ValueMemories* memories)
      : builder_(builder), memories_(memories) {}

  // The slot that holds the value of `slot` in memory `wanted`: itself, or one that a step fills
  // which is added now. A value is carried to a memory once in a body.
  uint32_t carry(uint32_t body, uint32_t slot, MemoryNumber wanted);
  // What callee number `callee` reads, each where it wants it.
  void carry_inputs(uint32_t body, uint32_t callee, std::vector<uint32_t>& slots);
  // Marks slots as those that callee number `callee` fills.
  void place_outputs(uint32_t body, uint32_t callee, const std::vector<uint32_t>& slots);

 private:
  uint32_t add_step(uint32_t body, uint32_t slot, MemoryNumber to);

  PlanBuilder& builder_;
  const ValueMemories* memories_;
  std::map<std::pair<uint32_t, uint32_t>, std::map<MemoryNumber, uint32_t>> copies_;  // body, slot
};

}  // namespace ortc
