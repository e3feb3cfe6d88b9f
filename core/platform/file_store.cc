// SPDX-License-Identifier: MIT
// The store of mapped files: see the header.
#include "core/platform/file_store.h"

#include "core/platform/file_map.h"

namespace ortc {

FileStore& FileStore::of_process() {
  static FileStore* const store = new FileStore;
  return *store;
}

// A map is the file itself, however its name and times change. A copy is what the file was: one
// that was rewritten may have its old size and time of modification, and a number that another had.
FileStore::Key FileStore::key_of(FileIdentity identity, Access access) {
  if (is_mapped_file(identity.size, access)) identity.changed_ns = 0;
  return {identity, access};
}

std::shared_ptr<const FileMap> FileStore::find(const FileIdentity& identity, Access access) {
  const std::lock_guard lock(mutex_);
  const auto known = maps_.find(key_of(identity, access));
  return known != maps_.end() ? known->second.lock() : nullptr;
}

std::shared_ptr<const FileMap> FileStore::share(std::shared_ptr<const FileMap> fresh,
                                                Access access) {
  const Key key = key_of(fresh->identity(), access);
  const FileMap* map = fresh.get();
  // Outlives the lock: letting go of it takes the lock again.
  const std::shared_ptr<const FileMap> held(
      map, [this, key, fresh = std::move(fresh)](const FileMap*) mutable {
        forget(key);
        fresh.reset();  // the control block, and this function with it, may live on
      });
  const std::lock_guard lock(mutex_);
  auto& entry = maps_[key];
  if (auto known = entry.lock(); known != nullptr) return known;
  entry = held;
  return held;
}

// Another map may have taken the place of the one that is let go of.
void FileStore::forget(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto known = maps_.find(key);
  if (known != maps_.end() && known->second.expired()) maps_.erase(known);
}

size_t FileStore::file_count() const {
  const std::lock_guard lock(mutex_);
  size_t count = 0;
  for (const auto& [key, map] : maps_) count += map.expired() ? 0 : 1;
  return count;
}

}  // namespace ortc
