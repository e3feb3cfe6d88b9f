// SPDX-License-Identifier: MIT
// Copies: see the header.
#include "device_transfer.h"

#include <cstring>

#include "device_stream.h"

namespace device_memory {
namespace {

bool is_host(const Tables& tables, const OrtMemoryDevice* memory) {
  return tables.ep.MemoryDevice_GetDeviceType(memory) == OrtMemoryInfoDeviceType_CPU;
}

bool can_copy(const OrtDataTransferImpl* self, const OrtMemoryDevice* from,
              const OrtMemoryDevice* to) noexcept {
  const auto& transfer = *static_cast<const Transfer*>(self);
  const auto is = [&](const OrtMemoryDevice* memory, const Place& place) {
    return place.memory != nullptr &&
           transfer.tables.ep.MemoryDevice_AreEqual(memory, place.memory);
  };
  if (is(from, transfer.own)) return is(to, transfer.own) || is_host(transfer.tables, to);
  return is(to, transfer.own) && (is_host(transfer.tables, from) || is(from, transfer.other));
}

void copy(Transfer& transfer, const OrtValue& source, OrtValue& target, Stream* stream) {
  const Tables& tables = transfer.tables;
  Device& device = *transfer.own.device;
  const void* from = nullptr;
  void* to = nullptr;
  size_t bytes = 0;
  check(tables.ort.GetTensorData(&source, &from));
  check(tables.ort.GetTensorMutableData(&target, &to));
  check(tables.ort.GetTensorSizeInBytes(&source, &bytes));
  const OrtMemoryDevice* const there = tables.ep.Value_GetMemoryDevice(&source);
  const bool from_host = is_host(tables, there);
  const bool from_own = !from_host && tables.ep.MemoryDevice_AreEqual(there, transfer.own.memory);
  const bool to_host = is_host(tables, tables.ep.Value_GetMemoryDevice(&target));
  if (!from_host) from = (from_own ? device : *transfer.other.device).at(from, bytes);
  if (!to_host) to = device.at(to, bytes);
  ++(from_host  ? device.counts.copies_in
     : to_host  ? device.counts.copies_out
     : from_own ? device.counts.copies_within
                : device.counts.copies_across);
  do_in(stream, [from, to, bytes] { std::memcpy(to, from, bytes); });
}

OrtStatus* copy_tensors(OrtDataTransferImpl* self, const OrtValue** sources, OrtValue** targets,
                        OrtSyncStream** streams, size_t count) noexcept {
  auto& transfer = *static_cast<Transfer*>(self);
  return at_border(transfer.tables, [&] {
    for (size_t i = 0; i < count; ++i) {
      Stream* const stream = streams != nullptr ? stream_of(transfer.tables, streams[i]) : nullptr;
      copy(transfer, *sources[i], *targets[i], stream);
    }
  });
}

}  // namespace

Transfer::Transfer(const Tables& with, Place mine, Place others)
    : OrtDataTransferImpl{}, tables(with), own(mine), other(others) {
  ort_version_supported = ORT_API_VERSION;
  Release = [](OrtDataTransferImpl* self) noexcept { delete static_cast<Transfer*>(self); };
  CanCopy = can_copy;
  CopyTensors = copy_tensors;
}

}  // namespace device_memory
