// SPDX-License-Identifier: MIT
// The store of mapped files: see the header.
#include "core/platform/file_store.h"

#include "core/platform/file_map.h"

namespace ortc {

FileStore& FileStore::of_process() {
  static FileStore* const store = new FileStore;
  return *store;
}

// Renaming a file changes it for the file system, not for its readers.
FileStore::Key FileStore::key_of(FileIdentity identity, Access access) {
  identity.changed_ns = 0;
  return {identity, access};
}

std::shared_ptr<const FileMap> FileStore::find(const FileIdentity& identity, Access access) {
  const std::lock_guard lock(mutex_);
  const auto known = maps_.find(key_of(identity, access));
  return known != maps_.end() ? known->second.lock() : nullptr;
}

std::shared_ptr<const FileMap> FileStore::share(std::shared_ptr<const FileMap> fresh,
                                                Access access) {
  const std::lock_guard lock(mutex_);
  std::erase_if(maps_, [](const auto& entry) { return entry.second.expired(); });
  auto& entry = maps_[key_of(fresh->identity(), access)];
  if (auto known = entry.lock(); known != nullptr) return known;
  entry = fresh;
  return fresh;
}

size_t FileStore::file_count() const {
  const std::lock_guard lock(mutex_);
  size_t count = 0;
  for (const auto& [key, map] : maps_) count += map.expired() ? 0 : 1;
  return count;
}

}  // namespace ortc
