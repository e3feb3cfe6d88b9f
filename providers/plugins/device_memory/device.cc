// SPDX-License-Identifier: MIT
// Memory of the device: see the header.
#include "device.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace device_memory {
namespace {

constexpr size_t kBytes = size_t{64} << 20;  // taken from the system page by page, when used
constexpr size_t kAlignment = 64;

std::byte* map(int file, int rights) {
  void* const view = mmap(nullptr, kBytes, rights, MAP_SHARED, file, 0);
  return view != MAP_FAILED ? static_cast<std::byte*>(view) : nullptr;
}

}  // namespace

Device::Device() {
  const int file = memfd_create("device_memory", MFD_CLOEXEC);
  if (file >= 0 && ftruncate(file, kBytes) == 0) {
    host_view_ = map(file, PROT_NONE);
    device_view_ = map(file, PROT_READ | PROT_WRITE);
  }
  if (file >= 0) close(file);
  if (host_view_ != nullptr && device_view_ != nullptr) return;
  if (host_view_ != nullptr) munmap(host_view_, kBytes);
  if (device_view_ != nullptr) munmap(device_view_, kBytes);
  throw std::runtime_error("the device has no memory");
}

Device::~Device() {
  munmap(host_view_, kBytes);
  munmap(device_view_, kBytes);
}

// The first gap that is wide enough.
void* Device::allocate(size_t bytes) noexcept {
  if (bytes > kBytes) return nullptr;
  const size_t size = std::max((bytes + kAlignment - 1) / kAlignment * kAlignment, kAlignment);
  try {
    const std::lock_guard<std::mutex> lock(mutex_);
    size_t begin = 0;
    for (const auto& [used, used_size] : used_) {
      if (used - begin >= size) break;
      begin = used + used_size;
    }
    if (size > kBytes - begin) return nullptr;
    used_.emplace(begin, size);
    ++counts.blocks;
    ++counts.blocks_alive;
    return host_view_ + begin;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void Device::release(void* address) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (used_.erase(static_cast<size_t>(static_cast<std::byte*>(address) - host_view_)) != 0) {
    --counts.blocks_alive;
  }
}

std::byte* Device::at(const void* address, size_t bytes) const {
  const auto* const place = static_cast<const std::byte*>(address);
  if (place < host_view_ || place >= host_view_ + kBytes ||
      bytes > static_cast<size_t>(host_view_ + kBytes - place)) {
    throw std::invalid_argument("an address that is not the device's");
  }
  return device_view_ + (place - host_view_);
}

}  // namespace device_memory
