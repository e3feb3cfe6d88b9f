// SPDX-License-Identifier: MIT
// Libraries of the program that are loaded while it runs. The system counts: a library that is open
// twice is there once, and goes with the last.
#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"

namespace ortc {

class DynamicLibrary {
 public:
  // FAIL with what the system says. A name without folders is looked for where the system does.
  static Result<std::shared_ptr<DynamicLibrary>> open(const std::string& path);
  // The program itself and all that it is linked with.
  static Result<std::shared_ptr<DynamicLibrary>> open_program();

  DynamicLibrary(const DynamicLibrary&) = delete;
  DynamicLibrary& operator=(const DynamicLibrary&) = delete;
  ~DynamicLibrary();

  // Null when there is none of that name.
  void* find(const char* symbol) const;
  template <typename Function>
  Function function(const char* symbol) const {
    return reinterpret_cast<Function>(find(symbol));
  }
  // What the system calls it. From now on the library is the caller's to close.
  void* release_handle();

 private:
  struct Handle;
  explicit DynamicLibrary(std::unique_ptr<Handle> handle);
  static Result<std::shared_ptr<DynamicLibrary>> open_at(const char* path);

  std::unique_ptr<Handle> handle_;
  bool is_released_ = false;
};

}  // namespace ortc
