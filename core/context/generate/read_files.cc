// SPDX-License-Identifier: MIT
// Files that a compile reads: see the header.
#include "core/context/generate/read_files.h"

#include "core/platform/shared_folder/file_stamp.h"

namespace ortc {
namespace {

template <typename Counts>
Status check_files(std::span<const ReadFile> files, Counts counts) {
  for (const ReadFile& file : files) {
    const auto now = identity_at(file.path);
    if (!now || !counts(file.identity, *now) || is_same_content(file.identity, *now)) continue;
    return fail("'", file.path, "' was written while it was compiled; compile it again");
  }
  return Status::ok();
}

}  // namespace

Status check_unchanged(std::span<const ReadFile> files) {
  return check_files(files, [](const FileIdentity&, const FileIdentity&) { return true; });
}

Status check_not_written(std::span<const ReadFile> files) {
  return check_files(files, [](const FileIdentity& then, const FileIdentity& now) {
    return now.device == then.device && now.inode == then.inode;
  });
}

}  // namespace ortc
