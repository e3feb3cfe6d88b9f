// SPDX-License-Identifier: MIT
// Files held open: see the header.
#include "core/platform/held_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "core/platform/descriptor.h"

namespace ortc {

// The first open refuses a link: so one call says whether the path is one and opens all others.
Result<HeldFile> HeldFile::open(const std::string& path) {
  if (path.find('\0') != std::string::npos) {
    return fail("expected a path of a file, found one with a zero byte in it");
  }
  OpenedFile opened = open_for_reading(path, O_NOFOLLOW);
  const bool is_behind_link = opened.error == ELOOP;
  if (is_behind_link) opened = open_for_reading(path);
  if (!opened.descriptor.is_open()) {
    const bool missing = opened.error == ENOENT || opened.error == ENOTDIR;
    return make_status(missing ? Code::kNoSuchFile : Code::kFail, "cannot open file '", path,
                       "': ", errno_text(opened.error));
  }
  HeldFile file;
  ASSIGN_OR_RETURN(file.identity_, identity_of(opened.descriptor.get(), path));
  file.descriptor_ = opened.descriptor.release();
  file.is_behind_link_ = is_behind_link;
  file.path_ = path;
  return file;
}

HeldFile::HeldFile(HeldFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      is_behind_link_(other.is_behind_link_),
      identity_(other.identity_),
      path_(std::move(other.path_)) {}

HeldFile::~HeldFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<std::shared_ptr<const FileMap>> HeldFile::map(Access access) const {
  return FileMapMaker::shared_when_mapped(descriptor_, identity_, path_, access);
}

size_t HeldFile::read(uint64_t offset, std::span<std::byte> out) const {
  size_t done = 0;
  while (done < out.size()) {
    const ssize_t count =
        pread(descriptor_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<size_t>(count);
  }
  return done;
}

bool HeldFile::is_still_there() const {
  struct stat info;
  return stat(path_.c_str(), &info) == 0 && info.st_dev == identity_.device &&
         info.st_ino == identity_.inode;
}

}  // namespace ortc
