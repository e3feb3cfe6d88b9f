// SPDX-License-Identifier: MIT
// A new folder that appears with everything in it, or not at all: filled under a unique name beside
// its place, then renamed.
#pragma once

#include <memory>
#include <string>

#include "core/base/bytes.h"
#include "core/platform/file_map.h"
#include "core/platform/folder_changes.h"

namespace ortc {

class StagedFolder {
 public:
  // FAIL when something stands at `target` already, or the folder above it cannot be written.
  static Result<std::unique_ptr<StagedFolder>> create(const std::string& target);
  ~StagedFolder();
  StagedFolder(const StagedFolder&) = delete;
  StagedFolder& operator=(const StagedFolder&) = delete;

  // Writes a file beneath it; `name` may have folders, which are made.
  Status write(const std::string& name, Bytes bytes);
  // The file at `path` gets another name, here; where the file system cannot do that, it is copied.
  Status link(const std::string& name, const std::string& path);
  // Gives it its name. FAIL when that was taken meanwhile.
  Status publish();

 private:
  StagedFolder(std::string parent, std::string name, std::string staged_name);
  Status make_folder_of(const std::string& name);

  std::string parent_, name_, staged_name_;
  std::string path_;
  MadeFolders folders_;
  bool is_published_ = false;
};

}  // namespace ortc
