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
  // A path, or a name that is looked for where the system does. FAIL with the loader's words.
  static Result<std::unique_ptr<SharedLibrary>> open_named(const std::string& name);
  // The program itself and all that it is linked with.
  static Result<std::unique_ptr<SharedLibrary>> open_program();
  ~SharedLibrary();
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;

  // The address that the library exports under `name`; null when there is none.
  void* find(const char* name) const;
  const std::string& path() const { return path_; }
  // What the system calls it. From now on it is the caller's to close.
  void* release_handle();

 private:
  struct Impl;
  static Result<std::unique_ptr<SharedLibrary>> load(const char* name, std::string path);
  explicit SharedLibrary(std::unique_ptr<Impl> impl, std::string path);
  std::unique_ptr<Impl> impl_;
  std::string path_;
};

// The folder of the library or program that `address` lies in, with a "/" behind; "" when unknown.
std::string folder_of_code(const void* address);

}  // namespace ortc
