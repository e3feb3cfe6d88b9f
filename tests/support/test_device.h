// SPDX-License-Identifier: MIT
// A device of the test provider. Its memory is the host's, but every byte in it is stored inverted:
// a value that is read without a transfer, or carried twice, is a wrong number. Memory that was
// given back is overwritten.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "core/provider/device_memory.h"

namespace ortc::test {

// What a device was asked to do; its memories and streams share it.
struct TestDeviceState {
  std::atomic<int> copies_in = 0, copies_out = 0, allocations = 0;
  std::atomic<int64_t> bytes_held = 0;
  std::atomic<int> streams_made = 0, streams_alive = 0, waits = 0;
  std::atomic<int64_t> allocations_left = -1;  // then it has no more; -1: no limit
  std::atomic<bool> stream_fails = false;      // waits end with a failure
};

struct TestDeviceKind {
  int32_t device_id = 0;
  bool is_host_accessible = false;  // its bytes are stored as they are
  bool works_ahead = false;         // work waits in a stream until somebody waits for it
};

class TestDeviceStream final : public DeviceStream {
 public:
  explicit TestDeviceStream(std::shared_ptr<TestDeviceState> state);
  ~TestDeviceStream() override;
  void* handle() override { return this; }
  Status wait() override;
  void enqueue(std::function<void()> work) { work_.push_back(std::move(work)); }

 private:
  std::shared_ptr<TestDeviceState> state_;
  std::vector<std::function<void()>> work_;
};

std::shared_ptr<const DeviceMemory> test_device(std::shared_ptr<TestDeviceState> state,
                                                TestDeviceKind kind,
                                                std::shared_ptr<const DeviceMemory> orders = {});

// The device's bytes to the host's, and back.
void translate(const DeviceMemory& memory, const void* from, void* to, size_t bytes);

}  // namespace ortc::test
