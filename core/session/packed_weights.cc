// SPDX-License-Identifier: MIT
// Sharing packed weights: see the header.
#include "core/session/packed_weights.h"

#include <cstdint>
#include <cstring>

namespace ortc {
namespace {

// Smaller tensors are not worth the search.
constexpr size_t kSharedBytesMin = 1024;
constexpr uintptr_t kAlignment = 64;

bool is_aligned(const Blob& blob) {
  return reinterpret_cast<uintptr_t>(blob.data()) % kAlignment == 0;
}

}  // namespace

Blob PackedWeights::share(Blob fresh) {
  const bool is_lasting = fresh.owner() != nullptr;
  if (fresh.size() < kSharedBytesMin || !is_lasting || !is_aligned(fresh)) return fresh;
  const Hash128 hash = hash128(fresh.bytes());
  const std::lock_guard lock(mutex_);
  std::vector<Blob>& candidates = blobs_[hash];
  for (const Blob& held : candidates) {
    if (held.size() != fresh.size()) continue;
    if (std::memcmp(held.data(), fresh.data(), fresh.size()) == 0) return held;
  }
  candidates.push_back(fresh);
  return fresh;
}

size_t PackedWeights::count() const {
  const std::lock_guard lock(mutex_);
  size_t count = 0;
  for (const auto& [hash, blobs] : blobs_) count += blobs.size();
  return count;
}

uint64_t PackedWeights::held_bytes() const {
  const std::lock_guard lock(mutex_);
  uint64_t bytes = 0;
  for (const auto& [hash, blobs] : blobs_) {
    for (const Blob& blob : blobs) bytes += blob.size();
  }
  return bytes;
}

}  // namespace ortc
