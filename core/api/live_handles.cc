// SPDX-License-Identifier: MIT
// Handles that are alive: see the header.
#include "core/api/live_handles.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <new>

namespace ortc::api {

// Handles are allocated: the last bits of their addresses tell nothing.
size_t LiveHandles::chain_of(const void* handle) const {
  const uint64_t mixed = (reinterpret_cast<uintptr_t>(handle) >> 4) * 0x9E3779B97F4A7C15u;
  return static_cast<size_t>(mixed >> 32) % chains_;
}

void LiveHandles::grow() {
  const size_t before = chains_;
  LiveLink** const chains = new (std::nothrow) LiveLink*[before * 4]();
  if (chains == nullptr) return;
  chains_ = before * 4;
  for (size_t i = 0; i < before; ++i) {
    for (LiveLink* link = chain(i); link != nullptr;) {
      LiveLink* const next = link->next;
      LiveLink*& first = chains[chain_of(link->handle)];
      link->next = first;
      first = link;
      link = next;
    }
  }
  delete[] more_;
  more_ = chains;
}

// When nothing is in it.
void LiveHandles::shrink() {
  delete[] more_;
  more_ = nullptr;
  chains_ = kFirstChains;
  std::fill_n(first_, kFirstChains, nullptr);
}

void LiveHandles::add(const void* handle, LiveLink& link) noexcept {
  const std::lock_guard lock(mutex_);
  if (++count_ > chains_) grow();
  LiveLink*& first = chain(chain_of(handle));
  link = {handle, first};
  first = &link;
}

bool LiveHandles::remove(const void* handle) noexcept {
  const std::lock_guard lock(mutex_);
  for (LiveLink** at = &chain(chain_of(handle)); *at != nullptr; at = &(*at)->next) {
    if ((*at)->handle != handle) continue;
    *at = (*at)->next;
    if (--count_ == 0 && more_ != nullptr) shrink();
    return true;
  }
  return false;
}

bool LiveHandles::has(const void* handle) const noexcept {
  const std::shared_lock lock(mutex_);
  for (const LiveLink* at = chain(chain_of(handle)); at != nullptr; at = at->next) {
    if (at->handle == handle) return true;
  }
  return false;
}

size_t LiveHandles::longest_chain() const noexcept {
  const std::shared_lock lock(mutex_);
  size_t longest = 0;
  for (size_t i = 0; i < chains_; ++i) {
    size_t length = 0;
    for (const LiveLink* at = chain(i); at != nullptr; at = at->next) ++length;
    longest = std::max(longest, length);
  }
  return longest;
}

}  // namespace ortc::api
