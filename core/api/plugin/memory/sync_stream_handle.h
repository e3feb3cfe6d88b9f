// SPDX-License-Identifier: MIT
// A stream of a library's device, as programs, the library and runs see it.
#pragma once

#include <atomic>
#include <memory>

#include "core/api/env/device_handles.h"
#include "core/api/live_handles.h"
#include "core/provider/device_memory.h"
#include "ort_c/ort_api.h"

namespace ortc::api {
class EpInstance;
class PluginFactory;
}  // namespace ortc::api

struct OrtSyncStream final : ortc::DeviceStream, ortc::api::LiveHandle<OrtSyncStream> {
 public:
  // By the factory. INVALID_ARGUMENT when it has no streams; EP_FAIL, naming the function, for one
  // that is missing, too old, or lacks functions.
  static ortc::Result<std::unique_ptr<OrtSyncStream>> create(
      std::shared_ptr<const ortc::api::PluginFactory> factory, const OrtMemoryInfo& memory,
      const OrtKeyValuePairs* options);
  // By the OrtEp of a session when it makes its own, else by its factory.
  static ortc::Result<std::unique_ptr<OrtSyncStream>> create(
      const std::shared_ptr<const ortc::api::EpInstance>& ep, const OrtMemoryInfo& memory);
  ~OrtSyncStream() override;
  OrtSyncStream(const OrtSyncStream&) = delete;
  OrtSyncStream& operator=(const OrtSyncStream&) = delete;

  void* handle() override { return this; }
  // The host waits: all work is handed to the device, then a notification behind it.
  ortc::Status wait() override;
  ortc::Status end_run() override;

  void* own_handle() const;  // the library's
  const OrtSyncStreamImpl* impl() const { return impl_; }
  uint64_t sync_id() const { return sync_id_; }
  const ortc::MemoryInfo& memory() const { return memory_; }
  const ortc::api::PluginFactory& factory() const { return *factory_; }

 private:
  OrtSyncStream(std::shared_ptr<const ortc::api::PluginFactory> factory,
                std::shared_ptr<const void> owner, const OrtMemoryInfo& memory);
  template <typename Create>
  ortc::Status make(Create&& create);
  ortc::Status check(const OrtSyncNotificationImpl* notification) const;
  ortc::Status wait_for_notification();

  std::shared_ptr<const ortc::api::PluginFactory> factory_;
  std::shared_ptr<const void> owner_;  // the OrtEp that made it; null: the factory
  ortc::MemoryInfo memory_;
  OrtSyncStreamImpl* impl_ = nullptr;
  std::atomic<uint64_t> sync_id_{0};  // counts its notifications
};
