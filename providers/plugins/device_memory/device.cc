// SPDX-License-Identifier: MIT
// Memory of the device: see the header.
#include "device.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace device_memory {
namespace {

constexpr size_t kBytes = size_t{64} << 20;  // taken from the system page by page, when used
constexpr size_t kAlignment = 64;

std::byte* map(int file, int rights, size_t bytes = kBytes) {
  void* const view = mmap(nullptr, bytes, rights, MAP_SHARED, file, 0);
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

// The host may read and write it where it mapped it itself.
std::byte* Device::adopt(int file, size_t bytes, size_t offset) {
  struct stat facts {};
  if (fstat(file, &facts) != 0 || static_cast<size_t>(facts.st_size) < bytes || bytes == 0) {
    return nullptr;
  }
  const Adopted views{map(file, PROT_NONE, bytes), map(file, PROT_READ | PROT_WRITE, bytes), bytes};
  if (views.host_view == nullptr || views.device_view == nullptr) {
    if (views.host_view != nullptr) munmap(views.host_view, bytes);
    if (views.device_view != nullptr) munmap(views.device_view, bytes);
    return nullptr;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  adopted_.emplace(views.host_view + offset, views);
  ++counts.adopted_alive;
  return views.host_view + offset;
}

void Device::disown(std::byte* address) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = adopted_.find(address);
  if (found == adopted_.end()) return;
  munmap(found->second.host_view, found->second.bytes);
  munmap(found->second.device_view, found->second.bytes);
  adopted_.erase(found);
  --counts.adopted_alive;
}

std::byte* Device::at(const void* address, size_t bytes) const {
  const auto* const place = static_cast<const std::byte*>(address);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [begin, views] : adopted_) {
      const std::byte* const end = views.host_view + views.bytes;
      if (place >= begin && place <= end && bytes <= static_cast<size_t>(end - place)) {
        return views.device_view + (place - views.host_view);
      }
    }
  }
  if (place < host_view_ || place >= host_view_ + kBytes ||
      bytes > static_cast<size_t>(host_view_ + kBytes - place)) {
    throw std::invalid_argument("an address that is not the device's");
  }
  return device_view_ + (place - host_view_);
}

}  // namespace device_memory
