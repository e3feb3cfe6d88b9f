// SPDX-License-Identifier: MIT
// The store of mapped files: see the header.
#include "core/platform/file_store.h"

namespace ortc {

std::shared_ptr<const FileMap> FileStore::share(std::shared_ptr<const FileMap> fresh) {
  std::lock_guard lock(mutex_);
  for (auto it = maps_.begin(); it != maps_.end();) {
    it = it->second.expired() ? maps_.erase(it) : std::next(it);
  }
  auto& entry = maps_[fresh->identity()];
  if (auto known = entry.lock(); known != nullptr && known->is_mapped() == fresh->is_mapped())
    return known;
  entry = fresh;
  return fresh;
}

size_t FileStore::file_count() const {
  std::lock_guard lock(mutex_);
  size_t count = 0;
  for (const auto& [identity, map] : maps_) count += map.expired() ? 0 : 1;
  return count;
}

}  // namespace ortc
