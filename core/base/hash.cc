// SPDX-License-Identifier: MIT
// Content hashes over libxxhash; the only file that sees its header.
#include "core/base/hash.h"

#include <xxhash.h>

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

Hasher& Hasher::add_number(uint64_t value) {
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state_), &value, sizeof value);
  return *this;
}

Hash128 Hasher::finish() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(static_cast<XXH3_state_t*>(state_));
  return {hash.low64, hash.high64};
}

}  // namespace ortc
