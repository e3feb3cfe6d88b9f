// SPDX-License-Identifier: MIT
// Element ranges: see the header.
#include "core/run/copy_range.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace ortc {
namespace {

// Elements of `bits` bits, the first of a byte in its lowest ones.
void copy_packed(unsigned bits, uint64_t count, const uint8_t* from, uint64_t from_at, uint8_t* to,
                 uint64_t to_at) {
  const unsigned per_byte = 8 / bits, mask = (1u << bits) - 1;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t source = from_at + i, target = to_at + i;
    const unsigned element = from[source / per_byte] >> (source % per_byte * bits) & mask;
    uint8_t& byte = to[target / per_byte];
    const auto shift = static_cast<unsigned>(target % per_byte) * bits;
    byte = static_cast<uint8_t>((byte & ~(mask << shift)) | element << shift);
  }
}

}  // namespace

void copy_range(DType dtype, uint64_t count, const void* from, uint64_t from_at, void* to,
                uint64_t to_at) {
  if (count == 0) return;
  if (dtype == DType::kString) {
    std::copy_n(static_cast<const std::string*>(from) + from_at, count,
                static_cast<std::string*>(to) + to_at);
    return;
  }
  const auto bits = static_cast<unsigned>(dtype_bits(dtype));
  if (bits < 8) {
    return copy_packed(bits, count, static_cast<const uint8_t*>(from), from_at,
                       static_cast<uint8_t*>(to), to_at);
  }
  const uint64_t bytes = bits / 8;
  std::memcpy(static_cast<std::byte*>(to) + to_at * bytes,
              static_cast<const std::byte*>(from) + from_at * bytes, count * bytes);
}

void move_range(DType dtype, uint64_t count, void* from, uint64_t from_at, void* to,
                uint64_t to_at) {
  if (dtype != DType::kString) return copy_range(dtype, count, from, from_at, to, to_at);
  std::string* const texts = static_cast<std::string*>(from) + from_at;
  std::move(texts, texts + count, static_cast<std::string*>(to) + to_at);
}

}  // namespace ortc
