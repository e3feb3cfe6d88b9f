// SPDX-License-Identifier: MIT
// Staged files. The hook stands in front of every change; its failure takes the place of the
// operation.
#include "core/platform/staged_write.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "core/base/checked_math.h"
#include "core/base/large_memory.h"
#include "core/platform/descriptor.h"
#include "core/platform/path.h"
#include "core/platform/staged_name.h"

namespace ortc {
namespace {

// What is written by whole huge pages lies in the page cache by huge pages, and is mapped so: one
// page fault and one entry of the TLB for 2 MiB. Linux makes them as large as the first write to
// them was.
constexpr size_t kHugePage = kLeastLargeMemory;

constexpr uint64_t kWrittenSlice = uint64_t{16} << 20;
static_assert(kWrittenSlice % kHugePage == 0);

constexpr mode_t kModeBits = S_IRWXU | S_IRWXG | S_IRWXO;

}  // namespace

Status StagedFile::set_name(const std::string& folder, const std::string& name) {
  if (!is_plain_name(name))
    return invalid_argument("expected a plain file name, found '", name, "'");
  ASSIGN_OR_RETURN(staged_name_, make_staged_name(name));
  staged_path_ = path_join(folder_or_here(folder), staged_name_);
  return Status::ok();
}

// Whoever the file behind a link lets read may read what replaces the link.
void StagedFile::replace(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  mode_ = Mode{info.st_mode & kModeBits, info.st_gid};
}

// File systems without modes say the same of all files, and may refuse to be told.
Status StagedFile::set_mode() {
  if (!mode_) return Status::ok();
  struct stat info;
  if (fstat(descriptor_, &info) != 0) return system_failure("examine", staged_path_, errno);
  mode_t bits = mode_->bits;
  if (info.st_gid == mode_->group && (info.st_mode & kModeBits) == bits) return Status::ok();
  RETURN_IF_ERROR(write_operation("set_mode", staged_path_));
  if (info.st_gid != mode_->group && fchown(descriptor_, -1, mode_->group) != 0) {
    bits &= ~static_cast<mode_t>(S_IRWXG);
  }
  if (fchmod(descriptor_, bits) == 0) return Status::ok();
  return system_failure("set the mode of", staged_path_, errno);
}

Result<std::unique_ptr<StagedFile>> StagedFile::create(const std::string& folder,
                                                       const std::string& name,
                                                       const std::string& target) {
  for (int attempt = 0;; ++attempt) {
    std::unique_ptr<StagedFile> file(new StagedFile);
    file->owned_ = false;
    RETURN_IF_ERROR(file->set_name(folder, name));
    file->replace(path_join(folder_or_here(folder), target.empty() ? name : target));
    const std::string& path = file->staged_path_;
    RETURN_IF_ERROR(write_operation("create", path));
    const int made = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                          file->mode_ ? 0600 : 0666);
    file->owned_ = made >= 0;
    file->descriptor_ = above_standard_streams(made);
    if (file->descriptor_ >= 0) return file;
    if (errno != EINTR && (errno != EEXIST || attempt == 8)) {
      return system_failure("create", path, errno);
    }
  }
}

StagedFile::~StagedFile() {
  if (descriptor_ >= 0) close(descriptor_);
  // Nobody to tell; a file that stays is found by its name.
  if (owned_ && write_operation("remove", staged_path_).is_ok()) unlink(staged_path_.c_str());
}

Status StagedFile::write_to_system(uint64_t offset, Bytes bytes) {
  failure_ = write_operation("write", staged_path_);
  while (failure_.is_ok() && !bytes.empty()) {
    const auto position = checked_cast<off_t>(offset);
    const ssize_t count =
        position ? pwrite(descriptor_, bytes.data(), bytes.size(), *position) : -1;
    if (!position) errno = EFBIG;
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      failure_ = system_failure("write", staged_path_, count == 0 ? ENOSPC : errno);
      break;
    }
    bytes = bytes.subspan(static_cast<size_t>(count));
    offset += static_cast<uint64_t>(count);
  }
  return failure_;
}

Status StagedFile::flush() {
  if (buffer_.empty()) return failure_;
  RETURN_IF_ERROR(write_to_system(flushed_, buffer_));
  flushed_ += buffer_.size();
  buffer_.clear();
  return Status::ok();
}

// The last huge page as well, with zeros behind what it has so far, if none of it was written yet.
Status StagedFile::flush_huge_page() {
  const size_t size = buffer_.size();
  if (size == 0 || flushed_ % kHugePage != 0) return flush();
  buffer_.resize(kHugePage);
  RETURN_IF_ERROR(write_to_system(flushed_, buffer_));
  flushed_ += size;
  buffer_.clear();
  has_zeros_behind_ = true;
  return Status::ok();
}

Status StagedFile::cut_zeros_behind() {
  if (!std::exchange(has_zeros_behind_, false)) return Status::ok();
  failure_ = write_operation("cut", staged_path_);
  if (failure_.is_ok() && ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) {
    failure_ = system_failure("cut", staged_path_, errno);
  }
  return failure_;
}

Status StagedFile::write(Bytes bytes) {
  RETURN_IF_ERROR(failure_);
  if (descriptor_ < 0) return fail("cannot write '", staged_path_, "': it was closed");
  if (!checked_add<uint64_t>(size_, bytes.size())) {
    return fail("cannot write '", staged_path_, "': its size passes 2^64");
  }
  do {
    const size_t room = kHugePage - size_ % kHugePage;
    const bool is_whole = room == kHugePage && bytes.size() >= kHugePage;
    const size_t whole = std::min<size_t>(bytes.size() / kHugePage * kHugePage, kWrittenSlice);
    const Bytes slice = bytes.first(is_whole ? whole : std::min(bytes.size(), room));
    if (is_whole) {
      RETURN_IF_ERROR(write_to_system(flushed_, slice));
      flushed_ += slice.size();
    } else {
      buffer_.insert(buffer_.end(), slice.begin(), slice.end());
      if (slice.size() == room) RETURN_IF_ERROR(flush());
    }
    size_ += slice.size();
    bytes = bytes.subspan(slice.size());
    RETURN_IF_ERROR(limits_.check(slice.size()));
  } while (!bytes.empty());
  return Status::ok();
}

Status StagedFile::align(uint64_t alignment) {
  static constexpr std::array<std::byte, 4096> kZeros{};
  if (!std::has_single_bit(alignment)) {
    return invalid_argument("expected an alignment that is a power of two, found ", alignment);
  }
  const auto target = checked_align_up(size_, alignment);
  if (!target) return fail("cannot write '", staged_path_, "': its size passes 2^64");
  while (size_ < *target) {
    const size_t count = std::min<uint64_t>(*target - size_, kZeros.size());
    RETURN_IF_ERROR(write({kZeros.data(), count}));
  }
  return failure_;
}

Status StagedFile::write_at(uint64_t offset, Bytes bytes) {
  RETURN_IF_ERROR(failure_);
  if (descriptor_ < 0) return fail("cannot write '", staged_path_, "': it was closed");
  if (!range_within(offset, bytes.size(), size_)) {
    return invalid_argument("cannot overwrite ", bytes.size(), " bytes at ", offset, " of '",
                            staged_path_, "': it has ", size_);
  }
  RETURN_IF_ERROR(flush());
  return bytes.empty() ? Status::ok() : write_to_system(offset, bytes);
}

// The kernel is asked to write a part at a time: what fsync() finds left to do is short.
Status StagedFile::sync_slices() {
  RETURN_IF_ERROR(limits_.check());
  for (uint64_t offset = 0; offset + kWrittenSlice < size_; offset += kWrittenSlice) {
    // No failure counts here: fsync() has the last word.
    (void)sync_file_range(
        descriptor_, static_cast<off64_t>(offset), static_cast<off64_t>(kWrittenSlice),
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
    RETURN_IF_ERROR(limits_.check(kWrittenSlice));
  }
  return Status::ok();
}

Status StagedFile::sync_and_close() {
  if (failure_.is_ok() && descriptor_ < 0) {
    failure_ = fail("cannot sync '", staged_path_, "': it was closed");
  }
  RETURN_IF_ERROR(failure_);
  RETURN_IF_ERROR(flush());
  RETURN_IF_ERROR(cut_zeros_behind());
  buffer_.shrink_to_fit();
  RETURN_IF_ERROR(sync_slices());
  failure_ = set_mode();
  if (failure_.is_ok()) failure_ = write_operation("sync", staged_path_);
  RETURN_IF_ERROR(failure_);
  int synced;
  do {
    synced = fsync(descriptor_);
  } while (synced != 0 && errno == EINTR);
  if (synced != 0) {
    failure_ = system_failure("sync", staged_path_, errno);
    return failure_;
  }
  // Some file systems tell only here that the bytes found no place. EINTR leaves nothing to close.
  if (close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) {
    failure_ = system_failure("close", staged_path_, errno);
  }
  return failure_;
}

}  // namespace ortc
