// SPDX-License-Identifier: MIT
// Libraries that are loaded while the program runs.
#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"

namespace ortc {

// Open until the object ends. Code and data of the library must not be touched after that.
class SharedLibrary {
 public:
  // `path` is UTF-8. NO_SUCHFILE when there is no such file, FAIL with the loader's words.
  static Result<std::unique_ptr<SharedLibrary>> open(const std::string& path);
  ~SharedLibrary();
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;

  // The address that the library exports under `name`; null when there is none.
  void* find(const char* name) const;
  const std::string& path() const { return path_; }

 private:
  struct Impl;
  explicit SharedLibrary(std::unique_ptr<Impl> impl, std::string path);
  std::unique_ptr<Impl> impl_;
  std::string path_;
};

// The folder of the library or program that `address` lies in, "/" behind it; "" when nobody knows.
std::string folder_of_code(const void* address);

}  // namespace ortc
