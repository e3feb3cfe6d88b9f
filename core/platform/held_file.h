// SPDX-License-Identifier: MIT
// A regular file that is held open: whatever happens to its name, no other file gets its identity.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/platform/file_map.h"

namespace ortc {

class HeldFile {
 public:
  // Fails as FileMap::open() does.
  static Result<HeldFile> open(const std::string& path);
  HeldFile(HeldFile&& other) noexcept;
  HeldFile& operator=(HeldFile&&) = delete;
  ~HeldFile();

  const FileIdentity& identity() const { return identity_; }
  // Whether the path names a symbolic link, and the file is what it leads to.
  bool is_behind_link() const { return is_behind_link_; }
  Result<std::shared_ptr<const FileMap>> map(Access access) const;
  // As many of its bytes from `offset` on as there are and as `out` takes; fewer after a failure.
  size_t read(uint64_t offset, std::span<std::byte> out) const;
  // False once the path leads to another file, or to none.
  bool is_still_there() const;

 private:
  HeldFile() = default;
  int descriptor_ = -1;
  bool is_behind_link_ = false;
  FileIdentity identity_;
  std::string path_;
};

}  // namespace ortc
