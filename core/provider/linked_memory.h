// SPDX-License-Identifier: MIT
// Memory of a device that takes values from another device's without the host between them.
#pragma once

#include "core/provider/device_memory.h"

namespace ortc {

class LinkedMemory : public DeviceMemory {
 public:
  // False for memory that it knows nothing of, and for itself.
  virtual Result<bool> takes_from(const DeviceMemory& other) const = 0;
  // Copies what `from`, in `other`, holds when the work given to `from_stream` so far is done; in
  // the order of `to_stream`. The host waits only where the devices cannot. A null stream: its
  // device works while the host waits. `from` is kept until both streams were waited for.
  virtual Status copy_across(const DeviceMemory& other, const void* from, DeviceStream* from_stream,
                             void* to, uint64_t bytes, DeviceStream* to_stream) const = 0;
};

// Null when values go by way of the host. A library that cannot say is not asked for more.
inline const LinkedMemory* link_between(const DeviceMemory& from, const DeviceMemory& to) {
  const auto* const linked = dynamic_cast<const LinkedMemory*>(&to);
  if (linked == nullptr) return nullptr;
  const auto takes = linked->takes_from(from);
  return takes.is_ok() && *takes ? linked : nullptr;
}

}  // namespace ortc
