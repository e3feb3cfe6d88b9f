// SPDX-License-Identifier: MIT
// A stream: work that the device does later than it is told to. This one does it as late as a
// device may, when somebody waits for it, so that who forgets to wait sees wrong numbers.
#pragma once

#include <deque>
#include <functional>

#include "device.h"
#include "device_tables.h"

namespace device_memory {

struct Stream : OrtSyncStreamImpl {
  Stream(const Tables& tables, Device& device);
  ~Stream() { --device.counts.streams_alive; }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  using Work = std::function<void()>;
  void add(Work work) {
    work_.push_back(std::move(work));
    ++added_;
  }
  // All that was added up to this count is done.
  void finish(size_t count);
  size_t added() const { return added_; }

  const Tables& tables;
  Device& device;

 private:
  std::deque<Work> work_;
  size_t added_ = 0, done_ = 0;
};

// Of this library.
Stream* stream_of(const Tables& tables, const OrtSyncStream* stream);
// Now, or in the order of the stream.
void do_in(Stream* stream, Stream::Work work);

}  // namespace device_memory
