// SPDX-License-Identifier: MIT
// The allocator: see the header.
#include "device_allocator.h"

#include "device_stream.h"

namespace device_memory {
namespace {

void* allocate(OrtAllocator* self, size_t bytes) noexcept {
  auto& allocator = *static_cast<Allocator*>(self);
  if (allocator.is_for_constants) ++allocator.device.counts.constants;
  return allocator.device.allocate(bytes);
}

// For the work of a stream. An arena would give blocks again that work before it in the same stream
// has done with; this allocator only looks whether the stream is one of the device.
void* allocate_on(OrtAllocator* self, size_t bytes, OrtSyncStream* stream) noexcept {
  auto& allocator = *static_cast<Allocator*>(self);
  const OrtSyncStreamImpl* const impl = allocator.tables.ep.SyncStream_GetImpl(stream);
  if (impl == nullptr) return nullptr;
  if (&static_cast<const Stream*>(impl)->device != &allocator.device) return nullptr;
  ++allocator.device.counts.blocks_on_streams;
  return allocate(self, bytes);
}

void release(OrtAllocator* self, void* address) noexcept {
  if (address != nullptr) static_cast<Allocator*>(self)->device.release(address);
}

const OrtMemoryInfo* info(const OrtAllocator* self) noexcept {
  return &static_cast<const Allocator*>(self)->memory;
}

}  // namespace

Allocator::Allocator(const Tables& with, Device& of, const OrtMemoryInfo& what, bool for_constants)
    : OrtAllocator{}, tables(with), device(of), memory(what), is_for_constants(for_constants) {
  version = ORT_API_VERSION;
  Alloc = allocate;
  Free = release;
  Info = info;
  if (!for_constants) AllocOnStream = allocate_on;
  ++device.counts.allocators_alive;
}

}  // namespace device_memory
