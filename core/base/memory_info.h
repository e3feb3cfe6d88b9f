// SPDX-License-Identifier: MIT
// Where a value's bytes lie. Values on the host are ordinary memory that every provider reads and
// writes; those on a device are touched by the provider that owns the device alone.
#pragma once

#include <cstdint>
#include <string>

namespace ortc {

struct MemoryInfo {
  enum class Kind : uint8_t { kHost = 0, kDevice = 1 };
  Kind kind = Kind::kHost;
  uint32_t vendor_id = 0;
  int32_t device_id = 0;
  std::string name = "Cpu";  // as the provider calls it

  bool is_host() const { return kind == Kind::kHost; }
  bool operator==(const MemoryInfo&) const = default;
};

}  // namespace ortc
