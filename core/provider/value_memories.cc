// SPDX-License-Identifier: MIT
// Memories of a session: see the header.
#include "core/provider/value_memories.h"

#include <limits>

#include "core/base/status.h"

namespace ortc {

std::optional<MemoryNumber> ValueMemories::find(const MemoryInfo& info) const {
  for (size_t i = 0; i < memories_.size(); ++i) {
    if (is_same_memory(memories_[i]->info(), info)) return static_cast<MemoryNumber>(i + 1);
  }
  return std::nullopt;
}

// Two providers may offer the same memory: it has one number.
Result<MemoryNumber> ValueMemories::number_of(const std::shared_ptr<const DeviceMemory>& memory) {
  if (memory == nullptr) return kHostMemory;
  for (size_t i = 0; i < memories_.size(); ++i) {
    if (is_same_memory(memories_[i]->info(), memory->info())) {
      return static_cast<MemoryNumber>(i + 1);
    }
  }
  if (memories_.size() == std::numeric_limits<MemoryNumber>::max()) {
    return not_implemented("a session with values in more than ", memories_.size(),
                           " memories of devices");
  }
  memories_.push_back(memory);
  return static_cast<MemoryNumber>(memories_.size());
}

Status ValueMemories::add_callee(const ComputeObject* object, size_t input_count,
                                 size_t output_count) {
  CallMemory& callee = callees_.emplace_back();
  callee.inputs.resize(input_count, kHostMemory);
  callee.outputs.resize(output_count, kHostMemory);
  if (object == nullptr) return Status::ok();
  for (size_t i = 0; i < input_count; ++i) {
    ASSIGN_OR_RETURN(callee.inputs[i], number_of(object->input_memory(i)));
  }
  for (size_t i = 0; i < output_count; ++i) {
    ASSIGN_OR_RETURN(callee.outputs[i], number_of(object->output_memory(i)));
  }
  return Status::ok();
}

}  // namespace ortc
