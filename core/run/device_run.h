// SPDX-License-Identifier: MIT
// What one run keeps for devices: their streams, and tensors that work in flight may still touch.
#pragma once

#include <memory>
#include <vector>

#include "core/base/datum.h"
#include "core/provider/value_memories.h"

namespace ortc {

// Used by the thread that runs.
class DeviceRun {
 public:
  DeviceRun(const ValueMemories& memories, GivenStream given)
      : memories_(memories), given_(given) {}
  DeviceRun(const DeviceRun&) = delete;
  DeviceRun& operator=(const DeviceRun&) = delete;
  ~DeviceRun() { (void)finish(); }

  // For what the run computes or carries there.
  Result<Tensor> make_tensor(MemoryNumber memory, DType dtype, std::span<const int64_t> dims);
  // `from` in memory `from_memory` to `to`: one of the two is the host's, or there is a link
  // between them.
  Status copy(const ValueRef& from, MemoryNumber from_memory, const ValueRef& to,
              MemoryNumber to_memory);
  // Within one memory of a device.
  Status copy_within(const ValueRef& from, void* to, MemoryNumber memory);
  // The stream that orders the work on `memory`, made at its first use; null when it has none.
  Result<DeviceStream*> stream(const DeviceMemory& memory);
  // Returns when `memory` holds what was computed into it.
  Status wait(MemoryNumber memory);
  // Keeps a value that is read no more until the work in flight is done.
  void keep(Datum value);
  // Waits for all streams, gives back what was kept, and ends the run for them. The first failure.
  Status finish();

 private:
  struct Stream {
    const DeviceMemory* memory;
    std::unique_ptr<DeviceStream> own;
    DeviceStream* stream;  // null: it has none
    bool has_ended = false;
  };
  const ValueMemories& memories_;
  const GivenStream given_;
  std::vector<Stream> streams_;
  std::vector<Datum> kept_;
};

// A constant in memory of a device, copied once for all runs.
Result<Tensor> copy_constant(const DeviceMemory& memory, DType dtype, std::span<const int64_t> dims,
                             Bytes bytes);

}  // namespace ortc
