// SPDX-License-Identifier: MIT
// Libraries by way of libuv: see the header.
#include "core/platform/machine/dynamic_library.h"

#include <uv.h>

namespace ortc {

struct DynamicLibrary::Handle {
  uv_lib_t library{};
};

DynamicLibrary::DynamicLibrary(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}

Result<std::shared_ptr<DynamicLibrary>> DynamicLibrary::open_at(const char* path) {
  auto handle = std::make_unique<Handle>();
  if (uv_dlopen(path, &handle->library) != 0) {
    Status status = fail("the library cannot be loaded: ", uv_dlerror(&handle->library));
    uv_dlclose(&handle->library);  // the text
    return status;
  }
  return std::shared_ptr<DynamicLibrary>(new DynamicLibrary(std::move(handle)));
}

Result<std::shared_ptr<DynamicLibrary>> DynamicLibrary::open(const std::string& path) {
  return open_at(path.c_str());
}

Result<std::shared_ptr<DynamicLibrary>> DynamicLibrary::open_program() { return open_at(nullptr); }

DynamicLibrary::~DynamicLibrary() {
  if (is_released_) handle_->library.handle = nullptr;
  uv_dlclose(&handle_->library);
}

void* DynamicLibrary::find(const char* symbol) const {
  void* found = nullptr;
  return uv_dlsym(&handle_->library, symbol, &found) == 0 ? found : nullptr;
}

void* DynamicLibrary::release_handle() {
  is_released_ = true;
  return handle_->library.handle;
}

}  // namespace ortc
