// SPDX-License-Identifier: MIT
// Which handles of a kind are alive. Libraries of providers are somebody else's code: what they
// hand back twice, or use after its end, is looked up before it is touched, and refused. An end on
// another thread between the look and the use is not seen. Allocates nothing.
#pragma once

#include <cstddef>
#include <shared_mutex>

namespace ortc::api {

// Stands in the handle.
struct LiveLink {
  const void* handle = nullptr;
  LiveLink* next = nullptr;
};

class LiveHandles {
 public:
  void add(const void* handle, LiveLink& link) noexcept;
  // Whether it was there: of all who end a handle, one.
  bool remove(const void* handle) noexcept;
  bool has(const void* handle) const noexcept;

 private:
  static constexpr size_t kChains = 4096;
  static size_t chain_of(const void* handle);

  mutable std::shared_mutex mutex_;
  LiveLink* chains_[kChains] = {};
};

// Those of one kind, as long as the process.
template <typename T>
LiveHandles& live() {
  static constinit LiveHandles handles;
  return handles;
}

// The base of a kind that is looked up.
template <typename T>
class LiveHandle {
 protected:
  LiveHandle() noexcept { live<T>().add(static_cast<const T*>(this), link_); }
  LiveHandle(const LiveHandle&) noexcept : LiveHandle() {}
  LiveHandle& operator=(const LiveHandle&) noexcept { return *this; }
  ~LiveHandle() { live<T>().remove(static_cast<const T*>(this)); }

 private:
  LiveLink link_;
};

template <typename T>
bool is_alive(const T* handle) {
  return handle != nullptr && live<T>().has(handle);
}

}  // namespace ortc::api

// Refuses NULL and what has ended, by the name of the parameter.
#define ORTC_ALIVE(parameter)                                                    \
  ORTC_NEEDED(parameter);                                                        \
  if (!::ortc::api::is_alive(parameter)) {                                       \
    return ::ortc::invalid_argument("'" #parameter                               \
                                    "' is not there any more: it was released, " \
                                    "or was lent for a call that has returned"); \
  }
