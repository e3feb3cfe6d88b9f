// SPDX-License-Identifier: MIT
// A stream of a library's device, as programs, the library and runs see it.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

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
  // The host waits: all work is handed to the device, then a notification after it.
  ortc::Status wait() override;
  ortc::Status end_run() override;
  // What this stream is given from now on comes after what `producer` was given so far: by the
  // producer's notification when one library has both, which then knows both kinds of streams; else
  // the host waits for the producer.
  ortc::Status wait_for(OrtSyncStream& producer);

  void* own_handle() const;  // the library's
  const OrtSyncStreamImpl* impl() const { return impl_; }
  uint64_t sync_id() const { return sync_id_; }
  // The producer's sync_id() when this stream waited for it last; 0: never.
  uint64_t last_wait_for(const OrtSyncStream& producer) const;
  const ortc::MemoryInfo& memory() const { return memory_; }
  const ortc::api::PluginFactory& factory() const { return *factory_; }
  // Of a run: OrtReleaseSyncStream() leaves it.
  void lend() { is_lent_ = true; }
  bool is_lent() const { return is_lent_; }

 private:
  OrtSyncStream(std::shared_ptr<const ortc::api::PluginFactory> factory,
                std::shared_ptr<const void> owner, const OrtMemoryInfo& memory);
  template <typename Create>
  ortc::Status make(Create&& create);
  ortc::Status check(const OrtSyncNotificationImpl* notification) const;
  ortc::Status wait_for_notification();
  ortc::Result<OrtSyncNotificationImpl*> activate_notification();
  void release_notifications();

  std::shared_ptr<const ortc::api::PluginFactory> factory_;
  std::shared_ptr<const void> owner_;  // the OrtEp that made it; null: the factory
  ortc::MemoryInfo memory_;
  OrtSyncStreamImpl* impl_ = nullptr;
  std::atomic<uint64_t> sync_id_{0};  // counts its notifications
  const uint64_t number_;             // of all streams
  bool is_lent_ = false;
  // Those that other streams wait for, until the run has ended.
  std::vector<OrtSyncNotificationImpl*> awaited_;
  mutable std::mutex mutex_;
  std::map<uint64_t, uint64_t> last_waits_;  // of a run, by the producer's number
};
