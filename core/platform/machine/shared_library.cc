// SPDX-License-Identifier: MIT
// Libraries, by libuv: see the header.
#include "core/platform/machine/shared_library.h"

#include <dlfcn.h>
#include <uv.h>

#include "core/platform/path.h"

namespace ortc {

struct SharedLibrary::Impl {
  uv_lib_t library{};
  bool is_released = false;
};

SharedLibrary::SharedLibrary(std::unique_ptr<Impl> impl, std::string path)
    : impl_(std::move(impl)), path_(std::move(path)) {}

SharedLibrary::~SharedLibrary() {
  if (impl_->is_released) impl_->library.handle = nullptr;
  uv_dlclose(&impl_->library);
}

Result<std::unique_ptr<SharedLibrary>> SharedLibrary::open(const std::string& path) {
  if (!path_exists(path)) {
    return make_status(Code::kNoSuchFile, "the library '", path, "' does not exist");
  }
  return load(path.c_str(), path);
}

Result<std::unique_ptr<SharedLibrary>> SharedLibrary::open_named(const std::string& name) {
  return load(name.c_str(), name);
}

Result<std::unique_ptr<SharedLibrary>> SharedLibrary::open_program() { return load(nullptr, ""); }

Result<std::unique_ptr<SharedLibrary>> SharedLibrary::load(const char* name, std::string path) {
  auto impl = std::make_unique<Impl>();
  if (uv_dlopen(name, &impl->library) != 0) {
    Status failure = fail("the library '", path,
                          "' cannot be loaded: ", std::string_view(uv_dlerror(&impl->library)));
    uv_dlclose(&impl->library);  // frees the words
    return failure;
  }
  return std::unique_ptr<SharedLibrary>(new SharedLibrary(std::move(impl), std::move(path)));
}

void* SharedLibrary::release_handle() {
  impl_->is_released = true;
  return impl_->library.handle;
}

void* SharedLibrary::find(const char* name) const {
  void* address = nullptr;
  return uv_dlsym(&impl_->library, name, &address) == 0 ? address : nullptr;
}

std::string folder_of_code(const void* address) {
  Dl_info found;
  if (dladdr(address, &found) == 0 || found.dli_fname == nullptr) return {};
  const std::string path = found.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

}  // namespace ortc
