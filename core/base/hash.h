// SPDX-License-Identifier: MIT
// 128-bit content hashes (XXH3): equal content finds each other, damaged metadata shows. Not a
// signature.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/bytes.h"

namespace ortc {

struct Hash128 {
  uint64_t low = 0;
  uint64_t high = 0;
  auto operator<=>(const Hash128&) const = default;
  std::string hex() const;                                          // 32 digits, high half first
  static std::optional<Hash128> from_hex(std::string_view digits);  // what hex() gives
};

Hash128 hash128(Bytes bytes);

// Hashes a sequence of fields; every field is framed by its size, so ("ab","c") differs from
// ("a","bc").
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  Hasher& add(Bytes bytes);
  Hasher& add(std::string_view text) { return add(as_bytes(text)); }
  Hasher& add_number(uint64_t value);
  // Without a frame: pieces that are hashed so give hash128() of the whole.
  Hasher& append(Bytes bytes);
  Hash128 finish() const;

 private:
  void* state_;
};

}  // namespace ortc
