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
  explicit DeviceRun(const ValueMemories& memories) : memories_(memories) {}
  DeviceRun(const DeviceRun&) = delete;
  DeviceRun& operator=(const DeviceRun&) = delete;
  ~DeviceRun() { (void)finish(); }

  Result<Tensor> make_tensor(MemoryNumber memory, DType dtype, std::span<const int64_t> dims) const;
  // `from` in memory `from_memory` to `to`: one of the two is the host's.
  Status copy(const ValueRef& from, MemoryNumber from_memory, const ValueRef& to,
              MemoryNumber to_memory);
  // The stream that orders the work on `memory`, made at its first use; null when it has none.
  Result<DeviceStream*> stream(const DeviceMemory& memory);
  // Returns when `memory` holds what was computed into it.
  Status wait(MemoryNumber memory);
  // Keeps a value that nobody reads any more until the work in flight is done.
  void keep(Datum value);
  // Waits for all streams, and gives back what was kept. The first failure.
  Status finish();

 private:
  struct Stream {
    const DeviceMemory* memory;
    std::unique_ptr<DeviceStream> stream;  // null: it has none
  };
  const ValueMemories& memories_;
  std::vector<Stream> streams_;
  std::vector<Datum> kept_;
};

// A constant in memory of a device, copied once for all runs.
Result<Tensor> copy_constant(const DeviceMemory& memory, DType dtype, std::span<const int64_t> dims,
                             Bytes bytes);

}  // namespace ortc
