// SPDX-License-Identifier: MIT
// The memories of a session, numbered, and in which of them compiled claims want their inputs and
// leave their outputs. Lowering puts transfers where they differ.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/provider/compute_object.h"
#include "core/provider/device_memory.h"

namespace ortc {

using MemoryNumber = uint8_t;
inline constexpr MemoryNumber kHostMemory = 0;

// By input and output of the claim.
struct CallMemory {
  std::vector<MemoryNumber> inputs, outputs;
};

class ValueMemories {
 public:
  // The next callee: `object` is null when it is a plan, whose values lie on the host.
  // NOT_IMPLEMENTED for more memories than numbers.
  Status add_callee(const ComputeObject* object, size_t input_count, size_t output_count);

  // One that no callee may use, but the values of a run.
  Status add_memory(const std::shared_ptr<const DeviceMemory>& memory) {
    return number_of(memory).status();
  }
  // Its number: nothing when the session has no such memory.
  std::optional<MemoryNumber> find(const MemoryInfo& info) const;

  bool is_host_only() const { return memories_.empty(); }
  const CallMemory& callee(size_t i) const { return callees_[i]; }
  size_t memory_count() const { return memories_.size() + 1; }
  // `number` is not the host's.
  const DeviceMemory& memory(MemoryNumber number) const { return *memories_[number - 1]; }
  std::shared_ptr<const DeviceMemory> shared_memory(MemoryNumber number) const {
    return memories_[number - 1];
  }

 private:
  Result<MemoryNumber> number_of(const std::shared_ptr<const DeviceMemory>& memory);
  std::vector<std::shared_ptr<const DeviceMemory>> memories_;
  std::vector<CallMemory> callees_;
};

}  // namespace ortc
