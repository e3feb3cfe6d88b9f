// SPDX-License-Identifier: MIT
// Which handles of a kind are alive. Libraries of providers are code from outside: what they
// hand back twice, or use after its end, is looked up before it is touched, and refused. An end on
// another thread between the look and the use is not seen.
#pragma once

#include <cstddef>
#include <shared_mutex>

namespace ortc::api {

// Stands in the handle.
struct LiveLink {
  const void* handle = nullptr;
  LiveLink* next = nullptr;
};

// The table grows with what is alive, and without memory its chains become longer instead.
class LiveHandles {
 public:
  void add(const void* handle, LiveLink& link) noexcept;
  // Whether it was there: of all who end a handle, one.
  bool remove(const void* handle) noexcept;
  bool has(const void* handle) const noexcept;

  size_t longest_chain() const noexcept;

 private:
  static constexpr size_t kFirstChains = 4096;
  size_t chain_of(const void* handle) const;
  LiveLink*& chain(size_t at) { return more_ != nullptr ? more_[at] : first_[at]; }
  const LiveLink* chain(size_t at) const { return more_ != nullptr ? more_[at] : first_[at]; }
  void grow();
  void shrink();

  mutable std::shared_mutex mutex_;
  size_t count_ = 0, chains_ = kFirstChains;  // a power of two
  LiveLink* first_[kFirstChains] = {};
  // In the place of the first ones while many are alive. Not freed when the process ends.
  LiveLink** more_ = nullptr;
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
