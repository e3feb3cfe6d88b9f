// SPDX-License-Identifier: MIT
// A file written beside its target and renamed at the end, so that no half file is ever seen. What
// is there and is no file, as a device or a pipe, is written into instead.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>

#include "tools/ortc/signals.h"

namespace ortc::tool {

// "<path>: could not be written: <why>"
ToolError not_written(const std::string& path, const std::string& why);
// Whether what is there cannot be replaced by a file: a device, a pipe, or what this process has
// open, as /dev/stdout. False for a folder.
bool is_written_into(const std::string& path);
// The folder of a file, "." for a plain name.
std::string folder_of(const std::string& path);
// Where a file is that links lead to; it need not be there.
std::string behind_links(const std::string& path);

class StagedFile {
 public:
  // Throws when it cannot be made: before the work whose result it is to hold.
  explicit StagedFile(const std::string& path);
  ~StagedFile();  // without finish() nothing is left
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  // What goes wrong is said by finish().
  void write(const void* data, size_t size);
  void write(const std::string& text) { write(text.data(), text.size()); }
  void finish();

 private:
  void open_staged();
  void close();
  void remove_staged() const;

  const std::string path_;       // as it was given
  std::string target_, staged_;  // staged_: "" when it is written into
  std::unique_ptr<const CleanScope> scope_;
  std::FILE* file_ = nullptr;
  int reason_ = 0;  // errno of what went wrong first
};

}  // namespace ortc::tool
