// SPDX-License-Identifier: MIT
// Changes of a folder's entries: renames, removals, folders beneath, and making them last. Nothing
// here follows a symbolic link beneath the folder.
//
// Every operation that changes the file system passes write_operation(), where tests inject a
// failure or the end of the process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/platform/wait_limits.h"

namespace ortc {

// Gives the file `from` (a plain name) the name `to`, at once, replacing what has it: a plain name,
// or a path beneath the folder whose own folders are there. Then callers sync_folder().
Status rename_in_folder(const std::string& folder, const std::string& from, const std::string& to);
// The same, but false, with nothing changed, when something stands at `to` already.
Result<bool> rename_to_free_name(const std::string& folder, const std::string& from,
                                 const std::string& to);
// `name` is plain or a path beneath; a missing file is success.
Status remove_in_folder(const std::string& folder, const std::string& name);
// "" is the folder itself, else one beneath it.
Status sync_folder(const std::string& folder, const std::string& beneath = {});

std::string folder_of_target(const std::string& path);  // "" becomes "."

// Folders beneath a folder: those that were missing are made, and removed again, when they are
// empty, by the destructor unless they are kept.
class MadeFolders {
 public:
  MadeFolders() = default;
  ~MadeFolders();
  MadeFolders(const MadeFolders&) = delete;
  MadeFolders& operator=(const MadeFolders&) = delete;

  // The folders of `path` ("a/b/w.bin": a and a/b). FAIL when one cannot be made, is a link, or
  // lies on another file system than `folder`, to which no file can be renamed.
  Status make(const std::string& folder, const std::string& path);
  // What can be known of that beforehand: the same failures, and nothing is made.
  static Status check(const std::string& folder, const std::string& path);
  void keep() { paths_.clear(); }

 private:
  std::vector<std::string> paths_;  // whole ones, outer first
};

// What tests put in front of every changing operation ("create", "write", "cut", "set_mode",
// "sync", "rename", "remove", "sync_folder", "make_folder"). A returned failure is treated as that
// operation's own failure. nullptr takes it away. Not for concurrent use.
using WriteOperationHook = std::function<Status(const char* operation, const std::string& path)>;
void set_write_operation_hook(WriteOperationHook hook);
Status write_operation(const char* operation, const std::string& path);

}  // namespace ortc
