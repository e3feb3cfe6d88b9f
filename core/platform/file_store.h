// SPDX-License-Identifier: MIT
// Files mapped once for all sessions of an environment: shared by identity (device, inode, size,
// times), never by what a file claims of itself. A file replaced on disk has another identity;
// sessions that hold the old one keep it.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "core/platform/file.h"

namespace ortc {

class FileStore {
 public:
  // The map that some session already holds of the same file, else `fresh`. Thread-safe.
  std::shared_ptr<const FileMap> share(std::shared_ptr<const FileMap> fresh);
  size_t file_count() const;  // that somebody holds

 private:
  mutable std::mutex mutex_;
  std::map<FileIdentity, std::weak_ptr<const FileMap>> maps_;
};

}  // namespace ortc
