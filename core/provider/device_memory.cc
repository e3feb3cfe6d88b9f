// SPDX-License-Identifier: MIT
// What a device need not do itself: see the header.
#include "core/provider/device_memory.h"

#include <vector>

namespace ortc {

// By way of the host: any device can do that.
Result<std::shared_ptr<void>> DeviceMemory::allocate_on(uint64_t bytes, DeviceStream*) const {
  return allocate(bytes);
}

Status DeviceMemory::copy_within(const void* from, void* to, uint64_t bytes,
                                 DeviceStream* stream) const {
  std::vector<std::byte> room(bytes);
  RETURN_IF_ERROR(copy_out(from, room, stream));
  return copy_in(room, to, stream);
}

}  // namespace ortc
