// SPDX-License-Identifier: MIT
// A file written beside its target and renamed at the end, so that no half file is ever seen.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace ortc::tool {

class StagedFile {
 public:
  // Throws when it cannot be made: before the work whose result it shall hold.
  explicit StagedFile(const std::string& path);
  ~StagedFile();  // without finish() nothing is left
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  // What goes wrong is said by finish().
  void write(const void* data, size_t size);
  void write(const std::string& text) { write(text.data(), text.size()); }
  void finish();

 private:
  void close();

  std::string path_, staged_;
  std::FILE* file_;
  int reason_ = 0;  // errno of what went wrong first
};

}  // namespace ortc::tool
