// SPDX-License-Identifier: MIT
// Staged files that have no name yet: O_TMPFILE, and a link to it once it shall appear.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/base/checked_math.h"
#include "core/platform/descriptor.h"
#include "core/platform/path.h"
#include "core/platform/staged_write.h"

namespace ortc {
namespace {

constexpr size_t kCopySlice = size_t{4} << 20;

// File systems without O_TMPFILE (some that are mounted over a network) get a name for a moment.
int open_unnamed(const std::string& folder, const std::string& momentary, mode_t mode) {
  const int descriptor =
      above_standard_streams(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
  if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) {
    return descriptor;
  }
  const int named =
      open(momentary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  if (named >= 0) unlink(momentary.c_str());
  return above_standard_streams(named);
}

struct Mapping {
  void* begin;
  size_t size;
  Mapping(void* begin, size_t size) : begin(begin), size(size) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { munmap(begin, size); }
};

}  // namespace

Result<Descriptor> open_nameless(const std::string& folder) {
  const std::string place = folder_or_here(folder);
  RETURN_IF_ERROR(write_operation("create a file in", place));
  Descriptor made(
      above_standard_streams(open(place.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)));
  if (!made.is_open() && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    std::string momentary = path_join(place, ".scratch.XXXXXX");
    const int named = mkostemp(momentary.data(), O_CLOEXEC);
    if (named >= 0) unlink(momentary.c_str());
    made = Descriptor(above_standard_streams(named));
  }
  if (!made.is_open()) return system_failure("create a file in", place, errno);
  return made;
}

Result<std::unique_ptr<StagedFile>> StagedFile::create_unnamed(const std::string& folder,
                                                               const std::string& name) {
  std::unique_ptr<StagedFile> file(new StagedFile);
  file->owned_ = false;
  file->folder_ = folder_or_here(folder);
  file->name_ = name;
  RETURN_IF_ERROR(file->set_name(folder, name));
  RETURN_IF_ERROR(write_operation("create", file->staged_path_));
  file->replace(path_join(file->folder_, name));
  file->descriptor_ = open_unnamed(file->folder_, file->staged_path_, file->mode_ ? 0600 : 0666);
  if (file->descriptor_ < 0) return system_failure("create a file in", file->folder_, errno);
  return file;
}

Result<Blob> StagedFile::mapped(uint64_t offset, uint64_t size) {
  RETURN_IF_ERROR(failure_);
  if (name_.empty() || descriptor_ < 0 || size == 0 || !range_within(offset, size, size_)) {
    return invalid_argument("cannot map ", size, " bytes at ", offset, " of '", staged_path_, "'");
  }
  RETURN_IF_ERROR(flush_huge_page());
  const uint64_t before = offset % static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  void* begin = mmap(nullptr, before + size, PROT_READ, MAP_SHARED, descriptor_,
                     static_cast<off_t>(offset - before));
  if (begin == MAP_FAILED) return system_failure("map", staged_path_, errno);
  auto mapping = std::make_shared<const Mapping>(begin, before + size);
  return Blob({static_cast<const std::byte*>(begin) + before, size}, std::move(mapping));
}

Status StagedFile::appear() {
  RETURN_IF_ERROR(failure_);
  if (name_.empty() || descriptor_ < 0) {
    return invalid_argument("'", staged_path_, "' has its name already");
  }
  const std::string folder = std::exchange(folder_, {}), name = std::exchange(name_, {});
  const std::string self = str_cat("/proc/self/fd/", descriptor_);
  for (int attempt = 0; attempt < 8; ++attempt) {
    RETURN_IF_ERROR(write_operation("create", staged_path_));
    if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, staged_path_.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      owned_ = true;
      return Status::ok();
    }
    if (errno != EEXIST) break;
    RETURN_IF_ERROR(set_name(folder, name));
  }
  return copy_to_named(folder, name);
}

Status StagedFile::copy_to_named(const std::string& folder, const std::string& name) {
  RETURN_IF_ERROR(flush());
  ASSIGN_OR_RETURN(const auto copy, create(folder, name));
  copy->mode_ = mode_;
  copy->set_limits(limits_);
  std::vector<std::byte> slice(std::min<uint64_t>(size_, kCopySlice));
  for (uint64_t offset = 0; offset < size_;) {
    const size_t wanted = std::min<uint64_t>(slice.size(), size_ - offset);
    const ssize_t count = pread(descriptor_, slice.data(), wanted, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return system_failure("read", staged_path_, count == 0 ? EIO : errno);
    RETURN_IF_ERROR(copy->write({slice.data(), static_cast<size_t>(count)}));
    offset += static_cast<uint64_t>(count);
  }
  RETURN_IF_ERROR(copy->flush());
  std::swap(descriptor_, copy->descriptor_);
  std::swap(staged_name_, copy->staged_name_);
  std::swap(staged_path_, copy->staged_path_);
  flushed_ = size_;
  has_zeros_behind_ = false;
  owned_ = true;
  copy->owned_ = false;
  return Status::ok();
}

}  // namespace ortc
