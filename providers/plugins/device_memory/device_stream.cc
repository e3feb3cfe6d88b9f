// SPDX-License-Identifier: MIT
// Streams and their notifications: see the header.
#include "device_stream.h"

namespace device_memory {
namespace {

Stream& own(OrtSyncStreamImpl* stream) { return *static_cast<Stream*>(stream); }

// A place in a stream.
struct Notification : OrtSyncNotificationImpl {
  explicit Notification(Stream& of);
  ~Notification() { --stream.device.counts.notifications_alive; }
  Notification(const Notification&) = delete;
  Notification& operator=(const Notification&) = delete;
  Stream& stream;
  size_t place = 0;
};

Notification& own(OrtSyncNotificationImpl* notification) {
  return *static_cast<Notification*>(notification);
}

OrtStatus* activate(OrtSyncNotificationImpl* self) noexcept {
  own(self).place = own(self).stream.added();
  return nullptr;
}

OrtStatus* wait_on_host(OrtSyncNotificationImpl* self) noexcept {
  Notification& notification = own(self);
  return at_border(notification.stream.tables, [&] {
    ++notification.stream.device.counts.waits;
    notification.stream.finish(notification.place);
  });
}

// What is added to the consumer from here on comes after what the notification stands behind.
OrtStatus* wait_on_device(OrtSyncNotificationImpl* self, OrtSyncStream* consumer) noexcept {
  Notification& notification = own(self);
  return at_border(notification.stream.tables, [&] {
    Stream& producer = notification.stream;
    ++producer.device.counts.waits_on_device;
    do_in(stream_of(producer.tables, consumer),
          [&producer, place = notification.place] { producer.finish(place); });
  });
}

Notification::Notification(Stream& of) : OrtSyncNotificationImpl{}, stream(of) {
  ort_version_supported = ORT_API_VERSION;
  Release = [](OrtSyncNotificationImpl* self) noexcept { delete &own(self); };
  Activate = activate;
  WaitOnDevice = wait_on_device;
  WaitOnHost = wait_on_host;
  ++stream.device.counts.notifications_alive;
}

OrtStatus* create_notification(OrtSyncStreamImpl* self, OrtSyncNotificationImpl** out) noexcept {
  return at_border(own(self).tables, [&] { *out = new Notification(own(self)); });
}

// All work is handed over when it is added.
OrtStatus* flush(OrtSyncStreamImpl*) noexcept { return nullptr; }

OrtStatus* on_run_end(OrtSyncStreamImpl* self) noexcept {
  ++own(self).device.counts.run_ends;
  return nullptr;
}

}  // namespace

Stream::Stream(const Tables& with, Device& of) : OrtSyncStreamImpl{}, tables(with), device(of) {
  ort_version_supported = ORT_API_VERSION;
  Release = [](OrtSyncStreamImpl* self) noexcept { delete &own(self); };
  GetHandle = [](OrtSyncStreamImpl* self) noexcept -> void* { return &own(self); };
  CreateNotification = create_notification;
  Flush = flush;
  OnSessionRunEnd = on_run_end;
  ++device.counts.streams;
  ++device.counts.streams_alive;
}

void Stream::finish(size_t count) {
  while (done_ < count) {
    const Work work = std::move(work_.front());
    work_.pop_front();
    ++done_;
    work();
  }
}

Stream* stream_of(const Tables& tables, const OrtSyncStream* stream) {
  if (stream == nullptr) return nullptr;
  const OrtSyncStreamImpl* const impl = tables.ep.SyncStream_GetImpl(stream);
  return static_cast<Stream*>(const_cast<OrtSyncStreamImpl*>(impl));
}

void do_in(Stream* stream, Stream::Work work) {
  if (stream == nullptr) {
    work();
  } else {
    stream->add(std::move(work));
  }
}

}  // namespace device_memory
