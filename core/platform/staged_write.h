// SPDX-License-Identifier: MIT
// Writing files: staged under a unique name beside the target, synced, then renamed. Nothing is
// ever truncated or written in place. Every operation that changes the file system passes
// write_operation(), where tests inject a failure or the end of the process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"

namespace ortc {

// A new file that is written front to back, through a buffer. Removed again by the destructor
// unless it was published (renamed away) or released. After a failure nothing succeeds any more.
class StagedFile {
 public:
  // Creates "<folder>/.<name>.<unique>.tmp" exclusively (O_EXCL, no link followed); a name too long
  // for the file system is shortened in it.
  static Result<std::unique_ptr<StagedFile>> create(const std::string& folder,
                                                    const std::string& name);
  ~StagedFile();
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  Status write(Bytes bytes);
  // Pads with zeros to a multiple of `alignment`.
  Status align(uint64_t alignment);
  // Overwrites bytes already written (a header whose hash is known last).
  Status write_at(uint64_t offset, Bytes bytes);
  uint64_t size() const { return size_; }
  // Data on the device; the descriptor is closed.
  Status sync_and_close();
  const std::string& staged_name() const { return staged_name_; }  // plain name in the folder
  std::string staged_path() const;
  // The file stays although this object goes: somebody else (a journal) answers for it now.
  void release() { owned_ = false; }

 private:
  StagedFile() = default;
  Status flush();
  Status write_to_system(uint64_t offset, Bytes bytes);

  std::string folder_;
  std::string staged_name_;
  int descriptor_ = -1;
  uint64_t size_ = 0;     // what was written, the buffer included
  uint64_t flushed_ = 0;  // what the operating system has of it
  std::vector<std::byte> buffer_;
  Status failure_;  // the first one; every later operation repeats it
  bool owned_ = true;
};

// Renames inside one folder, atomically replacing; then callers sync_folder().
Status rename_in_folder(const std::string& folder, const std::string& from, const std::string& to);
Status remove_in_folder(const std::string& folder,
                        const std::string& name);  // a missing file is success
Status sync_folder(const std::string& folder);
std::string folder_of_target(const std::string& path);  // "" becomes "."

// An exclusive lock on a folder (a lock on the folder's own descriptor: no file is made). Blocks
// until it is free; given up by the destructor or by the end of the process.
class FolderLock {
 public:
  static Result<std::unique_ptr<FolderLock>> acquire(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  FolderLock() = default;
  int descriptor_ = -1;
};

// What tests put in front of every changing operation ("create", "write", "sync", "rename",
// "remove", "sync_folder"). A returned failure is treated as that operation's own failure. nullptr
// takes it away. Not for concurrent use.
using WriteOperationHook = std::function<Status(const char* operation, const std::string& path)>;
void set_write_operation_hook(WriteOperationHook hook);

}  // namespace ortc
