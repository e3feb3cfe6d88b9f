// SPDX-License-Identifier: MIT
// The allocator: see the header.
#include "device_allocator.h"

namespace device_memory {
namespace {

void* allocate(OrtAllocator* self, size_t bytes) noexcept {
  auto& allocator = *static_cast<Allocator*>(self);
  if (allocator.is_for_constants) ++allocator.device.counts.constants;
  return allocator.device.allocate(bytes);
}

void release(OrtAllocator* self, void* address) noexcept {
  if (address != nullptr) static_cast<Allocator*>(self)->device.release(address);
}

const OrtMemoryInfo* info(const OrtAllocator* self) noexcept {
  return &static_cast<const Allocator*>(self)->memory;
}

}  // namespace

Allocator::Allocator(Device& of, const OrtMemoryInfo& what, bool for_constants)
    : OrtAllocator{}, device(of), memory(what), is_for_constants(for_constants) {
  version = ORT_API_VERSION;
  Alloc = allocate;
  Free = release;
  Info = info;
  ++device.counts.allocators_alive;
}

}  // namespace device_memory
