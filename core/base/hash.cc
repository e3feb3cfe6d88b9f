// SPDX-License-Identifier: MIT
// Content hashes over libxxhash; the only file that sees its headers.
#include "core/base/hash.h"

// With the widest vectors of the processor, where the library was built to choose among them.
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

#include <new>

namespace ortc {

std::string Hash128::hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(32);
  for (uint64_t half : {high, low}) {
    for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(half >> shift) & 15];
  }
  return text;
}

std::optional<Hash128> Hash128::from_hex(std::string_view digits) {
  if (digits.size() != 32) return std::nullopt;
  Hash128 hash;
  for (size_t i = 0; i < digits.size(); ++i) {
    const char c = digits[i];
    const bool is_decimal = c >= '0' && c <= '9';
    if (!is_decimal && (c < 'a' || c > 'f')) return std::nullopt;
    uint64_t& half = i < 16 ? hash.high : hash.low;
    half = half << 4 | static_cast<uint64_t>(is_decimal ? c - '0' : c - 'a' + 10);
  }
  return hash;
}

Hash128 hash128(Bytes bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

Hasher::Hasher() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(static_cast<XXH3_state_t*>(state_));
}

Hasher::~Hasher() { XXH3_freeState(static_cast<XXH3_state_t*>(state_)); }

Hasher& Hasher::add(Bytes bytes) {
  add_number(bytes.size());
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state_), bytes.data(), bytes.size());
  return *this;
}

Hasher& Hasher::append(Bytes bytes) {
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state_), bytes.data(), bytes.size());
  return *this;
}

Hasher& Hasher::add_number(uint64_t value) {
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state_), &value, sizeof value);
  return *this;
}

Hash128 Hasher::finish() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(static_cast<XXH3_state_t*>(state_));
  return {hash.low64, hash.high64};
}

}  // namespace ortc
