// SPDX-License-Identifier: MIT
// Readers of files: see the header. Files are compared by what they are, not by how they are
// spelled.
#include "core/context/file_readers.h"

#include <sys/stat.h>

#include "core/context/output/journal.h"
#include "core/platform/held_file.h"
#include "core/platform/path.h"
#include "core/platform/staged_name.h"
#include "core/proto/named_files.h"

namespace ortc {
namespace {

// Links followed. A link to a file counts as that file: refused once too often rather than once too
// rarely.
bool is_same_file(const std::string& a, const std::string& b) {
  struct stat first, second;
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

}  // namespace

ModelFiles ModelFiles::of_file(const std::string& path) {
  ModelFiles files{path, {path_folder(path)}, {}};
  if (path_is_symlink(path)) files.folders.push_back(path_folder(real_path(path)));
  const auto file = HeldFile::open(path);
  if (file.is_ok()) files.names = files_named_by(*file);
  return files;
}

ModelFiles ModelFiles::of_bytes(Bytes bytes, std::string folder) {
  return {"", {std::move(folder)}, files_named_by(bytes)};
}

bool ModelFiles::is(const std::string& target) const {
  return !path.empty() && is_same_file(path, target);
}

bool ModelFiles::read(const std::string& target) const {
  for (const std::string& folder : folders) {
    for (const std::string& name : names) {
      if (is_same_file(path_join(folder, name), target)) return true;
    }
  }
  return false;
}

std::string other_reader_of(const std::string& target, const std::string& folder,
                            const std::set<std::string>& own_models) {
  const auto names = list_folder(folder);
  if (!names.is_ok()) return {};
  for (const std::string& name : *names) {
    if (own_models.contains(name) || is_staged_name(name) || is_journal_name(name)) continue;
    if (ModelFiles::of_file(path_join(folder, name)).read(target)) return name;
  }
  return {};
}

}  // namespace ortc
