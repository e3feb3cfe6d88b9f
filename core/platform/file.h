// SPDX-License-Identifier: MIT
// Reading files: opened, resolved and mapped here and only here. Paths are UTF-8.
//
// A FileMap is a read-only, private view of a whole regular file; the file stays usable when it is
// renamed over or deleted. A file truncated in place by somebody else makes any access to the lost
// pages fatal: whoever fears that asks for Access::kRead, which copies.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
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

enum class Access { kMap, kRead };

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
  // Part of the file as a Blob that keeps the map alive. The range has been checked by the caller.
  static Blob blob(const std::shared_ptr<const FileMap>& map, uint64_t offset, uint64_t length);

 private:
  friend struct FileMapMaker;
  FileMap() = default;
  Bytes bytes_;
  FileIdentity identity_;
  std::string path_;
  bool mapped_ = false;
};

// A folder that names in models are resolved against: "weights.bin", "sub/weights.bin". The folder
// is held by descriptor and each component is opened beneath it (openat2 RESOLVE_BENEATH where the
// kernel has it, else component by component without following links), so that there is no gap
// between check and open.
class Folder {
 public:
  // `path` may be "" for the current folder.
  static Result<std::shared_ptr<const Folder>> open(const std::string& path);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }

  // Opens a regular file named by an untrusted relative name. FAIL, with the name and the reason,
  // when the name is empty, absolute (also "C:\", "\\server", "\dir" forms), leaves the folder by
  // ".." or by a symbolic link, is missing or is not a regular file. A link that stays inside is
  // followed. When the model itself was reached through a symbolic link the caller passes the real
  // file's folder as `also` (the Hugging Face cache layout): links into it are allowed too, and a
  // name that is not here is looked for there. A file that the process has open so already is
  // given again (FileStore).
  Result<std::shared_ptr<const FileMap>> open_beneath(std::string_view name,
                                                      Access access = Access::kMap,
                                                      const Folder* also = nullptr) const;

 private:
  Folder() = default;
  std::string path_;
  std::string real_path_;
  int descriptor_ = -1;
};

bool path_exists(const std::string& path);
bool path_is_directory(const std::string& path);
bool path_is_symlink(const std::string& path);
// The file that `path` really is, all links resolved; `path` itself when that fails.
std::string real_path(const std::string& path);
Result<std::vector<std::string>> list_folder(const std::string& path);  // plain names, sorted

// Text operations on paths; no file system involved.
std::string path_folder(std::string_view path);     // "a/b.onnx" -> "a", "b.onnx" -> ""
std::string path_file_name(std::string_view path);  // "a/b.onnx" -> "b.onnx"
std::string path_extension(
    std::string_view path);  // of the file name, with the dot; "" when there is none
std::string path_stem(std::string_view path);  // file name without its extension
std::string path_join(std::string_view folder, std::string_view name);

// One line of zstd (level 1..19) and its inverse; the inverse never writes more than `size` bytes
// and fails with INVALID_GRAPH unless it gives exactly that many.
Result<std::string> zstd_compress(Bytes bytes, int level);
Status zstd_decompress(Bytes frame, std::span<std::byte> out);

}  // namespace ortc
