// SPDX-License-Identifier: MIT
// A memory of a library's device, as sessions use it: by the library's allocator, its data transfer
// and its streams.
#pragma once

#include <memory>
#include <vector>

#include "core/api/plugin/ep_instance.h"
#include "core/provider/linked_memory.h"

namespace ortc::api {

class PluginTransfer;

class PluginMemory final : public LinkedMemory {
 public:
  // EP_FAIL when the library has nothing that carries values there and back.
  static Result<std::shared_ptr<const PluginMemory>> create(std::shared_ptr<const EpInstance> ep,
                                                            const OrtMemoryInfo& memory,
                                                            const OrtMemoryInfo* constants);

  const MemoryInfo& info() const override { return info_; }
  Result<std::shared_ptr<void>> allocate(uint64_t bytes) const override;
  Result<std::shared_ptr<void>> allocate_on(uint64_t bytes, DeviceStream* stream) const override;
  Result<std::shared_ptr<void>> allocate_constant(uint64_t bytes) const override;
  Status copy_in(Bytes from, void* to, DeviceStream* stream) const override;
  Status copy_out(const void* from, std::span<std::byte> to, DeviceStream* stream) const override;
  Status copy_within(const void* from, void* to, uint64_t bytes,
                     DeviceStream* stream) const override;
  Result<std::unique_ptr<DeviceStream>> make_stream() const override;
  Result<bool> takes_from(const DeviceMemory& other) const override;
  Status copy_across(const DeviceMemory& other, const void* from, DeviceStream* from_stream,
                     void* to, uint64_t bytes, DeviceStream* to_stream) const override;

  const OrtMemoryInfo& handle() const { return handle_; }
  const std::shared_ptr<OrtAllocator>& allocator() const { return allocator_; }

 private:
  PluginMemory(std::shared_ptr<const EpInstance> ep, const OrtMemoryInfo& memory);
  Status check_transfer();
  Result<const PluginTransfer*> transfer_from(const PluginMemory& other) const;
  Status copy(const void* from, const OrtMemoryInfo& from_memory, void* to,
              const OrtMemoryInfo& to_memory, uint64_t bytes, DeviceStream* stream) const;

  std::shared_ptr<const EpInstance> ep_;
  const OrtMemoryInfo handle_;
  const MemoryInfo info_;
  std::shared_ptr<OrtAllocator> allocator_;
  std::shared_ptr<OrtAllocator> constants_;  // of the library's own kind for them; else the same
  bool copies_within_ = false;
};

// Those of one session's provider.
struct PluginMemories {
  // Memory that only the device may touch, where the provider's values lie; null: on the host.
  std::shared_ptr<const PluginMemory> values;
  std::vector<std::shared_ptr<const PluginMemory>> list;  // all
  static Result<PluginMemories> create(const std::shared_ptr<const EpInstance>& ep);
};

}  // namespace ortc::api
