// SPDX-License-Identifier: MIT
// A device of the test provider: see the header.
#include "tests/support/test_device.h"

#include <cstring>
#include <new>

#include "core/base/str_cat.h"

namespace ortc::test {
namespace {

class TestDevice final : public DeviceMemory {
 public:
  TestDevice(std::shared_ptr<TestDeviceState> state, TestDeviceKind kind,
             std::shared_ptr<const DeviceMemory> orders)
      : state_(std::move(state)), kind_(kind), orders_(std::move(orders)) {
    info_.name = str_cat("Test", kind.device_id);
    info_.device_type = DeviceType::kNpu;
    info_.vendor_id = 0x7e57;
    info_.device_id = kind.device_id;
    info_.is_host_accessible = kind.is_host_accessible;
  }

  const MemoryInfo& info() const override { return info_; }

  Result<std::shared_ptr<void>> allocate(uint64_t bytes) const override {
    if (state_->allocations_left == 0) return fail("the device has no more memory");
    if (state_->allocations_left > 0) --state_->allocations_left;
    ++state_->allocations;
    state_->bytes_held += static_cast<int64_t>(bytes);
    void* room = ::operator new(bytes, std::align_val_t(64));
    return std::shared_ptr<void>(room, [state = state_, bytes](void* mine) {
      std::memset(mine, 0x5b, bytes);
      ::operator delete(mine, std::align_val_t(64));
      state->bytes_held -= static_cast<int64_t>(bytes);
    });
  }

  Status copy_in(Bytes from, void* to, DeviceStream* stream) const override {
    ++state_->copies_in;
    if (stream == nullptr) {
      translate(*this, from.data(), to, from.size());
      return Status::ok();
    }
    static_cast<TestDeviceStream*>(stream)->enqueue([this, bytes = Blob::copy_of(from), to] {
      translate(*this, bytes.data(), to, bytes.size());
    });
    return Status::ok();
  }

  Status copy_out(const void* from, std::span<std::byte> to, DeviceStream* stream) const override {
    ++state_->copies_out;
    if (stream != nullptr) RETURN_IF_ERROR(stream->wait());
    translate(*this, from, to.data(), to.size());
    return Status::ok();
  }

  Result<std::unique_ptr<DeviceStream>> make_stream() const override {
    if (!kind_.works_ahead) return std::unique_ptr<DeviceStream>();
    return std::unique_ptr<DeviceStream>(std::make_unique<TestDeviceStream>(state_));
  }
  const DeviceMemory& stream_memory() const override {
    return orders_ != nullptr ? *orders_ : *this;
  }

 private:
  std::shared_ptr<TestDeviceState> state_;
  TestDeviceKind kind_;
  std::shared_ptr<const DeviceMemory> orders_;
  MemoryInfo info_;
};

}  // namespace

TestDeviceStream::TestDeviceStream(std::shared_ptr<TestDeviceState> state)
    : state_(std::move(state)) {
  ++state_->streams_made;
  ++state_->streams_alive;
}

TestDeviceStream::~TestDeviceStream() { --state_->streams_alive; }

Status TestDeviceStream::wait() {
  ++state_->waits;
  for (const auto& work : work_) work();
  work_.clear();
  if (state_->stream_fails) return fail("the device was lost");
  return Status::ok();
}

std::shared_ptr<const DeviceMemory> test_device(std::shared_ptr<TestDeviceState> state,
                                                TestDeviceKind kind,
                                                std::shared_ptr<const DeviceMemory> orders) {
  return std::make_shared<TestDevice>(std::move(state), kind, std::move(orders));
}

void translate(const DeviceMemory& memory, const void* from, void* to, size_t bytes) {
  const auto* source = static_cast<const uint8_t*>(from);
  auto* target = static_cast<uint8_t*>(to);
  const uint8_t mask = memory.info().is_host_accessible ? 0 : 0xff;
  for (size_t i = 0; i < bytes; ++i) target[i] = source[i] ^ mask;
}

}  // namespace ortc::test
