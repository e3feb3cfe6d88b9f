// SPDX-License-Identifier: MIT
// Files mapped once for a whole process: context binaries and external weights, whatever asks for
// them. Shared by identity (device, inode, size, time of the last change of content; of copies the
// time of any change too), never by what a file claims of itself. A file replaced on disk has
// another identity; who holds the old one keeps it. Nothing is kept of a file that has no holder.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "core/platform/file_map.h"

namespace ortc {

class FileStore {
 public:
  // Never destroyed: sessions may outlive everything else of the process.
  static FileStore& of_process();

  // What is held of the file, opened with the same access; null when nothing is.
  std::shared_ptr<const FileMap> find(const FileIdentity& identity, Access access);
  // The same, else `fresh`, which others find from now on.
  std::shared_ptr<const FileMap> share(std::shared_ptr<const FileMap> fresh, Access access);
  size_t file_count() const;  // that are held

 private:
  using Key = std::pair<FileIdentity, Access>;
  static Key key_of(FileIdentity identity, Access access);
  void forget(const Key& key);

  mutable std::mutex mutex_;
  std::map<Key, std::weak_ptr<const FileMap>> maps_;
};

}  // namespace ortc
