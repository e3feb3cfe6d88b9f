// SPDX-License-Identifier: MIT
// Handles that are alive: see the header.
#include "core/api/live_handles.h"

#include <cstdint>
#include <mutex>

namespace ortc::api {

// Handles are allocated: the last bits of their addresses tell nothing.
size_t LiveHandles::chain_of(const void* handle) {
  const uint64_t mixed = (reinterpret_cast<uintptr_t>(handle) >> 4) * 0x9E3779B97F4A7C15u;
  return static_cast<size_t>(mixed >> 32) % kChains;
}

void LiveHandles::add(const void* handle, LiveLink& link) noexcept {
  const std::lock_guard lock(mutex_);
  LiveLink*& first = chains_[chain_of(handle)];
  link = {handle, first};
  first = &link;
}

bool LiveHandles::remove(const void* handle) noexcept {
  const std::lock_guard lock(mutex_);
  for (LiveLink** at = &chains_[chain_of(handle)]; *at != nullptr; at = &(*at)->next) {
    if ((*at)->handle != handle) continue;
    *at = (*at)->next;
    return true;
  }
  return false;
}

bool LiveHandles::has(const void* handle) const noexcept {
  const std::shared_lock lock(mutex_);
  for (const LiveLink* at = chains_[chain_of(handle)]; at != nullptr; at = at->next) {
    if (at->handle == handle) return true;
  }
  return false;
}

}  // namespace ortc::api
