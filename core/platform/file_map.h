// SPDX-License-Identifier: MIT
// A FileMap is a read-only, private view of a whole regular file; the file stays usable when it is
// renamed over or deleted. A file truncated in place by others makes any access to the lost
// pages fatal: who fears that asks for Access::kRead, which copies. So does kMap with files of
// a few pages, which cost less so.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"

namespace ortc {

// Two opens with equal identities saw the same bytes.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t size = 0;
  int64_t modified_ns = 0;
  int64_t changed_ns = 0;
  auto operator<=>(const FileIdentity&) const = default;
};

// Whether the file is still the one that was, with the bytes that it had. Links and renames change
// a file's times too, but not that of its last modification.
bool is_same_content(const FileIdentity& then, const FileIdentity& now);

// A file that something was read from, by the path that it had.
struct ReadFile {
  std::string path;
  FileIdentity identity;
};

enum class Access { kMap, kRead };

// Whether a file of that size is mapped, and so stays the file itself; else it is copied.
bool is_mapped_file(uint64_t size, Access access);

// What is known of a map without holding it.
struct MapFacts {
  std::string path;
  Bytes bytes;
  bool is_mapped = false;
};

class FileMap {
 public:
  // NO_SUCHFILE when there is none, FAIL for a directory, FIFO or anything else that is not a
  // regular file.
  static Result<std::shared_ptr<const FileMap>> open(const std::string& path,
                                                     Access access = Access::kMap);
  ~FileMap();
  FileMap(const FileMap&) = delete;
  FileMap& operator=(const FileMap&) = delete;

  Bytes bytes() const { return bytes_; }
  const FileIdentity& identity() const { return identity_; }
  const std::string& path() const { return path_; }
  bool is_mapped() const { return mapped_; }
  // Every map of this process, wherever it was opened.
  static std::vector<MapFacts> all();
  // The mapped file that these bytes lie in, which is read when they are; nothing for memory.
  static std::optional<ReadFile> mapped_around(Bytes bytes);
  // Part of the file as a Blob that keeps the map alive. The range has been checked by the caller.
  static Blob blob(const std::shared_ptr<const FileMap>& map, uint64_t offset, uint64_t length);

 private:
  friend struct FileMapMaker;
  FileMap() = default;
  Bytes bytes_;
  FileIdentity identity_;
  std::string path_;
  bool mapped_ = false;
  bool is_large_copy_ = false;
  FileMap *next_ = nullptr, *previous_ = nullptr;  // in the list of all
};

}  // namespace ortc
