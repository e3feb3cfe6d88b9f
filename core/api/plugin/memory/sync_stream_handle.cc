// SPDX-License-Identifier: MIT
// Streams of libraries: see the header.
#include "core/api/plugin/memory/sync_stream_handle.h"

#include "core/api/env/memory_info_handle.h"
#include "core/api/plugin/ep_instance.h"
#include "core/api/plugin/plugin_factory.h"

using namespace ortc;
using namespace ortc::api;

namespace {

uint64_t next_number() {
  static std::atomic<uint64_t> count{0};
  return ++count;
}

void release(OrtSyncNotificationImpl* notification) {
  if (notification->ort_version_supported < 23 || notification->Release == nullptr) return;
  end_plugin([&] { notification->Release(notification); });
}

}  // namespace

OrtSyncStream::OrtSyncStream(std::shared_ptr<const PluginFactory> factory,
                             std::shared_ptr<const void> owner, const OrtMemoryInfo& memory)
    : factory_(std::move(factory)),
      owner_(std::move(owner)),
      memory_(core_memory_of(memory)),
      number_(next_number()) {}

OrtSyncStream::~OrtSyncStream() {
  if (impl_ == nullptr) return;
  const PluginLibrary::Scope scope(factory_->library());
  release_notifications();
  end_plugin([&] { impl_->Release(impl_); });
}

template <typename Create>
Status OrtSyncStream::make(Create&& create) {
  const std::string label = factory_->label("CreateSyncStreamForDevice");
  const PluginLibrary::Scope scope(factory_->library());
  OrtSyncStreamImpl* made = nullptr;
  RETURN_IF_ERROR(call_plugin(label, [&] { return create(&made); }));
  if (made == nullptr) return make_status(Code::kEpFail, label, " gave no OrtSyncStreamImpl");
  if (made->ort_version_supported < 23) {
    return make_status(Code::kEpFail, label, " gave an OrtSyncStreamImpl of an old version");
  }
  if (made->Release == nullptr) {
    return make_status(Code::kEpFail, label, " gave an OrtSyncStreamImpl without Release");
  }
  impl_ = made;
  if (made->GetHandle != nullptr && made->Flush != nullptr && made->CreateNotification != nullptr) {
    return Status::ok();
  }
  return make_status(Code::kEpFail, label,
                     " gave an OrtSyncStreamImpl that lacks one of its functions");
}

Result<std::unique_ptr<OrtSyncStream>> OrtSyncStream::create(
    std::shared_ptr<const PluginFactory> factory, const OrtMemoryInfo& memory,
    const OrtKeyValuePairs* options) {
  OrtEpFactory& plugin = factory->plugin();
  const auto create = ORTC_SINCE(plugin, 23, CreateSyncStreamForDevice);
  if (!factory->is_stream_aware() || create == nullptr) {
    return invalid_argument("the device of ", factory->name(), " has no streams");
  }
  std::unique_ptr<OrtSyncStream> made(new OrtSyncStream(std::move(factory), nullptr, memory));
  RETURN_IF_ERROR(made->make(
      [&](OrtSyncStreamImpl** out) { return create(&plugin, device_of(memory), options, out); }));
  return made;
}

Result<std::unique_ptr<OrtSyncStream>> OrtSyncStream::create(
    const std::shared_ptr<const EpInstance>& ep, const OrtMemoryInfo& memory) {
  const auto create = ORTC_SINCE(ep->ep(), 23, CreateSyncStreamForDevice);
  if (create == nullptr) return OrtSyncStream::create(ep->shared_factory(), memory, nullptr);
  std::unique_ptr<OrtSyncStream> made(new OrtSyncStream(ep->shared_factory(), ep, memory));
  RETURN_IF_ERROR(made->make(
      [&](OrtSyncStreamImpl** out) { return create(&ep->ep(), device_of(memory), out); }));
  return made;
}

Status OrtSyncStream::wait() {
  const PluginLibrary::Scope scope(factory_->library());
  Status flushed = call_plugin(factory_->label("Flush"), [&] { return impl_->Flush(impl_); });
  // What the device began must end before memory goes back, whatever Flush says.
  Status waited = wait_for_notification();
  return flushed.is_ok() ? waited : flushed;
}

Status OrtSyncStream::check(const OrtSyncNotificationImpl* notification) const {
  const std::string label = factory_->label("CreateNotification");
  if (notification == nullptr) {
    return make_status(Code::kEpFail, label, " gave no OrtSyncNotificationImpl");
  }
  if (notification->ort_version_supported < 23) {
    return make_status(Code::kEpFail, label, " gave one of an old version");
  }
  if (notification->Release != nullptr && notification->Activate != nullptr &&
      notification->WaitOnHost != nullptr) {
    return Status::ok();
  }
  return make_status(Code::kEpFail, label, " gave one that lacks one of its functions");
}

// One that stands behind what the stream was given so far; the caller's to release.
Result<OrtSyncNotificationImpl*> OrtSyncStream::activate_notification() {
  OrtSyncNotificationImpl* made = nullptr;
  RETURN_IF_ERROR(call_plugin(factory_->label("CreateNotification"),
                              [&] { return impl_->CreateNotification(impl_, &made); }));
  Status status = check(made);
  if (status.is_ok()) {
    status = call_plugin(factory_->label("Activate"), [&] { return made->Activate(made); });
  }
  if (!status.is_ok()) {
    if (made != nullptr) release(made);
    return status;
  }
  ++sync_id_;
  return made;
}

Status OrtSyncStream::wait_for_notification() {
  ASSIGN_OR_RETURN(OrtSyncNotificationImpl* const made, activate_notification());
  Status waited =
      call_plugin(factory_->label("WaitOnHost"), [&] { return made->WaitOnHost(made); });
  release(made);
  return waited;
}

Status OrtSyncStream::wait_for(OrtSyncStream& producer) {
  if (&factory_->library() != &producer.factory_->library()) return producer.wait();
  const PluginLibrary::Scope scope(factory_->library());
  const PluginFactory& factory = *producer.factory_;
  RETURN_IF_ERROR(
      call_plugin(factory.label("Flush"), [&] { return producer.impl_->Flush(producer.impl_); }));
  producer.awaited_.reserve(producer.awaited_.size() + 1);
  ASSIGN_OR_RETURN(OrtSyncNotificationImpl* const made, producer.activate_notification());
  producer.awaited_.push_back(made);
  if (made->WaitOnDevice == nullptr) {
    return call_plugin(factory.label("WaitOnHost"), [&] { return made->WaitOnHost(made); });
  }
  RETURN_IF_ERROR(
      call_plugin(factory.label("WaitOnDevice"), [&] { return made->WaitOnDevice(made, this); }));
  const std::lock_guard lock(mutex_);
  last_waits_[producer.number_] = producer.sync_id_;
  return Status::ok();
}

uint64_t OrtSyncStream::last_wait_for(const OrtSyncStream& producer) const {
  const std::lock_guard lock(mutex_);
  const auto known = last_waits_.find(producer.number_);
  return known != last_waits_.end() ? known->second : 0;
}

void OrtSyncStream::release_notifications() {
  for (OrtSyncNotificationImpl* notification : awaited_) release(notification);
  awaited_.clear();
}

Status OrtSyncStream::end_run() {
  const PluginLibrary::Scope scope(factory_->library());
  release_notifications();
  Status ended = Status::ok();
  if (impl_->OnSessionRunEnd != nullptr) {
    ended = call_plugin(factory_->label("OnSessionRunEnd"),
                        [&] { return impl_->OnSessionRunEnd(impl_); });
  }
  // The other streams of the run end with it, and nobody can ask for them again.
  const std::lock_guard lock(mutex_);
  last_waits_.clear();
  return ended;
}

void* OrtSyncStream::own_handle() const {
  const PluginLibrary::Scope scope(factory_->library());
  return guard_value<void*>(nullptr, [&] { return impl_->GetHandle(impl_); });
}
