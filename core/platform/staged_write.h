// SPDX-License-Identifier: MIT
// Writing files: staged under a unique name beside the target, synced, then renamed
// (folder_changes.h). Nothing is ever truncated or written in place.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/platform/folder_changes.h"
#include "core/platform/wait_limits.h"

namespace ortc {

// A new file that is written front to back, through a buffer. Removed again by the destructor
// unless it was published (renamed away) or released. After a failure nothing succeeds any more.
// One that is going to replace a file lets no one else read it until it is whole, and then those
// whom that file lets.
class StagedFile {
 public:
  // Creates a file with a staged name (staged_name.h) exclusively: O_EXCL, no link followed.
  // `target`: the path beneath the folder that it will have, when that is not `name`.
  static Result<std::unique_ptr<StagedFile>> create(const std::string& folder,
                                                    const std::string& name,
                                                    const std::string& target = {});
  // A file that has no name yet: no one sees it, and it is gone with the process. appear() makes it
  // one as create() does.
  static Result<std::unique_ptr<StagedFile>> create_unnamed(const std::string& folder,
                                                            const std::string& name);
  ~StagedFile();
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  // Asks the limits between two slices of a large piece.
  Status write(Bytes bytes);
  void set_limits(WaitLimits limits) { limits_ = std::move(limits); }
  // Pads with zeros to a multiple of `alignment`.
  Status align(uint64_t alignment);
  // Overwrites bytes already written (a header whose hash is known last).
  Status write_at(uint64_t offset, Bytes bytes);
  uint64_t size() const { return size_; }
  // Bytes that were written to a file made by create_unnamed(), mapped read-only: they take none of
  // the process's own memory.
  Result<Blob> mapped(uint64_t offset, uint64_t size);
  // Gives an unnamed file its staged name. Where the file system cannot do that, a copy gets it.
  Status appear();
  // Data on the device; the descriptor is closed. A large file gets there in slices, and between
  // two of them the limits are asked; their failure leaves the file as it is, to be synced again or
  // given up.
  Status sync_and_close();
  bool is_closed() const { return descriptor_ < 0; }
  // The failure that ended it, or success.
  const Status& failure() const { return failure_; }
  const std::string& staged_name() const { return staged_name_; }  // plain name in the folder
  const std::string& staged_path() const { return staged_path_; }
  // The file stays although this object goes: another owner (a journal) answers for it now.
  void release() { owned_ = false; }

 private:
  StagedFile() = default;
  Status flush();
  Status flush_huge_page();
  Status cut_zeros_behind();
  Status write_to_system(uint64_t offset, Bytes bytes);
  Status sync_slices();
  void replace(const std::string& path);
  Status set_mode();
  Status set_name(const std::string& folder, const std::string& name);
  Status copy_to_named(const std::string& folder, const std::string& name);

  std::string folder_, name_;              // of an unnamed file, until it appears
  std::string staged_name_, staged_path_;  // made first: the destructor allocates nothing
  int descriptor_ = -1;
  // Of the file that is replaced. Other groups than its own are not let in by its mode.
  struct Mode {
    uint32_t bits, group;
  };
  std::optional<Mode> mode_;
  uint64_t size_ = 0;              // what was written, the buffer included
  uint64_t flushed_ = 0;           // what the operating system has of it
  std::vector<std::byte> buffer_;  // of the huge page that is being filled
  bool has_zeros_behind_ = false;  // the file is longer than what was written
  WaitLimits limits_;
  Status failure_;  // the first one; every later operation repeats it
  bool owned_ = true;
};

}  // namespace ortc
