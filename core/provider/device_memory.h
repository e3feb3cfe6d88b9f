// SPDX-License-Identifier: MIT
// Memory of a device, as a provider offers it to the runtime: allocation, copies from and to the
// host, and streams on which a device works while the host goes on.
#pragma once

#include <memory>

#include "core/base/bytes.h"
#include "core/base/memory_info.h"
#include "core/base/result.h"

namespace ortc {

// What one run has the device do, in order. Used by one thread at a time.
class DeviceStream {
 public:
  virtual ~DeviceStream() = default;
  // What objects of the provider get as ComputeCall::stream().
  virtual void* handle() = 0;
  // Returns when everything given so far is done; its failures come out here.
  virtual Status wait() = 0;
  // A run that used it is over, whose work was waited for.
  virtual Status end_run() { return Status::ok(); }
};

// A stream of a caller's, for the work on one memory.
struct GivenStream {
  DeviceStream* stream = nullptr;
  const MemoryInfo* memory = nullptr;
};

// Any number of threads may call it. What it allocates may live longer than the session.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  virtual const MemoryInfo& info() const = 0;
  // At least one byte, aligned for any element; given back with the last reference. FAIL when the
  // device has no more.
  virtual Result<std::shared_ptr<void>> allocate(uint64_t bytes) const = 0;
  // The same for what only the work of `stream`, which is not null, reads and writes until it is
  // waited for.
  virtual Result<std::shared_ptr<void>> allocate_on(uint64_t bytes, DeviceStream* stream) const;
  // The same for what is filled once and then only read.
  virtual Result<std::shared_ptr<void>> allocate_constant(uint64_t bytes) const {
    return allocate(bytes);
  }

  // Copies in the order of the stream; with a null stream, at once. `from` may be reused when
  // copy_in() returns, `to` is filled when copy_out() returns.
  virtual Status copy_in(Bytes from, void* to, DeviceStream* stream) const = 0;
  virtual Status copy_out(const void* from, std::span<std::byte> to,
                          DeviceStream* stream) const = 0;
  // From one place of the memory to another, in the order of the stream.
  virtual Status copy_within(const void* from, void* to, uint64_t bytes,
                             DeviceStream* stream) const;

  // Null when the device works while the host waits. Made for each run that needs one.
  virtual Result<std::unique_ptr<DeviceStream>> make_stream() const {
    return std::unique_ptr<DeviceStream>();
  }
  // The memory whose streams order the work on this one: for a device with several memories.
  virtual const DeviceMemory& stream_memory() const { return *this; }
};

}  // namespace ortc
