// SPDX-License-Identifier: MIT
// Identities and stamps: see the header.
#include "core/platform/shared_folder/file_stamp.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "core/platform/descriptor.h"

namespace ortc {

std::optional<FileIdentity> identity_at(const std::string& path) {
  struct stat info;
  if (path.find('\0') != std::string::npos || stat(path.c_str(), &info) != 0) return std::nullopt;
  if (!S_ISREG(info.st_mode)) return std::nullopt;
  return identity_from(info);
}

bool renew_stamp(const std::string& path) {
  return utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW) == 0;
}

}  // namespace ortc
